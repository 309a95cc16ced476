/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The layer that encrypts, against SQLite's own files: the same statements on both have the same
 * results, whatever is spilled, rolled back, vacuumed and checkpointed.
 */
#include "store/sqlite/sealed/sealed_vfs.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "store/sqlite/catalog/db.h"
#include "store/store_support.h"

struct fixture {
	char directory[64];
	struct key_ring *keys;
	struct sealed_vfs *vfs;
	struct db sealed, plain; /* the same content */
	char path[160];
	uint64_t random;
};

static void open_sealed(struct fixture *f, struct db *db, enum db_mode mode)
{
	struct err e = {0};

	assert_ok_err(db_open(db, f->vfs, f->path, mode, NULL, 0, &e), &e);
	assert_ok_err(db_exec(db,
			      "PRAGMA synchronous = OFF; PRAGMA cache_size = 10;"
			      "PRAGMA wal_autocheckpoint = 0;"
			      "PRAGMA journal_size_limit = 100000;",
			      &e),
		      &e);
}

static int fixture_setup(void **state)
{
	static const uint8_t key[SEAL_KEY] = "another key of thirty-two bytes";
	static const char tables[] = "PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = WAL;"
				     "CREATE TABLE t(id INTEGER PRIMARY KEY, data BLOB);"
				     "CREATE INDEX i ON t(substr(data, 1, 20));";
	struct fixture *f = calloc(1, sizeof(*f));
	char plain[160];
	struct err e = {0};

	make_directory(f->directory);
	snprintf(f->path, sizeof(f->path), "%s/sealed.db", f->directory);
	snprintf(plain, sizeof(plain), "%s/plain.db", f->directory);
	assert_ok(key_ring_of_key(&f->keys, key, NULL));
	assert_ok(sealed_vfs_new(&f->vfs, f->keys, NULL));
	open_sealed(f, &f->sealed, DB_CREATE);
	assert_ok_err(db_open(&f->plain, NULL, plain, DB_CREATE, NULL, 0, &e), &e);
	assert_ok_err(db_exec(&f->sealed, tables, &e), &e);
	assert_ok_err(db_exec(&f->plain, tables, &e), &e);
	assert_ok_err(db_exec(&f->plain, "PRAGMA synchronous = OFF", &e), &e);
	f->random = 88172645463325252U;
	*state = f;
	return 0;
}

static int fixture_teardown(void **state)
{
	struct fixture *f = *state;

	db_close(&f->sealed);
	db_close(&f->plain);
	sealed_vfs_free(f->vfs);
	key_ring_unref(f->keys);
	remove_tree(f->directory);
	free(f);
	return 0;
}

static unsigned below(struct fixture *f, unsigned n)
{
	f->random ^= f->random << 13;
	f->random ^= f->random >> 7;
	f->random ^= f->random << 17;
	return (unsigned)(f->random % n);
}

static void both(struct fixture *f, const char *sql)
{
	struct err e = {0};

	assert_ok_err(db_exec(&f->plain, sql, &e), &e);
	assert_ok_err(db_exec(&f->sealed, sql, &e), &e);
}

/* Return the result of a query that has one text or number. */
static void result(struct db *db, const char *sql, char *out, size_t size)
{
	sqlite3_stmt *s;

	assert_int_equal(sqlite3_prepare_v2(db->handle, sql, -1, &s, NULL), SQLITE_OK);
	if (sqlite3_step(s) != SQLITE_ROW)
		fail_msg("%s: %s", sql, sqlite3_errmsg(db->handle));
	snprintf(out, size, "%s", (const char *)sqlite3_column_text(s, 0));
	sqlite3_finalize(s);
}

static void expect_same(struct fixture *f)
{
	static const char *const queries[] = {
		"PRAGMA integrity_check", "PRAGMA freelist_count = 0",
		"SELECT count(*) || ' ' || total(length(data)) || ' ' || total(id) FROM t",
		"SELECT group_concat(hex(substr(data, -4))) FROM (SELECT data FROM t ORDER BY id)"};
	char *a = malloc(MIB), *b = malloc(MIB);

	result(&f->sealed, queries[0], a, MIB);
	assert_string_equal(a, "ok");
	for (size_t i = 2; i < countof(queries); i++) {
		result(&f->plain, queries[i], a, MIB);
		result(&f->sealed, queries[i], b, MIB);
		assert_string_equal(a, b);
	}
	free(a);
	free(b);
}

