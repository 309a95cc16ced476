/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_STORE_SQLITE_CHUNK_CACHE_H
#define VARVE_STORE_SQLITE_CHUNK_CACHE_H

#include "store/sqlite/catalog/chunk_list.h"
#include "store/sqlite/catalog/db.h"

struct partition;
struct reader;
struct sqlite_store;

/*
 * The rows of chunks, read by group and cached until their memory is needed for others. A cached
 * entry is valid for a snapshot whose row of the group (struct chunk_group) is the same.
 */

/*
 * Set *out to the chunks of the group in the reader's snapshot: valid until the next call for
 * another group, or reader_end(). Return 0 or -errno.
 */
MUST_USE int reader_chunks(struct reader *r, uint32_t group, struct chunk_range *out,
			   struct err *e);

/*
 * Read the rows of a group from the file and check them against `expected`. Set *out to them with a
 * reference for the caller. Return 0 or -errno.
 */
MUST_USE int chunk_rows_read(struct chunk_rows **out, struct db *db,
			     const struct chunk_group *expected, struct err *e);

/* Evict the rows of the partition. */
void chunk_cache_drop(struct partition *p);

/* Evict some rows, least recently used first. Return false if there are none. */
bool chunk_cache_evict(struct sqlite_store *s);

/* Write the group's row, or delete it if there are no chunks. In a transaction; 0 or -errno. */
MUST_USE int chunk_group_write(struct db *db, const struct chunk_group *g, struct err *e);

/* Fill the table `chunk_group` of a migrated file, inside a transaction. Return 0 or -errno. */
MUST_USE int chunk_groups_migrate(struct db *db, struct err *e);

#endif
