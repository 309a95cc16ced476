/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compaction of metrics: what to do next, and merging chunks.
 *
 * Chunks that were made in one step are a set: they have the same `newest`, and each key is in one
 * of them at most. The merge reads sets in parallel, a chunk of each at a time, by key.
 */
#include "store/sqlite/metrics/metric_merge.h"

#include <stdlib.h>

#include "store/sqlite/catalog/day.h"
#include "store/sqlite/compact/replace.h"
#include "store/sqlite/metrics/metric_merge_parts.h"
#include "store/sqlite/read/reader.h"

enum {
	ROWS_BLOCKS = 64,  /* this many blocks of commits become chunks at once */
	SET_FAN_IN = 8,	   /* sets of a generation and hour */
	SMALL_BLOCKS = 16, /* blocks of series, or of extras, that are joined */
	FINAL = 8,	   /* the generation of a finished hour */
	FAST_ZSTD = 1,
	FINAL_ZSTD = 3,
	LATE_PART = 8,	    /* late samples are merged when they are 1/8 of the hour, */
	LATE_SECONDS = 600, /* or after this time */
	HOUR_MS = 3600000,
	HOURS = 24,
};
#define ROWS_BYTES (4 * MIB)
#define SMALL_SERIES ((uint64_t)65536)
#define SMALL_EXTRAS (MIB)

/* ---- planning ---- */

static int compare_newest(const void *a, const void *b)
{
	const struct metric_entry *x = a, *y = b;

	if (x->newest != y->newest)
		return x->newest < y->newest ? -1 : 1;
	return x->low < y->low ? -1 : x->low > y->low;
}

static bool rows_due(struct partition *p, const struct metric_list *l,
		     const struct compact_rules *rules)
{
	uint64_t now = clock_monotonic_ns(), bytes = 0;
	uint32_t n = 0;

	for (uint32_t i = 0; i < l->n; i++)
		if (l->at[i].kind == METRIC_BLOCK_ROWS) {
			bytes += l->at[i].bytes;
			n++;
		}
	if (!n)
		p->metrics_merged_ns = now;
	return n && (rules->all || n >= ROWS_BLOCKS || bytes >= ROWS_BYTES ||
		     now - p->metrics_merged_ns > p->store->options.compact_ms * NS_PER_MS);
}

static int plan_add(struct metric_plan *plan, const struct metric_entry *m)
{
	int rc = vec_push(&plan->arena, &plan->at, *m);

	plan->samples += rc ? 0 : m->samples;
	return rc;
}

static int plan_rows(struct metric_plan *plan, const struct metric_list *l)
{
	int rc = 0;

	plan->step = METRIC_STEP_ROWS;
	for (uint32_t i = 0; i < l->n && !rc; i++)
		if (l->at[i].kind == METRIC_BLOCK_ROWS &&
		    (!plan->at.n || plan->samples + l->at[i].samples <= METRIC_ROWS_AT_ONCE))
			rc = plan_add(plan, &l->at[i]);
	return rc;
}

/* Plan to join small neighbouring blocks of series, or small blocks of extras. */
static int plan_small(struct metric_plan *plan, const struct metric_list *l, uint64_t kind,
		      uint32_t least)
{
	uint64_t end = UINT64_MAX;
	uint32_t best = 0, n = 0;
	int rc = 0;

	plan->step = kind == METRIC_BLOCK_SERIES ? METRIC_STEP_SERIES : METRIC_STEP_EXTRAS;
	for (uint32_t i = 0; i < l->n && !rc; i++) {
		const struct metric_entry *m = &l->at[i];

		if (m->kind != kind)
			continue;
		if (kind == METRIC_BLOCK_EXTRAS && m->bytes < SMALL_EXTRAS)
			rc = plan_add(plan, m);
		if (kind == METRIC_BLOCK_SERIES && m->series < SMALL_SERIES)
			rc = plan_add(plan, m);
	}
	if (!rc && kind == METRIC_BLOCK_SERIES && plan->at.n) {
		struct metric_entry *at = plan->at.at;

		qsort(at, plan->at.n, sizeof(*at), metric_compare_low);
		for (uint32_t i = 0; i < plan->at.n; i++) { /* the first long run */
			n = at[i].low == end ? n + 1 : 1;
			end = at[i].high;
			best = i + 1 - n;
			if (n >= least && (i + 1 == plan->at.n || at[i + 1].low != end))
				break;
		}
		memmove(at, at + best, n * sizeof(*at));
		plan->at.n = n;
	}
	if (plan->at.n < least)
		plan->at.n = 0;
	return rc;
}

