/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows of commits become chunks: a counting sort by series, then series by key. Within a series rows
 * stay in the order of arrival, so that of several with the same time the last one is kept. Here are
 * also the small steps: joining blocks of series and of extras.
 */
#include <stdlib.h>

#include "store/sqlite/catalog/day.h"
#include "store/sqlite/metrics/metric_merge_parts.h"

enum { FAST_ZSTD = 1, SMALL_ZSTD = 6, HOURS = 24, HOUR_MS = 3600000 };

int metric_compare_low(const void *a, const void *b)
{
	const struct metric_entry *x = a, *y = b;

	return x->low < y->low ? -1 : x->low > y->low;
}

/* All rows of the plan, in the order of commits. */
struct row_merge {
	struct arena arena;
	struct metric_index *index;
	uint32_t series; /* of the index */
	VEC(uint32_t) ids;
	VEC(int64_t) times;
	VEC(uint64_t) bits;
	VEC(uint32_t) histogram_ids;
	VEC(int64_t) histogram_times;
	VEC(struct native_histogram) histograms;
	uint32_t *counts, *ends; /* by series */
	uint32_t *order;	 /* rows by series */
	uint64_t *keys;		 /* of the series of the hour */
	struct metric_gather floats, gathered_histograms;
};

static int add_rows(struct row_merge *m, const struct metric_rows *r)
{
	struct arena *a = &m->arena;
	uint32_t n = r->series.n, h = r->histograms.n;
	int rc = vec_reserve(a, &m->ids, n);

	if (!rc)
		rc = vec_reserve(a, &m->times, n);
	if (!rc)
		rc = vec_reserve(a, &m->bits, n);
	if (!rc)
		rc = vec_reserve(a, &m->histogram_ids, h);
	if (!rc)
		rc = vec_reserve(a, &m->histogram_times, h);
	if (!rc)
		rc = vec_reserve(a, &m->histograms, h);
	if (rc)
		return rc;
	for (uint32_t i = 0; i < n; i++) {
		m->ids.at[m->ids.n++] = r->series.at[i];
		m->times.at[m->times.n++] = r->times.at[i];
		m->bits.at[m->bits.n++] = r->bits.at[i];
	}
	for (uint32_t i = 0; i < h; i++) {
		m->histogram_ids.at[m->histogram_ids.n++] = r->histogram_series.at[i];
		m->histogram_times.at[m->histogram_times.n++] = r->histogram_times.at[i];
		m->histograms.at[m->histograms.n++] = r->histograms.at[i];
	}
	return 0;
}

static int read_rows(struct row_merge *m, struct reader *r, const struct metric_plan *plan,
		     struct err *e)
{
	int rc = 0;

	for (uint32_t i = 0; i < plan->at.n && !rc; i++) {
		struct metric_rows rows;
		struct str block;

		rc = reader_blob(r, plan->at.at[i].data, FRAME_METRIC_ROWS, &m->arena, &block, e);
		if (!rc)
			rc = metric_rows_get(&rows, block, &m->arena, e);
		if (!rc)
			rc = add_rows(m, &rows);
	}
	for (uint32_t i = 0; i < m->ids.n && !rc; i++)
		if (m->ids.at[i] >= m->series)
			rc = err_set(e, -EUCLEAN, "rows of metrics refer to an unknown series");
	for (uint32_t i = 0; i < m->histogram_ids.n && !rc; i++)
		if (m->histogram_ids.at[i] >= m->series)
			rc = err_set(e, -EUCLEAN, "rows of metrics refer to an unknown series");
	return rc;
}

static uint64_t hour_of(int64_t time)
{
	return (uint64_t)time / HOUR_MS % HOURS;
}

/* Order the rows of the hour by series. Return their number. */
static uint32_t order_rows(struct row_merge *m, const uint32_t *ids, const int64_t *times,
			   uint32_t n, uint64_t hour)
{
	uint32_t at = 0;

	memset(m->counts, 0, m->series * sizeof(*m->counts));
	for (uint32_t i = 0; i < n; i++)
		m->counts[ids[i]] += hour_of(times[i]) == hour;
	for (uint32_t i = 0; i < m->series; i++) {
		m->ends[i] = at;
		at += m->counts[i];
	}
	for (uint32_t i = 0; i < n; i++)
		if (hour_of(times[i]) == hour)
			m->order[m->ends[ids[i]]++] = i;
	return at;
}

