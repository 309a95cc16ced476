/* SPDX-License-Identifier: Apache-2.0 */
/* Writing metrics. */
#include "store/sqlite/metrics/metric_write.h"

#include <stdio.h>

#include "store/sqlite/catalog/day.h"
#include "store/sqlite/catalog/directory.h"
#include "store/sqlite/catalog/partitions.h"
#include "store/sqlite/catalog/schema.h"
#include "store/sqlite/read/reader.h"
#include "store/sqlite/write/commit.h"
#include "store/sqlite/write/writer_side.h"

enum { ROWS_ZSTD = -3, SERIES_ZSTD = 3, HISTOGRAM_BYTES = 200, MS_PER_DAY = 86400000 };

/* ---- the index ---- */

static int load_block(struct metric_index *x, struct reader *r, const struct metric_entry *m,
		      struct arena *a, struct err *e)
{
	struct str block;
	int rc = reader_blob(r, m->data, FRAME_METRIC_SERIES, a, &block, e);

	return rc ? rc : metric_index_load(x, block, e);
}

static int load_families(struct metric_index *x, struct reader *r, const struct metric_entry *m,
			 struct arena *a, struct err *e)
{
	struct metric_extras extras = {0};
	struct str block;
	int rc = reader_blob(r, m->data, FRAME_METRIC_EXTRAS, a, &block, e);

	if (!rc)
		rc = metric_extras_get(&extras, block, a, e);
	for (uint32_t i = 0; i < extras.families.n && !rc; i++)
		rc = metric_index_add_family(x, extras.families.at[i].tenant,
					     &extras.families.at[i].meta);
	return rc;
}

/* Load what the index lacks of the snapshot. The write lock is held. */
static int load_index(struct metric_index *x, bool fresh, struct reader *r, struct err *e)
{
	const struct metric_list *l = r->directory->metrics;
	struct arena a;
	int rc = 0;

	arena_init(&a, NULL);
	/* merged blocks of series have larger ids than those after them: go by series */
	for (bool more = true; more && !rc;) {
		more = false;
		for (uint32_t i = 0; i < l->n && !rc; i++) {
			if (l->at[i].kind != METRIC_BLOCK_SERIES || l->at[i].low != x->n ||
			    l->at[i].high <= x->n)
				continue;
			rc = load_block(x, r, &l->at[i], &a, e);
			arena_reset(&a);
			more = true;
		}
	}
	for (uint32_t i = 0; i < l->n && !rc; i++) {
		if (l->at[i].kind == METRIC_BLOCK_SERIES && l->at[i].high > x->n)
			rc = err_set(e, -EUCLEAN, "series of metrics are missing");
		if (!rc && fresh && l->at[i].kind == METRIC_BLOCK_EXTRAS && l->at[i].series)
			rc = load_families(x, r, &l->at[i], &a, e);
		arena_reset(&a);
	}
	if (!rc && fresh) {
		x->written = x->n;
		x->families_written = x->families.n;
	}
	arena_fini(&a);
	return rc;
}

/* Return the number of series of the snapshot. */
static uint64_t series_of(const struct metric_list *l)
{
	uint64_t n = 0;

	for (uint32_t i = 0; i < l->n; i++)
		if (l->at[i].kind == METRIC_BLOCK_SERIES && l->at[i].high > n)
			n = l->at[i].high;
	return n;
}

int metric_index_open(struct reader *r, struct metric_index **out, struct err *e)
{
	struct partition *p = r->partition;
	struct metric_index *x;
	bool fresh;
	int rc = 0;

	pthread_mutex_lock(&p->metrics_mu);
	x = p->metrics ? p->metrics : metric_index_new();
	fresh = !p->metrics;
	if (!x)
		rc = err_errno(e, -ENOMEM, "read metrics");
	if (!rc) {
		pthread_rwlock_wrlock(&x->lock);
		if (fresh || x->n < series_of(r->directory->metrics))
			rc = load_index(x, fresh, r, e);
		pthread_rwlock_unlock(&x->lock);
	}
	if (!rc) {
		p->metrics = x;
		*out = metric_index_ref(x);
	} else if (fresh) {
		metric_index_unref(x);
	}
	pthread_mutex_unlock(&p->metrics_mu);
	return rc;
}

