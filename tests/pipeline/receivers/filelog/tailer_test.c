/* SPDX-License-Identifier: Apache-2.0 */
/* Entries that a tailer makes of files: lines, patterns, limits, encodings; and its settings. */
#include "tailer_fixture.h"

/* ---- entries ---- */

static void lines_arrive_as_they_are_written(void **state)
{
	struct fixture *f = *state;

	append(f, "a.log", "old\n");
	tailer_begin(f, "", false);
	append(f, "a.log", "one\r\n\n  two \nthr");
	expect(f, "one\ntwo\nthr\n"); /* the last one after the period */
	append(f, "a.log", "ee\n");
	append(f, "new.log", "from the beginning\n");
	expect(f, "ee\nfrom the beginning\n");
}

static void files_are_read_from_the_beginning_if_wanted(void **state)
{
	struct fixture *f = *state;

	append(f, "a.log", "1\n");
	append(f, "b.log", "2\n");
	append(f, "c.txt", "not included\n");
	tailer_begin(f, FROM_BEGINNING "force_flush_period: 0s\n", false);
	append(f, "a.log", "never flushed");
	expect(f, "1\n2\n");
	append(f, "a.log", "\n");
	expect(f, "never flushed\n");
}

static void records_have_the_attributes_of_the_file(void **state)
{
	struct fixture *f = *state;
	char expected[500];

	f->with_attributes = true;
	append(f, "a.log", "x\nyy\n");
	tailer_begin(f,
		     FROM_BEGINNING "include_file_path: true\ninclude_file_record_number: true\n"
				    "include_file_record_offset: true\n"
				    "include_file_permissions: true\n"
				    "attributes: {team: blue, n: 3}\n",
		     false);
	snprintf(expected, sizeof(expected),
		 "x team=blue n=3 log.file.name=a.log log.file.path=%s/a.log "
		 "log.file.permissions=0600 log.file.record_number=1 log.file.record_offset=0\n"
		 "yy team=blue n=3 log.file.name=a.log log.file.path=%s/a.log "
		 "log.file.permissions=0600 log.file.record_number=2 log.file.record_offset=2\n",
		 f->directory, f->directory);
	expect(f, expected);
}

static void long_lines_are_split_or_truncated(void **state)
{
	struct fixture *f = *state;

	append(f, "a.log",
	       "0123456789abcdef0123456789abcdefXY\nshort\nend 0123456789abcdef 12345\n");
	tailer_begin(f, FROM_BEGINNING "max_log_size: 16\n", false);
	expect(f, "0123456789abcdef\n0123456789abcdef\nXY\nshort\nend 0123456789ab\ncdef 12345\n");
	tailer_kill(f);
	tailer_begin(f, FROM_BEGINNING "max_log_size: 16\nmax_log_size_behavior: truncate\n",
		     false);
	expect(f, "0123456789abcdef\nshort\nend 0123456789ab\n");
}

static void a_truncated_line_that_is_still_written_is_skipped_to_its_end(void **state)
{
	struct fixture *f = *state;

	tailer_begin(f,
		     FROM_BEGINNING "max_log_size: 16\nmax_log_size_behavior: truncate\n"
				    "force_flush_period: 0s\n",
		     false);
	append(f, "a.log", "0123456789abcdefghijklmn");
	expect(f, "0123456789abcdef\n");
	append(f, "a.log", "still the same line");
	append(f, "a.log", " end\nnext\n");
	expect(f, "next\n");
}

static void no_character_is_split(void **state)
{
	struct fixture *f = *state;

	append(f, "a.log", "0123456789abcde\xc3\xa9\xe2\x82\xac\n");
	tailer_begin(f, FROM_BEGINNING "max_log_size: 16\n", false);
	expect(f, "0123456789abcde\n\xc3\xa9\xe2\x82\xac\n");
}

static void entries_begin_or_end_with_a_pattern(void **state)
{
	struct fixture *f = *state;

	append(f, "a.log", "lost?\n2026 a\n b\n2027 c\n2028 d\n");
	tailer_begin(f, FROM_BEGINNING "multiline: {line_start_pattern: '^\\d{4} '}\n", false);
	expect(f, "lost?\n2026 a\n b\n2027 c\n2028 d\n");
	assert_int_equal(f->tailer.set.files[0]->record_number, 4);
	tailer_kill(f);
	tailer_begin(f,
		     FROM_BEGINNING "multiline: {line_start_pattern: '^\\d{4} ', omit_pattern: "
				    "true}\n",
		     false);
	expect(f, "lost?\na\n b\nc\nd\n");
	assert_int_equal(f->tailer.set.files[0]->record_number, 4);
	tailer_kill(f);
	append(f, "b.logs", "x;y\nz;w");
	tailer_begin(f,
		     FROM_BEGINNING "multiline: {line_end_pattern: ';', omit_pattern: true}\n"
				    "exclude: ['/**/a.log']\n",
		     false);
	expect(f, "x\ny\nz\nw\n");
	assert_int_equal(f->tailer.set.files[0]->record_number, 3);
}

static void an_entry_longer_than_the_window_of_a_search_is_found(void **state)
{
	struct fixture *f = *state;
	struct buf expected = {0};

	for (unsigned i = 0; i < 20; i++) {
		buf_printf(&expected, "START %u\n", i);
		for (unsigned k = 0; k < i * i; k++)
			buf_printf(&expected, "  at line %u of %u\n", k, i);
	}
	append_bytes(f, "a.log", buf_str(&expected));
	tailer_begin(f, FROM_BEGINNING "multiline: {line_start_pattern: '^START \\d+$'}\n", false);
	buf_put_char(&expected, '\0');
	expect(f, expected.p);
	assert_int_equal(f->tailer.set.files[0]->record_number, 20);
	buf_fini(&expected);
}

