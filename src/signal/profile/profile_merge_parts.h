/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_SIGNAL_PROFILE_PROFILE_MERGE_PARTS_H
#define VARVE_SIGNAL_PROFILE_PROFILE_MERGE_PARTS_H

#include "signal/profile/profile_merge.h"

/*
 * Intermediate tables of a merge, private to profile_merge*.c; see profile_merge.c for the design.
 * The merge_group_grow() and merge_strip functions are in profile_merge_strip.c.
 */

struct merge_identity {
	uint32_t stack, link, attributes; /* attributes is a set */
	struct list locations;		  /* of the stack; empty if it cannot be predicted */
};

struct merge_family {
	VEC(struct merge_identity) identities;
	struct row_predictor next; /* predicts identities */
};

struct merge_cell {
	int64_t sum;
	uint32_t chain; /* index + 1; 0: no observations */
	bool present;
};

/*
 * Sums of samples added one by one: for each row of a family the values of all profiles of the
 * batch side by side, so that a sample touches one cache line. Batches with the same groups share a
 * strip; at the end it is added to the columns of the groups.
 */
struct merge_strip {
	uint32_t *groups, width; /* the groups, and their number */
	uint32_t rows;
	uint64_t *sums; /* rows * width */
	bool *present;
};

struct merge_group {
	struct profile row;  /* ids of the output */
	uint32_t attributes; /* set */
	uint32_t family;
	VEC(struct merge_cell) cells; /* by row of the family; cells past the end are absent */
	bool untimed; /* a sample has a value without a time, so times are dropped */
	bool valued;  /* an observation has a value; those without one count 1 */
};

struct merge_chain {
	uint32_t first, last, count; /* observations: index + 1 */
};

struct merge_observation {
	uint64_t time;
	int64_t value;
	uint32_t next; /* index + 1 */
};

/* Extend the group's column to all rows of its family. */
MUST_USE int merge_group_grow(struct profile_merge *m, struct merge_group *g);

static inline void merge_cell_add(struct merge_cell *cell, int64_t value)
{
	cell->present = true;
	cell->sum = (int64_t)((uint64_t)cell->sum + (uint64_t)value);
}

/* Find or create the strip of the begun groups, which thereby get values without times. */
MUST_USE int merge_strip_begin(struct profile_merge *m);

/* Extend the strip to `row`, doubling its size. */
MUST_USE int merge_strip_grow(struct profile_merge *m, struct merge_strip *s, uint32_t row);

/* Add the sums of all strips to the columns of their groups. */
MUST_USE int merge_strips_spread(struct profile_merge *m);

#endif
