/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_QUERY_TIME_HEATMAP_H
#define VARVE_QUERY_TIME_HEATMAP_H

#include "query/tree/stack_filter.h"
#include "store/store.h"

/*
 * The distribution of profile values (or values of spans within profiles) over time: columns as the
 * points of a chart, and twenty rows of equal height from the smallest to the largest value.
 */
enum { HEATMAP_ROWS = 20 };

struct heatmap_options {
	uint64_t start, end, step; /* nanoseconds */
	const struct str *by;
	uint32_t by_n;
	uint32_t limit; /* number of series; 0: all */
	bool spans;	/* one value per span of a profile instead of one per profile */
	const struct stack_filter_options *filter; /* NULL: all stacks */
};

/* The largest value in a cell of the map. */
struct heatmap_exemplar {
	uint64_t time;
	int64_t value;
	uint32_t series; /* index into heatmap.series */
	uint8_t profile_id[PROFILE_ID_SIZE];
	struct link link; /* with heatmap_options.spans */
};

struct heatmap_slot {
	uint64_t time;
	uint32_t counts[HEATMAP_ROWS];
	struct heatmap_exemplar exemplars[HEATMAP_ROWS]; /* valid if the count is not 0 */
};

struct heatmap_row {
	struct label_set labels;
	uint64_t count;
	VEC(struct heatmap_slot) slots;
};

struct heatmap {
	struct arena arena;
	int64_t least[HEATMAP_ROWS];  /* lower bound of each row */
	VEC(struct heatmap_row) rows; /* most values first */
	VEC(struct label_set) series;
};

/* Compute the heatmap of a selection. 0, or -errno of the store. Fini in every case. */
MUST_USE int heatmap_of_store(struct heatmap *out, struct store *s, const struct store_select *sel,
			      const struct heatmap_options *o, struct err *e);
void heatmap_fini(struct heatmap *h);

#endif
