/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_SIGNAL_PROFILE_MERGE_PARTS_H
#define VARVE_SIGNAL_PROFILE_MERGE_PARTS_H

#include "signal/profile_merge.h"

/* What stands beside the new batch while profiles are merged. Private to profile_merge*.c. */

struct merge_identity {
	uint32_t stack, link, attributes; /* attributes: set */
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

#endif
