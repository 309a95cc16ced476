/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_SIGNAL_PROFILE_PROFILE_MERGE_PARTS_H
#define VARVE_SIGNAL_PROFILE_PROFILE_MERGE_PARTS_H

#include "signal/profile/profile_merge.h"

/* What stands beside the new batch while profiles are merged. Private to profile_merge*.c. */

struct merge_identity {
	uint32_t stack, link, attributes; /* attributes: set */
	struct list locations;		  /* of the stack, if they serve for a guess */
};

struct merge_family {
	VEC(struct merge_identity) identities;
	struct follow next; /* identity, as a guess */
};

struct merge_cell {
	int64_t sum;
	uint32_t chain; /* index + 1; 0: no observations */
	bool present;
};

/*
 * What samples that come one by one have added to the rows of a family: the values of all profiles of their batch side by side, so that a
 * sample touches one place. Batches with the same groups share it; in the end it goes into their columns.
 */
struct merge_strip {
	uint32_t *groups, width; /* of the groups; a value each */
	uint32_t rows;
	uint64_t *sums; /* rows * width */
	bool *present;
};

struct merge_group {
	struct profile row;  /* ids of the new batch */
	uint32_t attributes; /* set */
	uint32_t family;
	VEC(struct merge_cell) cells; /* by row of the family; those behind the end are absent */
	bool untimed; /* a sample has a value without a time: times cannot be kept */
	bool valued;  /* an observation has a value: those without one count 1 */
};

struct merge_chain {
	uint32_t first, last, count; /* observations: index + 1 */
};

struct merge_observation {
	uint64_t time;
	int64_t value;
	uint32_t next; /* index + 1 */
};

/* Room in the group's column for all rows of its family. */
MUST_USE int merge_group_grow(struct profile_merge *m, struct merge_group *g);

static inline void merge_cell_add(struct merge_cell *cell, int64_t value)
{
	cell->present = true;
	cell->sum = (int64_t)((uint64_t)cell->sum + (uint64_t)value);
}

/* The strip of the groups that were begun: found, or made. They get values without times. */
MUST_USE int merge_strip_begin(struct profile_merge *m);

/* Room for `row`, and by the way for as many again. */
MUST_USE int merge_strip_grow(struct profile_merge *m, struct merge_strip *s, uint32_t row);

/* What strips have added up is put into the columns of their groups. */
MUST_USE int merge_strips_spread(struct profile_merge *m);

#endif
