/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_STORE_SQLITE_WRITER_H
#define VARVE_STORE_SQLITE_WRITER_H

#include "base/container/map.h"
#include "store/sqlite/block/span_block.h"
#include "store/sqlite/internal.h"
#include "store/sqlite/write/idhash.h"
#include "store/sqlite/write/writer_book.h"
#include "store/sqlite/write/writer_ids.h"
#include "store/sqlite/write/writer_memo.h"

/* The rows of a commit. */
struct commit_rows {
	struct arena arena;
	struct rows rows;
	VEC(uint64_t) new_ids; /* keys of its profiles with an id: writer_ids.h */
	struct span_rows spans;
};

static inline bool commit_rows_any(const struct commit_rows *c)
{
	return c->rows.series.n || c->spans.spans.n;
}

/* The new rows of a book in the sealed commit: a piece of `raw_segments`. */
struct sealed_segment {
	struct writer_book *book;
	size_t at, n;
	bool merge; /* it takes the place of the small ones before it */
	struct dictionary_counts counts;
	struct segment_tail tail; /* what will be, when it is written */
};

/*
 * What is known of a partition that is written: the books in memory with their indexes, the series, the ids
 * of profiles, and the rows of two commits: `pending`, to which writes are mapped by whoever puts them,
 * and `sealed`, which the writer thread is writing.
 *
 * Rows of books and series that a failed commit has added stay and are written by the next one: `written` of
 * the book and the directory say what is on disk. What was mapped while a commit was written that
 * failed is given up, too: a retry in it may have been taken for a duplicate of what is lost now. Then the
 * ticket changes, by which those writes are known.
 */
struct writer_side {
	struct sqlite_store *store;
	/* writer thread only */
	struct db db;
	struct file_id log;    /* the write-ahead log that the connection has open */
	bool log_lost;	       /* it was deleted; the partition has to be opened anew */
	int wal_tried;	       /* pages in the WAL when all of it was to be moved */
	_Atomic int wal_pages; /* in it after the last commit; the worker looks at these, too */
	_Atomic uint64_t committed_ns; /* when that was */
	_Atomic uint32_t used_pages;   /* of the file, after the last merge */
	struct buf raw, block, segment, raw_segments;
	uint64_t ingested;
	struct directory *next;		     /* what is the case when the sealed commit succeeds */
	VEC(struct sealed_segment) segments; /* in the arena of `sealed` */
	struct partition *next_sealed;	     /* of the group */

	/* guarded by the store's map_mu; `sealed` is changed with it held, and read without by the writer thread */
	uint64_t ticket; /* of what is pending: never that of another side */
	bool ready;	 /* what follows is loaded */
	struct book_list *on_disk;
	struct writer_book **books; /* by number; NULL: not in memory */
	/* By number: the book is full, and the next write of its service begins a new one. */
	bool *full;
	uint32_t books_cap;
	uint32_t book_count; /* more than the directory's where there are new ones */
	struct arena index;  /* of what follows */
	VEC(struct writer_book *) grown;
	struct idset groups;	    /* by tenant, service and type */
	struct idset services;	    /* a group of each book, by tenant and service */
	struct memo_table memos;    /* of each sender's last batch */
	struct series_list *series; /* more than the directory's where there are new ones */
	bool series_shared;	    /* a directory has it, so it must not be changed */
	uint32_t *local;	    /* series of the partition + 1, by number of the registry */
	uint32_t local_n;
	struct known_ids ids;
	struct buf labels;
	struct commit_rows pending, sealed;
};

/* Be ready to write: opens or makes the file. On error the partition is as before. */
MUST_USE int writer_attach(struct partition *p, struct err *e);

/* The same; where many days are open, the one used longest ago is closed first. map_mu is not held. */
MUST_USE int writer_open(struct partition *p, struct err *e);

/*
 * Add the profiles of the write that lie in the partition's day to what is pending. Return 0; -EINPROGRESS: *need has
 * to be loaded first (writer_load()), and then this called again with the same *need, which was zero at first; or
 * -errno. On error nothing is added. Reads nothing from the disk. map_mu is held.
 */
MUST_USE int writer_map(struct partition *p, struct store_write *w, struct writer_need *need,
			struct err *e);

