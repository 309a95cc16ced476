/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_STORE_SQLITE_METRIC_MERGE_H
#define VARVE_STORE_SQLITE_METRIC_MERGE_H

#include "store/sqlite/compact/rollup.h"
#include "store/sqlite/metrics/metric_list.h"

/*
 * Compaction of metrics. The rows of commits become chunks of one hour each; the chunks of a
 * generation and hour, when there are enough of them or the hour is over, become chunks of the next
 * generation. Small blocks of series, and of exemplars and metadata, are joined.
 */
struct partition;

/* Return whether there is work on the partition now. */
bool metrics_due(struct partition *p, const struct compact_rules *rules);

/* Return whether there will be work when hours end. */
bool metrics_pending(const struct metric_list *l);

/* Do one step. Set *more to whether there may be more. Return 0 or -errno. */
MUST_USE int metrics_merge(struct partition *p, const struct compact_rules *rules, bool *more,
			   struct err *e);

#endif
