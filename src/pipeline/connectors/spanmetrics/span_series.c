/* SPDX-License-Identifier: Apache-2.0 */
/* Hash tables by key: one of resources, and in each resource one of its series for each metric. */
#include "pipeline/connectors/spanmetrics/span_series.h"

#include <errno.h>
#include <stdlib.h>

#include "base/container/hash.h"

/* ---- tables ---- */

/* Return the slot of the key, or the free one for it. The table has a free slot. */
static struct keyed **keyed_slot(const struct keyed_table *t, uint64_t hash, struct str key)
{
	size_t i = hash & (t->cap - 1);

	while (t->at[i] && !(t->at[i]->hash == hash && str_eq(t->at[i]->key, key)))
		i = (i + 1) & (t->cap - 1);
	return &t->at[i];
}

/* Put all objects of `t` into a new table of `cap` slots. Return 0 or -ENOMEM. */
static int keyed_rebuild(struct keyed_table *t, size_t cap)
{
	struct keyed_table old = *t;
	struct keyed **at = calloc(cap, sizeof(*at));

	if (!at)
		return -ENOMEM;
	t->at = at;
	t->cap = cap;
	for (size_t i = 0; i < old.cap; i++)
		if (old.at[i])
			*keyed_slot(t, old.at[i]->hash, old.at[i]->key) = old.at[i];
	free(old.at);
	return 0;
}

/* Find a place for one more object. Return 0 or -ENOMEM. */
static int keyed_reserve(struct keyed_table *t)
{
	if (2 * (t->count + 1) <= t->cap)
		return 0;
	return keyed_rebuild(t, t->cap ? 2 * t->cap : 16);
}

static struct keyed *keyed_find(const struct keyed_table *t, uint64_t hash, struct str key)
{
	return t->cap ? *keyed_slot(t, hash, key) : NULL;
}

/* Add an object; there is a place, and its key is not in the table. */
static void keyed_add(struct keyed_table *t, struct keyed *x)
{
	*keyed_slot(t, x->hash, x->key) = x;
	t->count++;
}

/* Take an object out; those after it move up where they are found without it. */
static void keyed_take(struct keyed_table *t, const struct keyed *x)
{
	size_t mask = t->cap - 1, hole = (size_t)(keyed_slot(t, x->hash, x->key) - t->at);

	t->count--;
	t->at[hole] = NULL;
	for (size_t i = (hole + 1) & mask; t->at[i]; i = (i + 1) & mask) {
		struct keyed *moved = t->at[i];

		if (((i - moved->hash) & mask) < ((i - hole) & mask))
			continue;
		t->at[hole] = moved;
		t->at[i] = NULL;
		hole = i;
	}
}

/* ---- series ---- */

/* What a series takes besides its key. */
static size_t series_size(const struct span_limits *l)
{
	return sizeof(struct span_series) + (l->bound_count + 1) * sizeof(double) +
	       l->exemplars * sizeof(struct span_exemplar);
}

static struct span_series *series_new(const struct span_registry *r, struct str key, uint64_t hash,
				      uint64_t now)
{
	struct span_series *s = calloc(1, series_size(&r->limits) + key.n);
	char *copy = (char *)s + series_size(&r->limits);

	if (!s)
		return NULL;
	s->exemplars = (void *)&s->counts[r->limits.bound_count + 1];
	if (key.n)
		memcpy(copy, key.p, key.n);
	s->keyed = (struct keyed){hash, str_of(copy, key.n)};
	s->start = now;
	return s;
}

static void free_series(struct span_registry *r, struct keyed_table *t)
{
	for (size_t i = 0; i < t->cap; i++)
		free(t->at[i]);
	r->series_count -= t->count;
	free(t->at);
	*t = (struct keyed_table){0};
}

const struct str span_overflow_key =
	STR_INIT("\x0a\x1a\x0a\x14otel.metric.overflow\x12\x02\x10\x01");

/* Return the series of a key, or the overflow series if there are too many; NULL without memory. */
static struct span_series *series_of(struct span_registry *r, struct keyed_table *t, struct str key,
				     uint64_t now)
{
	const struct span_limits *l = &r->limits;
	uint64_t hash = hash_bytes(key.p, key.n);
	struct span_series *s = (void *)keyed_find(t, hash, key);

	if (s)
		return s;
	if ((l->series && t->count >= l->series) || r->series_count >= l->series_in_all) {
		key = span_overflow_key;
		hash = hash_bytes(key.p, key.n);
		s = (void *)keyed_find(t, hash, key);
		if (s)
			return s;
	}
	if (keyed_reserve(t))
		return NULL;
	s = series_new(r, key, hash, now);
	if (!s)
		return NULL;
	keyed_add(t, &s->keyed);
	r->series_count++;
	return s;
}

