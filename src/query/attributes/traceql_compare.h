/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_QUERY_ATTRIBUTES_COMPARE_H
#define VARVE_QUERY_ATTRIBUTES_COMPARE_H

#include "query/traceql/traceql_metrics.h"
#include "signal/span_batch.h"

/*
 * compare(): how often each value of each attribute occurs among the selected spans and among all
 * others (the baseline), over time. Answers have for each attribute its most frequent values in
 * both groups, and their totals. Ids, times and durations do not count; of arrays the elements do.
 */
struct traceql_compare;

/* Return whether the query is one compare(). */
bool traceql_is_compare(const struct traceql *q);

/* Return whether compare() is part of the metrics. */
bool traceql_has_compare(const struct traceql_metrics *m);

/* Begin. On success the caller owns *out. `query` has to outlive it. Return 0 or -ENOMEM. */
MUST_USE int traceql_compare_new(struct traceql_compare **out, const struct traceql *query,
				 const struct traceql_range *range, bool exemplars,
				 struct budget *budget);
void traceql_compare_free(struct traceql_compare *c);

/*
 * Count the spans of a trace; spans of the batch have the order of the view. Return 0, -ENOMEM, or
 * the errors of traceql_eval().
 */
MUST_USE int traceql_compare_add(struct traceql_compare *c, const struct trace_view *view,
				 const struct span_batch *batch, struct err *e);

/* Append the series, which belong to the comparison. Return 0 or -ENOMEM. */
MUST_USE int traceql_compare_finish(struct traceql_compare *c, struct traceql_series_list *out);

/* The number of spans that were looked at. */
uint64_t traceql_compare_inspected(const struct traceql_compare *c);

#endif
