/* SPDX-License-Identifier: Apache-2.0 */
#include "base/regex.h"

#include <errno.h>

#include "test/test.h"

static int match(const char *pattern, unsigned flags, struct str text, struct err *e)
{
	struct regex *r = NULL;
	int rc = regex_new(&r, str_from(pattern), flags, e);

	if (!rc)
		rc = regex_match(r, text, e);
	regex_free(r);
	return rc;
}

static void a_pattern_matches_anywhere(void **state)
{
	struct err e = {0};

	(void)state;
	assert_int_equal(match("mal+oc", 0, STR("je_malloc_usable"), &e), 1);
	assert_int_equal(match("^mal+oc", 0, STR("je_malloc_usable"), &e), 0);
	assert_int_equal(match("MALLOC", 0, STR("malloc"), &e), 0);
	assert_int_equal(match("MALLOC", REGEX_ANY_CASE, STR("malloc"), &e), 1);
	assert_int_equal(match("", 0, STR(""), &e), 1);
	assert_int_equal(match("x", 0, (struct str){0}, &e), 0);
}

static void text_that_is_not_utf8_is_matched(void **state)
{
	struct err e = {0};

	(void)state;
	assert_int_equal(match("tail", 0, STR("\xff\xfe tail"), &e), 1);
	assert_int_equal(match("^.$", 0, STR("\xc3\xa9"), &e), 1);
}

static void an_invalid_pattern_is_reported_with_its_position(void **state)
{
	struct err e = {0};

	(void)state;
	assert_int_equal(match("a(b", 0, STR("x"), &e), -EINVAL);
	assert_err_says(&e, "invalid regular expression 'a(b': at character 4");
}

static void catastrophic_backtracking_is_stopped(void **state)
{
	struct err e = {0};

	(void)state;
	assert_int_equal(
		match("(a+)+$", 0, STR("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab"), &e),
		-E2BIG);
	assert_err_says(&e, "too many steps");
}

static void groups_are_captured_with_their_names(void **state)
{
	struct str text = STR("x=1 level=warn tail"), groups[4];
	struct regex *r = NULL;
	struct err e = {0};

	(void)state;
	assert_ok_err(regex_new(&r, STR("(?<key>level)=(\\w+)(?P<rest> none)?"), REGEX_CAPTURE, &e),
		      &e);
	assert_int_equal(regex_group_count(r), 3);
	assert_str_equal(regex_group_name(r, 1), STR("key"));
	assert_str_equal(regex_group_name(r, 2), STR(""));
	assert_str_equal(regex_group_name(r, 3), STR("rest"));
	assert_int_equal(regex_capture(r, text, 0, groups, &e), 1);
	assert_str_equal(groups[0], STR("level=warn"));
	assert_str_equal(groups[1], STR("level"));
	assert_str_equal(groups[2], STR("warn"));
	assert_null(groups[3].p);
	assert_int_equal(regex_capture(r, text, 5, groups, &e), 0);
	assert_int_equal(regex_match(r, text, &e), 1);
	regex_free(r);
}

static void flags_change_what_matches(void **state)
{
	struct err e = {0};

	(void)state;
	assert_int_equal(match("b|ab", REGEX_WHOLE, STR("ab"), &e), 1);
	assert_int_equal(match("a", REGEX_WHOLE, STR("ab"), &e), 0);
	assert_int_equal(match("a.b", 0, STR("a\nb"), &e), 0);
	assert_int_equal(match("a.b", REGEX_DOT_ALL, STR("a\nb"), &e), 1);
}

static void a_search_reports_that_more_text_could_change_it(void **state)
{
	struct regex *r = NULL;
	struct err e = {0};
	struct str found;

	(void)state;
	assert_ok_err(regex_new(&r, STR("^\\d{4}-"), REGEX_LINES, &e), &e);
	assert_int_equal(regex_find(r, STR("x\n2026-11"), 0, true, &found, &e), 1);
	assert_str_equal(found, STR("2026-"));
	assert_int_equal(regex_find(r, STR("2026-\n 1999-"), 1, true, &found, &e), 0);
	assert_int_equal(regex_find(r, STR("x\n202"), 0, true, &found, &e), REGEX_NEEDS_MORE);
	assert_int_equal(regex_find(r, STR("x\n202"), 0, false, &found, &e), 0);
	regex_free(r);
}

TEST_MAIN(test(a_pattern_matches_anywhere), test(text_that_is_not_utf8_is_matched),
	  test(an_invalid_pattern_is_reported_with_its_position),
	  test(catastrophic_backtracking_is_stopped), test(groups_are_captured_with_their_names),
	  test(flags_change_what_matches), test(a_search_reports_that_more_text_could_change_it))
