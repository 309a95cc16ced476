/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_STORE_SQLITE_COMPACT_REPLACE_H
#define VARVE_STORE_SQLITE_COMPACT_REPLACE_H

#include "store/sqlite/block/series_times.h"
#include "store/sqlite/metrics/metric_write.h"
#include "store/sqlite/read/node_sums.h"
#include "store/sqlite/store_state.h"
#include "store/sqlite/write/log_write.h"
#include "store/sqlite/write/span_write.h"

/*
 * Replacement of blocks and chunks of a partition: prepared by any thread, applied by the writer in
 * one transaction, which drops some and adds others. If one that should be dropped no longer exists
 * (another replacement was faster), nothing changes: -ESTALE.
 */
struct new_chunk {
	struct chunk_entry entry;	/* without ids and bytes */
	struct buf frames[CHUNK_PARTS]; /* with their frame headers; empty: no such part */
};

struct mark_chunk {
	uint64_t id, rolled;
};

struct replacement {
	struct writer_job job;
	struct partition *partition;
	struct arena arena; /* of the lists */
	struct frame_packer packer;
	VEC(uint64_t) level0;
	VEC(uint64_t) chunks;	      /* to drop: replacement_drop_chunk() */
	VEC(struct mark_chunk) marks; /* replacement_mark_chunk() */
	VEC(uint32_t) groups;	      /* of all chunks that are dropped, marked or added */
	VEC(struct new_chunk) add;
	VEC(struct rows) rows; /* new level-0 blocks: what is left of dropped ones */
	struct span_replacement spans;
	struct log_replacement logs;
	struct metric_replacement metrics;
	uint64_t profiles, samples; /* numbers of deleted profiles and samples */
	int rc;
	struct err error;
};

void replacement_init(struct replacement *s, struct partition *p);
void replacement_fini(struct replacement *s);

/*
 * Have the writer thread apply the replacement. Return 0, -ESTALE, or -errno with the reason in
 * s->error.
 */
MUST_USE int replacement_run(struct replacement *s);

/* Apply the replacement. Return as replacement_run(). Writer thread only. */
MUST_USE int replacement_apply(struct replacement *s);

/*
 * Add a chunk of the rows, which are all of that group and hour of the day. `rolled` is whether a
 * roll-up includes it. Return 0 or -ENOMEM.
 */
MUST_USE int replacement_add_chunk(struct replacement *s, const struct rows *r, uint64_t group,
				   uint64_t hour, uint64_t generation, bool rolled);

/* Drop the chunk, or set whether a roll-up includes it. Return 0 or -ENOMEM. */
MUST_USE int replacement_drop_chunk(struct replacement *s, const struct chunk_entry *c);
MUST_USE int replacement_mark_chunk(struct replacement *s, const struct chunk_entry *c,
				    bool rolled);

/*
 * Drop the roll-up of the chunk's hour, and the day's roll-up if that includes it. `g` are the
 * chunks of the group. Return 0 or -ENOMEM.
 */
MUST_USE int replacement_drop_rollups(struct replacement *s, struct chunk_range g,
				      const struct chunk_entry *hour);

/*
 * Add a roll-up. `like` has its kind, times, counts and slots; `parts` may be NULL. Return 0 or
 * -errno.
 */
MUST_USE int replacement_add_rollup(struct replacement *s, const struct chunk_entry *like,
				    const struct node_sums *sums, const struct node_sums *parts,
				    const struct series_times *times);

#endif
