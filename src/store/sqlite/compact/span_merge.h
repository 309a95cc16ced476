/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_STORE_SQLITE_SPAN_MERGE_H
#define VARVE_STORE_SQLITE_SPAN_MERGE_H

#include "store/sqlite/compact/compact.h"

/* Merging blocks of spans. Worker thread (or a test's). */
enum { SPAN_PLAN_MAX = 128, SPAN_GENERATIONS = 8 };

/* The blocks that become one, or one an hour. */
struct span_plan {
	uint32_t n;
	uint64_t spans, limit;
	struct span_entry at[SPAN_PLAN_MAX];
};

/* What should be merged next; `commits`: the blocks of commits are due. False: nothing. */
bool span_plan(struct span_plan *plan, const struct span_list *l, uint32_t day, bool commits,
	       const struct compact_rules *rules);

/* Is there something to merge? *commits: also what commits left. Takes p->mu. */
bool spans_due(struct partition *p, const struct compact_rules *rules, bool *commits);

/* Will there be, when an hour is over? */
bool spans_wait(const struct span_list *l);

/* Merge some; *more: there may be more to do. */
MUST_USE int spans_merge(struct partition *p, bool commits, const struct compact_rules *rules,
			 bool *more, struct err *e);

/* Delete all spans of the tenant. Writer thread only. 0 or -errno. */
MUST_USE int spans_remove(struct partition *p, struct str tenant, struct err *e);

#endif
