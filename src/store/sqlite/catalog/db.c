/* SPDX-License-Identifier: Apache-2.0 */
/* A thin layer over SQLite: cached statements, and errors as negative errnos. */
#include "store/sqlite/catalog/db.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static int errno_of(int code, int system)
{
	switch (code & 0xff) {
	case SQLITE_FULL:
		return -ENOSPC;
	case SQLITE_NOMEM:
		return -ENOMEM;
	case SQLITE_READONLY:
	case SQLITE_PERM:
		return -EROFS;
	case SQLITE_CORRUPT:
	case SQLITE_NOTADB:
	case SQLITE_FORMAT:
	case SQLITE_ERROR: /* the statements are correct, so a table is missing or damaged */
	case SQLITE_SCHEMA:
	case SQLITE_CONSTRAINT:
	case SQLITE_MISMATCH:
		return -EUCLEAN;
	case SQLITE_BUSY:
	case SQLITE_LOCKED:
		return -EBUSY;
	case SQLITE_CANTOPEN:
	case SQLITE_IOERR:
		if (system == ENOSPC || system == EDQUOT || system == EFBIG)
			return -ENOSPC;
		if (system == EROFS || system == EACCES || system == EPERM)
			return -EROFS;
		if (system == ENOENT)
			return -ENOENT;
		/* SQLite maps ENOSPC to SQLITE_FULL; without an errno it is a quota or a limit */
		if (code == SQLITE_IOERR_WRITE && !system)
			return -ENOSPC;
		if (code == SQLITE_IOERR_SHORT_READ || code == SQLITE_IOERR_CORRUPTFS ||
		    code == SQLITE_IOERR_DATA) /* not authentic: sealed_vfs.h */
			return -EUCLEAN;
		return -EIO;
	default:
		return -EIO;
	}
}

/*
 * Return an errno for a failed write, which SQLite does not report: whether the WAL can be opened
 * for writing. The database file itself must not be opened, because closing it releases all locks
 * of this process on it.
 */
