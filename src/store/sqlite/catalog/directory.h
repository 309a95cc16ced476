/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_STORE_SQLITE_DIRECTORY_H
#define VARVE_STORE_SQLITE_DIRECTORY_H

#include <stdatomic.h>

#include "base/arena.h"
#include "base/container/vec.h"
#include "store/sqlite/block/rows.h"
#include "store/sqlite/catalog/chunk_list.h"
#include "store/sqlite/catalog/db.h"
#include "store/sqlite/catalog/registry.h"
#include "store/sqlite/logs/log_list.h"
#include "store/sqlite/metrics/metric_list.h"

/*
 * The directory of a partition: which series, groups, books, level-0 blocks, chunks and blocks of
 * spans its file has. A directory is immutable; a commit publishes a new one. A reader begins a
 * snapshot of the file and takes the directory of the same version, so the two agree whatever is
 * committed meanwhile. When a directory is loaded, row counts and a fold (xor) of row checksums
 * prove that the file has exactly the rows it should have.
 */

/* Upper bounds of a partition. The writer adds no more; a file that claims more is damaged. */
enum { GROUPS_MAX = 1 << 20, SERIES_MAX = 1 << 24 };

/*
 * A book is a dictionary of one service of one tenant: a reader or writer of one service does not
 * load those of others. The stack numbers of a group are rows of its book. A book has a bounded
 * size. When it is full, the service gets a new book (its next generation), and with it a new group
 * for each profile type and new series rows with the same labels; rows of the old book are repeated
 * there as they are needed. Book 0 is shared by all services: it is the dictionary of a file from
 * before format 4, and of the groups that such a file has.
 */
struct book_entry {
	uint64_t segment; /* id of its last segment; 0: none */
	uint64_t nodes;
};

/* Immutable after publish. */
struct book_list {
	_Atomic uint32_t refs;
	bool apart; /* false: of a file from before format 4 */
	uint32_t n;
	struct book_entry at[];
};

/* The row `book_state`: the number of rows of `book` and the fold of their checksums. */
struct book_state {
	uint64_t rows, fold;
};

/* The series of one tenant, service and profile type whose stacks are in one book. */
struct group {
	struct str tenant, service, type;
	uint32_t book;
	bool gauge;
};

struct series_entry {
	uint32_t number; /* in the registry */
	uint32_t group;
};

/* Immutable after publish. */
struct series_list {
	_Atomic uint32_t refs;
	struct registry *registry; /* the list has a reference to each of the series */
	struct arena arena;
	VEC(struct group) groups;
	VEC(struct series_entry) series;
};

struct level0_entry {
	uint64_t id, first, last; /* times of profiles */
	uint64_t profiles, samples, bytes;
	/* level0_group_bit()s of the groups it may have rows of; in memory only; all if unknown. */
	uint64_t groups;
};

static inline uint64_t level0_group_bit(uint32_t group)
{
	return (uint64_t)1 << (group * 0x9e3779b1u >> 26);
}

/*
 * A block of spans. Blocks written by a commit (generation 0) may have spans of any hour and no
 * filter; the worker merges them into blocks of one hour each.
 */
struct span_entry {
	uint64_t id;
	uint64_t hour; /* of the day; SPANS_OF_ANY_HOUR in generation 0 */
	uint64_t generation;
	uint64_t made;	      /* seconds since 1970 */
	uint64_t first, last; /* starts of spans */
	uint64_t spans;
	uint64_t data, filter; /* ids of blobs; 0: none */
	uint64_t bytes;
	/* Since format 6; all 0 before, and for spans without details. */
	uint64_t details;	/* id of the blob: of generation 0 packed, else columns */
	uint64_t index;		/* id of the blob with the index of the columns */
	uint64_t details_bytes; /* of details before they were encoded */
	uint64_t trace_filter;	/* id of the blob: `filter` has span ids, too */
};

enum { SPANS_OF_ANY_HOUR = 24 };

/* Immutable after publish. */
struct span_list {
	_Atomic uint32_t refs;
	uint32_t n;
	struct span_entry at[]; /* by id */
};

