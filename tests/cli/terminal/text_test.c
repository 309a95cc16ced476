/* SPDX-License-Identifier: Apache-2.0 */
/* Safe display of arbitrary text in terminal columns. */
#include "cli/terminal/text.h"

#include "test/test.h"

static int text_setup(void **state)
{
	(void)state;
	text_init();
	return 0;
}

static int text_teardown(void **state)
{
	(void)state;
	return 0;
}

static void assert_shown(struct str in, enum text_charset charset, struct str expected,
			 size_t columns)
{
	struct buf out = {0};
	size_t used = text_put(&out, in, charset);

	assert_str_equal(buf_str(&out), expected);
	assert_int_equal(used, columns);
	assert_int_equal(text_width(in, charset, 1000), columns);
	buf_fini(&out);
}

static void control_characters_and_escapes_are_made_visible(void **state)
{
	(void)state;
	assert_shown(STR("a\033[31mred\a\n"), TEXT_UTF8, STR("a␛[31mred␇␊"), 11);
	assert_shown(STR("a\033[31mred"), TEXT_ASCII, STR("a?[31mred"), 9);
	assert_shown(STR("\x7f"), TEXT_UTF8, STR("␡"), 1);
	assert_shown(STR("\xc2\x9b"
			 "31m"),
		     TEXT_UTF8,
		     STR("\xef\xbf\xbd"
			 "31m"),
		     4); /* C1 CSI */
}

static void bytes_that_are_not_utf8_are_replaced_one_by_one(void **state)
{
	(void)state;
	assert_shown(STR("a\xff\xc3"), TEXT_UTF8, STR("a\xef\xbf\xbd\xef\xbf\xbd"), 3);
	assert_shown(STR("\xed\xa0\x80"), TEXT_UTF8, STR("\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"),
		     3); /* a surrogate */
}

static void bidirectional_and_invisible_characters_are_shown(void **state)
{
	(void)state;
	assert_shown(STR("a\u202e\u200bz"), TEXT_UTF8, STR("a\ufffd\ufffdz"), 4);
}

static void wide_characters_take_two_columns_and_marks_none(void **state)
{
	(void)state;
	assert_shown(STR("漢字x"), TEXT_UTF8, STR("漢字x"), 5);
	assert_shown(STR("e\u0301x"), TEXT_UTF8, STR("e\u0301x"), 2);
	/* At most two combining marks per letter are kept; a mark without a letter is dropped. */
	assert_shown(STR("\u0301e\u0301\u0301\u0301\u0301x"), TEXT_UTF8, STR("e\u0301\u0301x"), 2);
}

static void right_to_left_text_is_isolated(void **state)
{
	(void)state;
	assert_shown(STR("שלום 1"), TEXT_UTF8, STR("שלום 1\u200e"), 6);
}

static void assert_cut(struct str in, size_t columns, enum text_cut cut, struct str expected)
{
	struct buf out = {0};
	size_t used = text_put_cut(&out, in, TEXT_UTF8, columns, cut);

	assert_str_equal(buf_str(&out), expected);
	assert_true(used <= columns);
	assert_int_equal(used, text_width(buf_str(&out), TEXT_UTF8, 1000));
	buf_fini(&out);
}

static void long_text_is_truncated_with_an_ellipsis(void **state)
{
	struct buf out = {0};

	(void)state;
	assert_cut(STR("abcdef"), 6, TEXT_CUT_TAIL, STR("abcdef"));
	assert_cut(STR("abcdef"), 4, TEXT_CUT_TAIL, STR("abc…"));
	assert_cut(STR("/usr/src/x.c"), 6, TEXT_CUT_HEAD, STR("…c/x.c"));
	assert_cut(STR("漢字漢字"), 4, TEXT_CUT_TAIL, STR("漢…"));
	assert_cut(STR("漢字漢字"), 4, TEXT_CUT_HEAD, STR("…字"));
	assert_cut(STR("\x80\x80\x80\x80\x80\x80"), 3, TEXT_CUT_HEAD, STR("…\ufffd\ufffd"));
	assert_cut(STR("abc"), 0, TEXT_CUT_TAIL, STR(""));
	buf_fini(&out);
}

static void names_are_shortened_to_their_significant_parts(void **state)
{
	static const struct {
		struct str name;
		size_t columns;
		struct str expected;
	} rows[] = {
		{STR_INIT("github.com/a/b/pkg.(*T).Method"), 40,
		 STR_INIT("github.com/a/b/pkg.(*T).Method")},
		{STR_INIT("github.com/a/b/pkg.(*T).Method"), 20, STR_INIT("pkg.(*T).Method")},
		{STR_INIT("github.com/a/b/pkg.(*T).Method"), 12, STR_INIT("(*T).Method")},
		{STR_INIT("github.com/a/b/pkg.(*T).Method"), 6, STR_INIT("Method")},
		{STR_INIT("org.apache.kafka.Fetcher.send"), 14, STR_INIT("Fetcher.send")},
		{STR_INIT("std::vector<int, A::B>::push_back"), 30,
		 STR_INIT("vector<int, A::B>::push_back")},
		{STR_INIT("plain_c_function"), 4, STR_INIT("plain_c_function")},
		{STR_INIT("a/"), 1, STR_INIT("a/")},
		{STR_INIT("::"), 1, STR_INIT("::")},
		{STR_INIT(""), 0, STR_INIT("")},
	};

	(void)state;
	for (size_t i = 0; i < countof(rows); i++)
		assert_str_equal(text_short_name(rows[i].name, TEXT_UTF8, rows[i].columns),
				 rows[i].expected);
	assert_str_equal(text_short_path(STR("/a/b/c.go"), TEXT_UTF8, 5), STR("c.go"));
	assert_str_equal(text_short_path(STR("/a/b/c.go"), TEXT_UTF8, 9), STR("/a/b/c.go"));
}

/* Arbitrary bytes never exceed the requested columns. */
static void arbitrary_bytes_fit_their_columns(void **state)
{
	uint32_t seed = 1;

	(void)state;
	for (int i = 0; i < 20000; i++) {
		char bytes[24];
		struct buf out = {0};

		for (size_t k = 0; k < sizeof(bytes); k++) {
			seed = seed * 1664525 + 1013904223;
			bytes[k] = (char)(seed >> 24);
		}

		struct str s = str_of(bytes, seed >> 8 & 15);
		size_t columns = seed >> 12 & 15;

		for (int cut = 0; cut < 2; cut++) {
			size_t used = text_put_cut(&out, s, TEXT_UTF8, columns, (enum text_cut)cut);

			assert_true(used <= columns);
			assert_int_equal(str_utf8_valid(buf_str(&out)), out.n);
			buf_clear(&out);
		}
		buf_fini(&out);
	}
}

TEST_MAIN(test_with(text, control_characters_and_escapes_are_made_visible),
	  test_with(text, bytes_that_are_not_utf8_are_replaced_one_by_one),
	  test_with(text, bidirectional_and_invisible_characters_are_shown),
	  test_with(text, wide_characters_take_two_columns_and_marks_none),
	  test_with(text, right_to_left_text_is_isolated),
	  test_with(text, long_text_is_truncated_with_an_ellipsis),
	  test_with(text, names_are_shortened_to_their_significant_parts),
	  test_with(text, arbitrary_bytes_fit_their_columns))
