/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Matchers over the inverted index. A matcher that a missing label does not pass selects: the
 * union of the postings of the values that pass. Any other removes: the union of the postings of
 * the values that do not pass. The result begins with the shortest list that selects, which the
 * others filter.
 */
#include <stdlib.h>

#include "store/sqlite/metrics/metric_index.h"

/* The values of one label that select or remove series. */
struct match_set {
	bool removes;
	uint64_t total; /* postings */
	VEC(const struct metric_pair *) pairs;
};

struct matching {
	const struct metric_index *x;
	struct arena *a;
	struct err *e;
	struct match_set *sets;
	uint32_t n;
	uint64_t *bits; /* by series */
};

/* Return 1 if the value passes, 0 if not, or -errno. */
static int value_passes(const struct matcher *m, struct str value, struct err *e)
{
	int rc;

	if (m->op == MATCH_EQUAL || m->op == MATCH_NOT_EQUAL)
		return str_eq(value, m->value) == (m->op == MATCH_EQUAL);
	rc = regex_match(m->regex, value, e);
	return rc < 0 ? rc : (rc > 0) == (m->op == MATCH_REGEX);
}

static int add_match_pair(struct matching *w, struct match_set *s, const struct metric_pair *p)
{
	s->total += p->n;
	return vec_push(w->a, &s->pairs, p);
}

static int evaluate(struct matching *w, const struct matcher *m, struct match_set *s)
{
	const struct metric_label_name *name;
	const struct metric_pair *p;
	int rc = value_passes(m, STR(""), w->e);

	if (rc < 0)
		return rc;
	s->removes = rc;
	if (m->value.n && m->name.n && (m->op == MATCH_EQUAL || m->op == MATCH_NOT_EQUAL)) {
		p = metric_index_pair(w->x, m->name, m->value);
		return p ? add_match_pair(w, s, p) : 0;
	}
	/* the empty name is that of the tenant */
	name = m->name.n ? metric_index_name_of(w->x, m->name) : NULL;
	for (uint32_t i = 0; name && i < name->pairs.n; i++) {
		p = &w->x->pairs.at[name->pairs.at[i]];
		rc = value_passes(m, w->x->symbols.at[p->value], w->e);
		if (rc < 0)
			return rc;
		rc = (rc > 0) != s->removes ? add_match_pair(w, s, p) : 0;
		if (rc)
			return rc;
	}
	return 0;
}

static void mark(struct matching *w, const struct match_set *s, bool value)
{
	for (uint32_t i = 0; i < s->pairs.n; i++) {
		const struct metric_pair *p = s->pairs.at[i];
		const uint32_t *ids = metric_postings(p);

		for (uint32_t k = 0; k < p->n; k++) {
			uint64_t bit = (uint64_t)1 << ids[k] % 64;

			if (value)
				w->bits[ids[k] / 64] |= bit;
			else
				w->bits[ids[k] / 64] &= ~bit;
		}
	}
}

static int compare_ids(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

/* Set *out to the union of a set that selects. */
static int list_set(struct matching *w, const struct match_set *s, struct metric_ids *out)
{
	out->at = arena_alloc(w->a, s->total + 1, sizeof(*out->at));
	out->n = 0;
	if (!out->at)
		return -ENOMEM;
	for (uint32_t i = 0; i < s->pairs.n; i++) {
		const struct metric_pair *p = s->pairs.at[i];

		memcpy(out->at + out->n, metric_postings(p), p->n * sizeof(*out->at));
		out->n += p->n;
	}
	if (s->pairs.n > 1) /* a series has one value of a label: there are no duplicates */
		qsort(out->at, out->n, sizeof(*out->at), compare_ids);
	return 0;
}

static void filter_by(struct matching *w, const struct match_set *s, struct metric_ids *out)
{
	uint32_t kept = 0;

	mark(w, s, true);
	for (uint32_t i = 0; i < out->n; i++) {
		bool in = w->bits[out->at[i] / 64] >> out->at[i] % 64 & 1;

		if (in != s->removes)
			out->at[kept++] = out->at[i];
	}
	out->n = kept;
	mark(w, s, false);
}

/* Apply a set of one long list: look each series up. */
static void filter_by_list(const struct match_set *s, struct metric_ids *out)
{
	const struct metric_pair *p = s->pairs.at[0];
	const uint32_t *ids = metric_postings(p);
	uint32_t kept = 0, at = 0;

	for (uint32_t i = 0; i < out->n; i++) {
		uint32_t step = 1, low, high;

		while (at + step < p->n && ids[at + step] < out->at[i])
			step *= 2;
		low = at + step / 2;
		high = at + step < p->n ? at + step + 1 : p->n;
		while (low < high) {
			uint32_t middle = low + (high - low) / 2;

			if (ids[middle] < out->at[i])
				low = middle + 1;
			else
				high = middle;
		}
		at = low < p->n ? low : p->n - 1;
		if ((low < p->n && ids[low] == out->at[i]) != s->removes)
			out->at[kept++] = out->at[i];
	}
	out->n = kept;
}

static int apply_sets(struct matching *w, struct metric_ids *out)
{
	uint32_t first = 0;
	int rc;

	for (uint32_t i = 1; i < w->n; i++) /* set 0 is the tenant's: it selects */
		if (!w->sets[i].removes && w->sets[i].total < w->sets[first].total)
			first = i;
	rc = list_set(w, &w->sets[first], out);
	for (uint32_t i = 0; i < w->n && !rc && out->n; i++) {
		const struct match_set *s = &w->sets[i];

		if (i == first || (s->removes && !s->pairs.n))
			continue;
		if (!s->pairs.n)
			out->n = 0;
		else if (s->pairs.n == 1)
			filter_by_list(s, out);
		else
			filter_by(w, s, out);
	}
	return rc;
}

int metric_index_match(const struct metric_index *x, struct str tenant,
		       const struct matcher *matchers, uint32_t n, struct arena *a,
		       struct metric_ids *out, struct err *e)
{
	struct matching w = {.x = x, .a = a, .e = e, .n = n + 1};
	const struct metric_pair *of_tenant = metric_index_pair(x, STR(""), tenant);
	int rc = 0;

	*out = (struct metric_ids){0};
	if (!of_tenant)
		return 0;
	w.sets = arena_zalloc(a, n + 1, sizeof(*w.sets));
	w.bits = arena_zalloc(a, x->n / 64 + 1, sizeof(*w.bits));
	if (!w.sets || !w.bits)
		return err_errno(e, -ENOMEM, "select metrics");
	rc = add_match_pair(&w, &w.sets[0], of_tenant);
	for (uint32_t i = 0; i < n && !rc; i++)
		rc = evaluate(&w, &matchers[i], &w.sets[i + 1]);
	if (!rc)
		rc = apply_sets(&w, out);
	return rc == -ENOMEM ? err_errno(e, rc, "select metrics") : rc;
}