/* The row `span_state`: the number of rows of `spans` and the fold of their checksums. */
struct span_state {
	uint64_t rows, fold;
};

/* The row `state` of the file. All fields are u64: the checksum is over the bytes. */
struct partition_state {
	uint64_t version; /* counts commits */
	uint64_t profiles, samples, ingested;
	uint64_t segment;			 /* id of the last segment of any book */
	uint64_t nodes;				 /* of all books */
	uint64_t level0, chunks, groups, series; /* numbers of rows */
	/* Of the checksums of all level-0 blocks, groups with chunks, groups and series. */
	uint64_t fold;
};

struct directory {
	_Atomic uint32_t refs;
	struct partition_state state;
	uint64_t first, last; /* times of profiles; last < first: there are none */
	uint64_t bytes;	      /* of all blobs */
	struct series_list *series;
	struct chunk_list *chunks;
	struct series_index *index; /* handed on from one directory to the next */
	struct span_list *spans;
	struct span_state span_state;
	struct metric_list *metrics; /* the maker of the directory sets it */
	struct metric_state metric_state;
	struct book_list *books;
	struct book_state book_state;
	struct log_list *logs; /* set by directory_set_logs() */
	struct log_state log_state;
	uint32_t level0_n;
	struct level0_entry level0[];
};

/* ---- directories ---- */

/* Read the directory from the connection's snapshot. Return 0 or -errno. */
MUST_USE int directory_load(struct directory **out, struct db *db, struct registry *registry,
			    struct err *e);

/*
 * Return a directory with room for that many level-0 blocks, which takes a reference to each of the
 * lists and to the index, or NULL without memory. Without an index it begins an empty one, as after
 * a change that makes the known series of chunks invalid.
 */
struct directory *directory_new(uint32_t level0_n, struct series_list *series,
				struct chunk_list *chunks, struct series_index *index,
				struct span_list *spans, struct book_list *books);

/* Give the new directory its blocks of logs, with a reference to the list. */
void directory_set_logs(struct directory *d, struct log_list *logs, const struct log_state *state);

/* Set first, last and bytes from the entries. */
void directory_finish(struct directory *d);

struct directory *directory_ref(struct directory *d);
void directory_unref(struct directory *d); /* takes NULL */

/* Read the row `state` and check it; write it, inside a transaction. Return 0 or -errno. */
MUST_USE int state_read(struct db *db, struct partition_state *state, struct err *e);
MUST_USE int state_write(struct db *db, const struct partition_state *state, struct err *e);

/* ---- its lists; functions that return a list return NULL without memory ---- */

struct series_list *series_list_new(struct registry *registry);
struct series_list *series_list_dup(const struct series_list *l);
void series_list_unref(struct series_list *l);

/* Add a series; on success take over the caller's reference to its number. Return 0 or -ENOMEM. */
MUST_USE int series_list_add(struct series_list *l, struct series_entry entry);

/* Add a group and copy its strings. Return 0 or -ENOMEM. */
MUST_USE int series_list_add_group(struct series_list *l, const struct group *g);

/* Return the tenant, service and type of the series; `book` and `gauge` are not set. */
struct group group_of_series(const struct registry_series *s);

struct book_list *book_list_new(uint32_t n);
void book_list_unref(struct book_list *l);

/* Return the number of nodes of the largest book, at least 1. */
uint64_t book_list_most_nodes(const struct book_list *l);

struct span_list *span_list_new(uint32_t n);
void span_list_unref(struct span_list *l);

/* Return the level0_group_bit()s of all groups that have these rows. */
uint64_t level0_groups_of(const struct rows *r, const struct series_list *l);

/* ---- checksums of rows, which the folds are made of ---- */

uint64_t level0_sum(const struct level0_entry *l);
uint64_t series_sum(uint64_t id, uint64_t group, struct str encoded);
uint64_t group_sum(uint64_t id, const struct group *g);
uint64_t state_sum(const struct partition_state *s);
uint64_t span_entry_sum(const struct span_entry *s);
uint64_t span_state_sum(const struct span_state *s);
uint64_t book_sum(uint64_t id, const struct book_entry *b);
uint64_t book_state_sum(const struct book_state *s);

#endif
