/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_STORE_SQLITE_LOG_MERGE_H
#define VARVE_STORE_SQLITE_LOG_MERGE_H

#include "store/sqlite/compact/compact.h"

/* Merge blocks of log records. Worker thread (or a test's). */
enum { LOG_PLAN_MAX = 512, LOG_GENERATIONS = 8 };

/* Blocks to merge into one, or into one for each hour. */
struct log_plan {
	uint32_t n;
	uint64_t logs, limit, bytes;
	struct log_block_entry at[LOG_PLAN_MAX];
};

/*
 * Choose the blocks to merge next; `commits`: blocks of commits are due. Return false if there are
 * none.
 */
bool log_plan(struct log_plan *plan, const struct log_list *l, uint32_t day, bool commits,
	      const struct compact_rules *rules);

/*
 * Return whether there is something to merge. Set *commits to whether blocks of commits are due.
 * Takes p->mu.
 */
bool logs_due(struct partition *p, const struct compact_rules *rules, bool *commits);

/* Return whether there is something to merge now or once an hour is over. */
bool log_merge_pending(const struct log_list *l);

/*
 * Merge the blocks of one plan. Set *more to whether there may be more to do. Return 0 or -errno.
 */
MUST_USE int logs_merge(struct partition *p, bool commits, const struct compact_rules *rules,
			bool *more, struct err *e);

/*
 * Delete the log records of the tenant in the partition: blocks with such records are rewritten
 * without them, in one transaction. Writer thread only. Return 0 or -errno.
 */
MUST_USE int logs_remove(struct partition *p, struct str tenant, struct err *e);

#endif
