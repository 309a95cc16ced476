/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_STORE_SQLITE_COMPACT_REPLACE_H
#define VARVE_STORE_SQLITE_COMPACT_REPLACE_H

#include "store/sqlite/block/chunk.h"
#include "store/sqlite/internal.h"
#include "store/sqlite/write/span_write.h"

/*
 * A change of what is kept in a partition, made ready by another thread and carried out by the writer
 * in one transaction: these blocks and chunks go, those come. If one that should go is not there any
 * more (another change was faster) nothing happens: -ESTALE.
 */
struct new_chunk {
	struct chunk_entry entry;	/* without ids and bytes */
	struct buf frames[CHUNK_PARTS]; /* with their envelopes; empty: not there */
};

struct mark_chunk {
	uint64_t id, rolled;
};

struct swap {
	struct job job;
	struct partition *partition;
	struct arena arena; /* of the lists */
	struct frame_packer packer;
	VEC(uint64_t) level0;
	VEC(uint64_t) chunks;	      /* swap_drop_chunk() */
	VEC(struct mark_chunk) marks; /* swap_mark_chunk() */
	VEC(uint32_t) groups;	      /* of all chunks that go, change or come */
	VEC(struct new_chunk) add;
	VEC(struct rows) rows; /* new level-0 blocks: what is left of old ones */
	struct span_swap spans;
	uint64_t profiles, samples; /* removed for good */
	int rc;
	struct err error;
};

void swap_init(struct swap *s, struct partition *p);
void swap_fini(struct swap *s);

/* Have the writer do it. 0, -ESTALE, or -errno with the reason in s->error. */
MUST_USE int swap_run(struct swap *s);

/* The same for those who are the writer thread. */
MUST_USE int swap_apply(struct swap *s);

/*
 * A chunk of the rows, all of that group and hour of the day, to be added. 0 or -ENOMEM. With
 * `gauge` and `rolled` nothing else changes but what the entry says.
 */
MUST_USE int swap_add_chunk(struct swap *s, const struct rows *r, uint64_t group, uint64_t hour,
			    uint64_t generation, bool rolled);

/* Have the chunk go, or change whether it is in a roll-up. 0 or -ENOMEM. */
MUST_USE int swap_drop_chunk(struct swap *s, const struct chunk_entry *c);
MUST_USE int swap_mark_chunk(struct swap *s, const struct chunk_entry *c, bool rolled);

/* The roll-up of that hour goes, and the day's if that one is in it; `g` are the chunks of the group. */
MUST_USE int swap_drop_rollups(struct swap *s, struct chunk_range g,
			       const struct chunk_entry *hour);

/* A roll-up of that kind: `like` has times, counts and slots. `parts` may be NULL. */
MUST_USE int swap_add_rollup(struct swap *s, const struct chunk_entry *like,
			     const struct node_sums *sums, const struct node_sums *parts,
			     const struct series_times *times);

#endif
