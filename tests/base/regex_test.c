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

static void a_pattern_is_looked_for_anywhere(void **state)
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

static void text_that_is_not_utf8_is_matched_all_the_same(void **state)
{
	struct err e = {0};

	(void)state;
	assert_int_equal(match("tail", 0, STR("\xff\xfe tail"), &e), 1);
	assert_int_equal(match("^.$", 0, STR("\xc3\xa9"), &e), 1);
}

static void a_bad_pattern_says_where(void **state)
{
	struct err e = {0};

	(void)state;
	assert_int_equal(match("a(b", 0, STR("x"), &e), -EINVAL);
	assert_err_says(&e, "bad regular expression 'a(b': at character 4");
}

static void a_pattern_that_runs_away_is_stopped(void **state)
{
	struct err e = {0};

	(void)state;
	assert_int_equal(
		match("(a+)+$", 0, STR("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab"), &e),
		-E2BIG);
	assert_err_says(&e, "too many steps");
}

TEST_MAIN(test(a_pattern_is_looked_for_anywhere),
	  test(text_that_is_not_utf8_is_matched_all_the_same), test(a_bad_pattern_says_where),
	  test(a_pattern_that_runs_away_is_stopped))
