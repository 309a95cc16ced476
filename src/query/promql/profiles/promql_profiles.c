/* SPDX-License-Identifier: Apache-2.0 */
#include "query/promql/profiles/promql_profiles.h"

#include <stdlib.h>

#include "base/container/hash.h"
#include "query/promql/profiles/promql_profile_sums.h"

struct profile_cursor {
	struct profile_source source;
	struct promql_select select;
	struct arena arena; /* of the names of metrics */
	struct profile_texts metrics;
	uint32_t metric; /* the next one to read */

	/* The current metric. */
	struct arena current;
	struct profile_plan plan;
	struct profile_sums sums;
	uint32_t row; /* the next one */

	/* The current series, reused. */
	struct profile_labels labels;
	int64_t *times;
	double *values;
	uint32_t cap;
};

/* ---- names ---- */

static bool is_name(const struct promql_matcher *m)
{
	return str_eq(m->name, STR("__name__"));
}

bool promql_selects_profiles(const struct promql_matcher *matchers, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (is_name(&matchers[i]) &&
		    (matchers[i].type == PROMQL_MATCH_EQ || matchers[i].type == PROMQL_MATCH_RE) &&
		    str_starts(matchers[i].value, PROFILE_METRIC_PREFIX))
			return true;
	return false;
}

struct family_lister {
	struct profile_families *out;
	struct arena *arena;
	VEC(struct str) types;
	struct idset index; /* of the types */
};

static int list_family(void *ctx, uint32_t number, const struct store_series *series)
{
	struct family_lister *l = ctx;
	struct str id = label_set_get(series->labels, STR("__profile_type__"));
	struct profile_metric metric;
	struct profile_type type;
	uint32_t hash = hash32(id), known;
	int rc;

	(void)number;
	for (struct idset_cursor at = idset_seek(&l->index, hash);
	     idset_next(&l->index, &at, &known);)
		if (str_eq(l->types.at[known], id))
			return 0;
	rc = arena_copy_str(l->arena, id, &id);
	if (!rc)
		rc = idset_add(&l->index, hash, l->types.n);
	if (!rc)
		rc = vec_push(l->arena, &l->types, id);
	if (rc || !profile_type_parse(&type, id))
		return rc;
	rc = profile_metric_of(&metric, &type, l->arena);
	return rc ? rc : vec_push(l->arena, &l->out->list, metric);
}

static int compare_families(const void *a, const void *b)
{
	const struct profile_metric *x = a, *y = b;

	return str_cmp(x->name, y->name);
}

int profile_families_list(struct profile_families *out, const struct profile_source *source,
			  int64_t from_ms, int64_t to_ms, struct arena *a, struct err *e)
{
	struct family_lister l = {.out = out, .arena = a};
	struct store_select select = profile_range(from_ms, to_ms);
	struct selector all;
	int rc = idset_init(&l.index, a, 64);
	uint32_t kept = 0;

	*out = (struct profile_families){0};
	selector_init(&all);
	select.tenant = source->tenant;
	select.limits = source->limits;
	select.selector = &all;
	if (!rc)
		rc = source->store->ops->series(source->store, &select, list_family, &l, e);
	selector_fini(&all);
	if (!rc && out->list.n)
		qsort(out->list.at, out->list.n, sizeof(*out->list.at), compare_families);
	for (uint32_t i = 0; i < out->list.n; i++) /* several types may have one name */
		if (!i || compare_families(&out->list.at[i], &out->list.at[kept - 1]))
			out->list.at[kept++] = out->list.at[i];
	out->list.n = kept;
	return rc ? err_errno(e, rc, "list the types of profiles") : 0;
}

/* Return whether the matchers of the name hold: 1, 0 or -errno. */
static int matches_name(const struct promql_select *s, struct str name, struct err *e)
{
	for (uint32_t i = 0; i < s->matcher_count; i++) {
		int yes = is_name(&s->matchers[i]) ? promql_matches(&s->matchers[i], name, e) : 1;

		if (yes <= 0)
			return yes;
	}
	return 1;
}

