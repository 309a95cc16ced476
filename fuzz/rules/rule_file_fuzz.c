/* SPDX-License-Identifier: Apache-2.0 */
/* Arbitrary bytes as a rule file, whose groups are evaluated three times over a few series. */
#include <errno.h>

#include "fuzz.h"
#include "rules/eval/rule_group.h"
#include "rules/rule_lint.h"
#include "rules/test/rule_memory.h"

/* libfyaml leaks a buffer on some errors. Our own allocations are checked by the budget. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
	return "leak:libfyaml\n";
}

enum { RULES_MAX = 50, STEP_MS = 60000 };
#define START INT64_C(1700000000000)

static void add_samples(struct rule_memory *m)
{
	static const struct promql_label labels[][2] = {
		{{STR_INIT("__name__"), STR_INIT("up")}, {STR_INIT("job"), STR_INIT("a")}},
		{{STR_INIT("__name__"), STR_INIT("up")}, {STR_INIT("job"), STR_INIT("b")}},
		{{STR_INIT("__name__"), STR_INIT("x")}, {STR_INIT("job"), STR_INIT("a")}},
	};

	for (size_t i = 0; i < countof(labels); i++) {
		struct promql_memory_series *s = promql_memory_add(&m->memory, labels[i], 2);

		for (int64_t k = 0; k < 5 && s; k++)
			(void)!promql_memory_put(&m->memory, s, START + k * STEP_MS / 2,
						 (double)(k * (int64_t)(i + 1)), 0);
	}
}

static void evaluate(struct rule_file *f, const struct rule_group_def *def, struct budget *budget)
{
	const struct rule_settings settings = {.interval_ms = STEP_MS,
					       .outage_ms = 60 * STEP_MS,
					       .resend_ms = STEP_MS,
					       .budget = budget};
	struct rule_memory m;
	struct rule_group *g = NULL;

	if (!rule_memory_init(&m, budget) &&
	    !rule_group_new(&g, f, def, &settings, def->rule_count % 2)) {
		m.options.max_samples = 10000;
		add_samples(&m);
		for (int64_t i = 0; i < 3; i++) {
			rule_group_eval(g, &m.io, START + i * STEP_MS, NULL);
			if (i == 1)
				rule_group_restore(g, &m.io, START + i * STEP_MS, NULL);
		}
		rule_group_end(g, &m.io, START + 3 * STEP_MS);
		for (uint32_t i = 0; i < def->rule_count; i++)
			FUZZ_CHECK(g->rules[i].health != RULE_FAILED || g->rules[i].error);
	}
	rule_group_free(g);
	rule_memory_fini(&m);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct budget budget = {.limit = FUZZ_BUDGET};
	struct rule_file *f = NULL;
	struct err e = {0};
	int rc = rule_file_parse(&f, str_of((const char *)data, size), "f.yml", 0, &budget, &e);

	FUZZ_CHECK(!rc || e.text[0]);
	FUZZ_CHECK(rc != -EINVAL || (f && f->errors.n));
	if (!rc && f->rule_count <= RULES_MAX) {
		const struct rule *found[RULES_MAX + 1];

		FUZZ_CHECK(rule_find_duplicates(f, found) <= f->rule_count);
		for (uint32_t i = 0; i < f->groups.n && i < RULES_MAX; i++) {
			FUZZ_CHECK(rule_groups_equal(&f->groups.at[i], &f->groups.at[i]));
			evaluate(f, &f->groups.at[i], &budget);
		}
	}
	rule_file_unref(f);
	FUZZ_CHECK(budget.used == 0);
	return 0;
}
