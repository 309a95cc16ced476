/* SPDX-License-Identifier: Apache-2.0 */
/* The tables and SQL statements of a partition, and migration from older formats. */
#include "store/sqlite/catalog/schema.h"

#include <stdio.h>
#include <time.h>

#include "base/clock.h"
#include "store/sqlite/catalog/chunk_cache.h"
#include "store/sqlite/catalog/directory.h"
#include "store/sqlite/logs/log_list.h"
#include "store/sqlite/metrics/metric_list.h"

/* The page size is measured in docs/adr; incremental vacuum lets the worker give pages back. */
static const char pragmas[] = "PRAGMA page_size = 4096;"
			      "PRAGMA auto_vacuum = INCREMENTAL;"
			      "PRAGMA journal_mode = WAL;";

static const char tables[] =
	"CREATE TABLE meta(key TEXT PRIMARY KEY, value) WITHOUT ROWID;"
	"CREATE TABLE state(id INTEGER PRIMARY KEY CHECK(id = 1), version, profiles, samples,"
	" ingested, segment, nodes, level0, chunks, groups, series, fold, sum);"
	"CREATE TABLE groups(id INTEGER PRIMARY KEY, tenant TEXT, service TEXT, type TEXT);"
	"CREATE TABLE series(id INTEGER PRIMARY KEY, grp INTEGER, labels BLOB);"
	"CREATE TABLE level0(id INTEGER PRIMARY KEY AUTOINCREMENT, first, last, profiles, samples,"
	" data BLOB);"
	"CREATE TABLE chunk(id INTEGER PRIMARY KEY AUTOINCREMENT, kind, grp, hour, rolled,"
	" generation, made, first, last, profiles, samples, slots0, slots1, slots2,"
	" points, runs, detail, linked, filter, rollup, series, links, bytes);"
	"CREATE TABLE blob(id INTEGER PRIMARY KEY AUTOINCREMENT, kind TEXT, data BLOB);"
	"CREATE TABLE dictionary(id INTEGER PRIMARY KEY AUTOINCREMENT, data BLOB);";

/* Since format 2. */
static const char span_tables[] =
	"CREATE TABLE spans(id INTEGER PRIMARY KEY AUTOINCREMENT, hour, generation, made, first,"
	" last, spans, data, filter, bytes);"
	"CREATE TABLE span_state(id INTEGER PRIMARY KEY CHECK(id = 1), rows, fold, sum);";

/* Since format 4. */
static const char book_tables[] =
	"ALTER TABLE groups ADD COLUMN book INTEGER DEFAULT 0;"
	"ALTER TABLE dictionary ADD COLUMN book INTEGER DEFAULT 0;"
	"CREATE INDEX dictionary_of_book ON dictionary(book, id);"
	"CREATE TABLE book(id INTEGER PRIMARY KEY, segment, nodes);"
	"CREATE TABLE book_state(id INTEGER PRIMARY KEY CHECK(id = 1), rows, fold, sum);";

/* Since format 5. */
static const char chunk_group_tables[] =
	"CREATE INDEX chunk_of_group ON chunk(grp);"
	"CREATE TABLE chunk_group(id INTEGER PRIMARY KEY, rows, fold, first, last, profiles,"
	" samples, bytes, newest, open);";

/* Since format 6. */
static const char detail_columns[] = "ALTER TABLE spans ADD COLUMN details DEFAULT 0;"
				     "ALTER TABLE spans ADD COLUMN column_index DEFAULT 0;"
				     "ALTER TABLE spans ADD COLUMN details_bytes DEFAULT 0;"
				     "ALTER TABLE spans ADD COLUMN trace_filter DEFAULT 0;";

const enum frame_kind part_kinds[CHUNK_PARTS] = {
	[PART_POINTS] = FRAME_POINTS, [PART_RUNS] = FRAME_RUNS,	    [PART_DETAIL] = FRAME_DETAIL,
	[PART_LINKED] = FRAME_LINKED, [PART_FILTER] = FRAME_FILTER, [PART_ROLLUP] = FRAME_ROLLUP,
	[PART_SERIES] = FRAME_SERIES, [PART_LINKS] = FRAME_LINKS,
};

/* In the order of struct chunk_entry. */
#define READ_CHUNKS_OF(links, which)                                                               \
	"SELECT id, kind, grp, hour, rolled, generation, made, first, last, profiles, samples,"    \
	" slots0, slots1, slots2, points, runs, detail, linked, filter, rollup, series, " links    \
	", bytes FROM chunk " which

