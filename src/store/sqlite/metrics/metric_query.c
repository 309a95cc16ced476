/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading series with their samples. The selected series of all days are sorted by labels first.
 * Their samples are read in batches of as many series as are likely to fit a few million samples: a
 * batch passes over the chunks of each day once and decodes the runs of its series.
 */
#include "store/sqlite/metrics/metric_query.h"

#include <stdlib.h>

#include "store/sqlite/metrics/layout/metric_runs.h"
#include "store/sqlite/read/query.h"

enum {
	BATCH_SAMPLES = 1 << 20,
	HUGE_SAMPLES = 1 << 18, /* from so many samples on: huge pages */
	SCRAPE_MS = 15000,
	ESTIMATE_MAX = 8192,
	HOUR_MS = 3600000
};

/* A selected series of a day. */
struct found_series {
	struct str labels;
	uint32_t day, id;
};

/* A series of the batch: the found ones with the same labels. */
struct batch_series {
	uint32_t first, n; /* in `found` */
	struct metric_gather floats, histograms;
};

/* A key to look for, and its series in the batch. */
struct wanted_key {
	uint64_t key;
	uint32_t slot;
};

struct store_metric_cursor {
	struct store_metric_select sel;
	struct metric_days days;
	struct arena arena;   /* of the query */
	struct arena batch;   /* of the samples of a batch */
	struct arena scratch; /* of a block */
	VEC(struct found_series) found;
	uint32_t next_found;
	VEC(struct batch_series) series;
	uint32_t next;
	VEC(struct wanted_key) wanted; /* of the current day, by key */
	uint64_t *bits;		       /* the series of `wanted`, as a set */
	struct label labels[METRIC_LABELS_MAX];
};

/* ---- selection ---- */

static int compare_found_series(const void *a, const void *b)
{
	const struct found_series *x = a, *y = b;
	int order = metric_labels_cmp(x->labels, y->labels);

	return order ? order : x->day < y->day ? -1 : x->day > y->day;
}

static int compare_in_index(const void *a, const void *b, void *index)
{
	return metric_index_compare(index, ((const struct found_series *)a)->id,
				    ((const struct found_series *)b)->id);
}

/* Add the series of a day, by labels. */
static int add_day(struct store_metric_cursor *c, uint32_t day)
{
	const struct metric_day *d = &c->days.at[day];
	uint32_t from = c->found.n;
	struct buf labels = {0};
	int rc = vec_reserve(&c->arena, &c->found, d->ids.n);

	pthread_rwlock_rdlock(&d->index->lock);
	for (uint32_t i = 0; i < d->ids.n && !rc; i++)
		c->found.at[c->found.n++] = (struct found_series){{0}, day, d->ids.at[i]};
	if (!rc && d->ids.n > 1)
		qsort_r(c->found.at + from, d->ids.n, sizeof(*c->found.at), compare_in_index,
			d->index);
	for (uint32_t i = from; i < c->found.n && !rc; i++) {
		buf_clear(&labels);
		metric_index_labels(d->index, c->found.at[i].id, &labels);
		rc = buf_error(&labels);
		if (!rc)
			rc = arena_copy_str(&c->arena, buf_str(&labels), &c->found.at[i].labels);
	}
	pthread_rwlock_unlock(&d->index->lock);
	buf_fini(&labels);
	return rc;
}

static int find_series(struct store_metric_cursor *c, struct store *s, struct err *e)
{
	uint32_t with_series = 0;
	int rc = metric_days_open(&c->days, s, &c->sel, &c->arena, e);

	for (uint32_t i = 0; i < c->days.n && !rc; i++) {
		rc = add_day(c, i);
		with_series += c->days.at[i].ids.n != 0;
	}
	if (!rc && with_series > 1)
		qsort(c->found.at, c->found.n, sizeof(*c->found.at), compare_found_series);
	return rc;
}

static void metric_cursor_close(struct store_metric_cursor *c)
{
	if (!c)
		return;
	metric_days_close(&c->days);
	arena_fini(&c->batch);
	arena_fini(&c->scratch);
	arena_fini(&c->arena);
	free(c);
}

static int metric_cursor_open(struct store *s, const struct store_metric_select *sel,
			      struct store_metric_cursor **out, struct err *e)
{
	struct store_metric_cursor *c = calloc(1, sizeof(*c));
	int rc;

