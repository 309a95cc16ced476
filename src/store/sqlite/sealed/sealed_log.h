/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_STORE_SQLITE_SEALED_LOG_H
#define VARVE_STORE_SQLITE_SEALED_LOG_H

#include "store/sqlite/sealed/sealed_pages.h"

/*
 * The write-ahead log of an encrypted database. SQLite's log is a header of 32 bytes, and frames of
 * a header of 24 bytes and a page. Here each header is followed by its nonce and tag and padded to
 * 8 bytes, so that frame `i` begins at 64 + i * 4152; the page is encrypted as in the database
 * file. Header and page of a frame are written by one call.
 *
 * A header is authenticated with its place, the page in addition with the page number in its
 * header. The data key is that of the database file: a log that belongs to another file is refused.
 *
 * What fails its tag is zero in the reads of SQLite's recovery, which ends there, as after any torn
 * write; it is logged. In other reads it is an error.
 */
struct sealed_log {
	struct sealed_pages *pages; /* of the database file */
	sqlite3_file *real;
	const char *name; /* borrowed */
	const struct log *log;
	bool waits; /* the header of frame `waiting` is in `header`, not written yet */
	uint64_t waiting;
	uint8_t header[56]; /* encrypted */
	uint8_t page[4];    /* number of its page */
	bool reported;
};

/* Of SQLite's methods; offsets are those of SQLite. Return SQLite's codes. */
int sealed_log_read(struct sealed_log *l, void *out, int n, sqlite3_int64 at);
int sealed_log_write(struct sealed_log *l, const void *in, int n, sqlite3_int64 at);
int sealed_log_truncate(struct sealed_log *l, sqlite3_int64 size);
int sealed_log_size(struct sealed_log *l, sqlite3_int64 *out);

/* Write a header that waits for its page. */
int sealed_log_flush(struct sealed_log *l);

#endif
