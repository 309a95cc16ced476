/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Delete the selected profiles. This runs on the writer thread, so that nothing else changes
 * meanwhile: level-0 blocks and chunks with selected profiles are rewritten without them, one
 * transaction each, and the roll-ups that include them are dropped (the worker makes new ones).
 * After an error, what was deleted before stays deleted.
 */
#include "store/sqlite/compact/remove.h"

#include "signal/selector.h"
#include "store/sqlite/catalog/chunk_cache.h"
#include "store/sqlite/catalog/day.h"
#include "store/sqlite/compact/compact.h"
#include "store/sqlite/compact/log_merge.h"
#include "store/sqlite/compact/span_remove.h"
#include "store/sqlite/metrics/metric_remove.h"
#include "store/sqlite/write/writer.h"

struct remove_work {
	struct writer_job job;
	struct query q;
	uint64_t removed; /* profiles, or items of the signal */
	int rc;
};

/* Append the rows that are not selected to `left`, and count the others. */
static int split_rows(struct query *q, const struct rows *r, struct rows *left, struct arena *a,
		      struct replacement *change)
{
	uint32_t at = 0;
	int rc = 0;

	for (uint32_t i = 0; !rc && i < r->series.n; at += r->count.at[i++]) {
		if (query_selects(q, r, i)) {
			change->profiles++;
			change->samples += r->count.at[i];
		} else {
			rc = rows_append(left, a, r, i, at);
		}
	}
	return rc;
}

static int apply_removal(struct query *q, struct remove_work *w, struct replacement *change, int rc)
{
	if (!rc && change->profiles)
		rc = replacement_apply(change);
	if (rc && q->error && !q->error->code)
		*q->error = change->error;
	if (rc)
		return err_errno(q->error, rc, "delete");
	w->removed += change->profiles;
	return 0;
}

static int remove_level0(struct query *q, const struct level0_entry *entry, struct remove_work *w)
{
	struct replacement change;
	struct arena arena;
	struct rows r, left = {0};
	int rc;

	replacement_init(&change, q->reader.partition);
	arena_init(&arena, NULL);
	rc = reader_level0(&q->reader, entry, &arena, &r, q->error);
	if (!rc)
		rc = query_check_rows(q, &r);
	if (!rc)
		rc = split_rows(q, &r, &left, &arena, &change);
	if (!rc && change.profiles)
		rc = vec_push(&change.arena, &change.level0, entry->id);
	if (!rc && change.profiles && left.series.n)
		rc = vec_push(&change.arena, &change.rows, left);
	rc = apply_removal(q, w, &change, rc);
	arena_fini(&arena);
	replacement_fini(&change);
	return rc;
}

/* Drop the roll-ups of the hour, and mark its other chunks as not rolled up. */
static int drop_hour_rollups(struct replacement *change, const struct chunk_entry *hour,
			     struct err *e)
{
	struct partition *p = change->partition;
	struct chunk_group group = chunk_list_get(p->directory->chunks, (uint32_t)hour->group);
	struct chunk_rows *rows = NULL;
	/* the current ones, without those that were deleted before */
	int rc = chunk_rows_read(&rows, &p->writer->db, &group, e);

	if (!rc)
		rc = replacement_drop_rollups(change, (struct chunk_range){rows->at, rows->n},
					      hour);
	for (uint32_t i = 0; !rc && i < rows->n; i++)
		if (rows->at[i].kind == CHUNK_HOUR && rows->at[i].hour == hour->hour &&
		    rows->at[i].rolled && rows->at[i].id != hour->id)
			rc = replacement_mark_chunk(change, &rows->at[i], false);
	chunk_rows_unref(rows);
	return rc;
}

/* Set *yes to whether the chunk has a selected profile. */
static int chunk_has_selected(struct query *q, const struct chunk_entry *c, bool *yes)
{
	struct arena arena;
	struct rows r;
	int rc;

	arena_init(&arena, NULL);
	rc = query_chunk_rows(q, c, NEED_POINTS, &arena, &r);
	*yes = false;
	for (uint32_t i = 0; !rc && !*yes && i < r.series.n; i++)
		*yes = query_selects(q, &r, i);
	arena_fini(&arena);
	return rc;
}

static int remove_chunk(struct query *q, const struct chunk_entry *c, struct remove_work *w)
{
	struct replacement change;
	struct arena arena;
	struct rows r, left = {0};
	bool yes;
	int rc = chunk_has_selected(q, c, &yes);

	if (rc || !yes)
		return rc;
	replacement_init(&change, q->reader.partition);
	arena_init(&arena, NULL);
	rc = query_chunk_rows(q, c, NEED_SAMPLES, &arena, &r);
	if (!rc)
		rc = split_rows(q, &r, &left, &arena, &change);
	if (!rc)
		rc = replacement_drop_chunk(&change, c);
	if (!rc)
		rc = drop_hour_rollups(&change, c, q->error);
	if (!rc && left.series.n)
		rc = replacement_add_chunk(&change, &left, c->group, c->hour, c->generation, false);
	rc = apply_removal(q, w, &change, rc);
	arena_fini(&arena);
	replacement_fini(&change);
	return rc;
}

static int remove_chunks(struct query *q, uint32_t group, struct remove_work *w)
{
	const struct store_select *s = q->select;
	struct chunk_range g;
	int rc = reader_chunks(&q->reader, group, &g, q->error);

	for (uint32_t i = 0; !rc && i < g.n; i++)
		if (g.at[i].kind == CHUNK_HOUR && g.at[i].last >= s->from && g.at[i].first < s->to)
			rc = remove_chunk(q, &g.at[i], w);
	return rc;
}

