/* SPDX-License-Identifier: Apache-2.0 */
/*
 * catalog.db is opened for each operation and closed again; operations are rare. A damaged file is
 * renamed to catalog.db.damaged and replaced by a new one, since no profile data depends on it.
 */
#include "store/sqlite/catalog/catalog.h"

#include <stdio.h>
#include <unistd.h>

#include "base/clock.h"
#include "store/sqlite/catalog/db.h"
#include "store/sqlite/store_state.h"

enum { CATALOG_VERSION = 1 };

static const char tables[] =
	"PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;"
	"CREATE TABLE IF NOT EXISTS meta(key TEXT PRIMARY KEY, value) WITHOUT ROWID;"
	"CREATE TABLE IF NOT EXISTS event(id INTEGER PRIMARY KEY, time TEXT, what TEXT,"
	" partition TEXT, reason TEXT);"
	"INSERT OR IGNORE INTO meta VALUES('format', 1);";

enum { READ_FORMAT, WRITE_EVENT, READ_CLOCK, WRITE_CLOCK };

static const char *const sql[] = {
	[READ_FORMAT] = "SELECT value FROM meta WHERE key = 'format'",
	[WRITE_EVENT] = "INSERT INTO event(time, what, partition, reason) VALUES(?, ?, ?, ?)",
	[READ_CLOCK] = "SELECT value FROM meta WHERE key = 'clock'",
	[WRITE_CLOCK] = "INSERT OR REPLACE INTO meta VALUES('clock', ?)",
};

static int check_version(struct db *db, struct err *e)
{
	sqlite3_stmt *s;
	int rc = db_statement(db, READ_FORMAT, &s, e);

	if (rc)
		return rc;
	rc = db_step(db, s, e);
	if (rc > 0 && db_u64(s, 0) > CATALOG_VERSION)
		rc = err_set(e, -ENOTSUP,
			     "the data directory is of format %llu, written by a newer varve; this "
			     "one reads up to %d",
			     (unsigned long long)db_u64(s, 0), CATALOG_VERSION);
	sqlite3_reset(s);
	return rc < 0 ? rc : rc ? 0 : err_set(e, -EUCLEAN, "the catalog has no format");
}

static int open_and_check(struct db *db, const struct sqlite_store *s, const char *path,
			  struct err *e)
{
	int rc = db_open(db, s->vfs, path, DB_CREATE, sql, countof(sql), e);

	if (!rc)
		rc = db_exec(db, tables, e);
	return rc ? rc : check_version(db, e);
}

static void move_aside(const char *path)
{
	static const char *const suffixes[] = {"", "-wal", "-shm"};
	char from[4200], to[4200];

	for (size_t i = 0; i < countof(suffixes); i++) {
		snprintf(from, sizeof(from), "%s%s", path, suffixes[i]);
		snprintf(to, sizeof(to), "%s.damaged%s", path, suffixes[i]);
		rename(from, to);
	}
}

/* Open the catalog. Create it if it is missing or damaged. */
static int catalog_db(struct sqlite_store *s, struct db *db, struct err *e)
{
	struct err own = {0};
	char path[4096];
	int rc;

	snprintf(path, sizeof(path), "%s/catalog.db", s->directory);
	rc = open_and_check(db, s, path, &own);
	if (rc == -EUCLEAN) {
		log_warn(s->log, "the catalog is damaged and was created anew", LOG_ERR(&own));
		db_close(db);
		move_aside(path);
		return open_and_check(db, s, path, e);
	}
	if (rc && e)
		*e = own;
	return rc;
}

int catalog_open(struct sqlite_store *s, struct err *e)
{
	struct db db = {0};
	int rc = s->options.read_only ? 0 : catalog_db(s, &db, e);

	db_close(&db);
	return rc;
}

void catalog_event(struct sqlite_store *s, const char *what, const char *partition,
		   const char *reason)
{
	struct db db = {0};
	struct err e = {0};
	char time[CLOCK_TEXT_SIZE];
	sqlite3_stmt *st;

	if (!catalog_db(s, &db, &e) && !db_statement(&db, WRITE_EVENT, &st, &e)) {
		db_bind_text(st, 1, str_from(clock_format(clock_realtime_ns(), time)));
		db_bind_text(st, 2, str_from(what));
		db_bind_text(st, 3, str_from(partition));
		db_bind_text(st, 4, str_from(reason));
		if (db_run(&db, st, &e))
			log_warn(s->log, "the catalog cannot be written", LOG_ERR(&e));
	}
	db_close(&db);
}

uint64_t catalog_clock(struct sqlite_store *s)
{
	struct db db = {0};
	struct err e = {0};
	uint64_t seconds = 0;
	sqlite3_stmt *st;

	if (!catalog_db(s, &db, &e) && !db_statement(&db, READ_CLOCK, &st, &e)) {
		if (db_step(&db, st, &e) > 0)
			seconds = db_u64(st, 0);
		sqlite3_reset(st);
	}
	db_close(&db);
	return seconds;
}

void catalog_save_clock(struct sqlite_store *s, uint64_t seconds)
{
	struct db db = {0};
	struct err e = {0};
	sqlite3_stmt *st;

	if (!catalog_db(s, &db, &e) && !db_statement(&db, WRITE_CLOCK, &st, &e)) {
		db_bind(st, 1, seconds);
		if (db_run(&db, st, &e))
			log_warn(s->log, "the catalog cannot be written", LOG_ERR(&e));
	}
	db_close(&db);
}