void metric_index_shrink(struct partition *p)
{
	pthread_mutex_lock(&p->metrics_mu);
	if (p->metrics && atomic_load(&p->metrics->refs) == 1)
		metric_index_unref(take_ptr(&p->metrics));
	pthread_mutex_unlock(&p->metrics_mu);
}

int writer_load_metrics(struct partition *p, struct err *e)
{
	struct metric_index *x = NULL;
	struct reader r = {0};
	int rc = 0;

	if (p->writer->metrics)
		return 0;
	rc = reader_begin(&r, p, e);
	if (!rc)
		rc = metric_index_open(&r, &x, e);
	reader_end(&r);
	if (!rc) {
		pthread_mutex_lock(&p->store->map_mu);
		p->writer->metrics = x;
		pthread_mutex_unlock(&p->store->map_mu);
	}
	return rc;
}

/* ---- mapping ---- */

/* The part of a write that is stored in a day. */
struct metric_mapping {
	struct store_write *w;
	struct commit_rows *c;
	uint32_t *ids;	  /* of the day, by series of the batch; UINT32_MAX: refused */
	int64_t from, to; /* times of the day that are accepted: from included, to excluded */
};

static bool in_day(const struct metric_mapping *m, int64_t time)
{
	return time >= m->from && time < m->to;
}

static void set_range(struct metric_mapping *m, uint32_t day)
{
	uint64_t from = (uint64_t)day * MS_PER_DAY, to = from + MS_PER_DAY;
	uint64_t oldest = m->w->oldest / NS_PER_MS + (m->w->oldest % NS_PER_MS != 0);
	uint64_t newest = m->w->newest / NS_PER_MS + 1;

	m->from = (int64_t)(oldest > from ? oldest : from);
	m->to = (int64_t)(newest < to ? newest : to);
}

static void refuse_series(struct metric_mapping *m, uint32_t limit, uint32_t n)
{
	if (n && !m->w->rejected)
		snprintf(m->w->reason, sizeof(m->w->reason),
			 "new series are refused: the tenant has %u active series today, which is "
			 "the limit (max_series)",
			 limit);
	m->w->rejected += n;
}

/* Mark the series of the batch that have something in the day: only these are added. */
static void mark_series(const struct metric_mapping *m)
{
	const struct metric_batch *b = m->w->metrics;

	for (uint32_t i = 0; i < b->samples.n; i++)
		if (in_day(m, b->samples.at[i].time))
			m->ids[b->samples.at[i].series] = 1;
	for (uint32_t i = 0; i < b->histograms.n; i++)
		if (in_day(m, b->histograms.at[i].time))
			m->ids[b->histograms.at[i].series] = 1;
}

static int map_series(struct metric_mapping *m, struct metric_index *x, uint32_t limit)
{
	const struct metric_batch *b = m->w->metrics;
	int rc = 0;

	mark_series(m);
	for (uint32_t i = 0; i < b->series.n && !rc; i++) {
		if (!m->ids[i]) {
			m->ids[i] = UINT32_MAX;
			continue;
		}
		if (metric_index_find(x, m->w->tenant, b->series.at[i], &m->ids[i]))
			continue;
		pthread_rwlock_wrlock(&x->lock);
		rc = metric_index_add(x, m->w->tenant, b->series.at[i], limit, &m->ids[i]);
		pthread_rwlock_unlock(&x->lock);
		if (rc == -EDQUOT) {
			m->ids[i] = UINT32_MAX;
			rc = 0;
		}
	}
	if (!b->metadata.n || rc)
		return rc;
	pthread_rwlock_wrlock(&x->lock);
	for (uint32_t i = 0; i < b->metadata.n && !rc; i++)
		rc = metric_index_add_family(x, m->w->tenant, &b->metadata.at[i]);
	pthread_rwlock_unlock(&x->lock);
	return rc;
}

