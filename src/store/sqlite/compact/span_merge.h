/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_STORE_SQLITE_SPAN_MERGE_H
#define VARVE_STORE_SQLITE_SPAN_MERGE_H

#include "store/sqlite/compact/compact.h"

/* Merge blocks of spans. Worker thread (or a test's). */
enum { SPAN_PLAN_MAX = 128, SPAN_GENERATIONS = 8 };

/* Blocks to merge into one, or into one for each hour. */
struct span_plan {
	uint32_t n;
	uint64_t spans, limit, bytes;
	struct span_entry at[SPAN_PLAN_MAX];
};

/*
 * Choose the blocks to merge next; `commits`: blocks of commits are due. Return false if there are
 * none.
 */
bool span_plan(struct span_plan *plan, const struct span_list *l, uint32_t day, bool commits,
	       const struct compact_rules *rules);

/*
 * Return whether there is something to merge. Set *commits to whether blocks of commits are due.
 * Takes p->mu.
 */
bool spans_due(struct partition *p, const struct compact_rules *rules, bool *commits);

/* Return whether there is something to merge now or once an hour is over. */
bool spans_pending(const struct span_list *l);

/*
 * Merge the blocks of one plan. Set *more to whether there may be more to do. Return 0 or -errno.
 */
MUST_USE int spans_merge(struct partition *p, bool commits, const struct compact_rules *rules,
			 bool *more, struct err *e);

#endif
