/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_STORE_SQLITE_METRIC_LIST_H
#define VARVE_STORE_SQLITE_METRIC_LIST_H

#include <stdatomic.h>

#include "base/err.h"
#include "store/sqlite/catalog/db.h"

/*
 * The list of the blocks of metrics of a day: the rows of the table `metrics`. It is immutable after
 * it is published with its directory.
 */
enum metric_block {
	METRIC_BLOCK_SERIES = 1, /* metric_index.h: series from `low` to before `high` */
	METRIC_BLOCK_ROWS,	 /* metric_rows.h: samples of a commit, of any hour */
	METRIC_BLOCK_CHUNK,	 /* metric_chunk.h: samples of an hour, keys from `low` to `high` */
	METRIC_BLOCK_EXTRAS,	 /* metric_rows.h: exemplars and metadata */
	METRIC_BLOCKS,
};

enum { METRIC_ANY_HOUR = 24 };

/* All fields are u64: the checksum is over the bytes. In the order of the columns of the table. */
struct metric_entry {
	uint64_t id;
	uint64_t kind; /* enum metric_block */
	uint64_t hour; /* of the day; METRIC_ANY_HOUR: any */
	uint64_t generation;
	uint64_t made;	      /* seconds since 1970 */
	uint64_t first, last; /* times, milliseconds since 1970 */
	uint64_t low, high;
	uint64_t series;  /* number of series; of extras: of families */
	uint64_t samples; /* number of samples; of extras: of exemplars */
	/*
	 * Counts commits: of two samples of a series with the same time, that of the block with the
	 * larger number is valid.
	 */
	uint64_t newest;
	uint64_t data; /* id of the blob */
	uint64_t bytes;
};

struct metric_list {
	_Atomic uint32_t refs;
	uint32_t n;
	struct metric_entry at[]; /* by id */
};

/* The row `metric_state`: the number of rows of `metrics` and the fold of their checksums. */
struct metric_state {
	uint64_t rows, fold;
};

/* Return a list of n entries with one reference, or NULL. */
struct metric_list *metric_list_new(uint32_t n);
struct metric_list *metric_list_ref(struct metric_list *l);
void metric_list_unref(struct metric_list *l); /* takes NULL */

uint64_t metric_entry_sum(const struct metric_entry *m);
uint64_t metric_state_sum(const struct metric_state *s);

/* Return whether there are samples, exemplars or metadata: more than label sets. */
bool metric_list_has_data(const struct metric_list *l);

/* Return the bytes of all blocks. */
uint64_t metric_list_bytes(const struct metric_list *l);

/*
 * Read state and list from the connection's snapshot; a file from before format 8 has none. Return
 * 0 or -errno.
 */
MUST_USE int metric_list_load(struct metric_list **out, struct metric_state *state, struct db *db,
			      uint64_t format, struct err *e);

/* Create the tables, inside a transaction. Return 0 or -errno. */
MUST_USE int metric_tables_create(struct db *db, struct err *e);

/* Write the state, inside a transaction. Return 0 or -errno. */
MUST_USE int metric_state_write(struct db *db, const struct metric_state *s, struct err *e);

#endif
