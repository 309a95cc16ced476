/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counts spans by labels and interval, and makes series of the counts. Quantiles are estimated from
 * buckets of powers of two, on an exponential scale within a bucket.
 */
#include "query/traceql/traceql_counts.h"

#include <math.h>

#include "base/container/hash.h"

int traceql_counts_init(struct traceql_counts *c, const struct traceql_metrics *of,
			const struct traceql_range *range, uint32_t exemplars, struct arena *a)
{
	*c = (struct traceql_counts){.of = of, .range = range, .arena = a, .exemplars = exemplars};
	return idset_init(&c->index, a, 64);
}

static bool has_buckets(const struct traceql_metrics *m)
{
	return m->kind == TRACEQL_HISTOGRAM_OVER_TIME || m->kind == TRACEQL_QUANTILE_OVER_TIME;
}

static bool counts_spans(const struct traceql_metrics *m)
{
	return m->kind == TRACEQL_RATE || m->kind == TRACEQL_COUNT_OVER_TIME || has_buckets(m);
}

uint32_t traceql_interval_of(const struct traceql_range *r, uint64_t time)
{
	uint64_t before = r->first - r->step; /* may wrap: both do */
	uint64_t i;

	if (r->instant)
		return time >= r->first && time <= r->first + r->step ? 0 : UINT32_MAX;
	if (r->first >= r->step && time <= before)
		return UINT32_MAX;
	i = (time - before - 1) / r->step;
	return i < r->n ? (uint32_t)i : UINT32_MAX;
}

/* ---- groups ---- */

static int add_group(struct traceql_counts *c, const struct traceql_group *key, uint32_t hash,
		     uint32_t *id, struct err *e)
{
	struct traceql_group g = *key;
	double empty = counts_spans(c->of) ? 0 : (double)NAN;
	int rc = 0;

	if (c->groups.n >= TRACEQL_SERIES_MAX)
		return err_set(e, -E2BIG,
			       "the query has more than %d series: use fewer labels in by(), or a "
			       "narrower filter",
			       TRACEQL_SERIES_MAX);
	for (uint32_t i = 0; !rc && i < c->of->by_count; i++)
		if (g.by[i].type == TRACEQL_TYPE_STRING || g.by[i].type == TRACEQL_TYPE_JSON)
			rc = arena_copy_str(c->arena, g.by[i].text, &g.by[i].text);
	g.values = arena_alloc(c->arena, c->range->n, sizeof(*g.values));
	if (c->of->kind == TRACEQL_AVG_OVER_TIME)
		g.counts = arena_zalloc(c->arena, c->range->n, sizeof(*g.counts));
	if (rc || !g.values || (c->of->kind == TRACEQL_AVG_OVER_TIME && !g.counts))
		return -ENOMEM;
	for (uint32_t i = 0; i < c->range->n; i++)
		g.values[i] = empty;
	*id = c->groups.n;
	rc = vec_push(c->arena, &c->groups, g);
	return rc ? rc : idset_add(&c->index, hash, *id);
}

static bool same_group(const struct traceql_group *a, const struct traceql_group *b, uint32_t n)
{
	if (a->bucket != b->bucket)
		return false;
	for (uint32_t i = 0; i < n; i++)
		if (!traceql_same(&a->by[i], &b->by[i]))
			return false;
	return true;
}

static int find_group_of(struct traceql_counts *c, const struct traceql_group *key, uint32_t *id,
			 struct err *e)
{
	uint64_t hash = key->bucket;
	struct idset_cursor cursor;

	for (uint32_t i = 0; i < c->of->by_count; i++)
		hash = hash * 0x9e3779b97f4a7c15 + traceql_hash(&key->by[i]);
	cursor = idset_seek(&c->index, hash_u64(hash));
	while (idset_next(&c->index, &cursor, id))
		if (same_group(&c->groups.at[*id], key, c->of->by_count))
			return 0;
	return add_group(c, key, hash_u64(hash), id, e);
}

/* Return log2 of the next power of two from `v` on. */
static uint8_t bucket_of(int64_t v)
{
	return (uint8_t)(64 - __builtin_clzll((uint64_t)v - 1));
}

/* ---- counting ---- */

