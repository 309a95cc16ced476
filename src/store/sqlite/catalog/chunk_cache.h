/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_STORE_SQLITE_CHUNK_CACHE_H
#define VARVE_STORE_SQLITE_CHUNK_CACHE_H

#include "store/sqlite/catalog/partition.h"

/*
 * The rows of chunks, read by group and kept as long as their memory is not needed for others. Rows are known by the fold
 * of their group: those of another snapshot have another one.
 */

/*
 * Set *out to the chunks of the group in the reader's snapshot: valid until the next call for another group, or
 * reader_end(). Return 0 or -errno.
 */
MUST_USE int reader_chunks(struct reader *r, uint32_t group, struct chunk_range *out,
			   struct err *e);

/* Read the rows of a group from the file, and check them against `expected`. The caller has the ref. 0 or -errno. */
MUST_USE int chunk_rows_read(struct chunk_rows **out, struct db *db,
			     const struct chunk_group *expected, struct err *e);

/* Let go of the rows of the partition. */
void chunk_cache_drop(struct partition *p);

/* Let go of rows that nobody reads, those used longest ago first; false: there are none. */
bool chunk_cache_evict(struct sqlite_store *s);

/* Write the row of a group with chunks, or of one that has none any more, inside a transaction. */
MUST_USE int chunk_group_write(struct db *db, const struct chunk_group *g, struct err *e);

/* Fill the table `chunk_group` of a file that has none, inside a transaction. */
MUST_USE int chunk_groups_migrate(struct db *db, struct err *e);

#endif
