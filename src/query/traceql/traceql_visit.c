/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Searches the store by the plan of a query: spans that the store cannot exclude are probed by the
 * query's own filters, span by span, and traces with a hit are read whole and evaluated exactly.
 */
#include "query/traceql/traceql_visit.h"

#include "base/clock.h"
#include "query/traceql/traceql_eval.h"
#include "query/traceql/traceql_want.h"
#include "signal/trace/trace_fill.h"

struct trace_visit {
	struct store *store;
	const struct traceql *query;
	const struct traceql_visitor *visitor;
	struct traceql_plan plan;
	struct traceql_run run; /* of the filters */
	struct arena arena;	/* of the current view */
	struct err *e;
};

/* Make the view of a trace, and hand it to the visitor. */
static int take_trace(void *ctx, const struct span_batch *batch)
{
	struct trace_visit *v = ctx;
	struct trace_maker maker;
	struct trace_view view;
	uint32_t *rows;
	int rc;

	arena_reset(&v->arena);
	rows = arena_alloc(&v->arena, batch->spans.n + (size_t)1, sizeof(*rows));
	if (!rows)
		return -ENOMEM;
	for (uint32_t i = 0; i < batch->spans.n; i++)
		rows[i] = i;
	rc = trace_maker_init(&maker, batch, v->query->fields.at, v->query->fields.n, &v->arena);
	if (!rc)
		rc = trace_maker_view(&maker, rows, batch->spans.n, &v->arena, &view);
	if (!rc && v->visitor->visit_batch)
		return v->visitor->visit_batch(v->visitor->ctx, &view, batch, v->e);
	return rc ? rc : v->visitor->visit(v->visitor->ctx, &view, v->e);
}

/* ---- single spans ---- */

static int view_spans(struct trace_visit *v, const struct span_batch *batch,
		      struct trace_view *view)
{
	struct trace_maker maker;
	int rc;

	arena_reset(&v->arena);
	rc = trace_maker_init(&maker, batch, v->query->fields.at, v->query->fields.n, &v->arena);
	return rc ? rc : trace_maker_spans(&maker, &v->arena, view);
}

/* Hand the spans to the visitor, who counts them. */
static int take_spans(void *ctx, const struct span_batch *batch, bool *hits)
{
	struct trace_visit *v = ctx;
	struct trace_view view;
	int rc = view_spans(v, batch, &view);

	(void)hits;
	return rc ? rc : v->visitor->visit(v->visitor->ctx, &view, v->e);
}

/* Hit the spans that pass one of the filters. */
static int probe_spans(void *ctx, const struct span_batch *batch, bool *hits)
{
	struct trace_visit *v = ctx;
	struct trace_view view;
	int rc = view_spans(v, batch, &view);

	if (rc)
		return rc;
	arena_reset(&v->run.arena);
	v->run.view = &view;
	for (uint32_t i = 0; !rc && i < batch->spans.n; i++)
		for (uint32_t k = 0; !rc && !hits[i] && k < v->plan.filters.n; k++)
			rc = traceql_passes(&v->run, v->plan.filters.at[k], i, &hits[i], v->e);
	return rc;
}

static bool has_enough(void *ctx, uint64_t start)
{
	const struct trace_visit *v = ctx;

	return v->visitor->enough && v->visitor->enough(v->visitor->ctx, start);
}

/* Leave a part of the time until the deadline for the answer. */
static uint64_t earlier_deadline(uint64_t deadline)
{
	enum { SHARE = 10 };
	uint64_t now = clock_monotonic_ns();

	return deadline > now ? deadline - (deadline - now) / SHARE : deadline;
}

static int search_store(struct trace_visit *v, const struct store_span_select *range)
{
	struct store_span_select sel = *range;
	bool *partial = v->visitor->partial;
	struct err own = {0};
	int rc;
	struct store_trace_search search = {
		.want = &v->plan.want,
		.fields = v->query->fields.at,
		.field_count = v->query->fields.n,
		.probe_fields = v->plan.fields.at,
		.probe_field_count = v->plan.fields.n,
		.all_fields = v->plan.all_fields,
		.most = v->visitor->most,
		.enough = has_enough,
		.ctx = v,
	};

	if (v->plan.spans)
		search.probe = take_spans;
	else
		search.visit = take_trace;
	if (!v->plan.spans && !v->plan.any_span)
		search.probe = probe_spans;
	if (partial && sel.limits.deadline_ns)
		sel.limits.deadline_ns = earlier_deadline(sel.limits.deadline_ns);
	rc = v->store->ops->trace_search(v->store, &sel, &search, &own);
	if (rc == -ETIMEDOUT && partial) {
		*partial = true;
		return 0;
	}
	if (rc && v->e && !v->e->code)
		*v->e = own;
	return rc;
}

/* ---- named traces ---- */

struct named_id {
	uint8_t id[16];
};

/*
 * Read the traces whose ids the query names, if it can find only these: whatever the range. Set
 * *named to whether that is so.
 */
static int visit_named(struct trace_visit *v, const struct store_span_select *range, bool *named)
{
	const struct trace_want *want = &v->plan.want;
	struct store_span_select sel = *range;
	VEC(struct named_id) ids = {0};
	int rc = 0;

	*named = !want->all;
	for (uint32_t i = 0; !rc && *named && i < want->n; i++) {
		const struct trace_alternative *a = &want->at[i];
		struct named_id x;
		uint32_t k = 0;

		while (k < a->n && a->leaves[k].of != TRACE_LEAF_TRACE_ID)
			k++;
		*named = k < a->n;
		if (!*named)
			break;
		memcpy(x.id, a->leaves[k].value.text.p, sizeof(x.id));
		rc = vec_push(v->query->arena, &ids, x);
	}
	if (rc || !*named || !ids.n)
		return rc;
	sel.from = 0;
	sel.to = UINT64_MAX;
	sel.traces = (const uint8_t(*)[16])ids.at->id;
	sel.trace_count = ids.n;
	return v->store->ops->traces(v->store, &sel, take_trace, v, v->e);
}

int traceql_visit(struct store *store, const struct traceql *q,
		  const struct store_span_select *range, const struct traceql_visitor *visitor,
		  struct err *e)
{
	struct trace_visit v = {.store = store, .query = q, .visitor = visitor, .e = e};
	bool named = false;
	int rc;

	if (!store->ops->traces || !store->ops->trace_search)
		return err_set(e, -EOPNOTSUPP, "this store has no traces");
	arena_init(&v.arena, range->limits.budget);
	traceql_run_init(&v.run, q, range->limits.budget);
	rc = traceql_plan(q, &v.plan);
	if (visitor->visit_batch) {
		v.plan.all_fields = true;
		v.plan.spans = false;
	}
	if (!rc)
		rc = visit_named(&v, range, &named);
	if (!rc && !named)
		rc = search_store(&v, range);
	traceql_run_fini(&v.run);
	arena_fini(&v.arena);
	return rc;
}
