/* SPDX-License-Identifier: Apache-2.0 */
/* Metrics of spans by TraceQL: over a range in steps, or as one value. */
#include "api/tempo/tempo.h"
#include "api/tempo/tempo_json.h"
#include "api/tempo/tempo_params.h"
#include "base/clock.h"
#include "query/traceql/traceql.h"
#include "query/traceql/traceql_visit.h"

#define PAST_NS (3600 * NS_PER_SECOND) /* the range of a query without one */

static int read_metrics_query(struct request *r, struct traceql *q, struct err *e)
{
	struct str text;
	int rc = request_param(r, "query", &text, e);

	if (!rc && !text.n)
		rc = request_param(r, "q", &text, e);
	if (!rc && !text.n)
		rc = err_set(e, -EINVAL, "missing parameter: q");
	if (!rc)
		rc = traceql_compile(q, text, r->arena, e);
	if (rc == -EINVAL)
		err_prefix(e, "compiling query");
	if (!rc && !q->metrics)
		rc = err_set(e, -EINVAL, "not a metrics query: add a function, such as | rate()");
	return rc;
}

/* compare() needs all attributes of spans, which views do not have. */
static bool has_compare(const struct traceql_metrics *m)
{
	if (m->pipeline || m->is_constant)
		return m->pipeline && m->kind == TRACEQL_COMPARE;
	return has_compare(m->left) || has_compare(m->right);
}

static int read_intervals(struct request *r, bool instant, struct traceql_range *range,
			  struct err *e)
{
	uint64_t from, to, past = PAST_NS, step = 0;
	int rc = tempo_read_duration(r, "since", &past, e);

	if (!rc)
		rc = tempo_read_range(r, past, &from, &to, e);
	if (rc)
		return rc;
	if (instant) {
		*range = (struct traceql_range){
			.first = from, .step = to > from ? to - from : 1, .n = 1, .instant = true};
		return 0;
	}
	step = traceql_default_step(from, to);
	rc = tempo_read_duration(r, "step", &step, e);
	return rc ? rc : traceql_range_set(range, from, to, step, e);
}

static int read_exemplars(struct request *r, const struct traceql *q, uint64_t *n, struct err *e)
{
	int rc = request_u64(r, "exemplars", TRACEQL_EXEMPLARS_MAX, n, e);

	if (q->hints.exemplars)
		*n = q->hints.exemplars;
	if (q->hints.exemplars_off)
		*n = 0;
	*n = *n > TRACEQL_EXEMPLARS_MAX ? TRACEQL_EXEMPLARS_MAX : *n;
	return rc;
}

static int add_metrics_view(void *ctx, const struct trace_view *v, struct err *e)
{
	return traceql_metrics_add(ctx, v, e);
}

static int run_metrics(struct request *r, const struct traceql *q,
		       const struct traceql_range *range, uint64_t exemplars, struct reply *out,
		       struct err *e)
{
	struct store_span_select sel = {.tenant = r->tenant, .limits = r->limits};
	struct json_writer w = json_writer_to(&out->body, 0);
	struct traceql_metrics_run *run = NULL;
	struct traceql_visitor visitor = {.visit = add_metrics_view};
	struct traceql_series_list list;
	int rc = traceql_metrics_new(&run, q, range, (uint32_t)exemplars, r->limits.budget);

	visitor.ctx = run;
	sel.from = range->first > range->step ? range->first - range->step : 0;
	sel.to = range->first + range->n * range->step + 1;
	if (!rc)
		rc = traceql_visit(r->store, q, &sel, &visitor, e);
	if (!rc)
		rc = traceql_metrics_finish(run, &list, e);
	out->content_type = STR("application/json");
	if (!rc)
		tempo_put_metrics(&w, &list, range, traceql_metrics_inspected(run));
	traceql_metrics_free(run);
	return rc ? rc : buf_error(&out->body);
}

static int answer_metrics(struct request *r, bool instant, struct reply *out, struct err *e)
{
	struct traceql_range range;
	struct traceql q = {0};
	uint64_t exemplars = 0;
	int rc = read_metrics_query(r, &q, e);

	if (!rc && has_compare(q.metrics))
		rc = err_set(e, -EINVAL, "compare() is not supported");
	if (!rc)
		rc = read_intervals(r, instant, &range, e);
	if (!rc && !instant)
		rc = read_exemplars(r, &q, &exemplars, e);
	if (!rc)
		rc = run_metrics(r, &q, &range, exemplars, out, e);
	traceql_fini(&q);
	return rc;
}

int tempo_query_range(struct request *r, struct reply *out, struct err *e)
{
	return answer_metrics(r, false, out, e);
}

int tempo_query_instant(struct request *r, struct reply *out, struct err *e)
{
	return answer_metrics(r, true, out, e);
}
