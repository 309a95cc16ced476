/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The cache of chunk rows, and reading, verifying and migrating them. An entry is one group of one
 * partition; entries are in an LRU list of the store, and their memory is part of the budget of
 * readers' caches.
 */
#include "store/sqlite/catalog/chunk_cache.h"

#include <stdlib.h>

#include "store/sqlite/catalog/directory.h"
#include "store/sqlite/catalog/partitions.h"
#include "store/sqlite/catalog/schema.h"
#include "store/sqlite/read/reader.h"
#include "store/sqlite/store_state.h"

/* The cached rows of a group. Guarded by the store's books_mu. */
struct cached_chunks {
	struct lru_link use; /* first */
	struct partition *partition;
	struct chunk_group of;
	struct chunk_rows *rows;
};

static size_t bytes_of(const struct chunk_rows *r)
{
	return sizeof(struct cached_chunks) + sizeof(*r) + r->n * sizeof(r->at[0]);
}

/* ---- reading ---- */

static void read_row(sqlite3_stmt *s, struct chunk_entry *to)
{
	uint64_t *fields = &to->id;

	for (size_t k = 0; k < sizeof(*to) / sizeof(*fields); k++)
		fields[k] = db_u64(s, (int)k);
}

static int read_rows(struct db *db, uint32_t group, struct chunk_rows *to, struct err *e)
{
	sqlite3_stmt *s;
	uint32_t n = 0;
	int rc = db_statement(db, READ_CHUNKS_OF_GROUP, &s, e);

	if (rc)
		return rc;
	db_bind(s, 1, group);
	while ((rc = db_step(db, s, e)) > 0) {
		if (n == to->n) {
			rc = err_set(e, -EUCLEAN, "group %u has too many chunks", group);
			break;
		}
		read_row(s, &to->at[n]);
		if (to->at[n].hour > 23 || to->at[n].kind > CHUNK_ROLLUP_DAY) {
			rc = err_set(e, -EUCLEAN, "chunk %llu is damaged",
				     (unsigned long long)to->at[n].id);
			break;
		}
		n++;
	}
	sqlite3_reset(s);
	to->n = n;
	return rc;
}

int chunk_rows_read(struct chunk_rows **out, struct db *db, const struct chunk_group *expected,
		    struct err *e)
{
	struct chunk_rows *r = chunk_rows_new((uint32_t)expected->rows);
	struct chunk_group found;
	int rc = r ? 0 : err_errno(e, -ENOMEM, "read chunks");

	if (!rc && expected->rows)
		rc = read_rows(db, (uint32_t)expected->group, r, e);
	if (!rc && expected->rows) {
		found = chunk_rows_finish(r, (uint32_t)expected->group);
		if (memcmp(&found, expected, sizeof(found)) != 0)
			rc = err_set(e, -EUCLEAN, "the chunks of group %u do not add up to its row",
				     (uint32_t)expected->group);
	}
	if (rc) {
		chunk_rows_unref(r);
		return rc;
	}
	*out = r;
	return 0;
}

/* ---- the cache ---- */

/* Remove the entry from the lists. books_mu is held. */
static void unlist(struct sqlite_store *s, struct cached_chunks *c)
{
	lru_remove(&s->read_chunks, &c->use);
	c->partition->chunks[c->of.group] = NULL;
}

static void cached_free(struct sqlite_store *s, struct cached_chunks *c)
{
	budget_give(&s->cached, bytes_of(c->rows));
	chunk_rows_unref(c->rows);
	free(c);
}

bool chunk_cache_evict(struct sqlite_store *s)
{
	enum { AT_ONCE = 64 };
	struct lru_link *x, *next;
	unsigned n = 0;

	pthread_mutex_lock(&s->books_mu);
	for (x = s->read_chunks.oldest; x && n < AT_ONCE; x = next, n++) {
		next = x->newer;
		unlist(s, (struct cached_chunks *)x);
		cached_free(s, (struct cached_chunks *)x);
	}
	pthread_mutex_unlock(&s->books_mu);
	return n;
}

void chunk_cache_drop(struct partition *p)
{
	struct sqlite_store *s = p->store;

	pthread_mutex_lock(&s->books_mu);
	for (uint32_t i = 0; i < p->chunks_n; i++) {
		struct cached_chunks *c = p->chunks[i];

		if (!c)
			continue;
		unlist(s, c);
		cached_free(s, c);
	}
	free(take_ptr(&p->chunks));
	p->chunks_n = 0;
	pthread_mutex_unlock(&s->books_mu);
}

/* Grow the partition's list to have that group. Return false without memory. books_mu is held. */
static bool fit_groups(struct partition *p, uint32_t group)
{
	uint32_t n = p->chunks_n ? p->chunks_n : 16;
	struct cached_chunks **grown;

	if (group < p->chunks_n)
		return true;
	while (n <= group)
		n *= 2;
	grown = realloc(p->chunks, n * sizeof(struct cached_chunks *));
	if (!grown)
		return false;
	memset(grown + p->chunks_n, 0, (n - p->chunks_n) * sizeof(struct cached_chunks *));
	p->chunks = grown;
	p->chunks_n = n;
	return true;
}

