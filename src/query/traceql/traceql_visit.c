/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Visits the traces of a time range by groups of ids, which grow: a search that finds enough among
 * the newest traces reads little, and one that does not reads each block few times.
 */
#include "query/traceql/traceql_visit.h"

#include "query/traceql/traceql_want.h"
#include "signal/trace/trace_fill.h"

enum { GROUP_FIRST = 64, GROUP_LARGEST = 8192 };

struct listed_id {
	uint8_t id[16];
};

struct trace_visit {
	struct store *store;
	const struct traceql *query;
	const struct store_span_select *range;
	const struct traceql_visitor *visitor;
	struct arena arena; /* of the list */
	struct arena trace; /* of the current trace */
	VEC(struct listed_id) ids;
	VEC(uint64_t) starts;
	struct err *e;
};

static int note_id(void *ctx, const uint8_t *id, uint64_t start)
{
	struct trace_visit *v = ctx;
	struct listed_id x;
	int rc;

	memcpy(x.id, id, sizeof(x.id));
	rc = vec_push(&v->arena, &v->ids, x);
	return rc ? rc : vec_push(&v->arena, &v->starts, start);
}

/* Make the view of a trace, and hand it to the visitor. */
static int take_batch(void *ctx, const struct span_batch *batch)
{
	struct trace_visit *v = ctx;
	struct trace_maker maker;
	struct trace_view view;
	uint32_t *rows;
	int rc;

	arena_reset(&v->trace);
	rows = arena_alloc(&v->trace, batch->spans.n + 1u, sizeof(*rows));
	if (!rows)
		return -ENOMEM;
	for (uint32_t i = 0; i < batch->spans.n; i++)
		rows[i] = i;
	rc = trace_maker_init(&maker, batch, v->query->fields.at, v->query->fields.n, &v->trace);
	if (!rc)
		rc = trace_maker_view(&maker, rows, batch->spans.n, &v->trace, &view);
	return rc ? rc : v->visitor->visit(v->visitor->ctx, &view, v->e);
}

/* The ids that the query names, if it can find only these. */
static int named_ids(struct trace_visit *v, const struct trace_want *want, bool *named)
{
	int rc = 0;

	*named = !want->all;
	for (uint32_t i = 0; !rc && *named && i < want->n; i++) {
		const struct trace_alternative *a = &want->at[i];
		uint32_t k = 0;

		while (k < a->n && a->leaves[k].of != TRACE_LEAF_TRACE_ID)
			k++;
		if (k == a->n)
			*named = false;
		else
			rc = note_id(v, (const uint8_t *)a->leaves[k].value.text.p, UINT64_MAX);
	}
	if (!*named)
		v->ids.n = v->starts.n = 0;
	return rc;
}

static int list_ids(struct trace_visit *v)
{
	struct trace_want want;
	bool named = false;
	int rc = traceql_want(v->query, &want);

	if (!rc)
		rc = named_ids(v, &want, &named);
	if (rc || named)
		return rc;
	return v->store->ops->trace_list(v->store, v->range, note_id, v, v->e);
}

static int visit_groups(struct trace_visit *v)
{
	struct store_span_select sel = *v->range;
	uint32_t group = GROUP_FIRST;
	int rc = 0;

	sel.from = 0; /* whole traces, also where they leave the range */
	sel.to = UINT64_MAX;
	for (uint32_t i = 0; !rc && i < v->ids.n; i += sel.trace_count) {
		if (i && v->visitor->enough && v->visitor->enough(v->visitor->ctx, v->starts.at[i]))
			return 0;
		sel.traces = (const uint8_t(*)[16])v->ids.at[i].id;
		sel.trace_count = v->ids.n - i < group ? v->ids.n - i : group;
		rc = v->store->ops->traces(v->store, &sel, take_batch, v, v->e);
		group = group < GROUP_LARGEST ? 4 * group : group;
	}
	return rc;
}

int traceql_visit(struct store *store, const struct traceql *q,
		  const struct store_span_select *range, const struct traceql_visitor *visitor,
		  struct err *e)
{
	struct trace_visit v = {
		.store = store, .query = q, .range = range, .visitor = visitor, .e = e};
	int rc;

	if (!store->ops->traces || !store->ops->trace_list)
		return err_set(e, -EOPNOTSUPP, "this store has no traces");
	arena_init(&v.arena, range->limits.budget);
	arena_init(&v.trace, range->limits.budget);
	rc = list_ids(&v);
	if (!rc)
		rc = visit_groups(&v);
	arena_fini(&v.trace);
	arena_fini(&v.arena);
	return rc;
}
