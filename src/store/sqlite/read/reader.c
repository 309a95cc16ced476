/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading a partition from one snapshot. A reader takes an idle connection of the partition, begins
 * a transaction and reads the version of the file. The directory of that version is in memory, or
 * will be in a moment (the writer publishes it right after its commit), or is loaded if the writer
 * does not have the partition open.
 */
#include "store/sqlite/read/reader.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "store/sqlite/catalog/chunk_cache.h"
#include "store/sqlite/catalog/schema.h"
#include "store/sqlite/metrics/metric_write.h"
#include "store/sqlite/read/book_cache.h"
#include "store/sqlite/read/series_index.h"
#include "store/sqlite/read/spans/filter_cache.h"

/*
 * The writer publishes its directory right after the commit, but on a busy machine it may be
 * descheduled in between: a reader yields at first, then sleeps, for ten seconds in all.
 */
enum { VERSION_YIELDS = 64, VERSION_TRIES = 20000, VERSION_SLEEP_NS = 500000 };

static const char read_pragmas[] = "PRAGMA cache_size = -256; PRAGMA cell_size_check = ON;";

/* On a read-only file system the log's index cannot be created: then open only the file. */
static int open_read_only(struct reader_connection *c, struct partition *p, struct err *e)
{
	struct err ignored = {0};
	char uri[4200];
	int rc = db_open(&c->db, p->store->vfs, p->path, DB_READ, statements, STATEMENTS, &ignored);

	if (!rc)
		rc = db_exec(&c->db, "SELECT count(*) FROM meta", &ignored);
	if (!rc)
		return 0;
	db_close(&c->db);
	snprintf(uri, sizeof(uri), "file:%s?immutable=1", p->path);
	return db_open(&c->db, p->store->vfs, uri, DB_READ, statements, STATEMENTS, e);
}

static void connection_free(struct reader_connection *c)
{
	if (!c)
		return;
	frame_unpacker_fini(&c->unpacker);
	db_close(&c->db);
	free(c);
}

static int connection_new(struct reader_connection **out, struct partition *p, struct err *e)
{
	struct reader_connection *c = calloc(1, sizeof(*c));
	int rc;

	if (!c)
		return err_errno(e, -ENOMEM, "open a partition");
	rc = p->store->options.read_only
		     ? open_read_only(c, p, e)
		     : db_open(&c->db, p->store->vfs, p->path, DB_WRITE, statements, STATEMENTS, e);
	if (!rc)
		rc = db_exec(&c->db, read_pragmas, e);
	if (!rc)
		rc = partition_check_version(&c->db, p->day, e);
	if (rc) {
		connection_free(c);
		return rc;
	}
	*out = c;
	return 0;
}

static bool close_idle_connections(struct partition *p)
{
	struct reader_connection *idle;
	bool any;

	pthread_mutex_lock(&p->mu);
	idle = take_ptr(&p->idle);
	pthread_mutex_unlock(&p->mu);
	any = idle;
	while (idle) {
		struct reader_connection *next = idle->next;

		atomic_fetch_sub(&p->store->idle, 1);
		connection_free(idle);
		idle = next;
	}
	return any;
}

/*
 * Close the idle connections of all days, in case there are no descriptors left. Return whether
 * there were any.
 */
static bool close_all_idle(struct sqlite_store *s)
{
	uint32_t n;
	struct partition **list = partitions_between(s, 0, UINT64_MAX, &n);
	bool any = false;

	for (uint32_t i = 0; list && i < n; i++)
		any |= close_idle_connections(list[i]);
	partitions_release(list, n);
	return any;
}

static int connection_take(struct reader *r, struct err *e)
{
	struct err first = {0};
	struct partition *p = r->partition;
	bool gone;
	int rc;

	pthread_mutex_lock(&p->mu);
	gone = p->gone;
	r->connection = p->idle;
	if (r->connection) {
		p->idle = r->connection->next;
		atomic_fetch_sub(&p->store->idle, 1);
	}
	p->used_ns = clock_monotonic_ns();
	pthread_mutex_unlock(&p->mu);
	if (gone)
		return -ENOENT;
	rc = r->connection ? 0 : connection_new(&r->connection, p, &first);
	if (rc && close_all_idle(p->store))
		return connection_new(&r->connection, p, e);
	if (rc && e && !e->code)
		*e = first;
	return rc;
}

/* Read the version of the snapshot of the connection's transaction. */
static int snapshot_version(struct reader_connection *c, uint64_t *version, struct err *e)
{
	sqlite3_stmt *s;
	int rc = db_statement(&c->db, READ_VERSION, &s, e);

	if (rc)
		return rc;
	rc = db_step(&c->db, s, e);
	if (rc > 0)
		*version = db_u64(s, 0);
	sqlite3_reset(s);
	return rc > 0 ? 0 : rc ? rc : err_set(e, -EUCLEAN, "its state is missing");
}