/* A step of a transaction: rows of up to ten pages are written, changed and deleted. */
static void step(struct fixture *f, unsigned rows)
{
	unsigned id = below(f, rows), size = below(f, 8) ? below(f, 300) : below(f, 40000);
	char sql[256];

	/* content by arithmetic, so that it is the same in both */
	switch (below(f, 4)) {
	case 0:
		snprintf(sql, sizeof(sql), "DELETE FROM t WHERE id BETWEEN %u AND %u", id,
			 id + below(f, 6));
		break;
	case 1:
		snprintf(sql, sizeof(sql),
			 "UPDATE t SET data = data || CAST('%u' AS BLOB) WHERE id = %u", size, id);
		break;
	default:
		snprintf(sql, sizeof(sql),
			 "INSERT OR REPLACE INTO t VALUES(%u, CAST(printf('%%0%uu', %u) AS BLOB))",
			 id, size + 1, below(f, 1000000));
	}
	both(f, sql);
}

static void transaction(struct fixture *f, unsigned rows)
{
	unsigned steps = 1 + below(f, 60);

	both(f, "BEGIN IMMEDIATE");
	for (unsigned i = 0; i < steps; i++) {
		if (below(f, 10) == 0)
			both(f, "SAVEPOINT s");
		step(f, rows);
	}
	both(f, below(f, 6) ? "COMMIT" : "ROLLBACK");
}

static void checkpoint(struct fixture *f)
{
	static const int modes[] = {SQLITE_CHECKPOINT_PASSIVE, SQLITE_CHECKPOINT_PASSIVE,
				    SQLITE_CHECKPOINT_RESTART, SQLITE_CHECKPOINT_TRUNCATE};
	struct db other = {0};
	bool own = below(f, 2);

	if (!own)
		open_sealed(f, &other, DB_WRITE);
	assert_int_equal(sqlite3_wal_checkpoint_v2(own ? f->sealed.handle : other.handle, NULL,
						   modes[below(f, countof(modes))], NULL, NULL),
			 SQLITE_OK);
	db_close(&other);
}

static void results_are_those_of_plain_files(void **state)
{
	struct fixture *f = *state;

	for (unsigned i = 0; i < 300; i++) {
		transaction(f, i < 150 ? 400 : 100);
		if (below(f, 4) == 0)
			both(f, "PRAGMA incremental_vacuum(20)");
		if (below(f, 6) == 0)
			checkpoint(f);
		if (below(f, 20) == 0) {
			db_close(&f->sealed);
			open_sealed(f, &f->sealed, DB_WRITE);
		}
		if (i % 10 == 0)
			expect_same(f);
	}
	expect_same(f);
}

/* ---- damage ---- */

static off_t size_of_file(const char *path)
{
	struct stat st;

	return stat(path, &st) ? 0 : st.st_size;
}

static void flip(const char *path, off_t at)
{
	int fd = open(path, O_RDWR);
	uint8_t byte;

	assert_int_equal(pread(fd, &byte, 1, at), 1);
	byte ^= 1;
	assert_int_equal(pwrite(fd, &byte, 1, at), 1);
	close(fd);
}

static void copy_bytes(const char *from_path, off_t from, const char *to_path, off_t to, size_t n)
{
	char *bytes = malloc(n);
	int in = open(from_path, O_RDONLY), out = open(to_path, O_RDWR | O_CREAT, 0600);

	assert_int_equal(pread(in, bytes, n, from), n);
	assert_int_equal(pwrite(out, bytes, n, to), n);
	close(in);
	close(out);
	free(bytes);
}

static void fill_rows(struct fixture *f)
{
	for (unsigned i = 0; i < 20; i++)
		transaction(f, 100);
}

/* Return the sum of all content, or the error. It opens the files anew. */
static int read_all(struct fixture *f, char *out, size_t size, struct err *e)
{
	sqlite3_stmt *s = NULL;
	struct db db = {0};
	int rc = db_open(&db, f->vfs, f->path, DB_WRITE, NULL, 0, e);

	snprintf(out, size, "-");
	if (rc)
		return rc;
	if (sqlite3_prepare_v2(db.handle,
			       "SELECT count(*) || ' ' || sum(length(data)) || ' ' || "
			       "group_concat(hex(data)) FROM t",
			       -1, &s, NULL) ||
	    sqlite3_step(s) != SQLITE_ROW)
		rc = db_error(&db, e);
	else
		snprintf(out, size, "%s", (const char *)sqlite3_column_text(s, 0));
	sqlite3_finalize(s);
	db_close(&db);
	return rc;
}