static int remove_partition(struct query *q, void *arg)
{
	const struct directory *d = q->reader.directory;
	const struct store_select *s = q->select;
	struct remove_work *w = arg;
	int rc = writer_open(q->reader.partition, q->error);

	for (uint32_t i = 0; !rc && i < d->level0_n; i++)
		if (d->level0[i].last >= s->from && d->level0[i].first < s->to)
			rc = remove_level0(q, &d->level0[i], w);
	for (uint32_t v = 0; !rc && v < q->visited.n; v++)
		rc = remove_chunks(q, q->visited.at[v], w);
	if (q->reader.partition->writer)
		writer_forget_ids(q->reader.partition);
	return rc;
}

/* Return the number of spans, log records or samples of the signal in a day. Writer thread only. */
static uint64_t items_of(const struct directory *d, uint32_t signal)
{
	uint64_t n = 0;

	for (uint32_t i = 0; signal == SIGNAL_TRACES && i < d->spans->n; i++)
		n += d->spans->at[i].spans;
	for (uint32_t i = 0; signal == SIGNAL_LOGS && i < d->logs->n; i++)
		n += d->logs->at[i].logs;
	for (uint32_t i = 0; signal == SIGNAL_METRICS && i < d->metrics->n; i++)
		if (d->metrics->at[i].kind == METRIC_BLOCK_ROWS ||
		    d->metrics->at[i].kind == METRIC_BLOCK_CHUNK)
			n += d->metrics->at[i].samples;
	return n;
}

/* Delete the spans, log records and metrics of the tenant, or one of these, in a day. */
static int remove_day(struct query *q, struct partition *p, struct remove_work *w)
{
	const struct store_select *s = q->select;
	uint64_t before = 0;
	int rc = 0;

	if (s->signal) {
		rc = writer_open(p, q->error); /* also loads the directory */
		before = rc ? 0 : items_of(p->directory, s->signal);
	}
	if (!rc && (!s->signal || s->signal == SIGNAL_TRACES))
		rc = spans_remove(p, s->tenant, q->error);
	if (!rc && (!s->signal || s->signal == SIGNAL_LOGS))
		rc = logs_remove(p, s->tenant, q->error);
	if (!rc && (!s->signal || s->signal == SIGNAL_METRICS))
		rc = metrics_remove(p, s->tenant, q->error);
	if (!rc && s->signal)
		w->removed += before - items_of(p->directory, s->signal);
	return rc;
}

static bool has_selector(const struct store_select *s)
{
	return (s->selector && s->selector->matchers.n) || s->profile_id;
}

/*
 * Delete the spans, log records and metrics of whole days. Selectors select profiles, not these;
 * but if everything of a tenant is deleted for whole days, its spans, log records and metrics of
 * these days are, too.
 */
static int remove_whole_days(struct query *q, struct remove_work *w)
{
	const struct store_select *s = q->select;
	uint32_t n;
	struct partition **list;
	int rc = 0;

	if (has_selector(s) || s->signal == SIGNAL_PROFILES)
		return 0;
	list = partitions_between(q->store, s->from, s->to, &n);
	if (!list)
		return err_errno(q->error, -ENOMEM, "delete spans");
	for (uint32_t i = 0; !rc && i < n; i++) {
		uint64_t begin = list[i]->day * NS_PER_DAY;

		if (s->from > begin || s->to < begin + NS_PER_DAY)
			continue;
		rc = remove_day(q, list[i], w);
		/* gone, or damaged: the next reader sets it aside */
		if (rc == -ENOENT || rc == -EUCLEAN)
			rc = 0;
	}
	partitions_release(list, n);
	return rc;
}

/* Drop the files in which nothing is left. */
static void drop_empty(struct sqlite_store *s, const struct store_select *select)
{
	uint32_t n;
	struct partition **list = partitions_between(s, select->from, select->to, &n);

	for (uint32_t i = 0; list && i < n; i++)
		if (list[i]->writer && !list[i]->directory->level0_n &&
		    !list[i]->directory->chunks->n && !list[i]->directory->spans->n &&
		    !list[i]->directory->logs->n &&
		    !metric_list_has_data(list[i]->directory->metrics))
			partition_drop(list[i]);
	partitions_release(list, n);
}

static void run_remove(struct writer_job *job)
{
	struct remove_work *w = (struct remove_work *)job;

	if (!w->q.select->signal || w->q.select->signal == SIGNAL_PROFILES)
		w->rc = query_each(&w->q, remove_partition, w);
	if (!w->rc)
		w->rc = remove_whole_days(&w->q, w);
	drop_empty(w->q.store, w->q.select);
}

int query_remove(struct store *s, const struct store_select *sel, uint64_t *removed, struct err *e)
{
	struct remove_work w = {.job = {run_remove, NULL}};
	struct store_select plain = *sel;
	int rc;

	*removed = 0;
	if (store_of(s)->options.read_only)
		return err_set(e, -EROFS, "the store is open for reading only");
	if (sel->signal && sel->signal != SIGNAL_PROFILES && has_selector(sel))
		return err_set(e, -EINVAL,
			       "spans, logs and metrics are deleted by whole days, without a "
			       "selector");
	plain.span_count = 0;
	plain.trace_id = NULL;
	plain.average = false;
	rc = query_init(&w.q, s, &plain, e);
	if (!rc)
		rc = writer_do(store_of(s), &w.job);
	if (rc)
		(void)err_errno(e, rc, "delete");
	query_fini(&w.q);
	*removed = w.removed;
	return rc ? rc : w.rc;
}