/* Load the directory of the snapshot, and make it the partition's if that has none. */
static int load_directory(struct reader *r, struct err *e)
{
	struct partition *p = r->partition;
	int rc = directory_load(&r->directory, &r->connection->db, &p->store->registry, e);

	if (rc)
		return rc;
	pthread_mutex_lock(&p->mu);
	/* read-only: another process changes it */
	if (!p->directory && !p->store->options.read_only)
		p->directory = directory_ref(r->directory);
	pthread_mutex_unlock(&p->mu);
	return 0;
}

/* Try once to get a snapshot and its directory. Return 1, 0 if their versions differ, or -errno. */
static int try_snapshot(struct reader *r, struct err *e)
{
	struct partition *p = r->partition;
	struct directory *d = NULL;
	uint64_t version = 0;
	int rc = db_begin(&r->connection->db, "BEGIN", e);

	if (!rc)
		rc = snapshot_version(r->connection, &version, e);
	if (rc)
		return rc;
	pthread_mutex_lock(&p->mu);
	if (p->directory)
		d = directory_ref(p->directory);
	pthread_mutex_unlock(&p->mu);
	if (!d) {
		rc = load_directory(r, e);
		return rc ? rc : 1;
	}
	if (d->state.version == version) {
		r->directory = d;
		return 1;
	}
	directory_unref(d);
	return db_exec(&r->connection->db, "COMMIT", e);
}

int reader_begin(struct reader *r, struct partition *p, struct err *e)
{
	int rc;

	*r = (struct reader){.partition = p};
	rc = connection_take(r, e);
	for (unsigned i = 0; !rc && i < VERSION_TRIES; i++) {
		rc = try_snapshot(r, e);
		if (rc) {
			rc = rc > 0 ? 0 : rc;
			break;
		}
		if (i < VERSION_YIELDS)
			sched_yield();
		else
			nanosleep(&(struct timespec){.tv_nsec = VERSION_SLEEP_NS}, NULL);
	}
	if (!rc && !r->directory)
		rc = err_set(e, -EIO, "its directory has another version");
	if (rc)
		err_prefix(e, "partition %s", p->name);
	return rc;
}

void reader_end(struct reader *r)
{
	struct partition *p = r->partition;
	bool keep = false;

	reader_leave(r);
	chunk_rows_unref(take_ptr(&r->chunks));
	directory_unref(r->directory);
	if (r->connection) {
		keep = db_rollback(&r->connection->db);
		/* a query of many days continues with the next one: not all need stay open */
		if (atomic_load(&p->store->idle) >= p->store->idle_most)
			close_all_idle(p->store);
		pthread_mutex_lock(&p->mu);
		keep = keep && !p->gone;
		if (keep) {
			r->connection->next = p->idle;
			p->idle = r->connection;
			atomic_fetch_add(&p->store->idle, 1);
		}
		pthread_mutex_unlock(&p->mu);
	}
	if (!keep)
		connection_free(r->connection);
	*r = (struct reader){0};
}

/* ---- blobs ---- */

static int read_blob_frame(struct reader *r, enum statement which, uint64_t id,
			   enum frame_kind kind, struct arena *arena, struct str *out,
			   struct err *e)
{
	struct db *db = &r->connection->db;
	sqlite3_stmt *s;
	int rc = db_statement(db, which, &s, e);

	if (!rc) {
		db_bind(s, 1, id);
		rc = db_step(db, s, e);
		if (rc > 0) {
			struct str frame = db_bytes(s, 0);

			rc = frame_get(frame, kind, &r->connection->unpacker, arena, out, e);
			/* uncompressed data still points into the statement's row */
			if (!rc && out->p >= frame.p && out->p <= frame.p + frame.n)
				rc = arena_copy_str(arena, *out, out);
		} else if (!rc) {
			rc = err_set(e, -EUCLEAN, "%s %llu is missing", frame_kind_name(kind),
				     (unsigned long long)id);
		}
		sqlite3_reset(s);
	}
	if (rc)
		err_prefix(e, "partition %s", r->partition->name);
	return rc;
}

int reader_level0(struct reader *r, const struct level0_entry *entry, struct arena *arena,
		  struct rows *out, struct err *e)
{
	struct str bytes;
	int rc = read_blob_frame(r, READ_LEVEL0, entry->id, FRAME_LEVEL0, arena, &bytes, e);

	if (!rc)
		rc = rows_view(out, bytes, e);
	if (!rc && (out->series.n != entry->profiles || out->node.n != entry->samples))
		rc = err_set(e, -EUCLEAN, "a level0 block does not match its entry");
	return rc;
}

int reader_blob(struct reader *r, uint64_t id, enum frame_kind kind, struct arena *arena,
		struct str *out, struct err *e)
{
	return read_blob_frame(r, READ_BLOB, id, kind, arena, out, e);
}

void partition_shrink(struct partition *p)
{
	struct directory *directory = NULL;

	book_cache_drop(p);
	chunk_cache_drop(p);
	span_filters_drop(p);
	metric_index_shrink(p);
	close_idle_connections(p);
	pthread_mutex_lock(&p->mu);
	if (!p->writer)
		directory = take_ptr(&p->directory);
	else if (p->directory)
		series_index_shrink(p->directory->index);
	pthread_mutex_unlock(&p->mu);
	directory_unref(directory);
}