/* In the order of struct span_entry. */
#define READ_SPANS_OF(details)                                                                     \
	"SELECT id, hour, generation, made, first, last, spans, data, filter, bytes, " details     \
	" FROM spans ORDER BY id"

const char *const statements[STATEMENTS] = {
	[READ_VERSION] = "SELECT version FROM state WHERE id = 1",
	[READ_STATE] =
		"SELECT version, profiles, samples, ingested, segment, nodes, level0, chunks,"
		" groups, series, fold, sum FROM state WHERE id = 1",
	[READ_GROUPS] = "SELECT id, tenant, service, type, book FROM groups ORDER BY id",
	[READ_GROUPS_WITHOUT_BOOKS] = "SELECT id, tenant, service, type, 0 FROM groups ORDER BY id",
	[READ_BOOKS] = "SELECT id, segment, nodes FROM book ORDER BY id",
	[READ_BOOK_STATE] = "SELECT rows, fold, sum FROM book_state WHERE id = 1",
	[READ_SERIES] = "SELECT id, grp, labels FROM series ORDER BY id",
	[READ_LEVEL0_LIST] =
		"SELECT id, first, last, profiles, samples, length(data) FROM level0 ORDER BY id",
	[READ_CHUNKS] = READ_CHUNKS_OF("links", "ORDER BY grp"),
	[READ_CHUNKS_WITHOUT_LINKS] = READ_CHUNKS_OF("0", "ORDER BY grp"),
	[READ_CHUNKS_OF_GROUP] = READ_CHUNKS_OF("links", "WHERE grp = ?"),
	[READ_CHUNK_GROUPS] = "SELECT id, rows, fold, first, last, profiles, samples, bytes,"
			      " newest, open FROM chunk_group ORDER BY id",
	[READ_LEVEL0] = "SELECT data FROM level0 WHERE id = ?",
	[READ_BLOB] = "SELECT data FROM blob WHERE id = ?",
	[READ_PARTITION_FORMAT] = "SELECT value FROM meta WHERE key = 'format'",
	[READ_SPAN_STATE] = "SELECT rows, fold, sum FROM span_state WHERE id = 1",
	[READ_SPANS] = READ_SPANS_OF("details, column_index, details_bytes, trace_filter"),
	[READ_SPANS_WITHOUT_DETAILS] = READ_SPANS_OF("0, 0, 0, 0"),
	[READ_LOG_STATE] = "SELECT rows, fold, sum FROM log_state WHERE id = 1",
	[READ_LOGS] = "SELECT id, hour, generation, made, first, last, logs, bytes, record_bytes,"
		      " data, pages, shards FROM logs ORDER BY id",
	[READ_METRIC_STATE] = "SELECT rows, fold, sum FROM metric_state WHERE id = 1",
	[READ_METRICS] = "SELECT id, kind, hour, generation, made, first, last, low, high, series,"
			 " samples, newest, data, bytes FROM metrics ORDER BY id",
	[READ_DICTIONARY_BYTES] = "SELECT sum(length(data)) FROM dictionary",
	[READ_SEGMENTS] = "SELECT id, data FROM dictionary WHERE book = ? AND id > ? ORDER BY id",
	[READ_SEGMENTS_WITHOUT_BOOKS] =
		"SELECT id, data FROM dictionary WHERE ?1 = 0 AND id > ?2 ORDER BY id",
	[WRITE_GROUP] = "INSERT INTO groups VALUES(?, ?, ?, ?, ?)",
	[WRITE_SERIES] = "INSERT INTO series VALUES(?, ?, ?)",
	[WRITE_SEGMENT] = "INSERT INTO dictionary(data, book) VALUES(?, ?)",
	[WRITE_LEVEL0] =
		"INSERT INTO level0(first, last, profiles, samples, data) VALUES(?, ?, ?, ?, ?)",
	[WRITE_STATE] = "UPDATE state SET version = ?, profiles = ?, samples = ?, ingested = ?,"
			" segment = ?, nodes = ?, level0 = ?, chunks = ?, groups = ?, series = ?,"
			" fold = ?, sum = ? WHERE id = 1",
	[WRITE_BLOB] = "INSERT INTO blob(kind, data) VALUES(?, ?)",
	[WRITE_CHUNK] = "INSERT INTO chunk(kind, grp, hour, rolled, generation, made, first, last,"
			" profiles, samples, slots0, slots1, slots2, points, runs, detail, linked,"
			" filter, rollup, series, links, bytes)"
			" VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
	[WRITE_CHUNK_GROUP] =
		"INSERT OR REPLACE INTO chunk_group VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
	[DELETE_CHUNK_GROUP] = "DELETE FROM chunk_group WHERE id = ?",
	[WRITE_ROLLED] = "UPDATE chunk SET rolled = ? WHERE id = ?",
	[DELETE_LEVEL0] = "DELETE FROM level0 WHERE id = ?",
	[DELETE_CHUNK] = "DELETE FROM chunk WHERE id = ?",
	[DELETE_BLOB] = "DELETE FROM blob WHERE id = ?",
	[WRITE_SPANS] = "INSERT INTO spans(hour, generation, made, first, last, spans, data,"
			" filter, bytes, details, column_index, details_bytes, trace_filter)"
			" VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
	[WRITE_SPAN_STATE] = "UPDATE span_state SET rows = ?, fold = ?, sum = ? WHERE id = 1",
	[DELETE_SPANS] = "DELETE FROM spans WHERE id = ?",
	[WRITE_LOGS] = "INSERT INTO logs(hour, generation, made, first, last, logs, bytes,"
		       " record_bytes, data, pages, shards)"
		       " VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
	[WRITE_LOG_STATE] = "UPDATE log_state SET rows = ?, fold = ?, sum = ? WHERE id = 1",
	[DELETE_LOGS] = "DELETE FROM logs WHERE id = ?",
	[WRITE_METRICS] = "INSERT INTO metrics(kind, hour, generation, made, first, last, low,"
			  " high, series, samples, newest, data, bytes)"
			  " VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
	[WRITE_METRIC_STATE] = "UPDATE metric_state SET rows = ?, fold = ?, sum = ? WHERE id = 1",
	[DELETE_METRICS] = "DELETE FROM metrics WHERE id = ?",
	[DELETE_SEGMENTS] = "DELETE FROM dictionary WHERE book = ? AND id >= ? AND id <= ?",
	[WRITE_BOOK] = "INSERT OR REPLACE INTO book VALUES(?, ?, ?)",
	[WRITE_BOOK_STATE] = "UPDATE book_state SET rows = ?, fold = ?, sum = ? WHERE id = 1",
};

