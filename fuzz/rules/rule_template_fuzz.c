/* SPDX-License-Identifier: Apache-2.0 */
/* Arbitrary bytes as the template of an annotation, expanded over a few labels and samples. */
#include <errno.h>

#include "fuzz.h"
#include "rules/template/rule_template.h"

static const struct label labels[] = {
	{STR_INIT("instance"), STR_INIT("web-1.example.com:9100")},
	{STR_INIT("job"), STR_INIT("node")},
};

static int query(void *ctx, struct str expr, struct arena *a, struct rule_template_sample **samples,
		 uint32_t *n, struct err *e)
{
	struct rule_template_sample *at = arena_zalloc(a, 3, sizeof(*at));

	(void)ctx;
	if (!at)
		return -ENOMEM;
	for (uint32_t i = 0; i < 3; i++)
		at[i] = (struct rule_template_sample){labels, i % 3, (double)i / 3 - 0.5};
	*samples = at;
	*n = expr.n % 4;
	return expr.n % 7 == 6 ? err_set(e, -EINVAL, "this query fails") : 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct rule_template_data d = {
		.labels = labels,
		.label_count = countof(labels),
		.external_labels = labels,
		.external_count = 1,
		.external_url = STR("http://localhost:9090/prefix?q#f"),
		.value = size ? (double)data[0] * 1e3 : 0,
		.query = query,
		.now_ms = 1763199420123,
	};
	struct str text = str_of((const char *)data, size), out = {0};
	struct budget budget = {.limit = FUZZ_BUDGET};
	struct arena arena;
	struct err e = {0};
	int checked, rc;

	arena_init(&arena, &budget);
	checked = rule_template_check(&arena, text, &e);
	FUZZ_CHECK(!checked || checked == -ENOMEM || e.text[0]);
	e = (struct err){0};
	rc = rule_template_expand(&arena, text, &d, &out, &e);
	FUZZ_CHECK(!rc || rc == -ENOMEM || e.text[0]);
	FUZZ_CHECK(rc || out.n <= RULE_TEMPLATE_OUTPUT_MAX);
	/* A template that does not parse cannot be expanded, unless it has no action. */
	FUZZ_CHECK(rc || !checked || str_eq(text, out));
	arena_fini(&arena);
	FUZZ_CHECK(budget.used == 0);
	return 0;
}