static int compare_keys(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* List the keys of series with rows in the hour, sorted. Return their number. */
static uint32_t list_keys(struct row_merge *m)
{
	uint32_t n = 0;

	pthread_rwlock_rdlock(&m->index->lock); /* briefly: writers add series under it */
	for (uint32_t i = 0; i < m->series; i++)
		if (m->counts[i])
			m->keys[n++] = metric_key(metric_index_name(m->index, i), i);
	pthread_rwlock_unlock(&m->index->lock);
	qsort(m->keys, n, sizeof(*m->keys), compare_keys);
	return n;
}

static int put_float_series(struct row_merge *m, struct metric_output *o, uint64_t key)
{
	uint32_t series = metric_key_series(key);
	const uint32_t *rows = m->order + m->ends[series] - m->counts[series];
	int rc = 0;

	for (uint32_t i = 0; i < m->counts[series] && !rc; i++)
		rc = metric_gather_add(&m->floats, &m->times.at[rows[i]], 1, &m->bits.at[rows[i]],
				       NULL);
	return rc ? rc : metric_output_gathered(o, key, &m->floats);
}

static int put_histogram_series(struct row_merge *m, struct metric_output *o, uint64_t key)
{
	uint32_t series = metric_key_series(key);
	const uint32_t *rows = m->order + m->ends[series] - m->counts[series];
	int rc = 0;

	for (uint32_t i = 0; i < m->counts[series] && !rc; i++)
		rc = metric_gather_add(&m->gathered_histograms, &m->histogram_times.at[rows[i]], 1,
				       NULL, &m->histograms.at[rows[i]]);
	return rc ? rc : metric_output_gathered(o, key, &m->gathered_histograms);
}

/* Histograms are chunks of their own in generation 1; merging joins them. */
static int put_hour(struct row_merge *m, struct metric_output *o)
{
	uint32_t n = order_rows(m, m->ids.at, m->times.at, m->ids.n, o->hour) ? list_keys(m) : 0;
	int rc = 0;

	for (uint32_t i = 0; i < n && !rc; i++)
		rc = put_float_series(m, o, m->keys[i]);
	if (!rc)
		rc = metric_output_end(o);
	n = m->histograms.n && !rc &&
			    order_rows(m, m->histogram_ids.at, m->histogram_times.at,
				       m->histogram_ids.n, o->hour)
		    ? list_keys(m)
		    : 0;
	for (uint32_t i = 0; i < n && !rc; i++)
		rc = put_histogram_series(m, o, m->keys[i]);
	return rc ? rc : metric_output_end(o);
}

static int put_hours(struct row_merge *m, struct metric_output *o)
{
	uint32_t hours = 0;
	int rc = 0;

	for (uint32_t i = 0; i < m->times.n; i++)
		hours |= 1u << hour_of(m->times.at[i]);
	for (uint32_t i = 0; i < m->histogram_times.n; i++)
		hours |= 1u << hour_of(m->histogram_times.at[i]);
	for (o->hour = 0; o->hour < HOURS && !rc; o->hour++)
		if (hours >> o->hour & 1)
			rc = put_hour(m, o);
	return rc;
}

static int alloc_rows(struct row_merge *m)
{
	uint32_t n = m->ids.n > m->histogram_ids.n ? m->ids.n : m->histogram_ids.n;

	m->counts = arena_alloc(&m->arena, m->series + 1, sizeof(*m->counts));
	m->ends = arena_alloc(&m->arena, m->series + 1, sizeof(*m->ends));
	m->keys = arena_alloc(&m->arena, m->series + 1, sizeof(*m->keys));
	m->order = arena_alloc(&m->arena, n + 1, sizeof(*m->order));
	return m->counts && m->ends && m->keys && m->order ? 0 : -ENOMEM;
}

int metric_merge_rows(struct reader *r, const struct metric_plan *plan, struct replacement *change,
		      struct err *e)
{
	struct row_merge m = {0};
	struct metric_output o = {.change = change, .generation = 1};
	int rc = metric_index_open(r, &m.index, e);

	arena_init(&m.arena, NULL); /* bounded by METRIC_ROWS_AT_ONCE */
	metric_gather_init(&m.floats, &m.arena);
	metric_gather_init(&m.gathered_histograms, &m.arena);
	metric_chunk_maker_init(&o.maker, FAST_ZSTD);
	for (uint32_t i = 0; i < plan->at.n; i++)
		o.newest = plan->at.at[i].newest > o.newest ? plan->at.at[i].newest : o.newest;
	if (!rc) {
		pthread_rwlock_rdlock(&m.index->lock);
		m.series = m.index->n;
		pthread_rwlock_unlock(&m.index->lock);
		rc = read_rows(&m, r, plan, e);
	}
	if (!rc)
		rc = alloc_rows(&m);
	if (!rc)
		rc = put_hours(&m, &o);
	metric_chunk_maker_fini(&o.maker);
	arena_fini(&m.arena);
	metric_index_unref(m.index);
	return rc;
}

/* ---- series and extras ---- */

static int add_block(struct replacement *change, struct metric_entry entry, enum frame_kind kind,
		     const struct buf *raw)
{
	struct new_metrics b = {.entry = entry};
	int rc = buf_error(raw);

	b.entry.hour = METRIC_ANY_HOUR;
	b.entry.generation = 1;
	b.entry.made = clock_realtime_ns() / NS_PER_SECOND;
	if (!rc)
		rc = frame_put(&b.data, kind, SMALL_ZSTD, buf_str(raw));
	if (!rc)
		rc = vec_push(&change->arena, &change->metrics.add, b);
	if (rc)
		buf_fini(&b.data);
	return rc;
}

int metric_merge_series(struct reader *r, const struct metric_plan *plan,
			struct replacement *change, struct err *e)
{
	const struct metric_entry *last = &plan->at.at[plan->at.n - 1];
	struct metric_entry entry = {.kind = METRIC_BLOCK_SERIES,
				     .low = plan->at.at[0].low,
				     .high = last->high,
				     .newest = last->newest};
	struct metric_index *x = NULL;
	struct buf raw = {0};
	int rc = metric_index_open(r, &x, e);

	entry.series = entry.high - entry.low;
	if (!rc) {
		pthread_rwlock_rdlock(&x->lock);
		rc = metric_index_put(x, (uint32_t)entry.low, (uint32_t)entry.high, &raw);
		pthread_rwlock_unlock(&x->lock);
	}
	if (!rc)
		rc = add_block(change, entry, FRAME_METRIC_SERIES, &raw);
	buf_fini(&raw);
	metric_index_unref(x);
	return rc;
}

static int compare_exemplars(const void *a, const void *b)
{
	const struct metric_exemplar *x = a, *y = b;

	if (x->series != y->series)
		return x->series < y->series ? -1 : 1;
	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return str_cmp(x->labels, y->labels);
}

static void sort_exemplars(struct metric_extras *x)
{
	uint32_t kept = 0;

	if (x->exemplars.n > 1)
		qsort(x->exemplars.at, x->exemplars.n, sizeof(*x->exemplars.at), compare_exemplars);
	for (uint32_t i = 0; i < x->exemplars.n; i++)
		if (!i || compare_exemplars(&x->exemplars.at[i - 1], &x->exemplars.at[i]) != 0)
			x->exemplars.at[kept++] = x->exemplars.at[i];
	x->exemplars.n = kept;
}

/* A family with its place, for sorting. */
static int compare_families(const void *a, const void *b)
{
	const struct metric_family *x = *(const struct metric_family *const *)a;
	const struct metric_family *y = *(const struct metric_family *const *)b;
	int order = str_cmp(x->tenant, y->tenant);

	if (!order)
		order = str_cmp(x->meta.name, y->meta.name);
	return order ? order : x < y ? -1 : x > y;
}

/* Keep the last one of each family. */
static int drop_old_families(struct metric_extras *x, struct arena *a)
{
	uint32_t n = x->families.n, kept = 0;
	struct metric_family *out = arena_alloc(a, n + 1, sizeof(*out));
	const struct metric_family **order = arena_alloc(a, n + 1, sizeof(*order));

	if (!out || !order)
		return -ENOMEM;
	for (uint32_t i = 0; i < n; i++)
		order[i] = &x->families.at[i];
	if (n > 1)
		qsort(order, n, sizeof(*order), compare_families);
	for (uint32_t i = 0; i < n; i++)
		if (i + 1 == n || !str_eq(order[i]->tenant, order[i + 1]->tenant) ||
		    !str_eq(order[i]->meta.name, order[i + 1]->meta.name))
			out[kept++] = *order[i];
	x->families.at = out;
	x->families.n = x->families.cap = kept;
	return 0;
}

int metric_merge_extras(struct reader *r, const struct metric_plan *plan,
			struct replacement *change, struct err *e)
{
	struct metric_entry entry = {.kind = METRIC_BLOCK_EXTRAS};
	struct metric_extras all = {0};
	struct buf raw = {0};
	struct arena a;
	int rc = 0;

	arena_init(&a, NULL);
	for (uint32_t i = 0; i < plan->at.n && !rc; i++) {
		const struct metric_entry *m = &plan->at.at[i];
		struct str block;

		rc = reader_blob(r, m->data, FRAME_METRIC_EXTRAS, &a, &block, e);
		if (!rc)
			rc = metric_extras_get(&all, block, &a, e);
		entry.newest = m->newest > entry.newest ? m->newest : entry.newest;
		if (m->last && (!entry.first || m->first < entry.first))
			entry.first = m->first;
		entry.last = m->last > entry.last ? m->last : entry.last;
	}
	sort_exemplars(&all);
	if (!rc)
		rc = drop_old_families(&all, &a);
	entry.samples = all.exemplars.n;
	entry.series = all.families.n;
	if (!rc)
		metric_extras_put(&all, &raw);
	if (!rc)
		rc = add_block(change, entry, FRAME_METRIC_EXTRAS, &raw);
	buf_fini(&raw);
	arena_fini(&a);
	return rc;
}
