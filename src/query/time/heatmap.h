/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_QUERY_TIME_HEATMAP_H
#define VARVE_QUERY_TIME_HEATMAP_H

#include "query/tree/stack_filter.h"
#include "store/store.h"

/*
 * How many profiles (or spans in profiles) of which size there were at which time: columns as the
 * points of a chart, and twenty rows between the least and the greatest value of all.
 */
enum { HEATMAP_ROWS = 20 };

struct heatmap_options {
	uint64_t start, end, step; /* nanoseconds */
	const struct str *by;
	uint32_t by_n;
	uint32_t limit; /* series; 0: all */
	bool spans;	/* one value a span of a profile, not one a profile */
	const struct stack_filter_options *filter; /* NULL: all stacks */
};

/* The largest value in a field of the map. */
struct heatmap_exemplar {
	uint64_t time;
	int64_t value;
	uint32_t series; /* of heatmap.series */
	uint8_t profile_id[PROFILE_ID_SIZE];
	struct link link; /* of spans */
};

struct heatmap_slot {
	uint64_t time;
	uint32_t counts[HEATMAP_ROWS];
	struct heatmap_exemplar exemplars[HEATMAP_ROWS]; /* where counts is not 0 */
};

struct heatmap_row {
	struct label_set labels;
	uint64_t count;
	VEC(struct heatmap_slot) slots;
};

struct heatmap {
	struct arena arena;
	int64_t least[HEATMAP_ROWS];  /* the smallest value of each row */
	VEC(struct heatmap_row) rows; /* the one with most values first */
	VEC(struct label_set) series;
};

/* 0, or -errno of the store. Fini in every case. */
MUST_USE int heatmap_of_store(struct heatmap *out, struct store *s, const struct store_select *sel,
			      const struct heatmap_options *o, struct err *e);
void heatmap_fini(struct heatmap *h);

#endif