/*
 * The partition of that day, if writes can be mapped to it now; the caller has a ref. NULL: it is not open. map_mu is
 * held.
 */
struct partition *writer_ready_partition(struct sqlite_store *s, uint32_t day);

/* Map a write of one day, note that in the write, and settle its quotas. As writer_map(). */
MUST_USE int writer_map_ready(struct partition *p, struct store_write *w, struct writer_need *need,
			      struct err *e);

/* Have the writer thread commit, or first map, the write. map_mu is held. */
void writer_queue(struct sqlite_store *s, struct store_write *w);

/* The side of the partition, or NULL. Any thread; with map_mu held it stays. */
struct writer_side *writer_side_of(struct partition *p);

/* Return whether the side with that ticket is still that of the partition. map_mu is held. */
bool writer_is_same(struct partition *p, uint64_t ticket);

/* Groups like one of this or another partition: of the same tenant, service and type, without one of them. */
struct group_search {
	struct idset_cursor cursor;
	const struct group *like;
	uint32_t except;
};

/* Begin a search; `except` is a group to leave out, or UINT32_MAX. The group that is `like` has to stay. */
struct group_search writer_find_groups(const struct writer_side *side, const struct group *like,
				       uint32_t except);

/* Set *group to the next one found, or return false. */
bool writer_next_group(const struct writer_side *side, struct group_search *s, uint32_t *group);

/*
 * Find the newest group of the series, or add one. A new group gets the newest book of its service, or a new
 * book where that one is full. Return 0, -ENOMEM, or -EDQUOT where the partition has reached a limit.
 */
MUST_USE int writer_group_of(struct writer_side *side, const struct registry_series *s,
			     uint32_t *group, struct err *e);

/* Return 0 if the service of the group may get a new book, or -EDQUOT: it has too many stacks. */
MUST_USE int writer_may_begin_book(const struct writer_side *side, uint32_t group, struct err *e);

/* Return whether the series of the partition is in a book that is full. */
static inline bool writer_is_full(const struct writer_side *side, uint32_t series)
{
	uint32_t book = side->series->groups.at[side->series->series.at[series].group].book;

	return book < side->books_cap && side->full[book];
}

/*
 * Reserve what the write may add in its quotas, `p` is where it will be mapped, if that is ready; NULL: all of
 * it counts as new. 0, -ENOMEM or -EDQUOT. writer_settle() gives back what was not needed. map_mu is held.
 */
MUST_USE int writer_reserve(struct partition *p, struct store_write *w, struct err *e);
void writer_settle(struct store_write *w);

/* The same of spans. */
MUST_USE int writer_map_spans(struct partition *p, struct store_write *w, struct err *e);

/* The spans of the sealed commit, inside of its transaction; d->spans has room for them at its end. */
MUST_USE int writer_put_spans(struct writer_side *side, struct directory *d, struct err *e);

/* How many blocks they become. */
static inline uint32_t writer_span_blocks(const struct commit_rows *c)
{
	return (c->spans.spans.n + SPANS_IN_BLOCK - 1) / SPANS_IN_BLOCK;
}

/*
 * A commit, in three steps: seal what is pending, write it durably, publish it or give it up. All by the
 * writer thread, the first and the last with map_mu held.
 */
MUST_USE int writer_seal(struct partition *p, struct err *e);
MUST_USE int writer_commit(struct partition *p, struct err *e);
void writer_commit_end(struct partition *p, int rc);

/* Room in `local` for the series with that number of the registry. 0 or -ENOMEM. */
MUST_USE int writer_local_fit(struct writer_side *side, uint32_t number);

/* A blob, inside a transaction. */
MUST_USE int writer_put_blob(struct writer_side *side, enum frame_kind kind, struct str frame,
			     uint64_t *id, struct err *e);

/* Make `d` the directory, taking over its ref. */
void partition_publish(struct partition *p, struct directory *d);

/* Make what mapping needs: the numbers of series, and which groups there are. map_mu is held. */
MUST_USE int writer_ready(struct partition *p, struct err *e);

/* Its directory has other books. Writer thread; map_mu is held. */
void writer_books_changed(struct partition *p);

/* Where much of the file is free, make it a little smaller. True: there is more to give back. */
bool writer_give_back(struct partition *p);

#endif
