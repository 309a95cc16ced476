/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_STORE_SQLITE_METRIC_WRITE_H
#define VARVE_STORE_SQLITE_METRIC_WRITE_H

#include "store/sqlite/metrics/layout/metric_rows.h"
#include "store/sqlite/metrics/metric_index.h"
#include "store/sqlite/metrics/metric_list.h"
#include "store/store.h"

/* Writing metrics: mapping to pending rows, commits, and replacing blocks by merged ones. */
struct partition;
struct writer_side;
struct directory;
struct reader;

/*
 * Set *out to the index of the partition with all series of the reader's snapshot, and a reference.
 * Load it if it is not in memory. Return 0 or -errno.
 */
MUST_USE int metric_index_open(struct reader *r, struct metric_index **out, struct err *e);

/* Free the index in memory unless somebody uses it. */
void metric_index_shrink(struct partition *p);

/* Load the index for the writer. Writer thread only; map_mu is not held. Return 0 or -errno. */
MUST_USE int writer_load_metrics(struct partition *p, struct err *e);

/*
 * Add the metrics of the write in the partition's day to the pending rows. Series beyond the limit
 * of the tenant are refused: their samples are counted in w->rejected. The index is loaded; map_mu
 * is held. Return 0 or -errno.
 */
MUST_USE int writer_map_metrics(struct partition *p, struct store_write *w, struct err *e);

/* The most blocks that a commit adds. */
enum { METRIC_COMMIT_BLOCKS = 3 };

/* Fix what the sealed rows cover. map_mu is held. */
void writer_seal_metrics(struct writer_side *side);

/*
 * Write the metrics of the sealed commit, inside its transaction, and set the list of `d` with its
 * state. Return 0 or -errno.
 */
MUST_USE int writer_put_metrics(struct writer_side *side, const struct directory *old,
				struct directory *d, struct err *e);

/* The sealed commit is on disk. Writer thread only. */
void writer_metrics_committed(struct writer_side *side);

/* A block to be written. */
struct new_metrics {
	struct metric_entry entry; /* without ids and bytes */
	struct buf data;	   /* with its frame header */
};

/* The metrics of a replacement (compact/replace.h): blocks to drop and blocks to add. */
struct metric_replacement {
	VEC(uint64_t) drop; /* ids */
	VEC(struct new_metrics) add;
};

void metric_replacement_fini(struct metric_replacement *m);

/*
 * Apply the replacement inside a transaction, and set the list of `d` with its state. Return 0,
 * -ESTALE if a block to drop is missing, or -errno.
 */
MUST_USE int metric_replacement_apply(struct metric_replacement *m, struct writer_side *side,
				      const struct directory *old, struct directory *d,
				      struct err *e);

#endif
