/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_QUERY_TIME_CHART_H
#define VARVE_QUERY_TIME_CHART_H

#include "query/tree/stack_filter.h"
#include "store/store.h"

/*
 * Values over time, by labels. The point at t = start + k * step covers (t - step, t], in whole
 * milliseconds, as Pyroscope has it; what is before `start` counts there. Only points with data
 * are there.
 *
 * With `spread` each profile counts over its own time (query/time/spread.h), the point at t covers
 * [t - step, t), the first one [start - step, start), and profiles beside the range count as far
 * as they reach into these. The total of a row is in every case that of the profiles in the range.
 *
 * Gauges (store_select.average) are never summed over time: a point is what store.h says of a
 * range, so one point over a whole range is the total of its flame graph.
 */
enum chart_aggregation {
	CHART_SUM,
	CHART_AVERAGE, /* the mean of a profile; of gauges: as above */
};

enum { CHART_SPREAD_MAX = 50000 }; /* points of a row; what is later is left out */

struct chart_options {
	uint64_t start, step; /* nanoseconds; step at least a millisecond */
	const struct str *by; /* label names; borrowed */
	uint32_t by_n;
	enum chart_aggregation aggregation;
	bool spread;	/* `start` is at least `step`, and aggregation and exemplars are not used */
	uint32_t limit; /* rows; 0: all */
	bool exemplars; /* the largest profile of each point */
	const struct stack_filter_options *filter; /* only these stacks; NULL: all */
};

struct chart_exemplar {
	uint64_t time;
	int64_t value;
	uint32_t series; /* of chart.series */
	uint8_t profile_id[PROFILE_ID_SIZE];
};

struct chart_point {
	uint64_t time;
	double value;
	bool has_exemplar;
	struct chart_exemplar exemplar;
};

struct chart_row {
	struct label_set labels; /* those of `by` that the series have */
	double total;		 /* as of the flame graph of the range, also of gauges */
	VEC(struct chart_point) points;
};

struct chart {
	struct arena arena;
	VEC(struct chart_row) rows;   /* the largest total first, then by labels */
	VEC(struct label_set) series; /* all labels of those that were seen, for exemplars */
};

/* 0, or -errno of the store. Fini in every case. */
MUST_USE int chart_of_store(struct chart *out, struct store *s, const struct store_select *sel,
			    const struct chart_options *o, struct err *e);
void chart_fini(struct chart *c);

/* A step that gives about 1,500 points, at least 15 s: what Pyroscope's own pages use. */
uint64_t chart_step(uint64_t from, uint64_t to);

/* A round step, a second at least, that gives at most `points` points (1 or more), and seldom less than a third of that. */
uint64_t chart_step_for(uint64_t from, uint64_t to, uint64_t points);

#endif
