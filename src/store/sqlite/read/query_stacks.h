/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_STORE_SQLITE_QUERY_STACKS_H
#define VARVE_STORE_SQLITE_QUERY_STACKS_H

#include "store/mean.h"
#include "store/sqlite/read/query.h"

/*
 * Averages of gauges. The mean of a series in a slot is kept in MEAN_PARTS of a unit, rounded once:
 * exact where the slot has a number of profiles that divides it (every 10, 15, 30 or 60 s do), and
 * never dependent on the order in which things are added up. The mean over slots is rounded at the end.
 */
enum { SLOTS_PER_DAY = 144 };

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

/* Add what is asked for of the rows; `arg` is a struct node_sums. */
MUST_USE int stacks_add_rows(struct query *q, const struct rows *r, void *arg);

/* The same of all chunks, from roll-ups where they tell all that is asked for. */
MUST_USE int stacks_add_chunks(struct query *q, struct node_sums *acc);

/*
 * The same in MEAN_PARTS of a book: for each slot the sum over series of their means; `slots` had data. First average_begin() for
 * the partition.
 */
MUST_USE int average_begin(struct query *q);
MUST_USE int average_sum(struct query *q, struct node_sums *acc, struct slot_set *slots);

/* Carry the sums of a book into the tree; acc is used up. */
MUST_USE int stacks_carry(struct query *q, uint32_t book, struct stack_tree *tree,
			  struct stack_sums *sums, struct node_sums *acc);

#endif
