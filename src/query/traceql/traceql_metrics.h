/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_QUERY_TRACEQL_METRICS_H
#define VARVE_QUERY_TRACEQL_METRICS_H

#include "query/traceql/traceql_eval.h"

/*
 * Metrics of spans over time: rate(), quantile_over_time() and the like. Spans count in the interval
 * in which they start; an interval is (t - step, t] and has the time t.
 */
enum { TRACEQL_INTERVALS_MAX = 10000, TRACEQL_SERIES_MAX = 10000, TRACEQL_EXEMPLARS_MAX = 100 };

/* The intervals of a query. */
struct traceql_range {
	uint64_t first; /* the time of the first interval, nanoseconds */
	uint64_t step;
	uint32_t n;
	bool instant; /* one interval, [first, first + step] */
};

/*
 * Set *out to the intervals of a range query: `start` rounded down and `end` up to a multiple of
 * the step. Return 0, or -EINVAL with text in `e` (no step, more than TRACEQL_INTERVALS_MAX).
 */
MUST_USE int traceql_range_set(struct traceql_range *out, uint64_t start, uint64_t end,
			       uint64_t step, struct err *e);

/* Return the step that a range query without one has. */
uint64_t traceql_default_step(uint64_t start, uint64_t end);

struct traceql_label {
	struct str name;
	struct traceql_value value;
};

enum { TRACEQL_LABELS_MAX = TRACEQL_BY_MAX + 1 };

struct traceql_exemplar {
	uint8_t trace_id[16];
	uint64_t time; /* nanoseconds */
	double value;  /* NaN: it has none */
};

struct traceql_series {
	struct traceql_label labels[TRACEQL_LABELS_MAX];
	uint32_t label_count;
	double *values; /* by interval; NaN: none */
	struct traceql_exemplar *exemplars;
	uint32_t exemplar_count;
};

struct traceql_series_list {
	VEC(struct traceql_series) list;
	bool partial; /* set by the caller: older spans are missing */
};

struct traceql_metrics_run;

/*
 * Begin a query of metrics. On success the caller owns *out (traceql_metrics_free()). `query` has to
 * outlive it. Return 0 or -ENOMEM.
 */
MUST_USE int traceql_metrics_new(struct traceql_metrics_run **out, const struct traceql *query,
				 const struct traceql_range *range, uint32_t exemplars,
				 struct budget *budget);
void traceql_metrics_free(struct traceql_metrics_run *r);

/*
 * Count the spans of a trace. Return 0, -ENOMEM, -E2BIG for more than TRACEQL_SERIES_MAX series, or
 * the errors of traceql_eval().
 */
MUST_USE int traceql_metrics_add(struct traceql_metrics_run *r, const struct trace_view *view,
				 struct err *e);

/*
 * Compute the series from what was counted, sorted by their labels. They belong to the run. Return
 * 0 or -ENOMEM.
 */
MUST_USE int traceql_metrics_finish(struct traceql_metrics_run *r, struct traceql_series_list *out,
				    struct err *e);

/* The number of spans that were looked at. */
uint64_t traceql_metrics_inspected(const struct traceql_metrics_run *r);

#endif
