/* SPDX-License-Identifier: Apache-2.0 */
/* Delete the metrics of a tenant: blocks that have some are written again without them. */
#include "store/sqlite/metrics/metric_remove.h"

#include "store/sqlite/metrics/metric_merge_parts.h"

enum { ROWS_ZSTD = 1 };

struct metric_removal {
	struct reader *r;
	struct replacement *change;
	struct str tenant;
	uint64_t *removed; /* series, as a set */
	uint32_t series;
	bool all;	    /* the day has no other tenant */
	struct arena arena; /* of a block */
	struct err *e;
};

static bool is_removed(const struct metric_removal *m, uint32_t series)
{
	return m->all || (series < m->series && m->removed[series / 64] >> series % 64 & 1);
}

static int add_rest(struct metric_removal *m, struct metric_entry entry, enum frame_kind kind,
		    const struct buf *raw)
{
	struct new_metrics b = {.entry = entry};
	int rc = buf_error(raw);

	if (!rc)
		rc = frame_put(&b.data, kind, ROWS_ZSTD, buf_str(raw));
	if (!rc)
		rc = vec_push(&m->change->arena, &m->change->metrics.add, b);
	if (rc)
		buf_fini(&b.data);
	return rc;
}

static int keep_run(struct metric_removal *m, struct metric_chunk *c, uint32_t run,
		    struct metric_output *o)
{
	struct metric_run out = {.key = c->keys[run], .n = metric_chunk_n(c, run)};
	struct native_histogram *histograms;
	uint64_t *bits;
	int rc = metric_chunk_times(c, run, &out.times, m->e);

	if (!rc && metric_chunk_is_histogram(c, run)) {
		histograms = arena_alloc(&m->arena, out.n, sizeof(*histograms));
		rc = histograms ? metric_chunk_histograms(c, run, &m->arena, histograms, m->e)
				: -ENOMEM;
		out.histograms = histograms;
	} else if (!rc) {
		bits = arena_alloc(&m->arena, out.n, sizeof(*bits));
		rc = bits ? metric_chunk_values(c, run, bits, m->e) : -ENOMEM;
		out.bits = bits;
	}
	return rc ? rc : metric_output_add(o, &out);
}

static int rest_of_chunk(struct metric_removal *m, const struct metric_entry *entry)
{
	struct metric_output o = {.change = m->change,
				  .hour = entry->hour,
				  .generation = entry->generation,
				  .newest = entry->newest};
	struct metric_chunk c;
	struct str block;
	int rc = reader_blob(m->r, entry->data, FRAME_METRIC_CHUNK, &m->arena, &block, m->e);

	metric_chunk_maker_init(&o.maker, ROWS_ZSTD);
	if (!rc)
		rc = metric_chunk_open(&c, block, &m->r->connection->unpacker, &m->arena, m->e);
	for (uint32_t i = 0; !rc && i < c.runs; i++)
		if (!is_removed(m, metric_key_series(c.keys[i])))
			rc = keep_run(m, &c, i, &o);
	if (!rc)
		rc = metric_output_end(&o);
	metric_chunk_maker_fini(&o.maker);
	return rc;
}

static int rest_of_rows(struct metric_removal *m, struct metric_entry entry)
{
	struct metric_rows r;
	struct buf raw = {0};
	struct str block;
	uint32_t n = 0, h = 0;
	int64_t first, last;
	int rc = reader_blob(m->r, entry.data, FRAME_METRIC_ROWS, &m->arena, &block, m->e);

	if (!rc)
		rc = metric_rows_get(&r, block, &m->arena, m->e);
	if (rc)
		return rc;
	for (uint32_t i = 0; i < r.series.n; i++) {
		if (is_removed(m, r.series.at[i]))
			continue;
		r.series.at[n] = r.series.at[i];
		r.times.at[n] = r.times.at[i];
		r.bits.at[n++] = r.bits.at[i];
	}
	for (uint32_t i = 0; i < r.histograms.n; i++) {
		if (is_removed(m, r.histogram_series.at[i]))
			continue;
		r.histogram_series.at[h] = r.histogram_series.at[i];
		r.histogram_times.at[h] = r.histogram_times.at[i];
		r.histograms.at[h++] = r.histograms.at[i];
	}
	r.series.n = r.times.n = r.bits.n = n;
	r.histogram_series.n = r.histogram_times.n = r.histograms.n = h;
	if (!n && !h)
		return 0;
	metric_rows_times(&r, &first, &last);
	entry.first = (uint64_t)first;
	entry.last = (uint64_t)last;
	entry.samples = n + h;
	metric_rows_put(&r, &raw);
	rc = add_rest(m, entry, FRAME_METRIC_ROWS, &raw);
	buf_fini(&raw);
	return rc;
}

