/* SPDX-License-Identifier: Apache-2.0 */
/* The command line parser and its help. */
#include "cli/options.h"

#include <errno.h>

#include "test/test.h"

struct values {
	bool flag, other;
	const char *text;
	uint64_t count, size;
	double percent;
	unsigned choice;
	struct option_list list;
};

static const char *const colors[] = {"red", "green", NULL};

#define AT(field) offsetof(struct values, field)
static const struct option table[] = {
	{"flag", 'f', OPTION_FLAG, AT(flag), NULL, NULL, NULL, "a flag"},
	{"other", 'O', OPTION_FLAG, AT(other), NULL, NULL, NULL, "another"},
	{"text", 't', OPTION_TEXT, AT(text), "TEXT", NULL, NULL, "some text"},
	{"count", 'n', OPTION_COUNT, AT(count), "N", "20", NULL, "how many"},
	{"size", 0, OPTION_SIZE, AT(size), "SIZE", "2G", NULL, "how large"},
	{"percent", 0, OPTION_PERCENT, AT(percent), "PERCENT", "0.5", NULL, "a share"},
	{"choice", 0, OPTION_CHOICE, AT(choice), "COLOR", "green", colors, "a colour"},
	{"list", 'l', OPTION_LIST, AT(list), "ITEM", NULL, NULL, "again and again"},
	{0},
};
static const struct option_group groups[] = {{"Options", table, 0}, {0}};

/* Parse the words of a line, split at spaces. */
static int parse(struct values *v, const char *line, struct arguments *args, struct err *e)
{
	static char words[512];
	static char *argv[32];
	int argc = 0;

	*v = (struct values){0};
	*e = (struct err){0};
	snprintf(words, sizeof(words), "%s", line);
	for (char *word = strtok(words, " "); word; word = strtok(NULL, " "))
		argv[argc++] = word;
	return options_parse(groups, v, argc, argv, args, e);
}

static void defaults_come_from_the_table(void **state)
{
	struct values v;
	struct arguments args;
	struct err e;

	(void)state;
	assert_ok(parse(&v, "", &args, &e));
	assert_int_equal(v.count, 20);
	assert_int_equal(v.size, 2ull << 30);
	assert_int_equal(v.choice, 1);
	assert_null(v.text);
	assert_false(v.flag);
}

static void values_are_accepted_in_all_common_forms(void **state)
{
	struct values v;
	struct arguments args;
	struct err e;

	(void)state;
	assert_ok_err(parse(&v, "a --text=x -n5 b -fO --size 10M -l 1 --list=2 - -- -f", &args, &e),
		      &e);
	assert_string_equal(v.text, "x");
	assert_int_equal(v.count, 5);
	assert_true(v.flag && v.other);
	assert_int_equal(v.size, 10 << 20);
	assert_int_equal(v.list.n, 2);
	assert_string_equal(v.list.at[1], "2");
	assert_int_equal(args.n, 4);
	assert_string_equal(args.at[2], "-");
	assert_string_equal(args.at[3], "-f");
	assert_ok(parse(&v, "--percent 12.5% --text=", &args, &e));
	assert_true(v.percent == 12.5);
	assert_string_equal(v.text, "");
}

static void errors_say_what_to_write(void **state)
{
	static const struct {
		const char *line, *says;
	} rows[] = {
		{"--txet x", "no option --txet; did you mean --text?"},
		{"--cou 3", "did you mean --count?"},
		{"--zzzzzzzzzz", "no option --zzzzzzzzzz; see --help"},
		{"-x", "no option -x"},
		{"--count", "--count needs a value: --count N"},
		{"-n", "-n needs a value: -n N"},
		{"--count -3", "--count takes a whole number, not '-3'"},
		{"--count=1e3", "--count takes a whole number"},
		{"--size 2X", "--size takes a number of bytes like 500M or 2G, not '2X'"},
		{"--size 99999999999G", "--size takes a number of bytes"},
		{"--percent 101", "--percent takes a percentage from 0 to 100"},
		{"--percent nan", "--percent takes a percentage"},
		{"--choice blue", "--choice takes one of: red, green; not 'blue'"},
		{"--flag=1", "--flag takes no value"},
	};
	struct values v;
	struct arguments args;
	struct err e;

	(void)state;
	for (size_t i = 0; i < countof(rows); i++) {
		assert_int_equal(parse(&v, rows[i].line, &args, &e), -EINVAL);
		assert_err_says(&e, rows[i].says);
	}
}

static void help_shows_each_option_within_the_columns(void **state)
{
	struct buf out = {0};
	struct str rest, line;

	(void)state;
	options_help(&out, groups, 60);
	rest = buf_str(&out);
	for (const struct option *o = table; o->name; o++)
		assert_true(str_find_str(rest, str_from(o->help)) < rest.n);
	assert_true(str_find_str(rest, STR("a colour: red, green (default:")) < rest.n);
	while (str_next_line(&rest, &line))
		assert_true(line.n <= 60);
	buf_fini(&out);
}

TEST_MAIN(test(defaults_come_from_the_table), test(values_are_accepted_in_all_common_forms),
	  test(errors_say_what_to_write), test(help_shows_each_option_within_the_columns))
