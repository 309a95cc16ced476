/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_STORE_SQLITE_DB_H
#define VARVE_STORE_SQLITE_DB_H

#include <sqlite3.h>

#include "base/err.h"
#include "base/str.h"

/*
 * One connection to one SQLite file, with its statements. One thread at a time.
 *
 * Errors are negative errnos: -ENOSPC no room, -EROFS not writable, -EUCLEAN the file is damaged,
 * -EIO, -ENOMEM, -EBUSY. The text names the file.
 */
struct db {
	sqlite3 *handle;
	const char *const
		*sql; /* of the statements, by number; not prepared before their first use */
	sqlite3_stmt **statements;
	unsigned count;
	char path[4096];
};

/* How long another connection is waited for that is in the way. */
enum { DB_BUSY_MS = 5000 };

enum db_mode { DB_READ, DB_WRITE, DB_CREATE };

/* Open the file. On error there is nothing to close, but db_close() may be called. */
MUST_USE int db_open(struct db *db, const char *path, enum db_mode mode, const char *const *sql,
		     unsigned count, struct err *e);
void db_close(struct db *db);

/* Run statements that answer nothing. */
MUST_USE int db_exec(struct db *db, const char *sql, struct err *e);

/*
 * Begin a transaction with this statement, BEGIN or BEGIN IMMEDIATE. A transaction that a failed
 * rollback left open ends first.
 */
MUST_USE int db_begin(struct db *db, const char *sql, struct err *e);

/*
 * Roll the open transaction back, if there is one. true: none is open now. false: memory was out, and
 * the next db_begin() tries again.
 */
bool db_rollback(struct db *db);

/* The statement, reset and with nothing bound. */
MUST_USE int db_statement(struct db *db, unsigned number, sqlite3_stmt **out, struct err *e);

/* The next row: 1; none left: 0; or -errno. The statement is reset unless there is a row. */
MUST_USE int db_step(struct db *db, sqlite3_stmt *s, struct err *e);

/* Run it for its effect: 0 or -errno. */
MUST_USE int db_run(struct db *db, sqlite3_stmt *s, struct err *e);

/* What the connection's last error means. */
int db_error(struct db *db, struct err *e);

/* A column as bytes; valid until the next step. */
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

/* Bytes that stay until the statement has run. */
static inline void db_bind_bytes(sqlite3_stmt *s, int at, struct str bytes)
{
	sqlite3_bind_blob64(s, at, bytes.p ? bytes.p : "", bytes.n, SQLITE_STATIC);
}

static inline void db_bind_text(sqlite3_stmt *s, int at, struct str text)
{
	sqlite3_bind_text64(s, at, text.p ? text.p : "", text.n, SQLITE_STATIC, SQLITE_UTF8);
}

#endif