static int rest_of_extras(struct metric_removal *m, struct metric_entry entry)
{
	struct metric_extras x = {0};
	struct buf raw = {0};
	struct str block;
	uint32_t n = 0, f = 0;
	int rc = reader_blob(m->r, entry.data, FRAME_METRIC_EXTRAS, &m->arena, &block, m->e);

	if (!rc)
		rc = metric_extras_get(&x, block, &m->arena, m->e);
	if (rc)
		return rc;
	for (uint32_t i = 0; i < x.exemplars.n; i++)
		if (!is_removed(m, x.exemplars.at[i].series))
			x.exemplars.at[n++] = x.exemplars.at[i];
	for (uint32_t i = 0; i < x.families.n; i++)
		if (!str_eq(x.families.at[i].tenant, m->tenant))
			x.families.at[f++] = x.families.at[i];
	entry.samples = x.exemplars.n = n;
	entry.series = x.families.n = f;
	if (!n && !f)
		return 0;
	metric_extras_put(&x, &raw);
	rc = add_rest(m, entry, FRAME_METRIC_EXTRAS, &raw);
	buf_fini(&raw);
	return rc;
}

static int remove_entry(struct metric_removal *m, const struct metric_entry *entry)
{
	int rc;

	if (entry->kind == METRIC_BLOCK_SERIES)
		return 0;
	rc = vec_push(&m->change->arena, &m->change->metrics.drop, entry->id);
	if (!rc && !m->all)
		rc = entry->kind == METRIC_BLOCK_CHUNK	? rest_of_chunk(m, entry)
		     : entry->kind == METRIC_BLOCK_ROWS ? rest_of_rows(m, *entry)
							: rest_of_extras(m, *entry);
	arena_reset(&m->arena);
	return rc;
}

/* Mark the series of the tenant. Set *any to whether there are some. */
static int mark_tenant(struct metric_removal *m, struct arena *a, bool *any)
{
	struct metric_index *x = NULL;
	struct metric_ids ids = {0};
	int rc = metric_index_open(m->r, &x, m->e);

	if (rc)
		return rc;
	pthread_rwlock_rdlock(&x->lock);
	m->series = x->n;
	rc = metric_index_match(x, m->tenant, NULL, 0, a, &ids, m->e);
	pthread_rwlock_unlock(&x->lock);
	m->removed = arena_zalloc(a, m->series / 64 + 1, sizeof(*m->removed));
	if (!rc && !m->removed)
		rc = -ENOMEM;
	for (uint32_t i = 0; !rc && i < ids.n; i++)
		m->removed[ids.at[i] / 64] |= (uint64_t)1 << ids.at[i] % 64;
	*any = ids.n;
	m->all = ids.n == m->series;
	metric_index_unref(x);
	return rc;
}

int metrics_remove(struct partition *p, struct str tenant, struct err *e)
{
	struct reader r = {0};
	struct replacement change;
	struct metric_removal m = {.r = &r, .change = &change, .tenant = tenant, .e = e};
	struct arena a;
	bool any = false;
	int rc = reader_begin(&r, p, e);

	arena_init(&a, NULL);
	arena_init(&m.arena, NULL);
	replacement_init(&change, p);
	if (!rc && r.directory->metrics->n)
		rc = mark_tenant(&m, &a, &any);
	for (uint32_t i = 0; !rc && any && i < r.directory->metrics->n; i++)
		rc = remove_entry(&m, &r.directory->metrics->at[i]);
	reader_end(&r);
	if (!rc && change.metrics.drop.n)
		rc = replacement_apply(&change);
	if (rc && e && !e->code)
		*e = change.error;
	replacement_fini(&change);
	arena_fini(&m.arena);
	arena_fini(&a);
	return rc ? err_errno(e, rc, "delete metrics") : 0;
}