/* Return the cached rows with a reference, or NULL. */
static struct chunk_rows *cache_get(struct partition *p, const struct chunk_group *g)
{
	struct sqlite_store *s = p->store;
	struct chunk_rows *found = NULL;
	struct cached_chunks *c;

	pthread_mutex_lock(&s->books_mu);
	c = g->group < p->chunks_n ? p->chunks[g->group] : NULL;
	if (c && memcmp(&c->of, g, sizeof(*g)) == 0) {
		lru_use(&s->read_chunks, &c->use);
		found = chunk_rows_ref(c->rows);
	}
	pthread_mutex_unlock(&s->books_mu);
	return found;
}

/* Cache the rows instead of older ones of the group, unless the budget is exhausted. */
static void cache_put(struct partition *p, const struct chunk_group *g, struct chunk_rows *rows)
{
	struct sqlite_store *s = p->store;
	struct cached_chunks *c, *old;

	if (!budget_take(&s->cached, bytes_of(rows)) &&
	    (!chunk_cache_evict(s) || !budget_take(&s->cached, bytes_of(rows))))
		return;
	c = malloc(sizeof(*c));
	pthread_mutex_lock(&s->books_mu);
	old = g->group < p->chunks_n ? p->chunks[g->group] : NULL;
	if (!c || !fit_groups(p, (uint32_t)g->group) || (old && old->of.newest > g->newest)) {
		budget_give(&s->cached, bytes_of(rows));
		free(c);
	} else {
		if (old) {
			unlist(s, old);
			cached_free(s, old);
		}
		*c = (struct cached_chunks){.partition = p, .of = *g, .rows = chunk_rows_ref(rows)};
		p->chunks[g->group] = c;
		lru_add(&s->read_chunks, &c->use);
	}
	pthread_mutex_unlock(&s->books_mu);
}

int reader_chunks(struct reader *r, uint32_t group, struct chunk_range *out, struct err *e)
{
	const struct chunk_list *l = r->directory->chunks;
	struct chunk_group g = chunk_list_get(l, group);
	int rc = 0;

	*out = (struct chunk_range){0};
	if (!g.rows)
		return 0;
	if (!r->chunks || r->chunks_group != group) {
		chunk_rows_unref(take_ptr(&r->chunks));
		r->chunks_group = group;
		r->chunks =
			l->pinned ? chunk_rows_ref(l->pinned[group]) : cache_get(r->partition, &g);
		if (!r->chunks) {
			rc = chunk_rows_read(&r->chunks, &r->connection->db, &g, e);
			if (rc)
				err_prefix(e, "partition %s", r->partition->name);
			else
				cache_put(r->partition, &g, r->chunks);
		}
	}
	if (!rc)
		*out = (struct chunk_range){r->chunks->at, r->chunks->n};
	return rc;
}

int chunk_group_write(struct db *db, const struct chunk_group *g, struct err *e)
{
	const uint64_t *fields = &g->group;
	size_t n = g->rows ? sizeof(*g) / sizeof(*fields) : 1;
	sqlite3_stmt *s;
	int rc = db_statement(db, g->rows ? WRITE_CHUNK_GROUP : DELETE_CHUNK_GROUP, &s, e);

	if (rc)
		return rc;
	for (size_t i = 0; i < n; i++)
		db_bind(s, (int)i + 1, fields[i]);
	return db_run(db, s, e);
}

/* ---- files from before format 5 ---- */

/* The state of a migration, group by group. */
struct migration {
	struct db *db;
	struct arena arena;
	VEC(struct chunk_entry) rows; /* of the current group */
	struct partition_state state;
};

static int put_group(struct migration *m, struct err *e)
{
	struct chunk_rows *r = chunk_rows_new(m->rows.n);
	struct chunk_group g;

	if (!r)
		return err_errno(e, -ENOMEM, "migrate chunks");
	memcpy(r->at, m->rows.at, m->rows.n * sizeof(r->at[0]));
	g = chunk_rows_finish(r, (uint32_t)m->rows.at[0].group);
	chunk_rows_unref(r);
	m->state.fold ^= g.fold ^ chunk_group_sum(&g);
	m->rows.n = 0;
	return chunk_group_write(m->db, &g, e);
}

static int put_groups(struct migration *m, struct err *e)
{
	sqlite3_stmt *s;
	int rc = db_statement(m->db, READ_CHUNKS, &s, e);

	if (rc)
		return rc;
	while ((rc = db_step(m->db, s, e)) > 0) {
		struct chunk_entry entry;

		read_row(s, &entry);
		rc = 0;
		if (m->rows.n && m->rows.at[0].group != entry.group)
			rc = put_group(m, e);
		if (!rc)
			rc = vec_push(&m->arena, &m->rows, entry);
		if (rc)
			break;
	}
	sqlite3_reset(s);
	return rc || !m->rows.n ? rc : put_group(m, e);
}

int chunk_groups_migrate(struct db *db, struct err *e)
{
	struct migration m = {.db = db};
	int rc = state_read(db, &m.state, e);

	arena_init(&m.arena, NULL);
	if (!rc)
		rc = put_groups(&m, e);
	if (!rc)
		rc = state_write(db, &m.state, e);
	arena_fini(&m.arena);
	return rc;
}
