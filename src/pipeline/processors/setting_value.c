/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a value of any type from YAML. */
#include "pipeline/processors/setting_value.h"

#include "config/values.h"

static bool may_be_number(struct str text)
{
	for (size_t i = 0; i < text.n && i < 2; i++)
		if (text.p[i] >= '0' && text.p[i] <= '9')
			return true;
	return false;
}

int setting_value_read(const struct config_node *n, const char *what, void *to, struct arena *arena,
		       struct err *e)
{
	struct setting_value *out = to;
	bool yes;

	(void)arena;
	if (n->kind != CONFIG_SCALAR)
		return config_fail(n, e,
				   "%s: \"value\" has to be text, a number, true or false: lists "
				   "and maps are not supported",
				   what);
	out->set = true;
	out->value = VALUE_OF_STR(n->text);
	if (n->quoted)
		return 0;
	if (!setting_parse_bool(n->text, &yes)) {
		out->value = VALUE_OF_BOOL(yes);
	} else if (may_be_number(n->text)) {
		struct value number = {.kind = VALUE_INT};

		if (str_to_i64(n->text, &number.i)) {
			number.kind = VALUE_DOUBLE;
			if (str_to_double(n->text, &number.d))
				return 0;
		}
		out->value = number;
	}
	return 0;
}