static void every_flipped_byte_of_a_page_is_reported(void **state)
{
	struct fixture *f = *state;
	char *wanted = malloc(4 * MIB), *got = malloc(4 * MIB);
	off_t size;
	struct err e = {0};

	fill_rows(f);
	db_close(&f->sealed); /* checkpoints */
	size = size_of_file(f->path);
	assert_int_equal(size % SEALED_PAGE, 0);
	assert_ok_err(read_all(f, wanted, 4 * MIB, &e), &e);
	for (unsigned i = 0; i < 300; i++) {
		off_t at = KEY_BLOCK + (off_t)below(f, (unsigned)(size - KEY_BLOCK));
		int rc;

		e = (struct err){0};
		flip(f->path, at);
		rc = read_all(f, got, 4 * MIB, &e);
		/* of a page that is not needed, nothing is read */
		if (rc)
			assert_int_equal(rc, -EUCLEAN);
		else
			assert_string_equal(got, wanted);
		flip(f->path, at);
	}
	for (off_t at = KEY_BLOCK; at < KEY_BLOCK + SEALED_PAGE; at += 7) {
		e = (struct err){0};
		flip(f->path, at);
		assert_int_equal(read_all(f, got, 4 * MIB, &e), -EUCLEAN);
		assert_non_null(strstr(e.text, "page 1 is damaged"));
		flip(f->path, at);
	}
	assert_ok(read_all(f, got, 4 * MIB, &e));
	free(wanted);
	free(got);
}

static void pages_belong_to_their_place_and_file(void **state)
{
	struct fixture *f = *state;
	char other[160], aside[160], *got = malloc(4 * MIB);
	struct err e = {0};
	struct db db;

	fill_rows(f);
	db_close(&f->sealed);
	snprintf(aside, sizeof(aside), "%s/aside.db", f->directory);
	snprintf(other, sizeof(other), "%s/other.db", f->directory);
	copy_bytes(f->path, 0, aside, 0, (size_t)size_of_file(f->path));
	/* the first page of another file with the same keys */
	assert_ok_err(db_open(&db, f->vfs, other, DB_CREATE, NULL, 0, &e), &e);
	assert_ok_err(
		db_exec(&db, "PRAGMA auto_vacuum = INCREMENTAL; CREATE TABLE t(id, data)", &e), &e);
	db_close(&db);
	copy_bytes(other, KEY_BLOCK, f->path, KEY_BLOCK, SEALED_PAGE);
	assert_int_equal(read_all(f, got, 4 * MIB, &e), -EUCLEAN);
	/* the third page in the place of the first one */
	copy_bytes(aside, KEY_BLOCK + (off_t)2 * SEALED_PAGE, f->path, KEY_BLOCK, SEALED_PAGE);
	assert_int_equal(read_all(f, got, 4 * MIB, &e), -EUCLEAN);
	/* an older version of the same page is valid: docs/encryption.md says so */
	copy_bytes(aside, KEY_BLOCK, f->path, KEY_BLOCK, SEALED_PAGE);
	assert_ok_err(read_all(f, got, 4 * MIB, &e), &e);
	free(got);
}

static void keys_that_are_missing_are_no_damage(void **state)
{
	static const uint8_t wrong[SEAL_KEY] = "this is not the key of that file";
	struct fixture *f = *state;
	struct key_ring *ring;
	struct sealed_vfs *without, *other;
	struct err e = {0};
	struct db db;

	fill_rows(f);
	db_close(&f->sealed);
	assert_ok(sealed_vfs_new(&without, NULL, NULL));
	assert_ok(key_ring_of_key(&ring, wrong, NULL));
	assert_ok(sealed_vfs_new(&other, ring, NULL));
	assert_int_equal(db_open(&db, without, f->path, DB_WRITE, NULL, 0, &e), -ENOKEY);
	assert_non_null(strstr(e.text, "--encrypt-key-file"));
	e = (struct err){0};
	assert_int_equal(db_open(&db, other, f->path, DB_WRITE, NULL, 0, &e), -ENOKEY);
	assert_non_null(strstr(e.text, "does not have"));
	sealed_vfs_free(without);
	sealed_vfs_free(other);
	key_ring_unref(ring);
}

/* ---- logs ---- */

/* Copy database and log, as a crash leaves them, into the place of the closed database. */
static void crash(struct fixture *f, off_t log_bytes)
{
	char log[200], copy[160], copy_log[200];

	snprintf(log, sizeof(log), "%s-wal", f->path);
	snprintf(copy, sizeof(copy), "%s/copy.db", f->directory);
	snprintf(copy_log, sizeof(copy_log), "%s/copy.db-wal", f->directory);
	unlink(copy);
	unlink(copy_log);
	copy_bytes(f->path, 0, copy, 0, (size_t)size_of_file(f->path));
	copy_bytes(log, 0, copy_log, 0, (size_t)(log_bytes >= 0 ? log_bytes : size_of_file(log)));
	snprintf(f->path, sizeof(f->path), "%s", copy);
}

