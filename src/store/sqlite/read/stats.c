/* SPDX-License-Identifier: Apache-2.0 */
/* Statistics: what is stored, of one tenant or of all, and its size on disk. */
#include "store/sqlite/read/stats.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "store/sqlite/catalog/day.h"
#include "store/sqlite/catalog/directory.h"
#include "store/sqlite/catalog/partitions.h"
#include "store/sqlite/catalog/schema.h"
#include "store/sqlite/read/reader.h"
#include "store/sqlite/store_state.h"

static uint64_t file_bytes(const struct partition *p, const char *suffix)
{
	char path[sizeof(p->path) + 8];
	struct stat st;

	snprintf(path, sizeof(path), "%s%s", p->path, suffix);
	return stat(path, &st) == 0 ? (uint64_t)st.st_size : 0;
}

uint64_t partition_log_bytes(const struct partition *p)
{
	return file_bytes(p, "-wal");
}

uint64_t partition_file_bytes(const struct partition *p)
{
	return file_bytes(p, "") + partition_log_bytes(p);
}

struct stats_work {
	struct store_stats *out;
	struct str tenant;
	uint8_t *seen; /* by number of the registry: already counted */
	uint32_t seen_n;
	uint32_t logs; /* partitions with a write-ahead log */
};

static int count_stored_series(struct sqlite_store *s, struct stats_work *w,
			       const struct series_list *l)
{
	uint32_t n = atomic_load(&s->registry.count);

	if (n > w->seen_n || !w->seen) {
		uint8_t *grown = realloc(w->seen, n + 1);

		if (!grown)
			return -ENOMEM;
		memset(grown + w->seen_n, 0, n - w->seen_n);
		w->seen = grown;
		w->seen_n = n;
	}
	for (uint32_t i = 0; i < l->series.n; i++) {
		uint32_t number = l->series.at[i].number;

		if (w->seen[number] ||
		    (w->tenant.n && !str_eq(registry_get(&s->registry, number)->tenant, w->tenant)))
			continue;
		w->seen[number] = 1;
		w->out->series++;
	}
	return 0;
}

/* Add the bytes of names and labels, which queries need besides the blobs, to *sum. */
static int add_table_bytes(const struct sqlite_store *s, struct reader *r, uint64_t *sum,
			   struct err *e)
{
	const struct series_list *l = r->directory->series;
	struct db *db = &r->connection->db;
	sqlite3_stmt *statement;
	int rc = db_statement(db, READ_DICTIONARY_BYTES, &statement, e);

	if (rc)
		return rc;
	rc = db_step(db, statement, e);
	if (rc > 0)
		*sum += db_u64(statement, 0);
	sqlite3_reset(statement);
	if (rc < 0)
		return rc;
	for (uint32_t i = 0; i < l->series.n; i++)
		*sum += registry_get(&s->registry, l->series.at[i].number)->encoded.n;
	return 0;
}

static void add_times(struct store_stats *out, uint64_t first, uint64_t last)
{
	out->oldest = !out->oldest || first < out->oldest ? first : out->oldest;
	out->newest = last > out->newest ? last : out->newest;
}

/* ---- of one tenant ---- */

static bool is_tenants(const struct series_list *l, uint32_t group, struct str tenant)
{
	return group < l->groups.n && str_eq(l->groups.at[group].tenant, tenant);
}

/* Add the tenant's part of a level-0 block, which has the profiles of all tenants. */
static int add_level0(const struct stats_work *w, struct reader *r,
		      const struct level0_entry *entry, struct err *e)
{
	const struct series_list *l = r->directory->series;
	struct arena arena;
	struct rows rows;
	int rc;

	arena_init(&arena, NULL);
	rc = reader_level0(r, entry, &arena, &rows, e);
	for (uint32_t i = 0; !rc && i < rows.series.n; i++) {
		uint32_t series = rows.series.at[i];

		if (series >= l->series.n || !is_tenants(l, l->series.at[series].group, w->tenant))
			continue;
		w->out->profiles++;
		w->out->samples += rows.count.at[i];
		add_times(w->out, rows.time.at[i], rows.time.at[i]);
	}
	arena_fini(&arena);
	return rc;
}

static void add_chunks(struct store_stats *out, const struct chunk_group *g)
{
	out->bytes_live += g->bytes;
	out->profiles += g->profiles;
	out->samples += g->samples;
	if (g->profiles)
		add_times(out, g->first, g->last);
}

static int add_tenant(struct stats_work *w, struct reader *r, struct err *e)
{
	const struct directory *d = r->directory;
	uint64_t before = w->out->profiles;
	int rc = 0;

	for (uint32_t g = 0; g < d->chunks->groups; g++)
		if (is_tenants(d->series, g, w->tenant))
			add_chunks(w->out, &d->chunks->at[g]);
	for (uint32_t i = 0; !rc && i < d->level0_n; i++)
		rc = add_level0(w, r, &d->level0[i], e);
	w->out->bytes_disk = w->out->bytes_live;
	w->out->partitions += w->out->profiles > before;
	return rc;
}

/* ---- of all ---- */