	if (!c)
		return err_errno(e, -ENOMEM, "select metrics");
	c->sel = *sel;
	arena_init(&c->arena, sel->limits.budget);
	arena_init(&c->batch, sel->limits.budget);
	arena_init(&c->scratch, sel->limits.budget);
	rc = find_series(c, s, e);
	if (rc) {
		metric_cursor_close(c);
		return rc == -ENOMEM ? err_errno(e, rc, "select metrics") : rc;
	}
	*out = c;
	return 0;
}

/* ---- samples ---- */

static uint32_t lower(const int64_t *t, uint32_t n, int64_t than)
{
	uint32_t low = 0, high = n;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (t[middle] < than)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static int read_run(struct store_metric_cursor *c, struct metric_chunk *chunk, uint32_t run,
		    struct batch_series *s, struct err *e)
{
	uint32_t n = metric_chunk_n(chunk, run), from, to;
	struct native_histogram *histograms;
	const int64_t *times;
	uint64_t *bits;
	int rc = metric_chunk_times(chunk, run, &times, e);

	if (rc)
		return rc;
	from = lower(times, n, c->sel.from);
	to = lower(times, n, c->sel.to == INT64_MAX ? INT64_MAX : c->sel.to + 1);
	if (from == to)
		return 0;
	if (metric_chunk_is_histogram(chunk, run)) {
		histograms = arena_alloc(&c->batch, n, sizeof(*histograms));
		rc = histograms ? metric_chunk_histograms(chunk, run, &c->batch, histograms, e)
				: -ENOMEM;
		return rc ? rc
			  : metric_gather_add(&s->histograms, times + from, to - from, NULL,
					      histograms + from);
	}
	rc = vec_reserve(&c->batch, &s->floats.bits, n); /* decode in place */
	if (rc)
		return rc;
	bits = s->floats.bits.at + s->floats.bits.n;
	rc = metric_chunk_values(chunk, run, bits, e);
	if (!rc && from)
		memmove(bits, bits + from, (to - from) * sizeof(*bits));
	return rc ? rc : metric_gather_add_placed(&s->floats, times + from, to - from);
}

/* Decode the runs of a chunk that are wanted: both are sorted by key. */
static int read_chunk(struct store_metric_cursor *c, struct metric_day *d,
		      const struct metric_entry *m, struct err *e)
{
	struct metric_chunk chunk;
	struct str block;
	uint32_t run = 0, i = 0;
	int rc = reader_blob(&d->reader, m->data, FRAME_METRIC_CHUNK, &c->scratch, &block, e);

	if (!rc)
		rc = metric_chunk_open(&chunk, block, &d->reader.connection->unpacker, &c->scratch,
				       e);
	while (!rc && run < chunk.runs && i < c->wanted.n) {
		uint64_t key = c->wanted.at[i].key;

		if (chunk.keys[run] < key) {
			uint32_t step = 1;

			while (run + step < chunk.runs && chunk.keys[run + step] < key)
				step *= 2;
			run += step / 2 ? step / 2 : 1;
		} else if (chunk.keys[run] > key) {
			i++;
		} else {
			rc = read_run(c, &chunk, run++, &c->series.at[c->wanted.at[i].slot], e);
		}
	}
	arena_reset(&c->scratch);
	return rc;
}

static const struct wanted_key *find_wanted(const struct store_metric_cursor *c,
					    const struct metric_day *d, uint32_t series)
{
	uint64_t key = metric_key(metric_index_name(d->index, series), series);
	uint32_t low = 0, high = c->wanted.n;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (c->wanted.at[middle].key < key)
			low = middle + 1;
		else
			high = middle;
	}
	return &c->wanted.at[low];
}

static bool is_wanted(const struct store_metric_cursor *c, uint32_t series, uint32_t limit,
		      int64_t time)
{
	return series < limit && c->bits[series / 64] >> series % 64 & 1 && time >= c->sel.from &&
	       time <= c->sel.to;
}

