/* SPDX-License-Identifier: Apache-2.0 */
/* Filters on labels match values of all kinds as text. */
#include "query/labels.h"

#include "query_test.h"
#include "signal/profile/profile_rows.h"

static const struct attribute_case {
	const char *key;
	struct value value;
	const char *matches, *differs;
} cases[] = {
	{"text", {.kind = VALUE_STRING, .s = STR_INIT("shop")}, "^shop$", "^s$"},
	{"bytes", {.kind = VALUE_BYTES, .s = STR_INIT("raw")}, "^raw$", "^$"},
	{"yes", {.kind = VALUE_BOOL, .i = 1}, "^true$", "^false$|1"},
	{"no", {.kind = VALUE_BOOL, .i = 0}, "^false$", "^true$|0"},
	{"small", {.kind = VALUE_INT, .i = -42}, "^-42$", "^42$|^0$|d"},
	{"large", {.kind = VALUE_INT, .i = INT64_MIN}, "^-9223372036854775808$", "^-?0?$"},
	{"wide", {.kind = VALUE_INT, .i = 5000000000}, "^5000000000$", "^705032704$"},
	{"half", {.kind = VALUE_DOUBLE, .d = 0.5}, "^0.5$", "^0$|^0.50"},
};

/* Make a batch with one sample for each case. */
static void make_batch(struct sketch *s)
{
	sketch_init(s);
	for (size_t i = 0; i < countof(cases); i++) {
		uint32_t id, stack, location = sketch_location(s, STR("main"));

		assert_ok(profile_add_attribute(&s->builder, str_from(cases[i].key), cases[i].value,
						STR(""), &id));
		assert_ok(profile_add_stack(&s->builder, &location, 1, &stack));
		assert_ok(profile_add_sample(&s->builder, stack, 0, &id, 1, 1));
	}
}

static int matches(const struct profile_batch *b, const char *key, const char *pattern, uint32_t i)
{
	struct label_filter filter = {str_from(key), pattern ? regex_of(pattern) : NULL};
	struct arena arena;
	struct labels l;
	struct err e = {0};
	int rc;

	arena_init(&arena, NULL);
	assert_ok(labels_init(&l, b, &filter, 1, &arena));
	assert_ok_err(labels_enter_profile(&l, 0, &e), &e);
	rc = labels_match(&l, i, &e);
	assert_int_equal(labels_match(&l, i, &e), rc); /* the cached result is the same */
	regex_free(filter.value);
	arena_fini(&arena);
	return rc;
}

static void a_value_is_matched_as_text(void **state)
{
	struct sketch s;

	(void)state;
	make_batch(&s);
	for (uint32_t i = 0; i < countof(cases); i++) {
		const char *key = cases[i].key;

		if (matches(&s.batch, key, cases[i].matches, i) != 1)
			fail_msg("%s does not match %s", key, cases[i].matches);
		if (matches(&s.batch, key, cases[i].differs, i) != 0)
			fail_msg("%s matches %s", key, cases[i].differs);
		assert_int_equal(matches(&s.batch, key, NULL, i), 1);
		assert_int_equal(matches(&s.batch, "other", NULL, i), 0);
		assert_int_equal(matches(&s.batch, key, NULL, (i + 1) % countof(cases)), 0);
	}
	sketch_fini(&s);
}

TEST_MAIN(test(a_value_is_matched_as_text))
