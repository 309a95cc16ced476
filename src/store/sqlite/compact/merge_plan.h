/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_STORE_SQLITE_COMPACT_MERGE_PLAN_H
#define VARVE_STORE_SQLITE_COMPACT_MERGE_PLAN_H

#include "store/sqlite/compact/compact.h"

/*
 * Chooses which blocks of spans or of log records are merged next. The blocks of commits (generation 0)
 * become blocks of one hour each; four blocks of a generation become one of the next, up to a size; the
 * remaining blocks of an hour are merged when the hour is over. Any thread that holds the list.
 */
enum { MERGE_HOURS = 24, MERGE_GENERATIONS = 8, MERGE_PLAN_MAX = 512 };

struct merge_block {
	uint64_t hour; /* of the day; MERGE_HOURS in generation 0 */
	uint64_t generation;
	uint64_t made;	 /* seconds since 1970 */
	uint64_t items;	 /* spans or records */
	uint64_t bytes;	 /* of the items before they were encoded */
	uint64_t packed; /* of the blobs */
};

/* The blocks of a day. */
struct merge_list {
	const void *blocks;
	uint32_t n;
	struct merge_block (*get)(const void *blocks, uint32_t i);
	uint64_t items_max, bytes_max; /* of a merged block */
	uint32_t plan_max;	       /* blocks that are merged at once, up to MERGE_PLAN_MAX */
};

/* Blocks to merge into one, or into one for each hour. */
struct merge_plan {
	uint32_t n;
	uint32_t at[MERGE_PLAN_MAX]; /* indexes of the list */
	uint64_t generation;	     /* of the new blocks */
	uint64_t items, bytes, limit;
};

/*
 * Choose the blocks to merge next; `commits`: blocks of commits are due. Return false if there are
 * none.
 */
bool merge_plan_choose(struct merge_plan *plan, const struct merge_list *l, uint32_t day, bool commits,
		       const struct compact_rules *rules);

/* Return whether there is something to merge now or once an hour is over. */
bool merge_is_pending(const struct merge_list *l);

/* Set *sum to the items and packed bytes of the blocks of commits, and return their number. */
uint32_t merge_sum_commits(const struct merge_list *l, struct merge_block *sum);

#endif
