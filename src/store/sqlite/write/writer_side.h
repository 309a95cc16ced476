/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_STORE_SQLITE_WRITER_SIDE_H
#define VARVE_STORE_SQLITE_WRITER_SIDE_H

#include "base/container/map.h"
#include "store/sqlite/catalog/directory.h"
#include "store/sqlite/catalog/partitions.h"
#include "store/sqlite/logs/log_rows.h"
#include "store/sqlite/metrics/layout/metric_rows.h"
#include "store/sqlite/spans/span_block.h"
#include "store/sqlite/store_state.h"
#include "store/sqlite/write/idhash.h"
#include "store/sqlite/write/writer_book.h"
#include "store/sqlite/write/writer_ids.h"
#include "store/sqlite/write/writer_memo.h"

/*
 * The writer's state of a partition: opening and closing the file for writing, the rows of commits,
 * the index of groups, and publishing directories.
 */

/* The rows of a commit. */
struct commit_rows {
	struct arena arena;
	struct rows rows;
	VEC(uint64_t) new_ids; /* keys of its profiles with an id: writer_ids.h */
	struct span_rows spans;
	struct log_rows logs;
	struct metric_rows metrics;
};

static inline bool commit_rows_any(const struct commit_rows *c)
{
	return c->rows.series.n || c->spans.spans.n || c->logs.logs.n || c->metrics.any;
}

/* Return the number of blocks that the spans are written as. */
static inline uint32_t commit_span_blocks(const struct commit_rows *c)
{
	uint32_t blocks = 0;

	for (uint32_t first = 0; first < c->spans.spans.n; blocks++)
		first += span_rows_cut(&c->spans, first);
	return blocks;
}

/* Return the number of blocks that the log records are written as. */
static inline uint32_t commit_log_blocks(const struct commit_rows *c)
{
	uint32_t blocks = 0;

	for (uint32_t first = 0; first < c->logs.logs.n; blocks++)
		first += log_rows_cut(&c->logs, first);
	return blocks;
}

/*
 * Hashes of the last requests of log records: one that is sent again is not stored again. They are
 * forgotten when a commit fails, and when the day is closed.
 */
enum { RECENT_LOGS = 1024 };

/* The new rows of a book in the sealed commit: a part of `raw_segments`. */
struct sealed_segment {
	struct writer_book *book;
	size_t at, n;
	bool merge; /* it replaces the small segments before it */
	struct dictionary_counts counts;
	struct segment_tail tail; /* the book's tail after the commit */
};

/*
 * The writer's state of an open partition: the books in memory with their indexes, the series, the
 * ids of profiles, and the rows of two commits. Writes are mapped to `pending` by the threads that
 * put them; the writer thread is writing `sealed`.
 *
 * Rows of books and series that a failed commit has added remain and are written by the next one:
 * `written` of the book and the directory have what is on disk. Rows that were mapped during a
 * commit that failed are discarded, too: a retry among them may have been taken for a duplicate of
 * lost data. Then the ticket changes, which identifies those writes.
 */
struct writer_side {
	struct sqlite_store *store;
	/* Writer thread only. */
	struct db db;
	struct file_id log;    /* the write-ahead log that the connection has open */
	bool log_lost;	       /* the log was deleted; the partition has to be reopened */
	int wal_tried;	       /* pages in the log at the last attempt to checkpoint all of it */
	_Atomic int wal_pages; /* in the log after the last commit; also read by the worker */
	_Atomic uint64_t committed_ns; /* time of the last commit */
	_Atomic uint32_t used_pages;   /* of the file, after the last merge */
	struct buf raw, block, segment, raw_segments;
	uint64_t ingested;
	struct directory *next;		     /* published if the sealed commit succeeds */
	VEC(struct sealed_segment) segments; /* in the arena of `sealed` */
	struct partition *next_sealed;	     /* of the group */

	/*
	 * Guarded by the store's map_mu. `sealed` is changed with map_mu held; the writer thread
	 * reads it without.
	 */
	uint64_t ticket; /* of the pending rows; unique among all sides */
	bool ready;	 /* what follows is loaded */
	struct book_list *on_disk;
	struct writer_book **books; /* by number; NULL: not in memory */
	/* By number: the book is full, and the next write of its service begins a new one. */
	bool *full;
	uint32_t books_cap;
	uint32_t book_count; /* may exceed the directory's by new books */
	struct arena index;  /* of what follows */
	VEC(struct writer_book *) grown;
	struct idset groups;	    /* by tenant, service and type */
	struct idset services;	    /* a group of each book, by tenant and service */
	struct memo_table memos;    /* of each sender's last batch */
	struct series_list *series; /* may exceed the directory's by new series */
	bool series_shared;	    /* a directory has it, so it must not be changed */
	uint32_t *local;	    /* series of the partition + 1, by number of the registry */
	uint32_t local_n;
	struct known_ids ids;
	struct buf labels;
	uint64_t recent_logs[RECENT_LOGS];
	uint32_t recent_logs_next;
	struct metric_index *metrics; /* NULL: not loaded */
	struct commit_rows pending, sealed;
};

/*
 * Prepare the partition for writing: open or create its file. Return 0 or -errno; on error the
 * partition is unchanged. Writer thread only.
 */
MUST_USE int writer_attach(struct partition *p, struct err *e);

/* Load what mapping needs: the numbers of series and the index of groups. map_mu is held. */
MUST_USE int writer_ready(struct partition *p, struct err *e);

/* Return the write-ahead log that the writer has open; zero: none. Writer thread only. */
struct file_id writer_log(const struct partition *p);

/*
 * Free the writer's state of the partition and close its connection. Writer thread only; takes
 * map_mu.
 */
void writer_detach(struct partition *p);

/* Do the same unless writes wait for its next commit; then change nothing and return false. */
bool writer_detach_idle(struct partition *p);

/* The state of a search for groups of the same tenant, service and type as `like`. */
struct group_search {
	struct idset_cursor cursor;
	const struct group *like;
	uint32_t except;
};

/*
 * Begin a search for groups like `like`, which may be of another partition and must outlive the
 * search. `except` is a group to leave out, or UINT32_MAX.
 */
struct group_search writer_find_groups(const struct writer_side *side, const struct group *like,
				       uint32_t except);

/* Set *group to the next group found, or return false. */
bool writer_next_group(const struct writer_side *side, struct group_search *s, uint32_t *group);

/*
 * Find the newest group of the series, or add one. A new group gets the newest book of its service,
 * or a new book where that one is full. Return 0, -ENOMEM, or -EDQUOT where the partition has
 * reached a limit.
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
 * Grow `local` to have an entry for the series with that number of the registry. Return 0 or
 * -ENOMEM.
 */
MUST_USE int writer_local_fit(struct writer_side *side, uint32_t number);

/* Make `d` the partition's directory and take over the caller's reference to it. */
void partition_publish(struct partition *p, struct directory *d);

/* Update the writer's books after a change of the directory's. Writer thread; map_mu is held. */
void writer_books_changed(struct partition *p);

/* Truncate the file a little if much of it is free. Return whether there is more to give back. */
bool writer_give_back(struct partition *p);

/* Return whether `id` is one of the ids. */
static inline bool id_is_listed(const uint64_t *ids, uint32_t n, uint64_t id)
{
	for (uint32_t i = 0; i < n; i++)
		if (ids[i] == id)
			return true;
	return false;
}

#endif
