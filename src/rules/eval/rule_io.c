/* SPDX-License-Identifier: Apache-2.0 */
/* Instant queries of rules. */
#include "rules/eval/rule_io.h"

#include <errno.h>

struct query {
	struct str expr;
	int64_t time_ms;
	struct rule_result *out;
};

static int run_query(void *arg, struct promql_source *source, const struct promql_options *options,
		     struct err *e)
{
	const struct query *q = arg;
	const struct promql_times times = {q->time_ms, q->time_ms, 0};
	int rc = promql_parse(&q->out->expr, q->expr, PROMQL_ALL_SYNTAX, options->budget, e);

	if (!rc)
		rc = promql_evaluate(&q->out->values, &q->out->expr, &times, source, options, e);
	return rc;
}

int rule_query(struct rule_io *io, struct str tenant, struct str expr, int64_t time_ms,
	       struct rule_result *out, struct err *e)
{
	struct query q = {expr, time_ms, out};
	int rc;

	*out = (struct rule_result){0};
	rc = io->run(io, tenant, run_query, &q, e);
	if (rc || out->values.type == PROMQL_VECTOR || out->values.type == PROMQL_SCALAR)
		return rc;
	return err_set(e, -EDOM, "rule result is not a vector or scalar");
}

void rule_result_fini(struct rule_result *r)
{
	promql_result_fini(&r->values);
	promql_expr_fini(&r->expr);
}

bool rule_next_sample(const struct rule_result *result, uint32_t *at, struct rule_sample *out)
{
	const struct promql_result *r = &result->values;

	if (r->type == PROMQL_SCALAR) {
		*out = (struct rule_sample){.value = r->scalar};
		return !(*at)++;
	}
	while (*at < r->series.n) {
		const struct promql_series *s = &r->series.at[(*at)++];
		const struct native_histogram *h = s->histograms ? s->histograms[0] : NULL;

		if (!h && promql_is_absent(s->floats[0]))
			continue;
		*out = (struct rule_sample){.labels = s->labels->at,
					    .label_count = s->labels->n,
					    .value = h ? 0 : s->floats[0],
					    .histogram = h};
		return true;
	}
	return false;
}
