/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_STORE_SQLITE_WRITER_H
#define VARVE_STORE_SQLITE_WRITER_H

#include "base/map.h"
#include "store/sqlite/idhash.h"
#include "store/sqlite/internal.h"
#include "store/sqlite/writer_memo.h"

/* The last segments of the dictionary, that are small and will be merged. */
struct segment_tail {
	struct dictionary_counts from; /* rows before the first of them */
	uint64_t first;		       /* its id */
	uint32_t n;
};

/*
 * What the writer thread knows of a partition that it writes: the dictionary with its indexes, the
 * series, the ids of profiles, and the rows of the commit in the making.
 *
 * Rows of the dictionary and series that a failed commit has added stay and are written by the next
 * one: `written` and the directory say what is on disk.
 */
struct writer_side {
	struct db db;
	bool ready; /* what follows is loaded */
	struct stack_tree tree;
	struct dictionary_counts written;
	struct segment_tail tail;
	struct stack_index strings, functions, locations; /* of what was mapped: writer_guess.h */
	struct stack_index stacks;			  /* node of a whole stack */
	struct memo_table memos;			  /* of each sender's last batch */
	struct series_list *series; /* more than the directory's where there are new ones */
	uint32_t *local;	    /* series of the partition + 1, by number of the registry */
	uint32_t local_n;
	struct id_set ids; /* series and id of every profile that has one */
	bool ids_loaded;
	int wal_pages; /* in the WAL after the last commit */

	/* of the commit in the making */
	struct arena arena;
	struct rows rows;
	VEC(uint64_t) new_ids;
	struct buf raw, block, segment, labels;
	uint64_t ingested;
};

/* Be ready to write: opens or makes the file. On error the partition is as before. */
MUST_USE int writer_attach(struct partition *p, struct err *e);

/*
 * Add the profiles of the write that lie in the partition's day to the commit in the making. On
 * error nothing is added.
 */
MUST_USE int writer_map(struct partition *p, struct store_write *w, struct err *e);

/* Write what was added, durably, and publish the directory. In every case the commit is over. */
MUST_USE int writer_commit(struct partition *p, struct err *e);

/* Read the ids of all profiles of the partition, if that was not done. */
MUST_USE int writer_load_ids(struct partition *p, struct err *e);

/* Profiles were deleted: their ids are free again. */
void writer_forget_ids(struct partition *p);

/* Room in `local` for the series with that number of the registry. 0 or -ENOMEM. */
MUST_USE int writer_local_fit(struct writer_side *side, uint32_t number);

/* The state row, inside a transaction. */
MUST_USE int writer_put_state(struct writer_side *side, const struct partition_state *state,
			      struct err *e);

/* Make `d` the directory, taking over its ref. */
void partition_publish(struct partition *p, struct directory *d);

/* Load what mapping needs: the dictionary with its indexes, the numbers of series. */
MUST_USE int writer_ready(struct partition *p, struct err *e);

/* Where much of the file is free, make it smaller; move the WAL into it. */
void writer_give_back(struct partition *p);

/* Move the WAL into the file when it has grown. */
void writer_checkpoint(struct partition *p, int pages);

#endif