static void add_metrics(struct store_stats *out, const struct metric_list *l)
{
	uint64_t series = 0;

	for (uint32_t i = 0; i < l->n; i++) {
		const struct metric_entry *m = &l->at[i];

		out->bytes_metrics += m->bytes;
		if (m->kind == METRIC_BLOCK_SERIES)
			series += m->series;
		else if (m->kind != METRIC_BLOCK_EXTRAS)
			out->metric_samples += m->samples;
	}
	out->metric_series = series > out->metric_series ? series : out->metric_series;
}

static int add_partition(struct sqlite_store *s, struct stats_work *w, struct partition *p,
			 struct err *e)
{
	struct reader r = {0};
	struct store_stats *out = w->out;
	int rc = reader_begin(&r, p, e);

	if (!rc && w->tenant.n) {
		rc = add_tenant(w, &r, e);
		if (!rc)
			rc = count_stored_series(s, w, r.directory->series);
		reader_end(&r);
		return rc;
	}
	if (!rc) {
		const struct directory *d = r.directory;

		out->partitions++;
		out->profiles += d->state.profiles;
		out->samples += d->state.samples;
		out->bytes_ingested += d->state.ingested;
		for (uint32_t i = 0; i < d->spans->n; i++) {
			out->spans += d->spans->at[i].spans;
			out->bytes_spans += d->spans->at[i].bytes;
		}
		for (uint32_t i = 0; i < d->logs->n; i++) {
			out->logs += d->logs->at[i].logs;
			out->bytes_logs += d->logs->at[i].bytes;
		}
		add_metrics(out, d->metrics);
		out->bytes_live += d->bytes;
		if (d->first <= d->last)
			add_times(out, d->first, d->last);
		rc = add_table_bytes(s, &r, &out->bytes_live, e);
		if (!rc && count_stored_series(s, w, d->series))
			rc = err_errno(e, -ENOMEM, "count series");
	}
	reader_end(&r);
	out->bytes_disk += partition_file_bytes(p);
	w->logs += partition_log_bytes(p) > 0;
	return rc;
}

static void set_memory(struct sqlite_store *s, struct store_stats *out)
{
	const struct budget *const parts[STORE_MEMORIES] = {
		[STORE_WRITING] = &s->budget,
		[STORE_READING] = &s->cached,
		[STORE_MERGING] = &s->work,
	};

	for (unsigned i = 0; i < STORE_MEMORIES; i++) {
		out->memory[i].used = atomic_load(&parts[i]->used);
		out->memory[i].limit = parts[i]->limit;
	}
}

/* A damaged or dropped partition is skipped: return 0 for it, or another error, which is copied. */
static int skip_lost(struct partition *p, int rc, const struct err *own, struct err *e)
{
	if (rc == -EUCLEAN)
		partition_damaged(p, own);
	if (rc == -EUCLEAN || rc == -ENOENT)
		return 0;
	if (rc && e && !e->code)
		*e = *own;
	return rc;
}

int query_stats(struct store *base, struct str tenant, struct store_stats *out, struct err *e)
{
	struct sqlite_store *s = store_of(base);
	struct stats_work w = {.out = out, .tenant = tenant};
	uint32_t n;
	struct partition **list = partitions_between(s, 0, UINT64_MAX, &n);
	int rc = list ? 0 : err_errno(e, -ENOMEM, "list the partitions");

	*out = (struct store_stats){0};
	registry_hold(&s->registry);
	for (uint32_t i = 0; !rc && i < n; i++) {
		struct err own = {0};

		rc = add_partition(s, &w, list[i], &own);
		rc = skip_lost(list[i], rc, &own, e);
	}
	registry_release(&s->registry);
	pthread_mutex_lock(&s->mu);
	out->partitions_damaged = s->damaged_n;
	pthread_mutex_unlock(&s->mu);
	partitions_missing(s, 0, UINT64_MAX, &out->damaged);
	out->bytes_disk_limit = 2 * out->bytes_live + (w.logs ? w.logs : 1) * DISK_FLOOR +
				out->partitions * DISK_FLOOR_PARTITION;
	out->retention_seconds = s->options.retention_seconds;
	out->retention_bytes = s->options.retention_bytes;
	if (!tenant.n)
		set_memory(s, out);
	free(w.seen);
	partitions_release(list, n);
	return rc;
}

/* ---- groups ---- */

static int visit_groups(const struct series_list *l, uint32_t day, store_visit_group *visit,
			void *ctx)
{
	int rc = 0;

	for (uint32_t i = 0; !rc && i < l->groups.n; i++) {
		const struct group *g = &l->groups.at[i];

		rc = visit(ctx, &(struct store_group){.tenant = g->tenant,
						      .service = g->service,
						      .type = g->type,
						      .day = day * NS_PER_DAY});
	}
	return rc;
}

int query_groups(struct store *base, uint64_t from, uint64_t to, store_visit_group *visit,
		 void *ctx, struct err *e)
{
	uint32_t n;
	struct partition **list = partitions_between(store_of(base), from, to, &n);
	int rc = list ? 0 : err_errno(e, -ENOMEM, "list the partitions");

	for (uint32_t i = 0; !rc && i < n; i++) {
		struct reader r = {0};
		struct err own = {0};

		rc = reader_begin(&r, list[i], &own);
		if (!rc)
			rc = visit_groups(r.directory->series, list[i]->day, visit, ctx);
		reader_end(&r);
		rc = skip_lost(list[i], rc, &own, e);
	}
	partitions_release(list, n);
	return rc;
}
