/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_STORE_SQLITE_LOG_LIST_H
#define VARVE_STORE_SQLITE_LOG_LIST_H

#include <stdatomic.h>

#include "store/sqlite/catalog/db.h"

/*
 * The blocks of log records of a partition (table `logs`). Blocks written by a commit (generation
 * 0) have records of any hour in one blob, log_rows.h. The worker merges them into blocks of one
 * hour each, log_block.h: an index, pages and the shards of a filter, which are blobs with
 * consecutive ids.
 */
enum { LOGS_OF_ANY_HOUR = 24, LOG_PAGES_MAX = 4096, LOG_SHARDS_MAX = 64 };

struct log_block_entry {
	uint64_t id;
	uint64_t hour; /* of the day; LOGS_OF_ANY_HOUR in generation 0 */
	uint64_t generation;
	uint64_t made;	      /* seconds since 1970 */
	uint64_t first, last; /* times of records */
	uint64_t logs;
	uint64_t bytes;	       /* of the blobs */
	uint64_t record_bytes; /* of the records before they were encoded */
	uint64_t data;	       /* id of the blob with the rows, or with the index */
	uint64_t pages;	       /* blobs data + 1 ... data + pages */
	uint64_t shards;       /* blobs data + pages + 1 ... data + pages + shards */
};

/* Immutable after publish. */
struct log_list {
	_Atomic uint32_t refs;
	uint32_t n;
	struct log_block_entry at[]; /* by id */
};

/* The row `log_state`: the number of rows of `logs` and the fold of their checksums. */
struct log_state {
	uint64_t rows, fold;
};

/* Return a list, or NULL without memory. */
struct log_list *log_list_new(uint32_t n);
struct log_list *log_list_ref(struct log_list *l);
void log_list_unref(struct log_list *l); /* takes NULL */

/* Return a copy of the list with room for n more blocks, or a new reference to it if n is 0. */
struct log_list *log_list_more(struct log_list *old, uint32_t n);

/* Return the number of blobs of a block. */
static inline uint64_t log_block_blobs(const struct log_block_entry *l)
{
	return 1 + l->pages + l->shards;
}

uint64_t log_block_sum(const struct log_block_entry *l);
uint64_t log_state_sum(const struct log_state *s);

/*
 * Read the list from the connection's snapshot and verify it; a file of an older format has none.
 * Return 0 or -errno.
 */
MUST_USE int log_list_load(struct log_list **out, struct log_state *state, struct db *db,
			   uint64_t format, struct err *e);

/* Create the tables, inside a transaction. Return 0 or -errno. */
MUST_USE int log_tables_create(struct db *db, struct err *e);

/* Write the row `log_state`, inside a transaction. Return 0 or -errno. */
MUST_USE int log_state_write(struct db *db, const struct log_state *state, struct err *e);

#endif
