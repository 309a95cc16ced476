/* SPDX-License-Identifier: Apache-2.0 */
/* Recording rules: the result of a query under another name. */
#include <errno.h>
#include <stdlib.h>

#include "rules/eval/rule_state.h"

struct row {
	struct str key;
	uint32_t sample;
};

static int compare_rows(const void *a, const void *b)
{
	return str_cmp(((const struct row *)a)->key, ((const struct row *)b)->key);
}

static int make_key(struct rule_run *r, const struct rule_sample *s, struct str *key, struct err *e)
{
	const struct rule *rule = r->rule;
	struct label *extra = arena_alloc(&r->after->arena, rule->label_count + 1, sizeof(*extra));
	struct label *labels = arena_alloc(
		&r->after->arena, (size_t)s->label_count + rule->label_count + 1, sizeof(*labels));
	uint32_t n;

	if (!labels || !extra)
		return -ENOMEM;
	extra[0] = (struct label){STR(METRIC_NAME_LABEL), rule->name};
	for (uint32_t i = 0; i < rule->label_count; i++)
		extra[i + 1] = rule->labels[i];
	n = rule_join_labels(labels, s, extra, rule->label_count + 1);
	return rule_label_key(&r->after->arena, labels, n, key, e);
}

/* Write the rows, sorted by key. */
static int put_rows(struct rule_run *r, const struct rule_result *result, const struct row *rows,
		    uint32_t n, struct err *e)
{
	int rc = 0;

	for (uint32_t i = 1; i < n; i++)
		if (str_eq(rows[i - 1].key, rows[i].key))
			return err_set(e, -EDOM,
				       "vector contains metrics with the same labelset after "
				       "applying rule labels");
	if (r->group->limit && n > r->group->limit)
		return err_set(e, -E2BIG, "exceeded limit of %u with %u series", r->group->limit,
			       n);
	for (uint32_t i = 0; i < n && !rc; i++) {
		struct rule_sample s;
		uint32_t at = rows[i].sample;

		if (rule_next_sample(result, &at, &s))
			rc = rule_put_sample(r, rows[i].key, s.value, s.histogram);
	}
	return rc ? rc : rule_finish_series(r);
}

int recording_rule_run(struct rule_run *r, struct err *e)
{
	struct rule_result result = {0};
	struct rule_sample s;
	VEC(struct row) rows = {0};
	uint32_t at = 0;
	int rc = rule_query(r->io, r->group->tenant, r->rule->expr, r->sample_ms, &result, e);

	for (uint32_t from = 0; !rc && rule_next_sample(&result, &at, &s); from = at) {
		struct row row = {.sample = from};

		rc = make_key(r, &s, &row.key, e);
		if (!rc)
			rc = vec_push(&r->after->arena, &rows, row);
	}
	if (!rc && rows.n)
		qsort(rows.at, rows.n, sizeof(*rows.at), compare_rows);
	if (!rc)
		rc = put_rows(r, &result, rows.at, rows.n, e);
	rule_result_fini(&result);
	return rc;
}
