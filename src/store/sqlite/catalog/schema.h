/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_STORE_SQLITE_SCHEMA_H
#define VARVE_STORE_SQLITE_SCHEMA_H

#include "store/sqlite/block/frame.h"
#include "store/sqlite/catalog/chunk_list.h"
#include "store/sqlite/catalog/db.h"

/*
 * The tables of a partition's file and the SQL statements over them (docs/store.md).
 *
 * Format 2 adds spans, format 3 a separate part for the links of a chunk, format 4 a dictionary per
 * service, format 5 a row per group with chunks, format 6 the details of spans, format 7 logs, format 8
 * metrics. A file of an older format is read as it is and migrated to the current one when it is first
 * written; its chunks are not rewritten.
 */
enum {
	PARTITION_VERSION = 8,
	PARTITION_WITH_SPANS = 2,
	PARTITION_WITH_LINKS = 3,
	PARTITION_WITH_BOOKS = 4,
	PARTITION_WITH_CHUNK_GROUPS = 5,
	PARTITION_WITH_DETAILS = 6,
	PARTITION_WITH_LOGS = 7,
	PARTITION_WITH_METRICS = 8
};

/* The statements of a connection to a partition, for db_statement(). */
enum statement {
	READ_VERSION,
	READ_STATE,
	READ_GROUPS,
	READ_GROUPS_WITHOUT_BOOKS,
	READ_BOOKS,
	READ_BOOK_STATE,
	READ_SERIES,
	READ_LEVEL0_LIST,
	READ_CHUNKS,
	READ_CHUNKS_WITHOUT_LINKS,
	READ_CHUNKS_OF_GROUP,
	READ_CHUNK_GROUPS,
	READ_LEVEL0,
	READ_BLOB,
	READ_SEGMENTS,
	READ_SEGMENTS_WITHOUT_BOOKS,
	READ_DICTIONARY_BYTES,
	READ_PARTITION_FORMAT,
	READ_SPAN_STATE,
	READ_SPANS,
	READ_SPANS_WITHOUT_DETAILS,
	READ_LOG_STATE,
	READ_LOGS,
	READ_METRIC_STATE,
	READ_METRICS,
	WRITE_GROUP,
	WRITE_SERIES,
	WRITE_SEGMENT,
	WRITE_LEVEL0,
	WRITE_STATE,
	WRITE_BLOB,
	WRITE_CHUNK,
	WRITE_CHUNK_GROUP,
	DELETE_CHUNK_GROUP,
	WRITE_ROLLED,
	DELETE_LEVEL0,
	DELETE_CHUNK,
	DELETE_BLOB,
	DELETE_SEGMENTS,
	WRITE_BOOK,
	WRITE_BOOK_STATE,
	WRITE_SPANS,
	WRITE_SPAN_STATE,
	DELETE_SPANS,
	WRITE_LOGS,
	WRITE_LOG_STATE,
	DELETE_LOGS,
	WRITE_METRICS,
	WRITE_METRIC_STATE,
	DELETE_METRICS,
	STATEMENTS
};
extern const char *const statements[STATEMENTS];

/* The block kind of each part of a chunk. */
extern const enum frame_kind part_kinds[CHUNK_PARTS];

/* Create the tables of a new file for that day. Return 0 or -errno. */
MUST_USE int partition_create(struct db *db, uint32_t day, struct err *e);

/*
 * Check that the file is a partition of that day in a known format. Return 0, -EUCLEAN, -ENOTSUP
 * for a newer format, or another -errno.
 */
MUST_USE int partition_check_version(struct db *db, uint32_t day, struct err *e);

/* Migrate a file of an older format to the current one. Writer thread only. Return 0 or -errno. */
MUST_USE int partition_migrate(struct db *db, struct err *e);

#endif
