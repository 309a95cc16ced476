/* SPDX-License-Identifier: Apache-2.0 */
/* Arbitrary bytes as a file of unit tests, which are run over two rules; and as one series. */
#include <errno.h>

#include "fuzz.h"
#include "rules/test/rule_test.h"

/* libfyaml leaks a buffer on some errors. Our own allocations are checked by the budget. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
	return "leak:libfyaml\n";
}

enum { STEPS_MAX = 200 };

static const char rules[] = "groups: [{name: g, rules: [{record: r, expr: 'x * 2'}, {alert: A, "
			    "expr: 'x > 1', for: 1m, annotations: {t: '{{ $value }}'}}]}]";

/* Return whether the tests are short. */
static bool is_small(const struct rule_test_file *f)
{
	uint64_t steps = 0;

	for (uint32_t i = 0; i < f->tests.n; i++) {
		const struct rule_test *t = &f->tests.at[i];
		int64_t last = 0;

		for (uint32_t k = 0; k < t->alerts.n; k++)
			last = t->alerts.at[k].at_ms > last ? t->alerts.at[k].at_ms : last;
		for (uint32_t k = 0; k < t->queries.n; k++)
			last = t->queries.at[k].at_ms > last ? t->queries.at[k].at_ms : last;
		steps += (uint64_t)(last / f->interval_ms) + 1;
		for (uint32_t k = 0; k < t->series.n; k++)
			steps += t->series.at[k]->values.n / 100;
	}
	return steps <= STEPS_MAX;
}

static void run_tests(const struct rule_test_file *f, struct budget *budget)
{
	struct rule_test_report report;
	struct rule_file *file = NULL;
	struct rule_list list = {&file, 1};
	struct err e = {0};

	if (rule_file_parse(&file, str_of(rules, sizeof(rules) - 1), "r.yml", 0, budget, &e)) {
		rule_file_unref(file);
		return;
	}
	rule_test_report_init(&report, budget);
	(void)!rule_test_run(f, &list, NULL, &report, &e);
	rule_test_report_fini(&report);
	rule_file_unref(file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str text = str_of((const char *)data, size);
	struct budget budget = {.limit = FUZZ_BUDGET};
	struct rule_test_file f;
	struct series_line line;
	struct arena arena;
	struct err e = {0};
	int rc;

	arena_init(&arena, &budget);
	rc = series_parse(&line, text, &arena, &e);
	FUZZ_CHECK(!rc || e.text[0]);
	FUZZ_CHECK(rc || line.values.n <= SERIES_VALUES_MAX);
	arena_fini(&arena);
	e = (struct err){0};
	rc = rule_test_file_parse(&f, text, "t.yml", 0, &budget, &e);
	FUZZ_CHECK(!rc || e.text[0]);
	if (!rc && is_small(&f))
		run_tests(&f, &budget);
	rule_test_file_fini(&f);
	FUZZ_CHECK(budget.used == 0);
	return 0;
}
