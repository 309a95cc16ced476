/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_QUERY_TRACEQL_TRACEQL_H
#define VARVE_QUERY_TRACEQL_TRACEQL_H

#include "query/traceql/traceql_ast.h"

/*
 * TraceQL, the query language of Grafana Tempo 3. A query is compiled once and then evaluated trace
 * by trace (traceql_search.h, traceql_metrics.h) on views that have q->fields.
 *
 * Differences to Tempo, which are defects there: int attributes and float literals are compared; a
 * literal may be on the left; ^ has its operands in order; !(x) is true for spans without the
 * attribute; != on arrays means that no element is equal.
 */

/*
 * Compile a query into the arena. Return 0, -ENOMEM, or -EINVAL with the position and the reason in
 * `e`. On success call traceql_fini() before the arena goes.
 */
MUST_USE int traceql_compile(struct traceql *q, struct str text, struct arena *a, struct err *e);

/* Free the regular expressions. Accepts the zero value. */
void traceql_fini(struct traceql *q);

#endif