static bool hour_is_over(uint32_t day, uint64_t hour, const struct compact_rules *rules)
{
	return rules->all ||
	       rules->now > day * SECONDS_PER_DAY + (hour + 1) * 3600 + STORE_SLOT_SECONDS;
}

/* What an hour has. */
struct hour_state {
	uint64_t early, final, made; /* samples by generation; the newest early chunk */
	uint32_t early_sets, final_sets;
	uint32_t sets[FINAL];
	uint64_t last[FINAL + 1]; /* newest of the last set seen, by generation */
};

static void count_chunk(struct hour_state *h, const struct metric_entry *m)
{
	uint64_t g = m->generation < FINAL ? m->generation : FINAL;
	bool set = h->last[g] != m->newest;

	h->last[g] = m->newest;
	if (g == FINAL) {
		h->final += m->samples;
		h->final_sets += set;
		return;
	}
	h->early += m->samples;
	h->early_sets += set;
	h->sets[g] += set;
	h->made = m->made > h->made ? m->made : h->made;
}

/* Plan the chunks of the hour of generation g, or of all (g > FINAL). */
static int plan_chunks(struct metric_plan *plan, const struct metric_list *l, uint64_t hour,
		       uint64_t g, uint64_t to)
{
	int rc = 0;

	plan->step = METRIC_STEP_CHUNKS;
	plan->generation = to;
	plan->hour = hour;
	for (uint32_t i = 0; i < l->n && !rc; i++)
		if (l->at[i].kind == METRIC_BLOCK_CHUNK && l->at[i].hour == hour &&
		    (g > FINAL || l->at[i].generation == g))
			rc = plan_add(plan, &l->at[i]);
	return rc;
}

static bool is_settled(const struct hour_state *h, const struct compact_rules *rules)
{
	if (rules->all)
		return true;
	if (h->final && h->early * LATE_PART < h->final)
		return rules->now > h->made + LATE_SECONDS;
	return rules->now > h->made + rules->settled;
}

static int plan_hours(struct metric_plan *plan, const struct metric_list *l, uint32_t day,
		      const struct compact_rules *rules)
{
	struct hour_state hours[HOURS] = {0};

	/* chunks of a set follow each other in the list */
	for (uint32_t i = 0; i < l->n; i++)
		if (l->at[i].kind == METRIC_BLOCK_CHUNK && l->at[i].hour < HOURS)
			count_chunk(&hours[l->at[i].hour], &l->at[i]);
	for (uint64_t hour = 0; hour < HOURS; hour++) {
		const struct hour_state *h = &hours[hour];

		if (!h->early_sets && h->final_sets < 2)
			continue;
		if (hour_is_over(day, hour, rules) && is_settled(h, rules))
			return plan_chunks(plan, l, hour, FINAL + 1, FINAL);
		for (uint64_t g = 1; g < FINAL; g++)
			if (h->sets[g] >= SET_FAN_IN)
				return plan_chunks(plan, l, hour, g, g + 1 < FINAL ? g + 1 : g);
	}
	return 0;
}

/* Plan the next step; without blocks there is none. */
static int plan_step(struct metric_plan *plan, struct partition *p, const struct metric_list *l,
		     const struct compact_rules *rules)
{
	uint32_t least = rules->all ? 2 : SMALL_BLOCKS;
	int rc = rows_due(p, l, rules) ? plan_rows(plan, l) : 0;

	if (!rc && !plan->at.n)
		rc = plan_hours(plan, l, p->day, rules);
	if (!rc && !plan->at.n)
		rc = plan_small(plan, l, METRIC_BLOCK_SERIES, least);
	if (!rc && !plan->at.n)
		rc = plan_small(plan, l, METRIC_BLOCK_EXTRAS, least);
	return rc;
}

bool metrics_due(struct partition *p, const struct compact_rules *rules)
{
	struct metric_plan plan = {0};
	bool due = false;

	arena_init(&plan.arena, NULL);
	pthread_mutex_lock(&p->mu);
	if (p->directory)
		due = !plan_step(&plan, p, p->directory->metrics, rules) && plan.at.n;
	pthread_mutex_unlock(&p->mu);
	arena_fini(&plan.arena);
	return due;
}

bool metrics_pending(const struct metric_list *l)
{
	for (uint32_t i = 0; i < l->n; i++)
		if (l->at[i].kind == METRIC_BLOCK_ROWS ||
		    (l->at[i].kind == METRIC_BLOCK_CHUNK && l->at[i].generation < FINAL))
			return true;
	return false;
}

/* ---- output ---- */

