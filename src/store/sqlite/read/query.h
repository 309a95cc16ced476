/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_STORE_SQLITE_QUERY_H
#define VARVE_STORE_SQLITE_QUERY_H

#include "store/sqlite/block/chunk_decode.h"
#include "store/sqlite/read/reader.h"
#include "store/sqlite/store_state.h"

/*
 * What all queries share: the selected series, limits, and the iteration over partitions, books and
 * chunks.
 */
struct group_run {
	const uint32_t *at;
	uint32_t n;
};

struct query {
	struct sqlite_store *store;
	const struct store_select *select;
	struct err *error;
	struct arena arena; /* of the whole query */
	bool holds;	    /* holds the registry, so that series numbers stay valid */
	uint8_t *matches;   /* by number of the registry: the selector's result */
	uint32_t matches_n;

	uint64_t *spans; /* selected span ids, sorted; NULL if there are only a few */

	/* Of the current partition. */
	struct reader reader;
	struct arena scratch;
	uint8_t *wanted; /* by series of the partition: is it selected? */
	uint8_t *groups; /* by group: enum group_match */
	/*
	 * The groups visited now, by number: all groups with selected series or, within
	 * query_each_book(), those of a book. `level0` has the selected rows of level 0 of that
	 * book, if they were split by book.
	 */
	struct group_run visited;
	const struct rows *level0;
	uint32_t *rolled; /* by group: hours whose rolled-up chunks are skipped; may be NULL */
	uint32_t *skip;	  /* by group: hours whose chunks are skipped, a bit each; may be NULL */
	uint32_t *open;	  /* by group: hours that roll-ups do not cover; set by average_begin() */
	/* set by average_begin(); NULL: no series has several books */
	struct shared_series *shared;
};

enum group_match { GROUP_NONE, GROUP_SOME, GROUP_ALL };

MUST_USE int query_init(struct query *q, struct store *s, const struct store_select *select,
			struct err *e);
void query_fini(struct query *q);

/*
 * Let a long query take turns (may_pause), and check whether it was cancelled or timed out. Return
 * 0, -ECANCELED or -ETIMEDOUT.
 */
MUST_USE int query_check_limits(const struct store_limits *l, bool may_pause, struct err *e);

/* Return 0 if the query may continue, -ETIMEDOUT or -ECANCELED. */
MUST_USE int query_check(const struct query *q);

/*
 * Call `visit` for each partition of the range with a selected series, oldest first, with the
 * fields of the current partition set. A damaged partition is set aside and skipped.
 */
MUST_USE int query_each(struct query *q, int (*visit)(struct query *q, void *arg), void *arg);

/*
 * Within query_each(): call `visit` for each book with selected series, with `visited` narrowed to
 * its groups. Stack numbers are those of that book. Level 0 is read once.
 */
MUST_USE int query_each_book(struct query *q,
			     int (*visit)(struct query *q, uint32_t book, void *arg), void *arg);

static inline uint64_t query_book_nodes(const struct query *q, uint32_t book)
{
	return q->reader.directory->books->at[book].nodes;
}

/* Return whether profile i of the rows is selected by series, time and id. */
bool query_selects(const struct query *q, const struct rows *r, uint32_t i);

/* Return whether a sample with that link is selected. */
bool query_selects_link(const struct query *q, const struct link *l);

static inline bool query_by_link(const struct query *q)
{
	return q->select->span_count || q->select->trace_id;
}

/* Check that the partition has the series and stacks of the rows. Return 0 or -EUCLEAN. */
MUST_USE int query_check_rows(const struct query *q, const struct rows *r);

typedef int rows_visitor(struct query *q, const struct rows *r, void *arg);

/*
 * Call `visit` with the rows of all blocks of the partition that may have selected profiles with a
 * time in [from, to): level 0, then chunks. The rows live in `keep`, or until visit() returns if
 * that is NULL. `need` is how much of a chunk is read; level 0 is always read as a whole.
 */
MUST_USE int query_each_rows(struct query *q, uint64_t from, uint64_t to, enum chunk_need need,
			     struct arena *keep, rows_visitor *visit, void *arg);

/* Do the same for level 0 only. */
MUST_USE int query_each_level0(struct query *q, uint64_t from, uint64_t to, struct arena *keep,
			       rows_visitor *visit, void *arg);

/* Read and check the rows of one chunk. Return 0 or -errno. */
MUST_USE int query_chunk_rows(struct query *q, const struct chunk_entry *c, enum chunk_need need,
			      struct arena *arena, struct rows *out);

/* Read a part of the chunk; *out is empty if the chunk has no such part. Return 0 or -errno. */
MUST_USE int query_part(struct query *q, const struct chunk_entry *c, enum chunk_part part,
			struct arena *arena, struct str *out);

#endif
