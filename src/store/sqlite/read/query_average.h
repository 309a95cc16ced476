/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_STORE_SQLITE_QUERY_AVERAGE_H
#define VARVE_STORE_SQLITE_QUERY_AVERAGE_H

#include "store/mean.h"
#include "store/sqlite/catalog/day.h"
#include "store/sqlite/read/node_sums.h"
#include "store/sqlite/read/query.h"

/*
 * Averages of gauges. The mean of a series in a slot is computed in MEAN_PARTS of a unit and
 * rounded once. It is exact if the slot's number of profiles divides MEAN_PARTS (as with a profile
 * every 10, 15, 30 or 60 s), and never depends on the order of additions. The mean over slots is
 * rounded at the end.
 */

/* The slots of a day that have data. */
struct slot_set {
	uint64_t bits[3];
};

static inline void slot_set_add(struct slot_set *s, unsigned slot)
{
	s->bits[slot / 64] |= (uint64_t)1 << slot % 64;
}

static inline unsigned slot_set_count(const struct slot_set *s)
{
	return (unsigned)(__builtin_popcountll(s->bits[0]) + __builtin_popcountll(s->bits[1]) +
			  __builtin_popcountll(s->bits[2]));
}

static inline unsigned slot_of(uint64_t time)
{
	return (unsigned)(time % NS_PER_DAY / NS_PER_SLOT);
}

/* Prepare averages for the query's current partition. Return 0 or -errno. */
MUST_USE int average_begin(struct query *q);

/*
 * For the current book add the mean of each series in each slot of the range to acc, in MEAN_PARTS,
 * and add the slots with data to `slots`. Return 0 or -errno. Call average_begin() first.
 */
MUST_USE int average_sum(struct query *q, struct node_sums *acc, struct slot_set *slots);

#endif
