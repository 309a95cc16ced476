/* SPDX-License-Identifier: Apache-2.0 */
/* varve rules: check rule files, and run their unit tests, as promtool does. */
#include <stdio.h>
#include <stdlib.h>

#include "cli/commands.h"
#include "rules/rule_lint.h"
#include "rules/test/rule_test.h"
#include "wire/json_write.h"

struct rules_options {
	struct common_options common;
	bool json, lint_fatal, ignore_unknown;
	const char *run;
};

static const struct option rules_options[] = {
	{"json", 0, OPTION_FLAG, offsetof(struct rules_options, json), NULL, NULL, NULL,
	 "print JSON"},
	{"lint-fatal", 0, OPTION_FLAG, offsetof(struct rules_options, lint_fatal), NULL, NULL, NULL,
	 "check: duplicate rules are an error (exit code 1)"},
	{"ignore-unknown-fields", 0, OPTION_FLAG, offsetof(struct rules_options, ignore_unknown),
	 NULL, NULL, NULL, "accept keys that are not known, such as those of other programs"},
	{"run", 0, OPTION_TEXT, offsetof(struct rules_options, run), "REGEX", NULL, NULL,
	 "test: only tests whose name matches"},
	{0},
};

static const struct option_group groups[] = {
	{"Options", common_options, offsetof(struct rules_options, common)},
	{"Rules", rules_options, 0},
	{0},
};

/* Lines of stderr, as they are: texts of errors have no control characters. */
static void print_errors(const struct str *lines, uint32_t n, bool spaced)
{
	fputs("  FAILED:\n", stderr);
	for (uint32_t i = 0; i < n; i++) {
		fprintf(stderr, "%.*s\n", STR_ARG(lines[i]));
		if (spaced)
			putchar('\n');
	}
}

static unsigned file_flags(const struct rules_options *o)
{
	return o->ignore_unknown ? RULE_FILE_IGNORE_UNKNOWN : 0;
}

/* ---- check ---- */

struct check {
	struct cli *cli;
	const struct rules_options *o;
	struct json_writer w;
	bool failed, duplicates;
};

static void put_strings(struct json_writer *w, const char *key, const struct str *at, uint32_t n)
{
	json_put_key(w, str_from(key));
	json_open_array(w);
	for (uint32_t i = 0; i < n; i++)
		json_put_string(w, at[i]);
	json_close_array(w);
}

static void put_duplicates(struct json_writer *w, const struct rule **rules, uint32_t n)
{
	json_put_key(w, STR("duplicates"));
	json_open_array(w);
	for (uint32_t i = 0; i < n; i++) {
		json_open_object(w);
		json_put_key(w, STR("metric"));
		json_put_string(w, rules[i]->name);
		json_put_key(w, STR("labels"));
		json_open_object(w);
		for (uint32_t k = 0; k < rules[i]->label_count; k++) {
			json_put_key(w, rules[i]->labels[k].name);
			json_put_string(w, rules[i]->labels[k].value);
		}
		json_close_object(w);
		json_close_object(w);
	}
	json_close_array(w);
}

static void put_file(struct check *c, const char *path, const struct rule_file *f,
		     const struct str *errors, uint32_t n, const struct rule **rules,
		     uint32_t duplicates)
{
	struct json_writer *w = &c->w;

	json_open_object(w);
	json_put_key(w, STR("file"));
	json_put_string(w, str_from(path));
	json_put_key(w, STR("rules"));
	json_put_u64(w, f && !n ? f->rule_count : 0);
	put_strings(w, "errors", errors, n);
	put_duplicates(w, rules, duplicates);
	json_close_object(w);
}

static void print_duplicates(const struct rule **rules, uint32_t n)
{
	printf("  %u duplicate rule(s) found.\n", n);
	for (uint32_t i = 0; i < n; i++) {
		printf("  Metric: %.*s\n  Label(s):\n", STR_ARG(rules[i]->name));
		for (uint32_t k = 0; k < rules[i]->label_count; k++)
			printf("\t%.*s: %.*s\n", STR_ARG(rules[i]->labels[k].name),
			       STR_ARG(rules[i]->labels[k].value));
	}
	printf("  Might cause inconsistency while recording expressions\n");
}

static int check_file(struct check *c, const char *path, struct err *e)
{
	struct rule_file *f = NULL;
	struct err first = {0};
	int rc = rule_file_read(&f, path, file_flags(c->o), &c->cli->budget, &first);
	struct str line = str_from(first.text);
	const struct str *errors = f ? f->errors.at : &line;
	uint32_t n = !rc ? 0 : f ? f->errors.n : 1, duplicates = 0;
	const struct rule **rules = calloc(f ? f->rule_count + 1 : 1, sizeof(struct rule *));

	if (rc == -ENOMEM || !rules) {
		free(rules);
		rule_file_unref(f);
		return err_set(e, -ENOMEM, "%s: out of memory", path);
	}
	if (f && !n)
		duplicates = rule_find_duplicates(f, rules);
	c->failed |= n != 0;
	c->duplicates |= duplicates != 0;
	if (c->o->json) {
		put_file(c, path, f, errors, n, rules, duplicates);
	} else {
		printf("Checking %s\n", path);
		fflush(stdout);
		if (n)
			print_errors(errors, n, false);
		else
			printf("  SUCCESS: %u rules found\n", f ? f->rule_count : 0);
		if (duplicates)
			print_duplicates(rules, duplicates);
		putchar('\n');
	}
	free(rules);
	rule_file_unref(f);
	return 0;
}