/* Keep an exemplar unless there are enough; groups share the limit evenly over time. */
static int keep_exemplar(struct traceql_counts *c, struct traceql_group *g,
			 const struct traceql_run *r, uint32_t row, double value)
{
	uint32_t most = c->exemplars < 16 ? c->exemplars : 16;
	struct traceql_exemplar *x;

	if (!most)
		return 0;
	if (!g->exemplars)
		g->exemplars = arena_zalloc(c->arena, most, sizeof(*g->exemplars));
	if (!g->exemplars)
		return -ENOMEM;
	/* a slot for each part of the range: the last span in it stays */
	x = &g->exemplars[traceql_interval_of(c->range, r->view->spans[row].start) *
			  (uint64_t)most / c->range->n];
	memcpy(x->trace_id, trace_view_id(r->view, row), sizeof(x->trace_id));
	x->time = r->view->spans[row].start;
	x->value = value;
	g->exemplar_count = most;
	return 0;
}

static void count_value(const struct traceql_metrics *m, struct traceql_group *g, uint32_t at,
			double v)
{
	double *to = &g->values[at];

	switch (m->kind) {
	case TRACEQL_MIN_OVER_TIME:
		*to = isnan(*to) || v < *to ? v : *to;
		break;
	case TRACEQL_MAX_OVER_TIME:
		*to = isnan(*to) || v > *to ? v : *to;
		break;
	case TRACEQL_SUM_OVER_TIME:
	case TRACEQL_AVG_OVER_TIME:
		*to = isnan(*to) ? v : *to + v;
		if (g->counts)
			g->counts[at]++;
		break;
	default:
		++*to;
	}
}

/* Read the number that is aggregated. Return 1 if the span counts, 0 if it does not, or -errno. */
static int read_number(struct traceql_counts *c, struct traceql_run *r, uint32_t row,
		       struct traceql_group *key, double *number, struct err *e)
{
	struct traceql_value v;
	int rc;

	*number = NAN;
	if (!c->of->of)
		return 1;
	rc = traceql_eval(r, c->of->of, row, &v, e);
	if (rc || !traceql_number(&v, number))
		return rc;
	if (has_buckets(c->of)) {
		if (v.type == TRACEQL_TYPE_DOUBLE || v.number < 2)
			return 0;
		key->bucket = bucket_of(v.number);
	}
	if (v.type == TRACEQL_TYPE_DURATION)
		*number /= 1e9;
	return 1;
}

int traceql_counts_add(struct traceql_counts *c, struct traceql_run *r, uint32_t row, struct err *e)
{
	uint32_t at = traceql_interval_of(c->range, r->view->spans[row].start), id = 0;
	struct traceql_group key = {0};
	double number;
	int rc;

	if (at == UINT32_MAX)
		return 0;
	rc = read_number(c, r, row, &key, &number, e);
	if (rc <= 0)
		return rc;
	rc = 0;
	for (uint32_t i = 0; !rc && i < c->of->by_count; i++) {
		rc = traceql_eval(r, c->of->by[i], row, &key.by[i], e);
		if (key.by[i].type == TRACEQL_TYPE_ARRAY) /* its elements would not last */
			key.by[i] = (struct traceql_value){0};
	}
	if (!rc)
		rc = find_group_of(c, &key, &id, e);
	if (rc)
		return rc;
	count_value(c->of, &c->groups.at[id], at, number);
	return keep_exemplar(c, &c->groups.at[id], r, row, number);
}

/* ---- series ---- */

static void add_label(struct traceql_series *s, struct str name, struct traceql_value v)
{
	s->labels[s->label_count++] = (struct traceql_label){name, v};
}

/* Labels of by(): nil ones are left out; if all are, the first is the text "nil". */
static void label_group(const struct traceql_metrics *m, const struct traceql_group *g,
			struct traceql_series *s)
{
	struct traceql_value text = {.type = TRACEQL_TYPE_STRING};

	for (uint32_t i = 0; i < m->by_count; i++)
		if (g->by[i].type != TRACEQL_TYPE_NIL)
			add_label(s, m->by[i]->name, g->by[i]);
	text.text = STR("nil");
	if (m->by_count && !s->label_count)
		add_label(s, m->by[0]->name, text);
	text.text = m->function;
	if (!m->by_count && !has_buckets(m))
		add_label(s, STR("__name__"), text);
}

