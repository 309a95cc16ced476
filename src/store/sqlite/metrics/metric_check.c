/* SPDX-License-Identifier: Apache-2.0 */
/* Check of the blocks of metrics. */
#include "store/sqlite/metrics/metric_check.h"

#include "store/sqlite/metrics/layout/metric_chunk.h"
#include "store/sqlite/metrics/metric_write.h"

enum { MS_PER_DAY = 86400000, MS_PER_HOUR = 3600000, HOURS = 24 };

struct metric_checker {
	struct reader *r;
	struct metric_index *index;
	struct arena arena;
	void (*problem)(void *ctx, const char *text);
	void *ctx;
	struct err *e;
};

static bool in_entry(const struct metric_checker *c, const struct metric_entry *m, int64_t time)
{
	uint64_t t = (uint64_t)time;

	return t >= m->first && t <= m->last && t / MS_PER_DAY == c->r->partition->day &&
	       (m->hour == METRIC_ANY_HOUR || t / MS_PER_HOUR % HOURS == m->hour);
}

static int check_run(struct metric_checker *c, const struct metric_entry *m,
		     struct metric_chunk *chunk, uint32_t run)
{
	uint32_t n = metric_chunk_n(chunk, run), series = metric_key_series(chunk->keys[run]);
	struct native_histogram *histograms;
	const int64_t *times;
	uint64_t *bits;
	int rc = metric_chunk_times(chunk, run, &times, c->e);

	if (rc)
		return rc;
	if (!in_entry(c, m, times[0]) || !in_entry(c, m, times[n - 1]))
		c->problem(c->ctx, "a sample of metrics lies outside the time of its block");
	if (series >= c->index->n ||
	    chunk->keys[run] != metric_key(metric_index_name(c->index, series), series))
		c->problem(c->ctx, "a chunk of metrics has an unknown series");
	if (metric_chunk_is_histogram(chunk, run)) {
		histograms = arena_alloc(&c->arena, n, sizeof(*histograms));
		return histograms ? metric_chunk_histograms(chunk, run, &c->arena, histograms, c->e)
				  : -ENOMEM;
	}
	bits = arena_alloc(&c->arena, n, sizeof(*bits));
	return bits ? metric_chunk_values(chunk, run, bits, c->e) : -ENOMEM;
}

static int check_metric_chunk(struct metric_checker *c, const struct metric_entry *m,
			      struct str block)
{
	struct metric_chunk chunk;
	int rc = metric_chunk_open(&chunk, block, &c->r->connection->unpacker, &c->arena, c->e);

	for (uint32_t i = 0; !rc && i < chunk.runs; i++)
		rc = check_run(c, m, &chunk, i);
	if (!rc && (chunk.samples != m->samples || !chunk.runs || chunk.keys[0] != m->low ||
		    chunk.keys[chunk.runs - 1] != m->high))
		c->problem(c->ctx, "a chunk of metrics differs from its entry");
	return rc;
}

static int check_rows(struct metric_checker *c, const struct metric_entry *m, struct str block)
{
	struct metric_rows rows;
	bool bad = false;
	int rc = metric_rows_get(&rows, block, &c->arena, c->e);

	if (rc)
		return rc;
	for (uint32_t i = 0; i < rows.series.n; i++)
		bad |= rows.series.at[i] >= c->index->n || !in_entry(c, m, rows.times.at[i]);
	for (uint32_t i = 0; i < rows.histograms.n; i++)
		bad |= rows.histogram_series.at[i] >= c->index->n ||
		       !in_entry(c, m, rows.histogram_times.at[i]);
	if (bad || rows.series.n + rows.histograms.n != m->samples)
		c->problem(c->ctx, "rows of metrics differ from their entry");
	return 0;
}

static int check_extras(struct metric_checker *c, const struct metric_entry *m, struct str block)
{
	struct metric_extras x = {0};
	int rc = metric_extras_get(&x, block, &c->arena, c->e);

	if (!rc && (x.exemplars.n != m->samples || x.families.n != m->series))
		c->problem(c->ctx, "exemplars or metadata differ from their entry");
	return rc;
}

static int check_entry(struct metric_checker *c, const struct metric_entry *m)
{
	struct str block;
	int rc;

	switch (m->kind) {
	case METRIC_BLOCK_CHUNK:
		rc = reader_blob(c->r, m->data, FRAME_METRIC_CHUNK, &c->arena, &block, c->e);
		return rc ? rc : check_metric_chunk(c, m, block);
	case METRIC_BLOCK_ROWS:
		rc = reader_blob(c->r, m->data, FRAME_METRIC_ROWS, &c->arena, &block, c->e);
		return rc ? rc : check_rows(c, m, block);
	case METRIC_BLOCK_EXTRAS:
		rc = reader_blob(c->r, m->data, FRAME_METRIC_EXTRAS, &c->arena, &block, c->e);
		return rc ? rc : check_extras(c, m, block);
	default: /* series were loaded into the index */
		return 0;
	}
}

int metrics_check(struct reader *r, void (*problem)(void *ctx, const char *text), void *ctx,
		  struct err *e)
{
	struct metric_checker c = {.r = r, .problem = problem, .ctx = ctx, .e = e};
	const struct metric_list *l = r->directory->metrics;
	int rc;

	if (!l->n)
		return 0;
	rc = metric_index_open(r, &c.index, e);
	arena_init(&c.arena, NULL);
	for (uint32_t i = 0; !rc && i < l->n; i++) {
		rc = check_entry(&c, &l->at[i]);
		arena_reset(&c.arena);
	}
	arena_fini(&c.arena);
	metric_index_unref(c.index);
	return rc;
}