static int write_errno(const struct db *db)
{
	char path[sizeof(db->path) + 8];
	int fd, why = 0;

	snprintf(path, sizeof(path), "%s-wal", db->path);
	fd = open(path, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		why = errno == ENOENT ? 0 : errno;
	else
		close(fd);
	return why;
}

/* Return whether an error may be one of the layer that encrypts, which has the reason then. */
static bool is_sealed_error(int code)
{
	return code == SQLITE_IOERR_DATA || code == SQLITE_IOERR_WRITE ||
	       (code & 0xff) == SQLITE_AUTH || (code & 0xff) == SQLITE_NOTADB ||
	       (code & 0xff) == SQLITE_CANTOPEN;
}

int db_error(struct db *db, struct err *e)
{
	int code = sqlite3_extended_errcode(db->handle), system = sqlite3_system_errno(db->handle);
	const char *slash = strrchr(db->path, '/'), *name = slash ? slash + 1 : db->path;
	/* of a URI, the name ends at its parameters */
	int n = (int)(strncmp(db->path, "file:", 5) ? strlen(name) : strcspn(name, "?"));
	struct err sealed = {0};
	int rc = sealed_vfs_take_error(&sealed);

	if (rc && is_sealed_error(code))
		return err_set(e, rc, "%.*s: %s", n, name, sealed.text);
	if (code == SQLITE_IOERR_WRITE && !system)
		system = write_errno(db);
	rc = errno_of(code, system);
	return err_set(
		e, rc, "%.*s: %s", n, name,
		rc == -ENOSPC ? "no space left on the disk, or a quota or limit is reached"
		: rc == -EROFS
			? "it cannot be written: the disk is read-only, or a permission is missing"
			: sqlite3_errmsg(db->handle));
}

/*
 * Keep temporary files, and the rollback journal of a new file before it gets a write-ahead log, in
 * memory: on the disk they would be in clear. Reserve room for nonce and tag in pages.
 */
static int prepare_sealed(struct db *db, enum db_mode mode, struct err *e)
{
	int rc = db_exec(db, "PRAGMA temp_store = MEMORY", e), reserve = SEALED_RESERVE;

	if (rc || mode != DB_CREATE || !sealed_vfs_is_new(db->handle))
		return rc;
	if (sqlite3_file_control(db->handle, "main", SQLITE_FCNTL_RESERVE_BYTES, &reserve))
		return db_error(db, e);
	return db_exec(db, "PRAGMA journal_mode = MEMORY", e);
}

int db_open(struct db *db, const struct sealed_vfs *vfs, const char *path, enum db_mode mode,
	    const char *const *sql, unsigned count, struct err *e)
{
	static const int flags[] = {
		[DB_READ] = SQLITE_OPEN_READONLY,
		[DB_WRITE] = SQLITE_OPEN_READWRITE,
		[DB_CREATE] = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE,
	};
	int rc = 0;

	*db = (struct db){.sql = sql, .count = count};
	snprintf(db->path, sizeof(db->path), "%s", path);
	db->statements = calloc(count ? count : 1, sizeof(*db->statements));
	if (!db->statements)
		return err_errno(e, -ENOMEM, "open a partition");
	if (sqlite3_open_v2(path, &db->handle,
			    flags[mode] | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE |
				    SQLITE_OPEN_URI,
			    vfs ? sealed_vfs_name(vfs) : NULL))
		rc = db->handle ? db_error(db, e) : err_errno(e, -ENOMEM, "open a partition");
	if (!rc && vfs && sealed_vfs_has_keys(vfs))
		rc = prepare_sealed(db, mode, e);
	if (rc) {
		db_close(db);
		return rc;
	}
	sqlite3_busy_timeout(db->handle, DB_BUSY_MS);
	/* limit what the schema of a damaged file can do, such as calling functions */
	sqlite3_db_config(db->handle, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	sqlite3_db_config(db->handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
	return 0;
}

void db_close(struct db *db)
{
	for (unsigned i = 0; db->statements && i < db->count; i++)
		sqlite3_finalize(db->statements[i]);
	free(db->statements);
	if (db->handle)
		sqlite3_close(db->handle);
	*db = (struct db){0};
}

int db_exec(struct db *db, const char *sql, struct err *e)
{
	return sqlite3_exec(db->handle, sql, NULL, NULL, NULL) ? db_error(db, e) : 0;
}

int db_begin(struct db *db, const char *sql, struct err *e)
{
	if (!db_rollback(db))
		return err_errno(e, -ENOMEM, "end a transaction");
	return db_exec(db, sql, e);
}

bool db_rollback(struct db *db)
{
	if (!db->handle || sqlite3_get_autocommit(db->handle))
		return true;
	sqlite3_exec(db->handle, "ROLLBACK", NULL, NULL, NULL);
	return sqlite3_get_autocommit(db->handle);
}

int db_statement(struct db *db, unsigned number, sqlite3_stmt **out, struct err *e)
{
	sqlite3_stmt **s = &db->statements[number];

	if (!*s &&
	    sqlite3_prepare_v3(db->handle, db->sql[number], -1, SQLITE_PREPARE_PERSISTENT, s, NULL))
		return db_error(db, e);
	sqlite3_reset(*s);
	sqlite3_clear_bindings(*s);
	*out = *s;
	return 0;
}

int db_step(struct db *db, sqlite3_stmt *s, struct err *e)
{
	int code = sqlite3_step(s), rc;

	if (code == SQLITE_ROW)
		return 1;
	rc = code == SQLITE_DONE ? 0 : db_error(db, e);
	sqlite3_reset(s);
	return rc;
}

int db_run(struct db *db, sqlite3_stmt *s, struct err *e)
{
	int rc = db_step(db, s, e);

	sqlite3_reset(s);
	return rc > 0 ? 0 : rc;
}

int db_run_id(struct db *db, unsigned number, uint64_t id, struct err *e)
{
	sqlite3_stmt *s;
	int rc = db_statement(db, number, &s, e);

	if (rc)
		return rc;
	db_bind(s, 1, id);
	return db_run(db, s, e);
}

struct str db_bytes(sqlite3_stmt *s, int column)
{
	const void *p =
		sqlite3_column_blob(s, column); /* may convert, so call it before the size */

	return str_of(p, p ? (size_t)sqlite3_column_bytes(s, column) : 0);
}