/* Read the rows of a commit. The histograms stay in the batch's memory. */
static int read_rows(struct store_metric_cursor *c, struct metric_day *d,
		     const struct metric_entry *m, uint32_t limit, struct err *e)
{
	struct metric_rows rows;
	struct str block;
	int rc = reader_blob(&d->reader, m->data, FRAME_METRIC_ROWS, &c->scratch, &block, e);

	if (!rc)
		rc = metric_rows_get(&rows, block, &c->scratch, e);
	if (rc)
		return rc;
	pthread_rwlock_rdlock(&d->index->lock);
	for (uint32_t i = 0; i < rows.series.n && !rc; i++)
		if (is_wanted(c, rows.series.at[i], limit, rows.times.at[i]))
			rc = metric_gather_add(
				&c->series.at[find_wanted(c, d, rows.series.at[i])->slot].floats,
				&rows.times.at[i], 1, &rows.bits.at[i], NULL);
	for (uint32_t i = 0; i < rows.histograms.n && !rc; i++) {
		struct native_histogram copy;
		uint32_t id = rows.histogram_series.at[i];

		if (!is_wanted(c, id, limit, rows.histogram_times.at[i]))
			continue;
		rc = native_copy(&copy, &rows.histograms.at[i], &c->batch);
		if (!rc)
			rc = metric_gather_add(
				&c->series.at[find_wanted(c, d, id)->slot].histograms,
				&rows.histogram_times.at[i], 1, NULL, &copy);
	}
	pthread_rwlock_unlock(&d->index->lock);
	arena_reset(&c->scratch);
	return rc;
}

static int compare_wanted(const void *a, const void *b)
{
	uint64_t x = ((const struct wanted_key *)a)->key, y = ((const struct wanted_key *)b)->key;

	return (x > y) - (x < y);
}

/* List the keys of the batch in the day. Return their number. */
static int list_wanted(struct store_metric_cursor *c, uint32_t day, uint32_t *limit)
{
	const struct metric_index *x = c->days.at[day].index;
	int rc = 0;

	c->wanted.n = 0;
	pthread_rwlock_rdlock(&c->days.at[day].index->lock);
	*limit = x->n;
	c->bits = arena_zalloc(&c->batch, x->n / 64 + 1, sizeof(*c->bits));
	rc = c->bits ? 0 : -ENOMEM;
	for (uint32_t i = 0; i < c->series.n && !rc; i++)
		for (uint32_t k = 0; k < c->series.at[i].n && !rc; k++) {
			const struct found_series *f = &c->found.at[c->series.at[i].first + k];

			if (f->day != day)
				continue;
			c->bits[f->id / 64] |= (uint64_t)1 << f->id % 64;
			rc = vec_push(&c->arena, &c->wanted,
				      (struct wanted_key){
					      metric_key(metric_index_name(x, f->id), f->id), i});
		}
	pthread_rwlock_unlock(&c->days.at[day].index->lock);
	if (c->wanted.n > 1)
		qsort(c->wanted.at, c->wanted.n, sizeof(*c->wanted.at), compare_wanted);
	return rc;
}

/* By hour, and within it in the order of commits; rows are newer than all chunks. */
static int compare_blocks(const void *a, const void *b)
{
	const struct metric_entry *x = *(const struct metric_entry *const *)a;
	const struct metric_entry *y = *(const struct metric_entry *const *)b;

	if (x->hour != y->hour)
		return x->hour < y->hour ? -1 : 1;
	return x->newest < y->newest ? -1 : x->newest > y->newest;
}

static bool may_have(const struct store_metric_cursor *c, const struct metric_entry *m)
{
	if ((m->kind != METRIC_BLOCK_CHUNK && m->kind != METRIC_BLOCK_ROWS) ||
	    (int64_t)m->last < c->sel.from || (int64_t)m->first > c->sel.to)
		return false;
	return m->kind == METRIC_BLOCK_ROWS ||
	       (m->low <= c->wanted.at[c->wanted.n - 1].key && m->high >= c->wanted.at[0].key);
}

