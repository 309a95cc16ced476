/* SPDX-License-Identifier: Apache-2.0 */
#include "base/str.h"

#include <errno.h>

#include "test/test.h"

static void cut_returns_the_rest_and_detects_the_end(void **state)
{
	struct str rest = STR("a:b:");

	(void)state;
	assert_str_equal(str_cut(&rest, ':'), STR("a"));
	assert_str_equal(str_cut(&rest, ':'), STR("b"));
	assert_non_null(rest.p);
	assert_str_equal(str_cut(&rest, ':'), STR(""));
	assert_null(rest.p);
}

static void lines_end_with_lf_or_crlf(void **state)
{
	struct str text = STR("one\r\ntwo\n\nlast"), line;
	const char *expected[] = {"one", "two", "", "last"};

	(void)state;
	for (size_t i = 0; i < countof(expected); i++) {
		assert_true(str_next_line(&text, &line));
		assert_str_equal(line, str_from(expected[i]));
	}
	assert_false(str_next_line(&text, &line));
}

static void numbers_must_be_complete_and_in_range(void **state)
{
	uint64_t u;
	int64_t i;
	double d;

	(void)state;
	assert_ok(str_to_u64(STR("18446744073709551615"), 10, &u));
	assert_true(u == UINT64_MAX);
	assert_int_equal(str_to_u64(STR("18446744073709551616"), 10, &u), -ERANGE);
	assert_int_equal(str_to_u64(STR("12x"), 10, &u), -EINVAL);
	assert_int_equal(str_to_u64(STR(""), 10, &u), -EINVAL);
	assert_ok(str_to_u64(STR("0xfF"), 16, &u));
	assert_int_equal(u, 255);
	assert_ok(str_to_i64(STR("-9223372036854775808"), &i));
	assert_true(i == INT64_MIN);
	assert_int_equal(str_to_i64(STR("9223372036854775808"), &i), -ERANGE);
	assert_ok(str_to_double(STR("-1.5e3"), &d));
	assert_true(d == -1500);
	assert_int_equal(str_to_double(STR(" 1"), &d), -EINVAL);
	assert_int_equal(str_to_double(STR("1 "), &d), -EINVAL);
}

static void searching_finds_first_and_last(void **state)
{
	struct str s = STR("a/b/c");

	(void)state;
	assert_int_equal(str_find(s, '/'), 1);
	assert_int_equal(str_find_last(s, '/'), 3);
	assert_int_equal(str_find(s, 'x'), s.n);
	assert_int_equal(str_find_str(s, STR("b/c")), 2);
	assert_int_equal(str_find((struct str){0}, 'x'), 0);
}

static void utf8_validation_is_exact(void **state)
{
	static const struct {
		struct str text;
		size_t bad;
	} cases[] = {
		{STR_INIT(""), 0},
		{STR_INIT("plain ascii that is longer than eight"), 37},
		{STR_INIT("gr\xc3\xbc\xc3\x9f"), 6},
		{STR_INIT("\xe2\x82\xac\xf0\x9f\x94\xa5"), 7},
		{STR_INIT("abc\xff"), 3},
		{STR_INIT("abcdefgh\xc3"), 8},
		{STR_INIT("\xc0\x80"), 0},	   /* overlong */
		{STR_INIT("\xed\xa0\x80"), 0},	   /* surrogate */
		{STR_INIT("\xf4\x90\x80\x80"), 0}, /* past U+10FFFF */
		{STR_INIT("\xe0\x9f\xbf"), 0},
		{STR_INIT("\xf0\x8f\xbf\xbf"), 0},
	};

	(void)state;
	for (size_t i = 0; i < countof(cases); i++)
		assert_int_equal(str_utf8_valid(cases[i].text), cases[i].bad);
}

static void invalid_utf8_is_found_at_any_position(void **state)
{
	char text[80];

	(void)state;
	memset(text, 'x', sizeof(text));
	for (size_t n = 0; n < sizeof(text); n++) {
		assert_int_equal(str_utf8_valid(str_of(text, n)), n);
		for (size_t at = 0; at < n; at++) {
			text[at] = '\x80';
			assert_int_equal(str_utf8_valid(str_of(text, n)), at);
			text[at] = 'x';
		}
		for (size_t at = 0; at + 1 < n; at++) {
			memcpy(text + at, "\xc3\xbc", 2);
			assert_int_equal(str_utf8_valid(str_of(text, n)), n);
			memcpy(text + at, "xx", 2);
		}
	}
}

TEST_MAIN(test(cut_returns_the_rest_and_detects_the_end), test(lines_end_with_lf_or_crlf),
	  test(numbers_must_be_complete_and_in_range), test(searching_finds_first_and_last),
	  test(utf8_validation_is_exact), test(invalid_utf8_is_found_at_any_position))
