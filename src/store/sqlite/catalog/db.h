/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_STORE_SQLITE_DB_H
#define VARVE_STORE_SQLITE_DB_H

#include <sqlite3.h>

#include "base/err.h"
#include "base/str.h"
#include "store/sqlite/sealed/sealed_vfs.h"

/*
 * One connection to one SQLite file, with its statements. One thread at a time.
 *
 * Errors are negative errnos: -ENOSPC no room, -EROFS not writable, -EUCLEAN the file is damaged,
 * -ENOKEY the file is encrypted and its key is missing, -EIO, -ENOMEM, -EBUSY. The text names the
 * file.
 */
struct db {
	sqlite3 *handle;
	const char *const
		*sql; /* texts of the statements, by number; prepared at their first use */
	sqlite3_stmt **statements;
	unsigned count;
	char path[4096];
};

/* How long to wait for a lock of another connection. */
enum { DB_BUSY_MS = 5000 };

enum db_mode { DB_READ, DB_WRITE, DB_CREATE };

/*
 * Open the file by a layer that encrypts, or by SQLite's own VFS (NULL). Return 0 or -errno; on
 * error db_close() is not necessary but harmless.
 */
MUST_USE int db_open(struct db *db, const struct sealed_vfs *vfs, const char *path,
		     enum db_mode mode, const char *const *sql, unsigned count, struct err *e);
void db_close(struct db *db);

/* Run SQL that returns no rows. Return 0 or -errno. */
MUST_USE int db_exec(struct db *db, const char *sql, struct err *e);

/*
 * Begin a transaction with the statement `sql`, BEGIN or BEGIN IMMEDIATE. First end a transaction
 * that a failed rollback left open. Return 0 or -errno.
 */
MUST_USE int db_begin(struct db *db, const char *sql, struct err *e);

/*
 * Roll back the open transaction if there is one. Return true if none is open now, or false without
 * memory: then the next db_begin() tries again.
 */
bool db_rollback(struct db *db);

/* Set *out to the statement, reset and without bindings. Return 0 or -errno. */
MUST_USE int db_statement(struct db *db, unsigned number, sqlite3_stmt **out, struct err *e);

/* Step to the next row. Return 1, or reset the statement and return 0 (no more rows) or -errno. */
MUST_USE int db_step(struct db *db, sqlite3_stmt *s, struct err *e);

/* Run the statement and reset it. Return 0 or -errno. */
MUST_USE int db_run(struct db *db, sqlite3_stmt *s, struct err *e);

/* Run the statement of that number with `id` as its only parameter. Return 0 or -errno. */
MUST_USE int db_run_id(struct db *db, unsigned number, uint64_t id, struct err *e);

/* Return the connection's last error as a negative errno, described in `e`. */
int db_error(struct db *db, struct err *e);

/* Return a column as bytes, valid until the next step. */
struct str db_bytes(sqlite3_stmt *s, int column);

static inline uint64_t db_u64(sqlite3_stmt *s, int column)
{
	return (uint64_t)sqlite3_column_int64(s, column);
}

static inline uint32_t db_u32(sqlite3_stmt *s, int column)
{
	return (uint32_t)sqlite3_column_int64(s, column);
}

static inline void db_bind(sqlite3_stmt *s, int at, uint64_t value)
{
	sqlite3_bind_int64(s, at, (int64_t)value);
}

/* Bind bytes, which must stay valid until the statement has run. */
static inline void db_bind_bytes(sqlite3_stmt *s, int at, struct str bytes)
{
	sqlite3_bind_blob64(s, at, bytes.p ? bytes.p : "", bytes.n, SQLITE_STATIC);
}

static inline void db_bind_text(sqlite3_stmt *s, int at, struct str text)
{
	sqlite3_bind_text64(s, at, text.p ? text.p : "", text.n, SQLITE_STATIC, SQLITE_UTF8);
}

#endif