static int read_day(struct store_metric_cursor *c, uint32_t day, struct err *e)
{
	struct metric_day *d = &c->days.at[day];
	const struct metric_list *l = d->reader.directory->metrics;
	const struct metric_entry **blocks = arena_alloc(&c->batch, l->n + 1, sizeof(*blocks));
	uint32_t n = 0, limit;
	int rc = blocks ? list_wanted(c, day, &limit) : -ENOMEM;

	if (rc || !c->wanted.n)
		return rc;
	for (uint32_t i = 0; i < l->n; i++)
		if (may_have(c, &l->at[i]))
			blocks[n++] = &l->at[i];
	if (n > 1)
		qsort(blocks, n, sizeof(*blocks), compare_blocks);
	for (uint32_t i = 0; i < n && !rc; i++) {
		rc = query_check_limits(&c->sel.limits, true, e);
		if (!rc)
			rc = blocks[i]->kind == METRIC_BLOCK_CHUNK
				     ? read_chunk(c, d, blocks[i], e)
				     : read_rows(c, d, blocks[i], limit, e);
	}
	return rc;
}

/* Return how many samples a series has probably in the range. */
static uint32_t estimate(const struct store_metric_cursor *c)
{
	uint64_t range = (uint64_t)(c->sel.to - c->sel.from) / SCRAPE_MS + 16;

	return c->sel.to < c->sel.from || range > ESTIMATE_MAX ? ESTIMATE_MAX : (uint32_t)range;
}

/* Take the next series with different labels into the batch. */
static int take_series(struct store_metric_cursor *c, uint32_t expected)
{
	struct batch_series s = {.first = c->next_found};
	const struct found_series *f = &c->found.at[c->next_found];
	int rc = 0;

	while (c->next_found < c->found.n && str_eq(c->found.at[c->next_found].labels, f->labels)) {
		s.n++;
		c->next_found++;
	}
	metric_gather_init(&s.floats, &c->batch);
	metric_gather_init(&s.histograms, &c->batch);
	if (expected && !c->sel.labels_only)
		rc = vec_reserve(&c->batch, &s.floats.times, expected);
	if (!rc && expected && !c->sel.labels_only)
		rc = vec_reserve(&c->batch, &s.floats.bits, expected);
	return rc ? rc : vec_push(&c->arena, &c->series, s);
}

static int read_batch(struct store_metric_cursor *c, struct err *e)
{
	uint32_t expected = estimate(c), most = BATCH_SAMPLES / expected;
	int rc = 0;

	c->series.n = c->next = 0;
	arena_reset(&c->batch);
	if (!c->sel.labels_only && (uint64_t)(c->found.n - c->next_found) * expected > HUGE_SAMPLES)
		arena_prefer_huge(&c->batch);
	while (c->next_found < c->found.n && c->series.n < most && !rc)
		rc = take_series(c, expected);
	for (uint32_t day = 0; day < c->days.n && !rc && !c->sel.labels_only; day++)
		rc = read_day(c, day, e);
	for (uint32_t i = 0; i < c->series.n && !rc; i++) {
		rc = metric_gather_finish(&c->series.at[i].floats);
		if (!rc)
			rc = metric_gather_finish(&c->series.at[i].histograms);
	}
	return rc == -ENOMEM ? err_errno(e, rc, "read metrics") : rc;
}

static int metric_cursor_next(struct store_metric_cursor *c, struct store_metric_series *out,
			      struct err *e)
{
	const struct batch_series *s;
	struct str labels;
	int rc = query_check_limits(&c->sel.limits, false, e);

	if (!rc && c->next == c->series.n) {
		if (c->next_found == c->found.n)
			return 0;
		rc = read_batch(c, e);
	}
	if (rc)
		return rc;
	s = &c->series.at[c->next++];
	labels = c->found.at[s->first].labels;
	*out = (struct store_metric_series){.labels = c->labels,
					    .count = s->floats.times.n,
					    .histogram_count = s->histograms.times.n,
					    .times = s->floats.times.at,
					    .values =
						    (const double *)(const void *)s->floats.bits.at,
					    .histogram_times = s->histograms.times.at,
					    .histograms = s->histograms.histograms.at};
	while (out->label_count < METRIC_LABELS_MAX &&
	       metric_labels_next(&labels, &c->labels[out->label_count]))
		out->label_count++;
	return 1;
}

const struct store_metric_ops sqlite_metric_ops = {
	.open = metric_cursor_open,
	.next = metric_cursor_next,
	.close = metric_cursor_close,
	.texts = metric_query_texts,
	.families = metric_query_families,
	.exemplars = metric_query_exemplars,
	.counts = metric_query_counts,
};
