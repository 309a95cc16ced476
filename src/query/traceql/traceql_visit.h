/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_QUERY_TRACEQL_VISIT_H
#define VARVE_QUERY_TRACEQL_VISIT_H

#include "query/traceql/traceql_ast.h"
#include "store/store.h"

/*
 * Visit the traces of a store that a query may find, newest first by groups: views with the fields
 * of the query. `enough` (may be NULL) is called between groups: whether traces that start at or
 * before `start` are not needed any more. Return 0, or -errno of the store or the visitor.
 */
struct traceql_visitor {
	int (*visit)(void *ctx, const struct trace_view *v, struct err *e);
	bool (*enough)(void *ctx, uint64_t start);
	void *ctx;
};

MUST_USE int traceql_visit(struct store *store, const struct traceql *q,
			   const struct store_span_select *range,
			   const struct traceql_visitor *visitor, struct err *e);

#endif
