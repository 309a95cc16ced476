/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_QUERY_TRACEQL_WANT_H
#define VARVE_QUERY_TRACEQL_WANT_H

#include "query/traceql/traceql_ast.h"
#include "signal/trace/trace_want.h"

/*
 * Return in *out what a trace needs to have for the query to find it, or for its spans to count in
 * a metric. The alternatives are in the arena of the query. Return 0 or -ENOMEM.
 */
MUST_USE int traceql_want(const struct traceql *q, struct trace_want *out);

#endif