int metric_output_end(struct metric_output *o)
{
	struct new_metrics b = {0};
	int rc;

	if (!o->maker.names.n)
		return 0;
	b.entry = (struct metric_entry){.kind = METRIC_BLOCK_CHUNK,
					.hour = o->hour,
					.generation = o->generation,
					.made = clock_realtime_ns() / NS_PER_SECOND,
					.first = (uint64_t)o->maker.first,
					.last = (uint64_t)o->maker.last,
					.low = o->maker.first_key,
					.high = o->maker.last_key,
					.series = o->maker.series,
					.samples = o->maker.samples,
					.newest = o->newest};
	rc = metric_chunk_finish(&o->maker, &b.data);
	if (!rc)
		rc = vec_push(&o->change->arena, &o->change->metrics.add, b);
	if (rc)
		buf_fini(&b.data);
	return rc;
}

int metric_output_add(struct metric_output *o, const struct metric_run *r)
{
	int rc = metric_chunk_full(&o->maker) && r->key != o->maker.last_key ? metric_output_end(o)
									     : 0;

	return rc ? rc : metric_chunk_add(&o->maker, r);
}

/* ---- merging chunks ---- */

/* A set of chunks, read by key. */
struct set_input {
	const struct metric_entry *at; /* by key */
	uint32_t n, next;
	struct arena arena;
	struct metric_chunk chunk;
	uint32_t run;
	bool open;
};

struct chunk_merge {
	struct reader *r;
	struct set_input *sets; /* by newest */
	uint32_t n;
	struct metric_gather floats, histograms;
	struct arena gathered; /* of floats and histograms */
	struct arena run;      /* of histograms and decoded values */
	struct metric_output out;
	struct err *e;
};

/* Open the set's next chunk when the current one is read. */
static int advance(struct chunk_merge *m, struct set_input *s)
{
	struct str block;
	int rc;

	if (s->open && s->run < s->chunk.runs)
		return 0;
	s->open = false;
	arena_reset(&s->arena);
	if (s->next == s->n)
		return 0;
	rc = reader_blob(m->r, s->at[s->next++].data, FRAME_METRIC_CHUNK, &s->arena, &block, m->e);
	if (!rc)
		rc = metric_chunk_open(&s->chunk, block, &m->r->connection->unpacker, &s->arena,
				       m->e);
	if (!rc && !s->chunk.runs)
		rc = err_set(m->e, -EUCLEAN, "a chunk of metrics is empty");
	s->run = 0;
	s->open = !rc;
	return rc;
}

static int take_run(struct chunk_merge *m, struct set_input *s)
{
	uint32_t n = metric_chunk_n(&s->chunk, s->run);
	const int64_t *times;
	struct native_histogram *histograms;
	uint64_t *bits;
	int rc = metric_chunk_times(&s->chunk, s->run, &times, m->e);

	if (rc)
		return rc;
	if (metric_chunk_is_histogram(&s->chunk, s->run)) {
		histograms = arena_alloc(&m->run, n, sizeof(*histograms));
		rc = histograms
			     ? metric_chunk_histograms(&s->chunk, s->run, &m->run, histograms, m->e)
			     : -ENOMEM;
		if (!rc)
			rc = metric_gather_add(&m->histograms, times, n, NULL, histograms);
	} else {
		bits = arena_alloc(&m->run, n, sizeof(*bits));
		rc = bits ? metric_chunk_values(&s->chunk, s->run, bits, m->e) : -ENOMEM;
		if (!rc)
			rc = metric_gather_add(&m->floats, times, n, bits, NULL);
	}
	s->run++;
	return rc ? rc : advance(m, s);
}

int metric_output_gathered(struct metric_output *o, uint64_t key, struct metric_gather *g)
{
	struct metric_run run = {.key = key};
	int rc = metric_gather_finish(g);

	run.n = g->times.n;
	run.times = g->times.at;
	run.bits = g->bits.n ? g->bits.at : NULL;
	run.histograms = g->bits.n ? NULL : g->histograms.at;
	if (!rc && run.n)
		rc = metric_output_add(o, &run);
	metric_gather_reset(g);
	return rc;
}

/* Merge the runs of the least key. Set *more to false if there is none. */
static int merge_key(struct chunk_merge *m, bool *more)
{
	uint64_t key = UINT64_MAX;
	int rc = 0;

	*more = false;
	for (uint32_t i = 0; i < m->n; i++)
		if (m->sets[i].open && m->sets[i].chunk.keys[m->sets[i].run] <= key) {
			key = m->sets[i].chunk.keys[m->sets[i].run];
			*more = true;
		}
	if (!*more)
		return 0;
	arena_reset(&m->run);
	for (uint32_t i = 0; i < m->n && !rc; i++)
		while (!rc && m->sets[i].open && m->sets[i].chunk.keys[m->sets[i].run] == key)
			rc = take_run(m, &m->sets[i]);
	if (!rc)
		rc = metric_output_gathered(&m->out, key, &m->floats);
	return rc ? rc : metric_output_gathered(&m->out, key, &m->histograms);
}

