/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_TEST_ATTRIBUTE_TEXT_H
#define VARVE_TEST_ATTRIBUTE_TEXT_H

/*
 * Attributes as text, for tables of tests: "name=text count=5 ratio=0.5 ok=true id='5'". Text that
 * looks like another type is in quotes. There are no blanks in values.
 */

#include "signal/otlp/attributes.h"
#include "test/test.h"

static inline struct value test_value_of(struct str text)
{
	struct value v = VALUE_OF_STR(text);
	int64_t i;
	double d;

	if (text.n >= 2 && text.p[0] == '\'')
		v.s = str_of(text.p + 1, text.n - 2);
	else if (str_eq(text, STR("true")) || str_eq(text, STR("false")))
		v = VALUE_OF_BOOL(text.p[0] == 't');
	else if (!str_to_i64(text, &i))
		v = VALUE_OF_INT(i);
	else if (text.n && text.p[0] <= '9' && !str_to_double(text, &d))
		v = (struct value){.kind = VALUE_DOUBLE, .d = d};
	return v;
}

static inline void test_attributes_of(struct attributes *out, const char *text, struct arena *arena)
{
	struct str rest = str_from(text);

	*out = (struct attributes){0};
	while (rest.n) {
		struct str pair = str_cut(&rest, ' ');
		struct str key = str_cut(&pair, '=');
		struct value v = test_value_of(pair);

		assert_ok(attributes_set(out, arena, key, &v));
	}
}

/* Append the attributes of a message as text. */
static inline void test_attributes_text(struct buf *out, struct str message, uint32_t field,
					struct arena *arena)
{
	struct attributes list;

	assert_ok(otlp_attributes_read(&list, message, field, arena));
	for (uint32_t i = 0; i < list.list.n; i++) {
		const struct otlp_attribute *a = &list.list.at[i];
		bool quoted = a->value.kind == VALUE_STRING &&
			      test_value_of(a->value.s).kind != VALUE_STRING;

		buf_printf(out, "%s%.*s=%s", i ? " " : "", STR_ARG(a->key), quoted ? "'" : "");
		assert_ok(otlp_value_text(out, &a->value));
		buf_put_str(out, quoted ? STR("'") : STR(""));
	}
}

#endif
