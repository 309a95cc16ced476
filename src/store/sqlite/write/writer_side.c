/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Opening and closing a partition for writing, the index of its groups, and publishing directories.
 */
#include "store/sqlite/write/writer_side.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "store/sqlite/catalog/changes.h"
#include "store/sqlite/catalog/data_directory.h"
#include "store/sqlite/catalog/directory.h"
#include "store/sqlite/catalog/partitions.h"
#include "store/sqlite/catalog/schema.h"
#include "store/sqlite/write/wal.h"

static const char write_pragmas[] = "PRAGMA synchronous = FULL;"
				    "PRAGMA cache_size = -4096;"
				    "PRAGMA cell_size_check = ON;"
				    "PRAGMA wal_autocheckpoint = 0;"
				    "PRAGMA journal_size_limit = 1048576;";

/* Sync a file or directory to disk. */
static int sync_path(const char *path, int flags, struct err *e)
{
	int rc = 0, fd = open(path, O_RDONLY | O_CLOEXEC | flags);

	if (fd < 0 || fsync(fd))
		rc = err_errno(e, -errno, "create a partition");
	if (fd >= 0)
		close(fd);
	return rc;
}

/* Remove the log of a deleted file of this name: SQLite would apply it to the new file. */
static void remove_leftovers(const struct partition *p)
{
	static const char *const suffixes[] = {"-wal", "-shm"};
	char path[4200];

	for (size_t i = 0; i < countof(suffixes); i++) {
		snprintf(path, sizeof(path), "%s%s", p->path, suffixes[i]);
		unlink(path);
	}
}

/*
 * Create the file under a temporary name, and rename it when it is complete and synced. So a
 * partition without its tables is always damaged, never half created by kill -9. Only this step is
 * synced, because senders wait for it.
 */
static int create_file(struct partition *p, struct err *e)
{
	char temporary[4200];
	struct db db = {0};
	int rc;

	remove_leftovers(p);
	snprintf(temporary, sizeof(temporary), "%s.new", p->path);
	unlink(temporary);
	rc = db_open(&db, p->store->vfs, temporary, DB_CREATE, statements, STATEMENTS, e);
	if (!rc)
		rc = db_exec(&db, "PRAGMA synchronous = OFF", e);
	if (!rc)
		rc = partition_create(&db, p->day, e);
	db_close(&db); /* checkpoints the log */
	if (!rc)
		rc = sync_path(temporary, 0, e);
	if (!rc && rename(temporary, p->path))
		rc = err_errno(e, -errno, "create a partition");
	if (rc) {
		unlink(temporary);
		return rc;
	}
	return sync_path(p->store->directory, O_DIRECTORY, e);
}

static int open_file(struct writer_side *side, struct partition *p, struct err *e)
{
	int rc = data_directory_claim(p->store, e);

	if (!rc)
		rc = file_check(p, e);
	if (!rc && access(p->path, F_OK))
		rc = create_file(p, e);
	if (!rc)
		rc = db_open(&side->db, p->store->vfs, p->path, DB_WRITE, statements, STATEMENTS,
			     e);
	if (!rc)
		rc = db_exec(&side->db, write_pragmas, e);
	if (!rc)
		rc = partition_check_version(&side->db, p->day, e);
	if (!rc)
		rc = partition_migrate(&side->db, e);
	if (rc)
		return rc;
	wal_watch(side);
	rc = file_id_of(p, "", &p->file);
	if (!rc)
		rc = file_id_of(p, "-wal", &side->log);
	return rc ? err_errno(e, rc, "open a partition") : 0;
}

struct file_id writer_log(const struct partition *p)
{
	return p->writer ? p->writer->log : (struct file_id){0};
}