/* Divide the plan into sets. */
static int begin_sets(struct chunk_merge *m, struct metric_plan *plan)
{
	struct metric_entry *at = plan->at.at;
	uint32_t n = plan->at.n;
	int rc = 0;

	qsort(at, n, sizeof(*at), compare_newest);
	m->sets = calloc(n, sizeof(*m->sets));
	if (!m->sets)
		return -ENOMEM;
	for (uint32_t i = 0, end; i < n; i = end) {
		end = i + 1;
		/* sets of different generations can have the same number after a failure */
		while (end < n && at[end].newest == at[i].newest && at[end].low > at[end - 1].high)
			end++;
		m->sets[m->n] = (struct set_input){.at = &at[i], .n = end - i};
		arena_init(&m->sets[m->n++].arena, NULL);
	}
	for (uint32_t i = 0; i < m->n && !rc; i++)
		rc = advance(m, &m->sets[i]);
	return rc;
}

static int merge_chunks(struct reader *r, struct metric_plan *plan, struct replacement *change,
			struct err *e)
{
	struct chunk_merge m = {.r = r, .e = e, .out = {.change = change}};
	bool more = true;
	int rc;

	m.out.hour = plan->hour;
	m.out.generation = plan->generation;
	for (uint32_t i = 0; i < plan->at.n; i++)
		if (plan->at.at[i].newest > m.out.newest)
			m.out.newest = plan->at.at[i].newest;
	metric_chunk_maker_init(&m.out.maker, plan->generation == FINAL ? FINAL_ZSTD : FAST_ZSTD);
	arena_init(&m.gathered, NULL);
	metric_gather_init(&m.floats, &m.gathered);
	metric_gather_init(&m.histograms, &m.gathered);
	arena_init(&m.run, NULL);
	rc = begin_sets(&m, plan);
	while (!rc && more)
		rc = merge_key(&m, &more);
	if (!rc)
		rc = metric_output_end(&m.out);
	for (uint32_t i = 0; i < m.n; i++)
		arena_fini(&m.sets[i].arena);
	free(m.sets);
	arena_fini(&m.run);
	arena_fini(&m.gathered);
	metric_chunk_maker_fini(&m.out.maker);
	return rc;
}

/* ---- steps ---- */

static int prepare_step(struct partition *p, struct metric_plan *plan, struct replacement *change,
			const struct compact_rules *rules, struct err *e)
{
	struct reader r = {0};
	int rc = reader_begin(&r, p, e);

	if (!rc)
		rc = plan_step(plan, p, r.directory->metrics, rules);
	for (uint32_t i = 0; i < plan->at.n && !rc; i++)
		rc = vec_push(&change->arena, &change->metrics.drop, plan->at.at[i].id);
	if (!rc && plan->at.n)
		rc = plan->step == METRIC_STEP_ROWS	? metric_merge_rows(&r, plan, change, e)
		     : plan->step == METRIC_STEP_CHUNKS ? merge_chunks(&r, plan, change, e)
		     : plan->step == METRIC_STEP_SERIES ? metric_merge_series(&r, plan, change, e)
							: metric_merge_extras(&r, plan, change, e);
	reader_end(&r);
	return rc;
}

int metrics_merge(struct partition *p, const struct compact_rules *rules, bool *more, struct err *e)
{
	struct metric_plan plan = {0};
	struct replacement change;
	int rc;

	arena_init(&plan.arena, NULL);
	replacement_init(&change, p);
	rc = prepare_step(p, &plan, &change, rules, e);
	*more = plan.at.n;
	if (!rc && plan.at.n) {
		rc = replacement_run(&change);
		if (rc == -ESTALE)
			rc = 0;
		else if (rc && e && !e->code)
			*e = change.error;
	}
	if (!rc && plan.step == METRIC_STEP_ROWS && plan.at.n) {
		pthread_mutex_lock(&p->mu);
		p->metrics_merged_ns = clock_monotonic_ns();
		pthread_mutex_unlock(&p->mu);
	}
	replacement_fini(&change);
	arena_fini(&plan.arena);
	return rc ? err_errno(e, rc, "merge metrics") : 0;
}