static int put_meta(struct db *db, const char *key, uint64_t value, struct err *e)
{
	char sql[128];

	snprintf(sql, sizeof(sql), "INSERT INTO meta VALUES('%s', %llu)", key,
		 (unsigned long long)value);
	return db_exec(db, sql, e);
}

static int put_state(struct db *db, struct err *e)
{
	struct partition_state zero = {.nodes = 1};
	char sql[256];

	snprintf(sql, sizeof(sql),
		 "INSERT INTO state VALUES(1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, %lld)",
		 (long long)state_sum(&zero));
	return db_exec(db, sql, e);
}

static int create_spans(struct db *db, struct err *e)
{
	struct span_state zero = {0};
	char sql[128];
	int rc = db_exec(db, span_tables, e);

	snprintf(sql, sizeof(sql), "INSERT INTO span_state VALUES(1, 0, 0, %lld)",
		 (long long)span_state_sum(&zero));
	return rc ? rc : db_exec(db, sql, e);
}

/* Create the tables of books with book 0, the shared one. */
static int create_books(struct db *db, struct book_entry shared, struct err *e)
{
	struct book_state state = {1, book_sum(0, &shared)};
	char sql[160];
	int rc = db_exec(db, book_tables, e);

	snprintf(sql, sizeof(sql),
		 "INSERT INTO book VALUES(0, %llu, %llu);"
		 "INSERT INTO book_state VALUES(1, 1, %lld, %lld)",
		 (unsigned long long)shared.segment, (unsigned long long)shared.nodes,
		 (long long)state.fold, (long long)book_state_sum(&state));
	return rc ? rc : db_exec(db, sql, e);
}

