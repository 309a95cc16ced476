/* SPDX-License-Identifier: Apache-2.0 */
/* Sums of samples by span, with the labels that all series of a span have in common. */
#include "query/spans.h"

#include <stdlib.h>

#include "base/container/hash.h"

int spans_init(struct spans *s, const struct stack_filter_options *stacks,
	       const struct time_filter *times, struct budget *budget)
{
	int rc;

	*s = (struct spans){0};
	arena_init(&s->arena, budget);
	rc = sample_scan_init(&s->scan, stacks, times, budget);
	if (!rc)
		rc = idset_init(&s->index, &s->arena, 256);
	if (!rc)
		rc = map_init(&s->set_of, &s->arena, 64);
	return rc ? rc : map_init(&s->shared_sets, &s->arena, 64);
}

void spans_fini(struct spans *s)
{
	sample_scan_fini(&s->scan);
	arena_fini(&s->arena);
}

/* ---- labels ---- */

/* Return the labels of `a` that `b` has too; without `b` copy all that do not begin with "__". */
static int pick_labels(struct spans *s, struct label_set a, const struct label_set *b,
		       struct label_set *out)
{
	struct label *at = arena_alloc(&s->arena, a.n + 1, sizeof(*at));
	uint32_t n = 0;
	int rc = at ? 0 : -ENOMEM;

	for (uint32_t i = 0; i < a.n && !rc; i++) {
		if (b ? !str_eq(label_set_get(*b, a.at[i].name), a.at[i].value)
		      : str_starts(a.at[i].name, STR("__")))
			continue;
		at[n] = a.at[i];
		if (!b)
			rc = arena_copy_str(&s->arena, a.at[i].name, &at[n].name);
		if (!b && !rc)
			rc = arena_copy_str(&s->arena, a.at[i].value, &at[n].value);
		n++;
	}
	*out = (struct label_set){at, n};
	return rc;
}

static int list_series(void *ctx, uint32_t series, const struct store_series *row)
{
	struct spans *s = ctx;
	struct label_set set;
	uint64_t known;
	int rc;

	if (map_get(&s->set_of, series, &known))
		return 0;
	rc = pick_labels(s, row->labels, NULL, &set);
	if (!rc)
		rc = map_set(&s->set_of, series, s->sets.n);
	return rc ? rc : vec_push(&s->arena, &s->sets, set);
}

/*
 * Find the set of the labels that sets `a` and `b` have in common. Each pair is intersected once;
 * if the result equals `a`, `a` itself is used, so there are never many sets.
 */
static int share_set(struct spans *s, uint32_t a, uint32_t b, uint32_t *out)
{
	uint64_t key = (uint64_t)a << 32 | b, known;
	struct label_set set;
	int rc;

	*out = a;
	if (a == b)
		return 0;
	if (map_get(&s->shared_sets, key, &known)) {
		*out = (uint32_t)known;
		return 0;
	}
	rc = pick_labels(s, s->sets.at[a], &s->sets.at[b], &set);
	if (!rc && set.n < s->sets.at[a].n) {
		*out = s->sets.n;
		rc = vec_push(&s->arena, &s->sets, set);
	}
	return rc ? rc : map_set(&s->shared_sets, key, *out);
}

/* ---- rows ---- */

/* Find or add the row of a span. */
static int find_or_add_row(struct spans *s, const struct link *link, uint32_t series, uint32_t set,
			   uint32_t *id)
{
	uint32_t hash = (uint32_t)hash_bytes(link, sizeof(*link));
	int rc;

	for (struct idset_cursor at = idset_seek(&s->index, hash); idset_next(&s->index, &at, id);)
		if (memcmp(&s->rows.at[*id].link, link, sizeof(*link)) == 0)
			return 0;
	*id = s->rows.n;
	rc = vec_push(&s->arena, &s->rows,
		      (struct span_row){
			      .link = *link, .first = UINT64_MAX, .series = series, .set = set});
	return rc ? rc : idset_add(&s->index, hash, *id);
}

static int add_span_sample(struct spans *s, const struct store_samples *in, uint32_t i,
			   uint32_t set)
{
	uint64_t time = in->times && in->times[i] ? in->times[i] : in->time;
	struct span_row *row;
	uint32_t id;
	int rc = find_or_add_row(s, &in->links[i], in->series, set, &id);

	if (rc)
		return rc;
	row = &s->rows.at[id];
	if (row->series != in->series) {
		row->series = in->series;
		rc = share_set(s, row->set, set, &row->set);
	}
	row->total = (int64_t)((uint64_t)row->total + (uint64_t)in->values[i]);
	row->samples++;
	row->first = time < row->first ? time : row->first;
	row->last = time > row->last ? time : row->last;
	return rc;
}

static int visit_span_samples(void *ctx, const struct store_samples *in)
{
	struct spans *s = ctx;
	uint64_t set;
	int rc = sample_scan_decide(&s->scan);

	/* A series added since list_series() listed them is left for the next query. */
	if (rc || !map_get(&s->set_of, in->series, &set))
		return rc;
	for (uint32_t i = 0; i < in->n && !rc; i++) {
		if (!sample_scan_keeps(&s->scan, in, i))
			continue;
		s->total = (int64_t)((uint64_t)s->total + (uint64_t)in->values[i]);
		if (!in->links || !span_id_is_set(in->links[i].span_id, SPAN_ID_SIZE))
			continue;
		s->linked = (int64_t)((uint64_t)s->linked + (uint64_t)in->values[i]);
		rc = add_span_sample(s, in, i, (uint32_t)set);
	}
	return rc;
}

int spans_add(struct spans *s, struct store *store, const struct store_select *sel, struct err *e)
{
	struct store_select untimed = *sel;
	int rc;

	untimed.untimed = true;
	rc = store->ops->series(store, &untimed, list_series, s, e);
	return rc ? rc
		  : store->ops->scan(store, sel, sample_scan_tree(&s->scan), visit_span_samples, s,
				     e);
}

static int compare_totals(const void *a, const void *b)
{
	const struct span_row *x = a, *y = b;

	if (x->total != y->total)
		return x->total > y->total ? -1 : 1;
	return memcmp(&x->link, &y->link, sizeof(x->link));
}

void spans_sort(struct spans *s)
{
	if (s->rows.n)
		qsort(s->rows.at, s->rows.n, sizeof(*s->rows.at), compare_totals);
}