static void a_torn_first_page_is_repaired_from_the_log(void **state)
{
	struct fixture *f = *state;
	char *wanted = malloc(4 * MIB), *got = malloc(4 * MIB), was[160];
	struct err e = {0};

	fill_rows(f);
	assert_int_equal(sqlite3_wal_checkpoint_v2(f->sealed.handle, NULL,
						   SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL),
			 SQLITE_OK);
	fill_rows(f);
	assert_ok_err(read_all(f, wanted, 4 * MIB, &e), &e);
	snprintf(was, sizeof(was), "%s", f->path);
	crash(f, -1);
	flip(f->path, KEY_BLOCK + 1000);
	assert_ok_err(read_all(f, got, 4 * MIB, &e), &e);
	assert_string_equal(got, wanted);
	db_close(&f->sealed);
	open_sealed(f, &f->sealed, DB_WRITE);
	fill_rows(f);
	both(f, "PRAGMA incremental_vacuum(100)");
	expect_same(f);
	free(wanted);
	free(got);
}

/* Cut and damaged logs: what is read is a state that was committed, or nothing is. */
static void torn_logs_end_at_a_commit(void **state)
{
	enum { COMMITS = 24 };
	struct fixture *f = *state;
	char *states[COMMITS + 1], *got = malloc(4 * MIB), log[200], was[160];
	struct err e = {0};
	off_t size;

	snprintf(was, sizeof(was), "%s", f->path);
	snprintf(log, sizeof(log), "%s-wal", f->path);
	assert_int_equal(sqlite3_wal_checkpoint_v2(f->sealed.handle, NULL,
						   SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL),
			 SQLITE_OK);
	for (unsigned i = 0; i <= COMMITS; i++) {
		states[i] = calloc(1, 4 * MIB);
		assert_ok_err(read_all(f, states[i], 4 * MIB, &e), &e);
		if (i < COMMITS)
			transaction(f, 60);
	}
	size = size_of_file(log);
	for (unsigned i = 0; i < 200; i++) {
		off_t at = (off_t)below(f, (unsigned)size);
		bool cut = i % 2, found = false;
		char copy_log[200];

		snprintf(f->path, sizeof(f->path), "%s", was);
		crash(f, cut ? at : -1);
		snprintf(copy_log, sizeof(copy_log), "%s-wal", f->path);
		if (!cut)
			flip(copy_log, at);
		e = (struct err){0};
		assert_ok_err(read_all(f, got, 4 * MIB, &e), &e);
		for (unsigned k = 0; k <= COMMITS && !found; k++)
			found = !strcmp(got, states[k]);
		assert_true(found);
	}
	snprintf(f->path, sizeof(f->path), "%s", was);
	for (unsigned i = 0; i <= COMMITS; i++)
		free(states[i]);
	free(got);
}

/* No frame of the log of another database with the same keys is applied. */
static void a_log_of_another_file_is_ignored(void **state)
{
	struct fixture *f = *state;
	char log[200], other[160], other_log[200], *wanted = malloc(4 * MIB),
						   *got = malloc(4 * MIB);
	struct err e = {0};
	struct db db;

	snprintf(log, sizeof(log), "%s-wal", f->path);
	snprintf(other, sizeof(other), "%s/other.db", f->directory);
	snprintf(other_log, sizeof(other_log), "%s/other.db-wal", f->directory);
	fill_rows(f);
	db_close(&f->sealed);
	assert_ok_err(read_all(f, wanted, 4 * MIB, &e), &e);
	assert_ok_err(db_open(&db, f->vfs, other, DB_CREATE, NULL, 0, &e), &e);
	assert_ok_err(db_exec(&db,
			      "PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = WAL;"
			      "CREATE TABLE t(id INTEGER PRIMARY KEY, data BLOB);"
			      "INSERT INTO t VALUES(1, 'x')",
			      &e),
		      &e);
	copy_bytes(other_log, 0, log, 0, (size_t)size_of_file(other_log));
	assert_ok_err(read_all(f, got, 4 * MIB, &e), &e);
	assert_string_equal(got, wanted);
	db_close(&db);
	free(wanted);
	free(got);
}

TEST_MAIN(test_with(fixture, results_are_those_of_plain_files),
	  test_with(fixture, every_flipped_byte_of_a_page_is_reported),
	  test_with(fixture, pages_belong_to_their_place_and_file),
	  test_with(fixture, keys_that_are_missing_are_no_damage),
	  test_with(fixture, a_torn_first_page_is_repaired_from_the_log),
	  test_with(fixture, torn_logs_end_at_a_commit),
	  test_with(fixture, a_log_of_another_file_is_ignored))
