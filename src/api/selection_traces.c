/* SPDX-License-Identifier: Apache-2.0 */
/* The spans that a TraceQL search finds, as a selection of samples. */
#include "api/selection_traces.h"

#include "pipeline/caller.h"
#include "query/traceql/traceql.h"
#include "query/traceql/traceql_eval.h"
#include "query/traceql/traceql_visit.h"

struct found_id {
	uint8_t id[SPAN_ID_SIZE];
};

struct span_finder {
	const struct traceql *query;
	struct traceql_run run;
	struct arena *arena;
	VEC(struct found_id) ids;
	bool cut;
};

static int find_spans(void *ctx, const struct trace_view *view, struct err *e)
{
	struct span_finder *f = ctx;
	struct traceql_sets sets = {0};
	int rc = traceql_run_begin(&f->run, view);

	if (!rc)
		rc = traceql_run_pipeline(&f->run, f->query->pipeline, &sets, e);
	for (uint32_t i = 0; !rc && i < sets.list.n; i++)
		for (uint32_t k = 0; !rc && k < sets.list.at[i].n; k++) {
			const struct trace_span *s = &view->spans[sets.list.at[i].rows[k]];
			struct found_id id;

			f->cut |= f->ids.n == SELECTION_SPANS_MAX;
			if (f->cut)
				return 0;
			memcpy(id.id, s->id, sizeof(id.id));
			rc = vec_push(f->arena, &f->ids, id);
		}
	return rc;
}

static bool has_enough_spans(void *ctx, uint64_t start)
{
	const struct span_finder *f = ctx;

	(void)start;
	return f->cut;
}

static int run_search(struct span_finder *f, const struct selection *s, struct err *e)
{
	const struct traceql_visitor visitor = {find_spans, has_enough_spans, f};
	struct store_span_select range = {.tenant = s->select.tenant,
					  .from = s->select.from,
					  .to = s->select.to,
					  .limits = s->select.limits};

	return traceql_visit(s->store, f->query, &range, &visitor, e);
}

int selection_set_traceql(struct selection *s, struct str text, struct request *r, struct err *e)
{
	const struct caller *caller = r->sender ? r->sender->caller : NULL;
	struct span_finder f = {.arena = r->arena};
	struct traceql q = {0};
	int rc;

	if (caller && caller->services.n)
		return err_set(e, -EPERM, "traces: a token for some services cannot search traces");
	if (s->select.span_count)
		return err_set(e, -EINVAL, "traces and span cannot be used together");
	rc = traceql_compile(&q, text, r->arena, e);
	if (!rc && !q.pipeline)
		rc = err_set(e, -EINVAL,
			     "expected a search such as { duration > 1s }, found a "
			     "query of metrics");
	if (rc == -EINVAL)
		err_prefix(e, "traces");
	f.query = &q;
	traceql_run_init(&f.run, &q, r->limits.budget);
	if (!rc)
		rc = run_search(&f, s, e);
	traceql_run_fini(&f.run);
	traceql_fini(&q);
	if (!rc && !f.ids.n)
		rc = err_set(e, -ENOENT, "no span is found by %.*s in this time range",
			     STR_ARG(str_head(text, 200)));
	if (rc)
		return rc;
	s->select.spans = (const uint8_t(*)[SPAN_ID_SIZE])f.ids.at[0].id;
	s->select.span_count = f.ids.n;
	if (f.cut && s->select.limits.missing)
		s->select.limits.missing->spans = true;
	return 0;
}
