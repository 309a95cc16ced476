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

TEST_MAIN(test(a_pattern_matches_anywhere), test(text_that_is_not_utf8_is_matched),
	  test(an_invalid_pattern_is_reported_with_its_position),
	  test(catastrophic_backtracking_is_stopped))