static int map_floats(const struct metric_mapping *m, uint32_t *refused)
{
	const struct metric_batch *b = m->w->metrics;
	struct metric_rows *r = &m->c->metrics;
	struct arena *a = &m->c->arena;
	int rc = vec_reserve(a, &r->series, b->samples.n);

	if (!rc)
		rc = vec_reserve(a, &r->times, b->samples.n);
	if (!rc)
		rc = vec_reserve(a, &r->bits, b->samples.n);
	for (uint32_t i = 0; i < b->samples.n && !rc; i++) {
		const struct metric_sample *s = &b->samples.at[i];

		if (!in_day(m, s->time))
			continue;
		if (m->ids[s->series] == UINT32_MAX) {
			++*refused;
			continue;
		}
		r->series.at[r->series.n++] = m->ids[s->series];
		r->times.at[r->times.n++] = s->time;
		r->bits.at[r->bits.n++] = s->bits;
	}
	return rc;
}

static int map_histograms(const struct metric_mapping *m, uint32_t *refused)
{
	const struct metric_batch *b = m->w->metrics;
	struct metric_rows *r = &m->c->metrics;
	struct arena *a = &m->c->arena;
	int rc = 0;

	for (uint32_t i = 0; i < b->histograms.n && !rc; i++) {
		const struct metric_histogram *h = &b->histograms.at[i];
		struct native_histogram copy;

		if (!in_day(m, h->time))
			continue;
		if (m->ids[h->series] == UINT32_MAX) {
			++*refused;
			continue;
		}
		rc = native_copy(&copy, &h->value, a);
		if (!rc)
			rc = vec_reserve(a, &r->histogram_series, 1);
		if (!rc)
			rc = vec_reserve(a, &r->histogram_times, 1);
		if (!rc)
			rc = vec_push(a, &r->histograms, copy);
		if (rc)
			break;
		r->histogram_series.at[r->histogram_series.n++] = m->ids[h->series];
		r->histogram_times.at[r->histogram_times.n++] = h->time;
	}
	return rc;
}

static int map_exemplars(const struct metric_mapping *m)
{
	const struct metric_batch *b = m->w->metrics;
	struct metric_rows *r = &m->c->metrics;
	int rc = 0;

	for (uint32_t i = 0; i < b->exemplars.n && !rc; i++) {
		struct metric_exemplar x = b->exemplars.at[i];

		if (!in_day(m, x.time) || m->ids[x.series] == UINT32_MAX)
			continue;
		x.series = m->ids[x.series];
		rc = arena_copy_str(&m->c->arena, x.labels, &x.labels);
		if (!rc)
			rc = vec_push(&m->c->arena, &r->exemplars, x);
	}
	return rc;
}

int writer_map_metrics(struct partition *p, struct store_write *w, struct err *e)
{
	struct commit_rows *c = &p->writer->pending;
	struct metric_rows before = c->metrics;
	uint32_t limit = p->store->options.metric_series, refused = 0;
	struct metric_mapping m = {.w = w, .c = c};
	int rc;

	set_range(&m, p->day);
	m.ids = arena_zalloc(&c->arena, w->metrics->series.n + 1, sizeof(*m.ids));
	rc = m.ids ? map_series(&m, p->writer->metrics, limit) : -ENOMEM;
	if (!rc)
		rc = map_floats(&m, &refused);
	if (!rc)
		rc = map_histograms(&m, &refused);
	if (!rc)
		rc = map_exemplars(&m);
	if (!rc) {
		c->metrics.any = true;
		refuse_series(&m, limit, refused);
		return 0;
	}
	c->metrics.series.n = c->metrics.times.n = c->metrics.bits.n = before.series.n;
	c->metrics.histograms.n = before.histograms.n;
	c->metrics.histogram_series.n = c->metrics.histogram_times.n = before.histograms.n;
	c->metrics.exemplars.n = before.exemplars.n;
	return err_errno(e, rc, "store metrics");
}

/* ---- commits ---- */

