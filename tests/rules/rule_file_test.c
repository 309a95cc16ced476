/* SPDX-License-Identifier: Apache-2.0 */
/* Rule files: what is read, and each error with its place. */
#include "query/promql/promql.h"
#include "rules/rule_lint.h"

#include "test/test.h"

static struct rule_file *parse(const char *text)
{
	struct rule_file *f;
	struct err e = {0};

	assert_ok_err(rule_file_parse(&f, str_from(text), "r.yml", 0, NULL, &e), &e);
	return f;
}

/* Expect these errors, each on its line. */
static void expect_errors(const char *text, const char *expected)
{
	struct rule_file *f;
	struct buf b = {0};
	struct err e = {0};

	assert_int_equal(rule_file_parse(&f, str_from(text), "r.yml", 0, NULL, &e), -EINVAL);
	assert_non_null(f);
	for (uint32_t i = 0; i < f->errors.n; i++)
		buf_printf(&b, "%.*s\n", STR_ARG(f->errors.at[i]));
	assert_str_equal(buf_str(&b), str_from(expected));
	assert_str_equal(str_from(e.text), f->errors.at[0]);
	buf_fini(&b);
	rule_file_unref(f);
}

static void groups_are_read(void **state)
{
	struct rule_file *f = parse("groups:\n"
				    "  - name: a\n"
				    "    interval: 1h30m\n"
				    "    limit: 5\n"
				    "    query_offset: 10s\n"
				    "    labels: {team: x, zone: z}\n"
				    "    rules:\n"
				    "      - record: job:up\n"
				    "        expr: sum  by(job) (up)\n"
				    "        labels: {team: y}\n"
				    "      - alert: Down\n"
				    "        expr: |\n"
				    "          up ==\n"
				    "          0\n"
				    "        for: 5m\n"
				    "        keep_firing_for: 1d\n"
				    "        annotations: {text: \"{{ $labels.job }}\"}\n"
				    "  - name: empty\n");
	const struct rule_group_def *g = &f->groups.at[0];

	(void)state;
	assert_int_equal(f->groups.n, 2);
	assert_int_equal(f->rule_count, 2);
	assert_int_equal(g->interval_ms, 5400000);
	assert_int_equal(g->offset_ms, 10000);
	assert_int_equal(g->limit, 5);
	assert_int_equal(g->rules[0].kind, RULE_RECORDING);
	assert_str_equal(g->rules[0].printed, STR("sum by (job) (up)"));
	assert_int_equal(g->rules[0].label_count, 2);
	assert_str_equal(g->rules[0].labels[0].value, STR("y"));
	assert_int_equal(g->rules[1].kind, RULE_ALERTING);
	assert_int_equal(g->rules[1].hold_ms, 300000);
	assert_int_equal(g->rules[1].keep_ms, 86400000);
	assert_str_equal(g->rules[1].printed, STR("up == 0"));
	assert_str_equal(g->rules[1].annotations[0].value, STR("{{ $labels.job }}"));
	assert_int_equal(g->rules[1].line, 11);
	assert_int_equal(f->groups.at[1].offset_ms, -1);
	assert_int_equal(f->groups.at[1].rule_count, 0);
	rule_file_unref(f);
	rule_file_unref(parse(""));
	rule_file_unref(parse("groups:"));
	/* dollars of regular expressions are not references */
	f = parse("groups: [{name: a, rules: [{record: b, expr: 'label_replace(x, \"a\", "
		  "\"${1}$$\", \"b\", \"(.*)\")'}]}]");
	assert_true(str_find_str(f->groups.at[0].rules[0].expr, STR("${1}$$")) <
		    f->groups.at[0].rules[0].expr.n);
	rule_file_unref(f);
}