static uint32_t bucket_of(const struct span_limits *l, double value)
{
	uint32_t low = 0, high = l->bound_count;

	while (low < high) {
		uint32_t middle = (low + high) / 2;

		if (value <= l->bounds[middle])
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

static void add_exemplar(struct span_series *s, const struct span_fields *span, double value)
{
	struct span_exemplar *x = &s->exemplars[s->exemplar_count++];

	*x = (struct span_exemplar){.time = span->end, .value = value};
	memcpy(x->trace_id, span->trace_id.p, sizeof(x->trace_id));
	memcpy(x->span_id, span->span_id.p, sizeof(x->span_id));
}

int span_registry_count(struct span_registry *r, struct keyed_table *series, struct str key,
			const struct span_fields *span, double value, uint64_t now)
{
	struct span_series *s = series_of(r, series, key, now);

	if (!s)
		return -ENOMEM;
	s->seen = now;
	s->sum += value * span->weight;
	s->counts[bucket_of(&r->limits, value)] += span->weight;
	if (s->exemplar_count < r->limits.exemplars && span->trace_id.n && span->span_id.n)
		add_exemplar(s, span, value);
	return 0;
}

/* ---- resources ---- */

static struct span_resource *resource_of(struct keyed *x)
{
	return x ? (void *)((char *)x - offsetof(struct span_resource, keyed)) : NULL;
}

static void remove_resource(struct span_registry *r, struct span_resource *x)
{
	lru_remove(&r->order, &x->link);
	keyed_take(&r->resources, &x->keyed);
	free_series(r, &x->calls);
	free_series(r, &x->times);
	free(x);
}

static struct str copy_to(char **at, struct str s)
{
	char *copy = *at;

	if (s.n)
		memcpy(copy, s.p, s.n);
	*at += s.n;
	return str_of(copy, s.n);
}

struct span_resource *span_registry_resource(struct span_registry *r, struct str key,
					     struct str resource, struct str service, uint64_t now)
{
	uint64_t hash = hash_bytes(key.p, key.n);
	struct span_resource *x = resource_of(keyed_find(&r->resources, hash, key));
	char *at;

	if (x) {
		x->seen = now;
		lru_use(&r->order, &x->link);
		return x;
	}
	if (r->resources.count >= r->limits.resources)
		remove_resource(r, (struct span_resource *)r->order.oldest);
	if (keyed_reserve(&r->resources))
		return NULL;
	x = calloc(1, sizeof(*x) + key.n + resource.n + service.n);
	if (!x)
		return NULL;
	at = (char *)(x + 1);
	x->keyed = (struct keyed){hash, copy_to(&at, key)};
	x->resource = copy_to(&at, resource);
	x->service = copy_to(&at, service);
	x->seen = now;
	keyed_add(&r->resources, &x->keyed);
	lru_add(&r->order, &x->link);
	return x;
}

void span_registry_init(struct span_registry *r, const struct span_limits *limits)
{
	*r = (struct span_registry){.limits = *limits};
}

void span_registry_clear(struct span_registry *r)
{
	while (r->order.oldest)
		remove_resource(r, (struct span_resource *)r->order.oldest);
	free(r->resources.at);
	r->resources = (struct keyed_table){0};
}

/* Remove the series without a span since `before`; without memory they stay until the next time. */
static void expire_series(struct span_registry *r, struct keyed_table *t, uint64_t before)
{
	for (size_t i = 0; i < t->cap;) {
		struct span_series *s = (void *)t->at[i];

		if (!s || s->seen >= before) {
			i++;
			continue;
		}
		keyed_take(t, &s->keyed); /* may move another one to this slot */
		free(s);
		r->series_count--;
	}
}

void span_registry_expire(struct span_registry *r, uint64_t resources_before,
			  uint64_t series_before)
{
	struct lru_link *next;

	for (struct lru_link *l = r->order.oldest; l; l = next) {
		struct span_resource *x = (struct span_resource *)l;

		next = l->newer;
		if (x->seen < resources_before) {
			remove_resource(r, x);
			continue;
		}
		expire_series(r, &x->calls, series_before);
		expire_series(r, &x->times, series_before);
	}
}
