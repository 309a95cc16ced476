/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_QUERY_TRACEQL_VISIT_H
#define VARVE_QUERY_TRACEQL_VISIT_H

#include "query/traceql/traceql_ast.h"
#include "store/store.h"

/*
 * Visit the traces of a store that a query may find, in about the order of their start, the newest
 * first: views with the fields of the query. Traces that it names by id are visited whatever the
 * range. A query of metrics that needs no traces gets views of spans of several traces instead,
 * each span once. `enough` (may be NULL) is called now and then: whether traces that start at or
 * before `start` are not needed any more. Return 0, or -errno of the store or the visitor.
 *
 * With `partial`, a visit ends shortly before its deadline, so that there is time to answer with
 * what was visited so far: then *partial is true, and 0 is returned. Else it fails with -ETIMEDOUT.
 */
struct traceql_visitor {
	int (*visit)(void *ctx, const struct trace_view *v, struct err *e);
	bool (*enough)(void *ctx, uint64_t start);
	void *ctx;
	bool *partial; /* may be NULL */
	uint32_t most; /* about how many traces are needed; 0: unknown */
	/*
	 * Instead of visit(): whole traces with all details, and the batch that the view was made
	 * of, whose spans have the order of the view.
	 */
	int (*visit_batch)(void *ctx, const struct trace_view *v, const struct span_batch *batch,
			   struct err *e);
};

/* What answers say of a partial result. */
#define TRACEQL_PARTIAL                                                                            \
	"the deadline was reached: older traces are missing; use a shorter range or a condition "  \
	"that selects more"

MUST_USE int traceql_visit(struct store *store, const struct traceql *q,
			   const struct store_span_select *range,
			   const struct traceql_visitor *visitor, struct err *e);

#endif