static void errors_have_places(void **state)
{
	(void)state;
	expect_errors(
		"groups:\n"
		"  - name: g\n"
		"    intervall: 5s\n"
		"    rules:\n"
		"      - record: a\n"
		"        expr: sum(\n"
		"        for: 5m\n"
		"      - alert: b\n"
		"        expr: up\n"
		"        for: 5x\n"
		"        labels: {__name__: x}\n"
		"      - alert: c\n"
		"        record: c\n"
		"        expr: up\n"
		"      - expr: up\n"
		"      - record: x{a}\n"
		"  - name: g\n"
		"  - rules: []\n",
		"r.yml:3:5: group \"g\": unknown key \"intervall\"; did you mean "
		"\"interval\"?\n"
		"r.yml:6:15: group \"g\", rule 1, \"a\": could not parse expression: 1:5: "
		"parse error: unclosed left parenthesis\n"
		"r.yml:7:9: group \"g\", rule 1, \"a\": invalid field 'for' in recording rule\n"
		"r.yml:10:14: group \"g\", rule 2, \"b\": \"for\": not a valid duration "
		"string: \"5x\"; expected 30s, 5m, 1h\n"
		"r.yml:11:18: group \"g\", rule 2, \"b\": invalid label name: __name__\n"
		"r.yml:12:9: group \"g\", rule 3, \"c\": only one of 'record' and 'alert' "
		"must be set\n"
		"r.yml:15:9: group \"g\", rule 4, \"\": one of 'record' or 'alert' must be "
		"set\n"
		"r.yml:16:9: group \"g\", rule 5, \"x{a}\": field 'expr' must be set in "
		"rule\n"
		"r.yml:16:9: group \"g\", rule 5, \"x{a}\": braces present in the recording "
		"rule name; should it be in expr?: x{a}\n"
		"r.yml:17:5: group \"g\": groupname: \"g\" is repeated in the same file\n"
		"r.yml:18:5: group \"\": Groupname must not be empty\n");
	expect_errors("group: []", "r.yml:1:1: unknown key \"group\"; did you mean \"groups\"?\n");
	expect_errors("- a", "r.yml:1:1: expected a map\n");
	expect_errors("groups: 5", "r.yml:1:1: \"groups\" must be a list of at most 10000 "
				   "groups\n");
	expect_errors("groups: [{name: a, rules: [5]}]",
		      "r.yml:1:28: group \"a\", rule 1, \"\": a rule must be a map\n");
}

static void templates_are_checked(void **state)
{
	struct rule_file *f;
	struct err e = {0};

	(void)state;
	assert_int_equal(rule_file_parse(&f,
					 STR("groups: [{name: a, rules: [{alert: b, expr: up, "
					     "annotations: {s: '{{ nope }}'}}]}]"),
					 "r.yml", 0, NULL, &e),
			 -EINVAL);
	assert_non_null(strstr(e.text, "annotation \"s\": "));
	rule_file_unref(f);
}

static void duplicates_are_found(void **state)
{
	struct rule_file *f = parse("groups:\n"
				    "  - name: a\n"
				    "    rules:\n"
				    "      - {record: x, expr: a, labels: {b: c}}\n"
				    "      - {record: x, expr: b}\n"
				    "      - {record: y, expr: b}\n"
				    "  - name: b\n"
				    "    rules:\n"
				    "      - {record: x, expr: d, labels: {b: c}}\n");
	const struct rule *found[4];

	(void)state;
	assert_int_equal(rule_find_duplicates(f, found), 1);
	assert_str_equal(found[0]->name, STR("x"));
	assert_int_equal(found[0]->label_count, 1);
	rule_file_unref(f);
}

static void groups_are_compared(void **state)
{
	const char *text = "groups: [{name: a, rules: [{record: x, expr: a}]}]";
	struct rule_file *a = parse(text), *b = parse(text);
	struct rule_file *c = parse("groups: [{name: a, rules: [{record: x, expr: b}]}]");

	(void)state;
	assert_true(rule_groups_equal(&a->groups.at[0], &b->groups.at[0]));
	assert_false(rule_groups_equal(&a->groups.at[0], &c->groups.at[0]));
	rule_file_unref(a);
	rule_file_unref(b);
	rule_file_unref(c);
}

/* Cut at every byte, with little memory: an error, no crash and no leak. */
static void damaged_files_are_refused(void **state)
{
	const char *text = "groups: [{name: a, interval: 5s, labels: {b: c}, rules: [{alert: x, "
			   "expr: 'a > 1', for: 1m, annotations: {d: '{{ $value }}'}}]}]";

	(void)state;
	for (size_t n = 0; n <= strlen(text); n++)
		for (size_t limit = 1 << 20; limit; limit /= 8) {
			struct budget budget = {.limit = limit};
			struct rule_file *f;
			struct err e = {0};
			int rc = rule_file_parse(&f, str_of(text, n), "r.yml", 0, &budget, &e);

			assert_true(!rc || e.text[0]);
			rule_file_unref(f);
			assert_int_equal(budget.used, 0);
		}
}

TEST_MAIN(test(groups_are_read), test(errors_have_places), test(templates_are_checked),
	  test(duplicates_are_found), test(groups_are_compared), test(damaged_files_are_refused))
