/* SPDX-License-Identifier: Apache-2.0 */
/* Metrics of spans by TraceQL: over a range in steps, or as one value. */
#include "api/tempo/tempo.h"
#include "api/tempo/tempo_json.h"
#include "api/tempo/tempo_params.h"
#include "base/clock.h"
#include "query/attributes/traceql_compare.h"
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
	if (!rc && !traceql_is_compare(q) && traceql_has_compare(q->metrics))
		rc = err_set(e, -EINVAL, "compare() cannot be part of arithmetic");
	return rc;
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

/* The traces that have spans in the intervals. */
static void select_range(struct request *r, const struct traceql_range *range,
			 struct store_span_select *out)
{
	*out = (struct store_span_select){.tenant = r->tenant, .limits = r->limits};
	out->from = range->first > range->step ? range->first - range->step : 0;
	out->to = range->first + range->n * range->step + 1;
}

static int run_metrics(struct request *r, const struct traceql *q,
		       const struct traceql_range *range, uint64_t exemplars, struct reply *out,
		       struct err *e)
{
	struct json_writer w = json_writer_to(&out->body, 0);
	struct traceql_metrics_run *run = NULL;
	bool partial = false;
	struct traceql_visitor visitor = {.visit = add_metrics_view, .partial = &partial};
	struct traceql_series_list list;
	struct store_span_select sel;
	int rc = traceql_metrics_new(&run, q, range, (uint32_t)exemplars, r->limits.budget);

	visitor.ctx = run;
	select_range(r, range, &sel);
	if (!rc)
		rc = traceql_visit(r->store, q, &sel, &visitor, e);
	if (!rc)
		rc = traceql_metrics_finish(run, &list, e);
	list.partial = partial;
	if (!rc)
		tempo_put_metrics(&w, &list, range, traceql_metrics_inspected(run));
	traceql_metrics_free(run);
	return rc;
}

/* ---- compare() ---- */

static int add_compared(void *ctx, const struct trace_view *v, const struct span_batch *batch,
			struct err *e)
{
	return traceql_compare_add(ctx, v, batch, e);
}

static int run_compare(struct request *r, const struct traceql *q,
		       const struct traceql_range *range, uint64_t exemplars, struct reply *out,
		       struct err *e)
{
	struct json_writer w = json_writer_to(&out->body, 0);
	struct traceql_compare *run = NULL;
	bool partial = false;
	struct traceql_visitor visitor = {.visit_batch = add_compared, .partial = &partial};
	struct traceql_series_list list;
	struct store_span_select sel;
	int rc = traceql_compare_new(&run, q, range, exemplars > 0, r->limits.budget);

	visitor.ctx = run;
	select_range(r, range, &sel);
	if (!rc)
		rc = traceql_visit(r->store, q, &sel, &visitor, e);
	if (!rc)
		rc = traceql_compare_finish(run, &list);
	list.partial = partial;
	if (!rc)
		tempo_put_metrics(&w, &list, range, traceql_compare_inspected(run));
	traceql_compare_free(run);
	return rc;
}

/* ---- the answer ---- */

static int answer_metrics(struct request *r, bool instant, struct reply *out, struct err *e)
{
	struct traceql_range range;
	struct traceql q = {0};
	uint64_t exemplars = 0;
	int rc = read_metrics_query(r, &q, e);

	if (!rc)
		rc = read_intervals(r, instant, &range, e);
	if (!rc && !instant)
		rc = read_exemplars(r, &q, &exemplars, e);
	if (!rc)
		rc = (traceql_is_compare(&q) ? run_compare : run_metrics)(r, &q, &range, exemplars,
									  out, e);
	traceql_fini(&q);
	if (!rc)
		rc = tempo_reply_as_accepted(
			r, out, instant ? &tempo_instant_response : &tempo_range_response, e);
	return rc ? rc : buf_error(&out->body);
}

int tempo_query_range(struct request *r, struct reply *out, struct err *e)
{
	return answer_metrics(r, false, out, e);
}

int tempo_query_instant(struct request *r, struct reply *out, struct err *e)
{
	return answer_metrics(r, true, out, e);
}
