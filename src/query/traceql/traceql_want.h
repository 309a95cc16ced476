/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_QUERY_TRACEQL_WANT_H
#define VARVE_QUERY_TRACEQL_WANT_H

#include "query/traceql/traceql_ast.h"
#include "signal/trace/trace_want.h"

/* How to find the traces of a query without reading all. */
struct traceql_plan {
	struct trace_want want;
	/*
	 * A trace that the query finds has a span that passes one of the filters, which need nothing
	 * but that span; `any_span`: all spans that the want leaves pass.
	 */
	bool any_span;
	VEC(const struct traceql_expr *) filters;
	/* A query of metrics that counts span by span: it needs no traces. */
	bool spans;
	/* The fields of the filters, and for `spans` all of the query. */
	VEC(struct trace_field) fields;
	/* A query of metrics with compare(), which needs all details. */
	bool all_fields;
};

/* Plan a query. Memory is in the arena of the query. Return 0 or -ENOMEM. */
MUST_USE int traceql_plan(const struct traceql *q, struct traceql_plan *out);

#endif
