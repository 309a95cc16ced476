/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_STORE_SQLITE_QUERY_H
#define VARVE_STORE_SQLITE_QUERY_H

#include "store/sqlite/block/chunk.h"
#include "store/sqlite/internal.h"

/* What the questions have in common: which series are meant, limits, and the walk over partitions. */
struct group_run {
	const uint32_t *at;
	uint32_t n;
};

struct query {
	struct sqlite_store *store;
	const struct store_select *select;
	struct err *error;
	struct arena arena; /* of the whole query */
	bool holds;	    /* the registry, for numbers are used all the time */
	uint8_t *matches;   /* by number of the registry: what the selector says of it */
	uint32_t matches_n;

	uint64_t *spans; /* those that are asked for, sorted, where they are more than a few */

	/* of the partition at hand */
	struct reader reader;
	struct arena scratch;
	uint8_t *wanted; /* by series of the partition: is it meant? */
	uint8_t *groups; /* by group: enum group_match */
	/*
	 * Those of the groups that are visited now, by number: all that have series that are meant or, within
	 * query_each_book(), those of a book; and of level 0 the rows of these, where they were set apart.
	 */
	struct group_run visited;
	const struct rows *level0;
	uint32_t *rolled; /* by group: hours whose rolled chunks are not visited; may be NULL */
	uint32_t *skip; /* by group: hours whose chunks are not visited, a bit each; may be NULL */
	uint32_t *open; /* by group: hours of which not all is in roll-ups; average_begin() */
	struct shared_series *shared; /* average_begin(); NULL: no series has several books */
};

enum group_match { GROUP_NONE, GROUP_SOME, GROUP_ALL };

MUST_USE int query_init(struct query *q, struct store *s, const struct store_select *select,
			struct err *e);
void query_fini(struct query *q);

/* May it go on? 0, -ETIMEDOUT or -ECANCELED. */
MUST_USE int query_check(const struct query *q);

/*
 * Call `visit` for each partition of the range in which a series is meant, oldest first, with all
 * of "the partition at hand" set. A damaged one is set aside and passed over.
 */
MUST_USE int query_each(struct query *q, int (*visit)(struct query *q, void *arg), void *arg);

/*
 * Within it: call `visit` for each book that has series that are meant, with `visited` narrowed to its groups. Numbers of
 * stacks are those of that book. Reads level 0 once.
 */
MUST_USE int query_each_book(struct query *q,
			     int (*visit)(struct query *q, uint32_t book, void *arg), void *arg);

static inline uint64_t query_book_nodes(const struct query *q, uint32_t book)
{
	return q->reader.directory->books->at[book].nodes;
}

/* Is profile i of the rows asked for: series, time and id. */
bool query_takes(const struct query *q, const struct rows *r, uint32_t i);

/* Is a sample with that link asked for? */
bool query_takes_link(const struct query *q, const struct link *l);

static inline bool query_by_link(const struct query *q)
{
	return q->select->span_count || q->select->trace_id;
}

/* The numbers of the rows are those of this partition: 0 or -EUCLEAN. */
MUST_USE int query_check_rows(const struct query *q, const struct rows *r);

typedef int rows_visitor(struct query *q, const struct rows *r, void *arg);

/*
 * Call `visit` with the rows of everything in the partition that may have profiles with a time in
 * [from, to) that are asked for: level 0, then chunks. They live in `keep`, or where that is NULL
 * until visit() returns. `need` says how much of the chunks; level 0 is always whole.
 */
MUST_USE int query_each_rows(struct query *q, uint64_t from, uint64_t to, enum chunk_need need,
			     struct arena *keep, rows_visitor *visit, void *arg);

/* Its first half. */
MUST_USE int query_each_level0(struct query *q, uint64_t from, uint64_t to, struct arena *keep,
			       rows_visitor *visit, void *arg);

/* The same with totals that count only what select->stacks keeps; the rows have points only. */
MUST_USE int query_each_filtered(struct query *q, rows_visitor *visit, void *arg);

/* Nodes of a book as nodes of a tree of the answer, each worked out when it is first asked for. */
struct node_map {
	struct stack_tree *tree;
	const struct stack_node *nodes; /* of the book */
	struct stack_import import;
	uint32_t *map; /* node of the tree + 1, by node of the book */
};

/* Its memory is the partition's at hand. 0 or -errno; fini in every case. */
MUST_USE int node_map_init(struct node_map *m, struct query *q, uint32_t book,
			   struct stack_tree *tree);
void node_map_fini(struct node_map *m);
MUST_USE int node_map_get(struct node_map *m, uint32_t node, uint32_t *out);

/* The rows of one chunk, checked. With NEED_LINKED and a filter that says no, none: n is 0. */
MUST_USE int query_chunk_rows(struct query *q, const struct chunk_entry *c, enum chunk_need need,
			      struct arena *arena, struct rows *out);

/* The series of a roll-up, checked. */
MUST_USE int query_series_times(struct query *q, const struct chunk_entry *c, struct arena *arena,
				struct series_times *out);

/* A blob of the chunk; empty where it has none. */
MUST_USE int query_part(struct query *q, const struct chunk_entry *c, enum chunk_part part,
			struct arena *arena, struct str *out);

#endif
