/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_QUERY_TRACEQL_COUNTS_H
#define VARVE_QUERY_TRACEQL_COUNTS_H

#include "base/container/idset.h"
#include "query/traceql/traceql_metrics.h"

/*
 * Private to TraceQL's metrics: what one function has counted, by labels and interval. Histograms
 * have a group for each power of two.
 */
struct traceql_group {
	struct traceql_value by[TRACEQL_BY_MAX];
	uint8_t bucket; /* log2 of its upper bound; histograms and quantiles */
	double *values; /* by interval: count, sum, minimum or maximum */
	double *counts; /* averages: number of values */
	struct traceql_exemplar *exemplars;
	uint32_t exemplar_count;
};

struct traceql_counts {
	const struct traceql_metrics *of;
	const struct traceql_range *range;
	struct arena *arena;
	struct idset index;
	VEC(struct traceql_group) groups;
	uint32_t exemplars; /* wanted in all; 0: none */
};

/* Return the interval of a time, or UINT32_MAX. */
uint32_t traceql_interval_of(const struct traceql_range *r, uint64_t time);

MUST_USE int traceql_counts_init(struct traceql_counts *c, const struct traceql_metrics *of,
				 const struct traceql_range *range, uint32_t exemplars,
				 struct arena *a);

/* Count a span of the run's trace. Return 0 or -errno. */
MUST_USE int traceql_counts_add(struct traceql_counts *c, struct traceql_run *r, uint32_t row,
				struct err *e);

/* Append the series. Return 0 or -ENOMEM. */
MUST_USE int traceql_counts_series(struct traceql_counts *c, struct traceql_series_list *out);

#endif
