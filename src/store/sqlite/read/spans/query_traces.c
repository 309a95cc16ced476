/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whole traces by id: the spans of all blocks are found as for a query of the structure, with their
 * details, and put together again as batches.
 */
#include "store/sqlite/read/spans/query_traces.h"

#include "store/sqlite/read/spans/query_spans.h"

struct trace_query {
	struct span_query spans;
	struct span_batch batch; /* of the current trace */
	/* By string of the found spans: 1 + index in batch.resources and batch.scopes. */
	uint32_t *resources, *scopes;
};

/* Return the number of a resource or scope in the batch; add it if it is new. */
static int number_origin(struct trace_query *q, uint32_t origin, bool scope, uint32_t *out)
{
	uint32_t *known = origin ? &(scope ? q->scopes : q->resources)[origin - 1] : NULL;
	struct span_origin o;
	int rc;

	*out = known ? *known : 0;
	if (!known || *known || !span_origin_get(q->spans.found.strings.at[origin - 1], &o))
		return 0;
	rc = scope ? vec_push(&q->batch.arena, &q->batch.scopes, o)
		   : vec_push(&q->batch.arena, &q->batch.resources, o);
	*known = scope ? q->batch.scopes.n : q->batch.resources.n;
	*out = *known;
	return rc;
}

static int begin_trace(struct trace_query *q)
{
	uint32_t n = q->spans.found.strings.n;

	span_batch_reset(&q->batch);
	q->resources = arena_zalloc(&q->batch.arena, n + 1, sizeof(*q->resources));
	q->scopes = arena_zalloc(&q->batch.arena, n + 1, sizeof(*q->scopes));
	return q->resources && q->scopes ? 0 : -ENOMEM;
}

static int add_trace_span(struct trace_query *q, const struct kept_span *k)
{
	struct span s;
	int rc;

	span_query_get(&q->spans, k, &s);
	rc = number_origin(q, k->resource, false, &s.resource);
	if (!rc)
		rc = number_origin(q, k->scope, true, &s.scope);
	return rc ? rc : vec_push(&q->batch.arena, &q->batch.spans, s);
}

static int visit_traces(struct trace_query *q, store_visit_trace *visit, void *ctx, struct err *e)
{
	const struct kept_span *at = q->spans.found.spans.at;
	uint32_t n = q->spans.found.spans.n;
	int rc = 0;

	for (uint32_t i = 0; !rc && i < n; i++) {
		bool first = !i || memcmp(at[i - 1].trace_id, at[i].trace_id, TRACE_ID_SIZE) != 0;

		if (first && i)
			rc = visit(ctx, &q->batch);
		if (rc)
			return rc;
		if (first)
			rc = begin_trace(q);
		if (!rc && (first || !span_query_same(&at[i - 1], &at[i])))
			rc = add_trace_span(q, &at[i]);
		if (rc)
			return err_errno(e, rc, "read a trace");
	}
	return n && !rc ? visit(ctx, &q->batch) : rc;
}

int query_traces_with(struct store *base, const struct store_span_select *sel,
		      const struct span_need *need, const struct spans_block *known,
		      store_visit_trace *visit, void *ctx, struct err *e)
{
	struct store_span_select traces = *sel;
	struct trace_query q = {
		.spans = {.select = &traces, .details = true, .need = need, .known = known}};
	int rc;

	traces.id_count = 0;
	span_batch_init(&q.batch, sel->limits.budget);
	rc = span_query_run(&q.spans, base, e);
	if (sel->cut)
		*sel->cut = q.spans.cut;
	if (!rc)
		rc = visit_traces(&q, visit, ctx, e);
	span_batch_fini(&q.batch);
	span_query_fini(&q.spans);
	return rc;
}

int query_traces(struct store *base, const struct store_span_select *sel, store_visit_trace *visit,
		 void *ctx, struct err *e)
{
	return query_traces_with(base, sel, NULL, NULL, visit, ctx, e);
}