static void encodings_are_converted(void **state)
{
	struct fixture *f = *state;

	append_bytes(f, "a.log",
		     STR("a\xff"
			 "b\n"));
	tailer_begin(f, FROM_BEGINNING, false);
	expect(f, "a\xef\xbf\xbd"
		  "b\n");
	tailer_kill(f);
	tailer_begin(f, FROM_BEGINNING "encoding: utf-8-raw\n", false);
	expect(f, "bytes:Yf9i\n"); /* in base64 */
	tailer_kill(f);
	assert_ok(unlink(path_of(f, "a.log")));
	append_bytes(f, "a.log", STR("h\0\xe9\0\r\0\n\0=\xd8\x00\xde\n\0"));
	tailer_begin(f, FROM_BEGINNING "encoding: utf-16le\n", false);
	expect(f, "h\xc3\xa9\n\xf0\x9f\x98\x80\n");
	tailer_kill(f);
	assert_ok(unlink(path_of(f, "a.log")));
	append_bytes(f, "a.log", STR("\0h\0\xe9\0\n"));
	tailer_begin(f, FROM_BEGINNING "encoding: utf-16be\n", false);
	expect(f, "h\xc3\xa9\n");
	tailer_kill(f);
	tailer_begin(f, FROM_BEGINNING "encoding: nop\n", false);
	expect(f, "bytes:AGgA6QAK\n");
}

/* ---- settings ---- */

static void mistakes_in_settings_are_refused(void **state)
{
	static const struct {
		const char *yaml, *part;
	} cases[] = {
		{"{}", "\"include\" is empty"},
		{"include: ['/a[']", "[ is not closed"},
		{"include: ['/a{b']", "{ is not closed"},
		{"include: [/a]\nencoding: big5", "use utf-8, utf-8-raw, ascii"},
		{"include: [/a]\nstart_at: begin", "expected one of beginning, end"},
		{"include: [/a]\nmax_log_size: 3", "16 bytes to 256 MiB"},
		{"include: [/a]\nmultiline: {line_start_pattern: a, line_end_pattern: b}",
		 "only one of"},
		{"include: [/a]\nmultiline: {line_start_pattern: '('}",
		 "invalid regular expression"},
		{"include: [/a]\nencoding: nop\nmultiline: {line_start_pattern: a}",
		 "cannot be used with the encoding nop"},
		{"include: [/a]\non_truncate: x", "unknown \"on_truncate\""},
		{"include: [/a]\noperators: [{type: x}]", "unsupported operator type"},
	};

	(void)state;
	for (size_t i = 0; i < countof(cases); i++) {
		struct filelog_settings s = {0};
		struct config config;
		struct arena arena;
		struct err e = {0};

		arena_init(&arena, NULL);
		assert_ok(config_init(&config, NULL));
		assert_ok(config_parse(&config, str_from(cases[i].yaml), "t", NULL, NULL, &e));
		if (!settings_read(filelog_table, config.root, "filelog", &s, &arena, &e))
			assert_int_not_equal(filelog_settings_check(&s, &e), 0);
		assert_err_says(&e, cases[i].part);
		config_fini(&config);
		arena_fini(&arena);
	}
}

static void patterns_match_paths(void **state)
{
	static const struct {
		const char *pattern, *path;
		bool matches;
	} cases[] = {
		{"/a/*.log", "/a/b.log", true},
		{"/a/*.log", "/a/b/c.log", false},
		{"/a/**/*.log", "/a/b/c/d.log", true},
		{"/a/**/*.log", "/a/d.log", true},
		{"/a/**", "/a/b/c", true},
		{"/a/?[b-d].log", "/a/xc.log", true},
		{"/a/[^x]*", "/a/xy", false},
		{"/{a,b/c}/*.{log,txt}", "/b/c/d.txt", true},
		{"/a/\\*", "/a/*", true},
		{"/a/\\*", "/a/b", false},
		{"/a/*b*c", "/a/xbybzc", true},
		{"/a/**/x", "/a/b/y", false},
		{"*", ".hidden", true},
	};

	(void)state;
	for (size_t i = 0; i < countof(cases); i++) {
		struct str pattern = str_from(cases[i].pattern);
		struct setting_list from = {&pattern, 1};
		struct glob_list list;
		struct err e = {0};

		assert_ok_err(glob_list_init(&list, &from, &e), &e);
		if (glob_list_matches(&list, str_from(cases[i].path)) != cases[i].matches)
			fail_msg("%s and %s", cases[i].pattern, cases[i].path);
		glob_list_fini(&list);
	}
}

TEST_MAIN(tailer_test(lines_arrive_as_they_are_written),
	  tailer_test(files_are_read_from_the_beginning_if_wanted),
	  tailer_test(records_have_the_attributes_of_the_file),
	  tailer_test(long_lines_are_split_or_truncated),
	  tailer_test(a_truncated_line_that_is_still_written_is_skipped_to_its_end),
	  tailer_test(no_character_is_split), tailer_test(entries_begin_or_end_with_a_pattern),
	  tailer_test(an_entry_longer_than_the_window_of_a_search_is_found),
	  tailer_test(encodings_are_converted), test(mistakes_in_settings_are_refused),
	  test(patterns_match_paths))