static int insert_block(struct writer_side *side, enum frame_kind kind, struct metric_entry *m,
			struct str data, struct metric_state *state, struct err *e)
{
	uint64_t *fields = &m->kind;
	sqlite3_stmt *s;
	int rc = writer_put_blob(side, kind, data, &m->data, e);

	m->bytes = data.n;
	if (!rc)
		rc = db_statement(&side->db, WRITE_METRICS, &s, e);
	if (rc)
		return rc;
	for (int i = 0; i < (int)(sizeof(*m) / sizeof(*fields)) - 1; i++)
		db_bind(s, i + 1, fields[i]);
	rc = db_run(&side->db, s, e);
	m->id = (uint64_t)sqlite3_last_insert_rowid(side->db.handle);
	state->rows++;
	state->fold ^= metric_entry_sum(m);
	return rc;
}

/* A commit while its blocks are written. */
struct metric_commit {
	struct writer_side *side;
	struct directory *d;
	struct metric_list *list;
	struct buf raw, frame;
	struct err *e;
};

static int put_block(struct metric_commit *c, enum frame_kind kind, int level,
		     struct metric_entry m)
{
	int rc = buf_error(&c->raw);

	m.made = clock_realtime_ns() / NS_PER_SECOND;
	m.newest = c->d->state.version + 1;
	m.hour = METRIC_ANY_HOUR;
	buf_clear(&c->frame);
	if (!rc)
		rc = frame_put(&c->frame, kind, level, buf_str(&c->raw));
	if (rc)
		return err_errno(c->e, rc, "write metrics");
	rc = insert_block(c->side, kind, &m, buf_str(&c->frame), &c->d->metric_state, c->e);
	c->list->at[c->list->n++] = m;
	c->side->ingested += c->raw.n;
	buf_clear(&c->raw);
	return rc;
}

static int put_series(struct metric_commit *c)
{
	struct metric_index *x = c->side->metrics;
	uint32_t from = x->written, to = c->side->sealed.metrics.series_to;
	int rc;

	if (from >= to)
		return 0;
	pthread_rwlock_rdlock(&x->lock);
	rc = metric_index_put(x, from, to, &c->raw);
	pthread_rwlock_unlock(&x->lock);
	if (rc)
		return err_errno(c->e, rc, "write metrics");
	return put_block(
		c, FRAME_METRIC_SERIES, SERIES_ZSTD,
		(struct metric_entry){
			.kind = METRIC_BLOCK_SERIES, .low = from, .high = to, .series = to - from});
}

static int put_rows(struct metric_commit *c)
{
	const struct metric_rows *r = &c->side->sealed.metrics;
	int64_t first, last;

	if (!r->series.n && !r->histograms.n)
		return 0;
	metric_rows_times(r, &first, &last);
	metric_rows_put(r, &c->raw);
	return put_block(c, FRAME_METRIC_ROWS, ROWS_ZSTD,
			 (struct metric_entry){.kind = METRIC_BLOCK_ROWS,
					       .first = (uint64_t)first,
					       .last = (uint64_t)last,
					       .samples = r->series.n + r->histograms.n});
}

static int put_extras(struct metric_commit *c)
{
	const struct metric_rows *r = &c->side->sealed.metrics;
	struct metric_index *x = c->side->metrics;
	struct metric_extras extras = {0};
	struct metric_entry m = {.kind = METRIC_BLOCK_EXTRAS, .samples = r->exemplars.n};

	extras.exemplars.at = r->exemplars.at;
	extras.exemplars.n = r->exemplars.n;
	for (uint32_t i = 0; i < r->exemplars.n; i++) {
		uint64_t t = (uint64_t)r->exemplars.at[i].time;

		m.first = !i || t < m.first ? t : m.first;
		m.last = t > m.last ? t : m.last;
	}
	m.series = r->families_to - x->families_written;
	if (!m.samples && !m.series)
		return 0;
	pthread_rwlock_rdlock(&x->lock);
	extras.families.at = x->families.at + x->families_written;
	extras.families.n = (uint32_t)m.series;
	metric_extras_put(&extras, &c->raw);
	pthread_rwlock_unlock(&x->lock);
	return put_block(c, FRAME_METRIC_EXTRAS, SERIES_ZSTD, m);
}