int partition_create(struct db *db, uint32_t day, struct err *e)
{
	int rc = db_exec(db, pragmas, e);

	if (!rc)
		rc = db_begin(db, "BEGIN IMMEDIATE", e);
	if (!rc)
		rc = db_exec(db, tables, e);
	if (!rc)
		rc = put_meta(db, "format", PARTITION_VERSION, e);
	if (!rc)
		rc = put_meta(db, "day", day, e);
	if (!rc)
		rc = put_state(db, e);
	if (!rc)
		rc = create_spans(db, e);
	if (!rc)
		rc = create_books(db, (struct book_entry){0, 1}, e);
	if (!rc)
		rc = db_exec(db, chunk_group_tables, e);
	if (!rc)
		rc = db_exec(db, detail_columns, e);
	if (!rc)
		rc = log_tables_create(db, e);
	if (!rc)
		rc = metric_tables_create(db, e);
	return rc ? rc : db_exec(db, "COMMIT", e);
}

/* Set *value to the number that the statement returns for `key`. */
static int query_number(struct db *db, const char *sql, const char *key, uint64_t *value,
			struct err *e)
{
	sqlite3_stmt *s = NULL;
	int rc = sqlite3_prepare_v2(db->handle, sql, -1, &s, NULL) ? db_error(db, e) : 0;

	if (!rc) {
		if (sqlite3_bind_parameter_count(s))
			db_bind_text(s, 1, str_from(key));
		rc = db_step(db, s, e);
		if (rc > 0)
			*value = db_u64(s, 0);
		rc = rc > 0 ? 0 : rc ? rc : err_set(e, -EUCLEAN, "it has no %s", key);
	}
	sqlite3_finalize(s);
	return rc;
}

static int meta_number(struct db *db, const char *key, uint64_t *value, struct err *e)
{
	return query_number(db, "SELECT value FROM meta WHERE key = ?", key, value, e);
}

int partition_check_version(struct db *db, uint32_t day, struct err *e)
{
	uint64_t format = 0, its_day = 0;
	int rc = meta_number(db, "format", &format, e);

	if (!rc && format > PARTITION_VERSION)
		rc = err_set(e, -ENOTSUP,
			     "is of format %llu, written by a newer varve; this one "
			     "reads up to %d",
			     (unsigned long long)format, PARTITION_VERSION);
	if (!rc)
		rc = meta_number(db, "day", &its_day, e);
	if (!rc && (its_day != day || !format))
		rc = err_set(e, -EUCLEAN, "is the partition of day %llu and not of its name",
			     (unsigned long long)its_day);
	return rc;
}

/* Make the one dictionary of the file book 0. */
static int migrate_books(struct db *db, struct err *e)
{
	struct book_entry shared = {0};
	int rc = query_number(db, "SELECT segment FROM state", "segment", &shared.segment, e);

	if (!rc)
		rc = query_number(db, "SELECT nodes FROM state", "nodes", &shared.nodes, e);
	return rc ? rc : create_books(db, shared, e);
}

int partition_migrate(struct db *db, struct err *e)
{
	uint64_t format = 0;
	char sql[80];
	int rc = meta_number(db, "format", &format, e);

	if (rc || format >= PARTITION_VERSION)
		return rc;
	rc = db_begin(db, "BEGIN IMMEDIATE", e);
	if (!rc && format < PARTITION_WITH_SPANS)
		rc = create_spans(db, e);
	if (!rc && format < PARTITION_WITH_LINKS)
		rc = db_exec(db, "ALTER TABLE chunk ADD COLUMN links DEFAULT 0", e);
	if (!rc && format < PARTITION_WITH_BOOKS)
		rc = migrate_books(db, e);
	if (!rc && format < PARTITION_WITH_CHUNK_GROUPS)
		rc = db_exec(db, chunk_group_tables, e);
	if (!rc && format < PARTITION_WITH_CHUNK_GROUPS)
		rc = chunk_groups_migrate(db, e);
	if (!rc && format < PARTITION_WITH_DETAILS)
		rc = db_exec(db, detail_columns, e);
	if (!rc && format < PARTITION_WITH_LOGS)
		rc = log_tables_create(db, e);
	if (!rc && format < PARTITION_WITH_METRICS)
		rc = metric_tables_create(db, e);
	snprintf(sql, sizeof(sql), "UPDATE meta SET value = %d WHERE key = 'format'",
		 PARTITION_VERSION);
	if (!rc)
		rc = db_exec(db, sql, e);
	if (!rc)
		rc = db_exec(db, "COMMIT", e);
	if (rc)
		db_rollback(db);
	return rc;
}
