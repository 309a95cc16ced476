/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_QUERY_TIME_CHART_H
#define VARVE_QUERY_TIME_CHART_H

#include "query/tree/stack_filter.h"
#include "store/store.h"

/*
 * Values over time, grouped by labels. The point at t = start + k * step covers (t - step, t], in
 * whole milliseconds, as in Pyroscope; profiles before `start` count there. Points without data are
 * left out.
 *
 * With `spread` each profile counts over its own duration (query/time/spread.h), the point at t
 * covers [t - step, t), the first one [start - step, start), and profiles outside the range count
 * as far as they overlap these. The total of a row always includes only the profiles in the range.
 *
 * Gauges (store_select.average) are never summed over time: a point is the average that store.h
 * defines for a range, so one point over a whole range equals the total of its flame graph.
 */
enum chart_aggregation {
	CHART_SUM,
	CHART_AVERAGE, /* the mean per profile; of gauges: as above */
};

enum { CHART_SPREAD_MAX = 50000 }; /* points per row; later ones are left out */

struct chart_options {
	uint64_t start, step; /* nanoseconds; step at least a millisecond */
	const struct str *by; /* label names; borrowed */
	uint32_t by_n;
	enum chart_aggregation aggregation;
	/* `start` must be at least `step`; aggregation and exemplars are not used. */
	bool spread;
	uint32_t limit;				   /* number of rows; 0: all */
	bool rest;				   /* return the sum of the rows beyond the limit */
	bool exemplars;				   /* return the largest profile of each point */
	const struct stack_filter_options *filter; /* NULL: all stacks */
};

struct chart_exemplar {
	uint64_t time;
	int64_t value;
	uint32_t series; /* index into chart.series */
	uint8_t profile_id[PROFILE_ID_SIZE];
};

struct chart_point {
	uint64_t time;
	double value;
	bool has_exemplar;
	struct chart_exemplar exemplar;
};

struct chart_row {
	struct label_set labels; /* the labels of `by` that its series have */
	double total;		 /* equals that of the flame graph of the range, also for gauges */
	VEC(struct chart_point) points;
};

struct chart {
	struct arena arena;
	VEC(struct chart_row) rows;   /* largest total first, then by labels */
	uint32_t row_count;	      /* without the limit */
	struct chart_row rest;	      /* see chart_options; without labels */
	VEC(struct label_set) series; /* all labels of each series, for exemplars */
};

/* Compute the chart of a selection. 0, or -errno of the store. Fini in every case. */
MUST_USE int chart_of_store(struct chart *out, struct store *s, const struct store_select *sel,
			    const struct chart_options *o, struct err *e);
void chart_fini(struct chart *c);

/* Return the step that Pyroscope's own pages use: about 1,500 points, at least 15 s. */
uint64_t chart_step(uint64_t from, uint64_t to);

/*
 * Return a round step of at least a second that gives at most `points` points (1 or more), and
 * rarely less than a third of that.
 */
uint64_t chart_step_for(uint64_t from, uint64_t to, uint64_t points);

#endif