int profile_metrics_find(struct profile_texts *out, const struct profile_source *source,
			 const struct promql_select *select, struct arena *a, struct err *e)
{
	struct profile_families families;
	int rc;

	*out = (struct profile_texts){0};
	for (uint32_t i = 0; i < select->matcher_count; i++) {
		const struct promql_matcher *m = &select->matchers[i];

		if (!is_name(m) || m->type != PROMQL_MATCH_EQ)
			continue;
		rc = matches_name(select, m->value, e);
		return rc <= 0 ? rc : vec_push(a, &out->list, m->value);
	}
	rc = profile_families_list(&families, source, select->from_ms, select->to_ms, a, e);
	for (uint32_t i = 0; !rc && i < families.list.n; i++) {
		rc = matches_name(select, families.list.at[i].name, e);
		if (rc > 0)
			rc = vec_push(a, &out->list, families.list.at[i].name);
	}
	return rc;
}

int profile_cursor_open(struct profile_cursor **out, const struct profile_source *source,
			const struct promql_select *select, struct err *e)
{
	struct profile_cursor *c = calloc(1, sizeof(*c));
	int rc;

	if (!c)
		return err_set(e, -ENOMEM, "out of memory");
	c->source = *source;
	c->select = *select;
	arena_init(&c->arena, source->limits.budget);
	arena_init(&c->current, source->limits.budget);
	rc = profile_metrics_find(&c->metrics, source, select, &c->arena, e);
	if (rc) {
		profile_cursor_close(c);
		return err_errno(e, rc, "select profiles");
	}
	*out = c;
	return 0;
}

void profile_cursor_close(struct profile_cursor *c)
{
	if (!c)
		return;
	arena_fini(&c->current);
	arena_fini(&c->arena);
	free(c);
}

/* ---- series ---- */

/* Read the next metric. Return 1, 0 if there is none, or -errno. */
static int next_metric(struct profile_cursor *c, struct err *e)
{
	int rc;

	if (c->metric == c->metrics.list.n)
		return 0;
	arena_reset(&c->current);
	c->labels = (struct profile_labels){0};
	c->cap = c->row = 0;
	rc = profile_plan_init(&c->plan, &c->select, c->metrics.list.at[c->metric++], e);
	if (!rc)
		rc = profile_sums_read(&c->sums, &c->plan, &c->source, &c->current, e);
	return rc ? rc : 1;
}

static int reserve_samples(struct profile_cursor *c, uint32_t n)
{
	if (n <= c->cap)
		return 0;
	c->times = arena_alloc(&c->current, n, sizeof(*c->times));
	c->values = arena_alloc(&c->current, n, sizeof(*c->values));
	c->cap = c->times && c->values ? n : 0;
	return c->cap ? 0 : -ENOMEM;
}

/*
 * Make the samples of a row: one at the last profile of each slot of its set, also of slots in which
 * the function does not occur. Return their number.
 */
static uint32_t make_samples(struct profile_cursor *c, const struct profile_row *row)
{
	const struct profile_set *set = &c->sums.sets.sets.at[row->set];
	bool gauge = profile_sums_are_gauges(&c->sums);
	int64_t sum = 0, day = INT64_MIN;
	uint32_t n = 0;

	for (uint32_t i = 0, k = 0; i < set->moments.n; i++) {
		const struct profile_moment *m = &set->moments.at[i];

		if (gauge || (!c->sums.slots.continuous && profile_day_of(m->slot) != day))
			sum = 0;
		day = profile_day_of(m->slot);
		if (k < row->entries.n && row->entries.at[k].slot == m->slot)
			sum = (int64_t)((uint64_t)sum + (uint64_t)row->entries.at[k++].sum);
		if (m->last < c->select.from_ms)
			continue;
		c->times[n] = m->last;
		c->values[n++] = (double)sum / c->sums.divisor / (gauge ? m->count : 1);
	}
	return n;
}

int profile_cursor_next(struct profile_cursor *c, struct promql_samples *out, struct err *e)
{
	struct profile_row *row;
	int rc = 1;

	while (c->row == c->sums.rows.n && rc > 0)
		rc = next_metric(c, e);
	if (rc <= 0)
		return rc;
	row = &c->sums.rows.at[c->row++];
	profile_row_sort(row);
	rc = profile_row_labels(&c->labels, &c->sums, row, &c->current);
	if (!rc)
		rc = reserve_samples(c, c->sums.sets.sets.at[row->set].moments.n);
	if (rc)
		return err_errno(e, rc, "read profiles");
	*out = (struct promql_samples){.labels = c->labels.list.at,
				       .label_count = c->labels.list.n,
				       .times = c->times,
				       .values = c->values,
				       .count = make_samples(c, row),
				       .exact = c->sums.slots.exact};
	return 1;
}
