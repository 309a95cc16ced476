/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_STORE_SQLITE_READER_H
#define VARVE_STORE_SQLITE_READER_H

#include "store/sqlite/block/frame.h"
#include "store/sqlite/block/rows.h"
#include "store/sqlite/catalog/db.h"
#include "store/sqlite/catalog/directory.h"
#include "store/sqlite/catalog/partitions.h"

/*
 * Reading one partition: a snapshot of its file, the directory of the same version, and the blobs.
 */

/* A connection for reading; idle ones are in a list of their partition. */
struct reader_connection {
	struct db db;
	struct frame_unpacker unpacker;
	struct reader_connection *next;
};

/* One snapshot of a partition. One thread at a time. */
struct reader {
	struct partition *partition;
	struct reader_connection *connection;
	struct directory *directory;
	struct dictionary_cache *dictionary; /* set by reader_dictionary() */
	uint32_t book;
	struct chunk_rows *chunks; /* set by reader_chunks() */
	uint32_t chunks_group;
};

/*
 * Begin a snapshot. Return 0; -ENOENT when the partition is gone; -EUCLEAN when it is damaged and
 * the caller must call partition_damaged(); or another -errno. Call reader_end() in every case.
 */
MUST_USE int reader_begin(struct reader *r, struct partition *p, struct err *e);
void reader_end(struct reader *r);

/* Read a level-0 block, whose columns live in the arena. Return 0 or -errno. */
MUST_USE int reader_level0(struct reader *r, const struct level0_entry *entry, struct arena *arena,
			   struct rows *out, struct err *e);

/* Read a blob and unpack it into the arena. Return 0 or -errno. */
MUST_USE int reader_blob(struct reader *r, uint64_t id, enum frame_kind kind, struct arena *arena,
			 struct str *out, struct err *e);

/*
 * Free what the partition caches for readers: idle connections, books, rows of chunks, and the
 * directory unless the writer has the partition open.
 */
void partition_shrink(struct partition *p);

#endif