void writer_seal_metrics(struct writer_side *side)
{
	struct metric_rows *r = &side->sealed.metrics;

	if (!side->metrics)
		return;
	r->series_to = side->metrics->n;
	r->families_to = side->metrics->families.n;
}

int writer_put_metrics(struct writer_side *side, const struct directory *old, struct directory *d,
		       struct err *e)
{
	const struct metric_list *l = old->metrics;
	struct metric_commit c = {.side = side, .d = d, .e = e};
	int rc;

	c.list = metric_list_new(l->n + METRIC_COMMIT_BLOCKS);
	if (!c.list)
		return err_errno(e, -ENOMEM, "write metrics");
	memcpy(c.list->at, l->at, l->n * sizeof(l->at[0]));
	c.list->n = l->n;
	rc = put_series(&c);
	if (!rc)
		rc = put_rows(&c);
	if (!rc)
		rc = put_extras(&c);
	if (!rc)
		rc = metric_state_write(&side->db, &d->metric_state, e);
	buf_fini(&c.raw);
	buf_fini(&c.frame);
	metric_list_unref(d->metrics);
	d->metrics = c.list;
	return rc;
}

void writer_metrics_committed(struct writer_side *side)
{
	const struct metric_rows *r = &side->sealed.metrics;

	if (!side->metrics || !r->any)
		return;
	side->metrics->written = r->series_to;
	side->metrics->families_written = r->families_to;
}

/* ---- replacing ---- */

void metric_replacement_fini(struct metric_replacement *m)
{
	for (uint32_t i = 0; i < m->add.n; i++)
		buf_fini(&m->add.at[i].data);
}

static int delete_block(struct writer_side *side, const struct metric_entry *m,
			struct metric_state *state, struct err *e)
{
	int rc = db_run_id(&side->db, DELETE_METRICS, m->id, e);

	if (!rc)
		rc = db_run_id(&side->db, DELETE_BLOB, m->data, e);
	state->rows--;
	state->fold ^= metric_entry_sum(m);
	return rc;
}

static enum frame_kind frame_of(uint64_t kind)
{
	return kind == METRIC_BLOCK_SERIES  ? FRAME_METRIC_SERIES
	       : kind == METRIC_BLOCK_ROWS  ? FRAME_METRIC_ROWS
	       : kind == METRIC_BLOCK_CHUNK ? FRAME_METRIC_CHUNK
					    : FRAME_METRIC_EXTRAS;
}

int metric_replacement_apply(struct metric_replacement *m, struct writer_side *side,
			     const struct directory *old, struct directory *d, struct err *e)
{
	struct metric_list *l;
	uint32_t n = 0;
	int rc = 0;

	if (!m->drop.n && !m->add.n)
		return 0;
	l = metric_list_new(old->metrics->n + m->add.n);
	if (!l)
		return err_errno(e, -ENOMEM, "merge metrics");
	metric_list_unref(d->metrics);
	d->metrics = l;
	for (uint32_t i = 0; !rc && i < old->metrics->n; i++) {
		const struct metric_entry *entry = &old->metrics->at[i];

		if (id_is_listed(m->drop.at, m->drop.n, entry->id))
			rc = delete_block(side, entry, &d->metric_state, e);
		else
			l->at[n++] = *entry;
	}
	if (!rc && old->metrics->n - n != m->drop.n)
		rc = -ESTALE;
	for (uint32_t i = 0; !rc && i < m->add.n; i++) {
		struct new_metrics *a = &m->add.at[i];

		rc = insert_block(side, frame_of(a->entry.kind), &a->entry, buf_str(&a->data),
				  &d->metric_state, e);
		l->at[n++] = a->entry;
	}
	l->n = n;
	return rc ? rc : metric_state_write(&side->db, &d->metric_state, e);
}