/* The unit of the numbers that were put into buckets: durations are shown in seconds. */
static double bucket_unit(const struct traceql_metrics *m)
{
	return m->of->type == TRACEQL_TYPE_DURATION ? 1e-9 : 1;
}

static int put_plain(struct traceql_counts *c, struct traceql_group *g,
		     struct traceql_series_list *out)
{
	struct traceql_series s = {.values = g->values,
				   .exemplars = g->exemplars,
				   .exemplar_count = g->exemplar_count};
	double seconds = (double)c->range->step / 1e9;

	label_group(c->of, g, &s);
	for (uint32_t i = 0; i < c->range->n; i++) {
		if (c->of->kind == TRACEQL_RATE)
			s.values[i] /= seconds;
		if (g->counts && g->counts[i] > 0)
			s.values[i] /= g->counts[i];
	}
	if (c->of->kind == TRACEQL_HISTOGRAM_OVER_TIME)
		add_label(&s, STR("__bucket"),
			  (struct traceql_value){.type = TRACEQL_TYPE_DOUBLE,
						 .real = ldexp(bucket_unit(c->of), g->bucket)});
	return vec_push(c->arena, &out->list, s);
}

enum { BUCKETS = 65 };

/* Estimate a quantile of the counts by bucket, whose sum is `total`. */
static double estimate_quantile(const double *counts, double total, double q)
{
	double wanted = ceil(q * total), before = 0;
	unsigned previous = 0;

	if (wanted < 1)
		wanted = 1;
	for (unsigned b = 0; b < BUCKETS; b++) {
		double low;

		if (counts[b] <= 0)
			continue;
		if (before + counts[b] < wanted) {
			before += counts[b];
			previous = b;
			continue;
		}
		low = previous ? previous : b - 1.0;
		return exp2(low + (b - low) * (wanted - before) / counts[b]);
	}
	return 0;
}

/* The quantiles of the groups that have the labels of group `first` and differ in their buckets. */
static int put_quantiles(struct traceql_counts *c, uint32_t first, struct traceql_series_list *out)
{
	const struct traceql_metrics *m = c->of;
	struct traceql_group *buckets[BUCKETS] = {0};
	int rc = 0;

	for (uint32_t i = first; i < c->groups.n; i++) {
		struct traceql_group *g = &c->groups.at[i], like = c->groups.at[first];

		like.bucket = g->bucket;
		if (same_group(&like, g, m->by_count))
			buckets[g->bucket] = g;
	}
	for (uint32_t k = 0; !rc && k < m->quantile_count; k++) {
		struct traceql_series s = {0};

		s.values = arena_zalloc(c->arena, c->range->n, sizeof(*s.values));
		if (!s.values)
			return -ENOMEM;
		for (uint32_t i = 0; i < c->range->n; i++) {
			double counts[BUCKETS], total = 0;

			for (unsigned b = 0; b < BUCKETS; b++)
				total += counts[b] = buckets[b] ? buckets[b]->values[i] : 0;
			if (total > 0)
				s.values[i] = estimate_quantile(counts, total, m->quantiles[k]) *
					      bucket_unit(m);
		}
		label_group(m, &c->groups.at[first], &s);
		add_label(&s, STR("p"),
			  (struct traceql_value){.type = TRACEQL_TYPE_DOUBLE,
						 .real = m->quantiles[k]});
		s.exemplars = k ? NULL : c->groups.at[first].exemplars;
		s.exemplar_count = k ? 0 : c->groups.at[first].exemplar_count;
		rc = vec_push(c->arena, &out->list, s);
	}
	return rc;
}

/* Return whether no group before `i` has its labels. */
static bool is_first_of_labels(const struct traceql_counts *c, uint32_t i)
{
	for (uint32_t k = 0; k < i; k++) {
		struct traceql_group like = c->groups.at[i];

		like.bucket = c->groups.at[k].bucket;
		if (same_group(&like, &c->groups.at[k], c->of->by_count))
			return false;
	}
	return true;
}

int traceql_counts_series(struct traceql_counts *c, struct traceql_series_list *out)
{
	int rc = 0;

	for (uint32_t i = 0; !rc && i < c->groups.n; i++) {
		if (c->of->kind != TRACEQL_QUANTILE_OVER_TIME)
			rc = put_plain(c, &c->groups.at[i], out);
		else if (is_first_of_labels(c, i))
			rc = put_quantiles(c, i, out);
	}
	return rc;
}