static enum exit_code check(struct cli *cli, const struct rules_options *o,
			    const struct arguments *args)
{
	struct buf out = {0};
	struct check c = {.cli = cli, .o = o, .w = json_writer_to(&out, 0)};
	struct err e = {0};
	enum exit_code code;
	int rc = 0;

	json_open_object(&c.w);
	json_put_key(&c.w, STR("files"));
	json_open_array(&c.w);
	for (int i = 1; i < args->n && !rc; i++)
		rc = check_file(&c, args->at[i], &e);
	json_close_array(&c.w);
	json_close_object(&c.w);
	buf_put_char(&out, '\n');
	code = c.failed || (c.duplicates && o->lint_fatal) ? EXIT_NO : EXIT_DONE;
	if (rc)
		code = cli_fail(cli, &e);
	else if (o->json)
		code = cli_print(cli, &out, code);
	buf_fini(&out);
	return code;
}

/* ---- test ---- */

/* Run the tests of one file and print the result. Return whether they passed, or -ENOMEM. */
static int test_file(struct cli *cli, const struct rules_options *o, struct regex *only,
		     const char *path, struct json_writer *w)
{
	struct rule_test_report report;
	int rc;

	if (!o->json) {
		printf("Unit Testing:  %s\n", path);
		fflush(stdout);
	}
	rule_test_report_init(&report, &cli->budget);
	rc = rule_test_run_path(path, file_flags(o), only, &cli->budget, &report);
	if (!rc && o->json) {
		json_open_object(w);
		json_put_key(w, STR("file"));
		json_put_string(w, str_from(path));
		put_strings(w, "failures", report.failures.at, report.failures.n);
		json_close_object(w);
	} else if (!rc && report.failures.n) {
		print_errors(report.failures.at, report.failures.n, true);
		putchar('\n');
	} else if (!rc) {
		puts("  SUCCESS\n");
	}
	if (!rc)
		rc = !report.failures.n;
	rule_test_report_fini(&report);
	return rc;
}

static enum exit_code test(struct cli *cli, const struct rules_options *o,
			   const struct arguments *args)
{
	struct buf out = {0};
	struct json_writer w = json_writer_to(&out, 0);
	enum exit_code code = EXIT_DONE;
	struct regex *only = NULL;
	struct err e = {0};
	int rc = o->run ? regex_new(&only, str_from(o->run), 0, &e) : 0;

	if (rc) {
		err_prefix(&e, "--run %s", o->run);
		return cli_fail(cli, &e);
	}
	json_open_object(&w);
	json_put_key(&w, STR("files"));
	json_open_array(&w);
	for (int i = 1; i < args->n && rc >= 0; i++) {
		rc = test_file(cli, o, only, args->at[i], &w);
		if (rc < 0)
			err_set(&e, rc, "%s: out of memory: --max-memory allows more", args->at[i]);
		if (!rc)
			code = EXIT_NO;
	}
	json_close_array(&w);
	json_close_object(&w);
	buf_put_char(&out, '\n');
	if (rc < 0)
		code = cli_fail(cli, &e);
	else if (o->json)
		code = cli_print(cli, &out, code);
	buf_fini(&out);
	regex_free(only);
	return code;
}

static enum exit_code run_rules(struct cli *cli, void *options, const struct arguments *args)
{
	const struct rules_options *o = options;
	const char *what = args->n ? args->at[0] : "";

	if (strcmp(what, "check") != 0 && strcmp(what, "test") != 0)
		return cli_usage(cli, &command_rules, "expected check or test");
	if (args->n < 2)
		return cli_usage(cli, &command_rules, "missing argument: FILE");
	return !strcmp(what, "check") ? check(cli, o, args) : test(cli, o, args);
}

const struct command command_rules = {
	.name = "rules",
	.summary = "check recording and alerting rules, run their unit tests",
	.arguments = "check FILE...  |  test FILE...",
	.details =
		"check reads rule files of Prometheus and prints all errors with their position,\n"
		"and rules that are there twice. test runs unit tests in the format of promtool.\n"
		"Exit code 1: a file has errors, or a test failed.\n",
	.examples = "varve rules check rules/*.yml\n"
		    "varve rules test tests/*.yml\n"
		    "varve rules check --json rules.yml | jq '.files[].errors'",
	.groups = groups,
	.options_size = sizeof(struct rules_options),
	.run = run_rules,
};