int writer_local_fit(struct writer_side *side, uint32_t number)
{
	uint32_t n = side->local_n ? side->local_n : 256;
	uint32_t *grown;

	if (number < side->local_n)
		return 0;
	while (n <= number)
		n *= 2;
	grown = realloc(side->local, n * sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	memset(grown + side->local_n, 0, (n - side->local_n) * sizeof(*grown));
	side->local = grown;
	side->local_n = n;
	return 0;
}

static int index_series(struct writer_side *side, const struct series_list *l)
{
	int rc = 0;

	for (uint32_t i = 0; !rc && i < l->series.n; i++) {
		rc = writer_local_fit(side, l->series.at[i].number);
		if (!rc)
			side->local[l->series.at[i].number] = i + 1;
	}
	return rc;
}

static int load_directory_for_writing(struct writer_side *side, struct partition *p,
				      struct directory **d, struct err *e)
{
	int rc = db_begin(&side->db, "BEGIN", e);

	if (!rc)
		rc = directory_load(d, &side->db, &p->store->registry, e);
	return rc ? rc : db_exec(&side->db, "COMMIT", e);
}

static uint32_t service_hash(const struct group *g)
{
	return (uint32_t)(hash_bytes(g->service.p, g->service.n) ^
			  hash_bytes(g->tenant.p, g->tenant.n) * 31);
}

static uint32_t group_hash(const struct group *g)
{
	return (uint32_t)(service_hash(g) * 31 + hash_bytes(g->type.p, g->type.n));
}

static bool same_service(const struct group *a, const struct group *b)
{
	return str_eq(a->service, b->service) && str_eq(a->tenant, b->tenant);
}

static bool book_is_full(const struct writer_side *side, uint32_t book)
{
	return book < side->books_cap && side->full[book];
}

struct group_search writer_find_groups(const struct writer_side *side, const struct group *like,
				       uint32_t except)
{
	return (struct group_search){idset_seek(&side->groups, group_hash(like)), like, except};
}

bool writer_next_group(const struct writer_side *side, struct group_search *s, uint32_t *group)
{
	while (idset_next(&side->groups, &s->cursor, group)) {
		const struct group *o = &side->series->groups.at[*group];

		if (*group != s->except && str_eq(o->type, s->like->type) &&
		    same_service(o, s->like))
			return true;
	}
	return false;
}

/*
 * Find the newest group of that tenant, service and type: a service has one in each of its books.
 */
static bool find_newest_group(const struct writer_side *side, const struct group *g,
			      uint32_t *group)
{
	struct group_search s = writer_find_groups(side, g, UINT32_MAX);
	bool found = false;
	uint32_t id;

	while (writer_next_group(side, &s, &id)) {
		*group = found && *group > id ? *group : id;
		found = true;
	}
	return found;
}

/* The books of a service: their number, the newest one, and their nodes on disk. */
struct service_books {
	uint32_t n, newest;
	uint64_t nodes;
};

static struct service_books books_of_service(const struct writer_side *side, const struct group *g)
{
	struct idset_cursor c = idset_seek(&side->services, service_hash(g));
	struct service_books found = {0};
	uint32_t group;

	while (idset_next(&side->services, &c, &group)) {
		const struct group *o = &side->series->groups.at[group];

		if (!same_service(o, g))
			continue;
		found.newest = found.n++ && found.newest > o->book ? found.newest : o->book;
		/* book 0 may be shared by all services */
		if (o->book && o->book < side->on_disk->n)
			found.nodes += side->on_disk->at[o->book].nodes;
	}
	return found;
}

static int index_group(struct writer_side *side, uint32_t id)
{
	const struct group *g = &side->series->groups.at[id];
	struct service_books books = books_of_service(side, g);
	int rc = idset_add(&side->groups, group_hash(g), id);

	if (!rc && (!books.n || books.newest != g->book))
		rc = idset_add(&side->services, service_hash(g), id);
	return rc;
}

/* Return the book for a new group; book_count for a new book. */
static uint32_t choose_book(const struct writer_side *side, const struct group *g)
{
	struct service_books books = books_of_service(side, g);

	if (books.n ? !book_is_full(side, books.newest) : side->store->options.one_book)
		return books.newest;
	return side->book_count;
}

int writer_may_begin_book(const struct writer_side *side, uint32_t group, struct err *e)
{
	uint64_t nodes = books_of_service(side, &side->series->groups.at[group]).nodes;
	uint64_t most = side->store->options.service_nodes;

	if (!most || nodes <= most)
		return 0;
	return err_set(e, -EDQUOT,
		       "the stacks of the service have %llu nodes this day, the limit is %llu "
		       "(max_stack_nodes): new stacks are refused",
		       (unsigned long long)nodes, (unsigned long long)most);
}

int writer_group_of(struct writer_side *side, const struct registry_series *s, uint32_t *group,
		    struct err *e)
{
	struct group g = group_of_series(s);
	int rc;

	if (find_newest_group(side, &g, group) &&
	    !book_is_full(side, side->series->groups.at[*group].book))
		return 0;
	if (side->series->groups.n >= GROUPS_MAX)
		return err_set(e, -EDQUOT, "the day has %u services and profile types already",
			       GROUPS_MAX);
	g.book = choose_book(side, &g);
	*group = side->series->groups.n;
	rc = series_list_add_group(side->series, &g);
	if (!rc)
		rc = index_group(side, *group);
	if (!rc && g.book == side->book_count)
		side->book_count++;
	return rc;
}

void writer_books_changed(struct partition *p)
{
	book_list_unref(p->writer->on_disk);
	p->writer->on_disk = p->directory->books;
	atomic_fetch_add(&p->writer->on_disk->refs, 1);
}

int writer_ready(struct partition *p, struct err *e)
{
	struct writer_side *side = p->writer;
	int rc;

	if (side->ready)
		return 0;
	arena_reset(&side->index);
	side->grown.at = NULL;
	side->grown.n = side->grown.cap = 0;
	writer_books_changed(p);
	side->book_count = side->on_disk->n;
	rc = idset_init(&side->groups, &side->index, side->series->groups.n);
	if (!rc)
		rc = idset_init(&side->services, &side->index, side->series->groups.n);
	for (uint32_t i = 0; !rc && i < side->series->groups.n; i++)
		rc = index_group(side, i);
	if (!rc)
		rc = index_series(side, side->series);
	if (rc) {
		err_prefix(e, "partition %s", p->name);
		return err_errno(e, rc, "read a partition");
	}
	side->ready = true;
	return 0;
}

/*
 * The side's books are freed already, with map_mu held. Closing the file may take long, so map_mu
 * is not held here.
 */
static void side_free(struct writer_side *side)
{
	if (!side)
		return;
	db_close(&side->db);
	book_list_unref(side->on_disk);
	arena_fini(&side->index);
	memo_table_fini(&side->memos);
	series_list_unref(side->series);
	free(side->local);
	known_ids_fini(&side->ids);
	arena_fini(&side->pending.arena);
	arena_fini(&side->sealed.arena);
	directory_unref(side->next);
	buf_fini(&side->raw);
	buf_fini(&side->block);
	buf_fini(&side->segment);
	buf_fini(&side->raw_segments);
	buf_fini(&side->labels);
	metric_index_unref(side->metrics);
	free(side);
}

static void set_writer(struct partition *p, struct writer_side *side)
{
	pthread_mutex_lock(&p->mu);
	p->writer = side;
	pthread_mutex_unlock(&p->mu);
}

int writer_attach(struct partition *p, struct err *e)
{
	struct writer_side *side;
	struct directory *d = NULL;
	int rc;

	pthread_mutex_lock(&p->mu);
	p->used_ns = clock_monotonic_ns();
	pthread_mutex_unlock(&p->mu);
	if (p->writer)
		return 0;
	side = calloc(1, sizeof(*side));
	if (!side)
		return err_errno(e, -ENOMEM, "open a partition");
	side->store = p->store;
	side->memos.budget = &p->store->budget;
	side->ids.budget = side->ids.recent.budget = side->ids.before.budget = &p->store->budget;
	arena_init(&side->index, NULL);
	side->memos.limit = p->store->budget.limit / 16;
	arena_init(&side->pending.arena, &p->store->budget);
	arena_init(&side->sealed.arena, &p->store->budget);
	side->ticket = atomic_fetch_add(&p->store->tickets, 1) + 1;
	rc = open_file(side, p, e);
	if (!rc)
		rc = load_directory_for_writing(side, p, &d, e);
	if (rc) {
		directory_unref(d);
		side_free(side);
		err_prefix(e, "partition %s", p->name);
		return rc;
	}
	side->series = d->series;
	side->series_shared = true;
	atomic_fetch_add(&side->series->refs, 1);
	set_writer(p, side);
	partition_publish(p, d);
	return 0;
}

/*
 * Close the partition for writing. With `only_idle` keep it open, and return false, if writes were
 * mapped meanwhile: the checkpoint may take long.
 */
static bool detach_side(struct partition *p, bool only_idle)
{
	struct writer_side *side = p->writer;
	bool idle;

	if (!side)
		return true;
	wal_finish(p);
	pthread_mutex_lock(&p->store->map_mu);
	idle = !commit_rows_any(&side->pending);
	if (idle || !only_idle) {
		set_writer(p, NULL);
		writer_books_free(side);
	}
	pthread_mutex_unlock(&p->store->map_mu);
	if (idle || !only_idle)
		side_free(side);
	return idle;
}

void writer_detach(struct partition *p)
{
	detach_side(p, false);
}

bool writer_detach_idle(struct partition *p)
{
	return detach_side(p, true);
}

void partition_publish(struct partition *p, struct directory *d)
{
	struct directory *old;

	pthread_mutex_lock(&p->mu);
	old = p->directory;
	changes_of_partition(p, d);
	p->directory = d;
	p->closed_day = false;
	p->dropped = 0;
	p->look_again_ns = 0;
	pthread_mutex_unlock(&p->mu);
	directory_unref(old);
}

static uint64_t pragma_number(struct db *db, const char *sql)
{
	sqlite3_stmt *s = NULL;
	uint64_t n = 0;

	if (!sqlite3_prepare_v2(db->handle, sql, -1, &s, NULL) && sqlite3_step(s) == SQLITE_ROW)
		n = db_u64(s, 0);
	sqlite3_finalize(s);
	return n;
}

enum { FREE_PAGES_MIN = 32, VACUUM_PAGES = 256 }; /* a step takes a few milliseconds */

bool writer_give_back(struct partition *p)
{
	struct db *db = &p->writer->db;
	uint64_t free_pages = pragma_number(db, "PRAGMA freelist_count");
	uint64_t pages = pragma_number(db, "PRAGMA page_count");
	char sql[64];

	p->writer->used_pages = (uint32_t)(pages - free_pages);
	/* a third may stay free: the next blocks reuse it */
	if (free_pages <= FREE_PAGES_MIN || free_pages <= pages / 3)
		return false;
	snprintf(sql, sizeof(sql), "PRAGMA incremental_vacuum(%d)", VACUUM_PAGES);
	return !db_exec(db, sql, NULL); /* on error: retry later */
}
