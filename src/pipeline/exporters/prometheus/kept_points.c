/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Families in a list and a fixed table, points in the list of their family and a growing table.
 * Each point owns a few blocks of memory, so that any of them can be removed.
 */
#include "pipeline/exporters/prometheus/kept_points.h"

#include <errno.h>
#include <stdlib.h>

#include "base/container/hash.h"

enum { FAMILY_BUCKETS = 4096, POINT_BUCKETS_MIN = 1024 };

int kept_points_init(struct kept_points *k, const struct log *log)
{
	*k = (struct kept_points){.log = log, .point_mask = POINT_BUCKETS_MIN - 1};
	k->point_buckets = calloc(POINT_BUCKETS_MIN, sizeof(*k->point_buckets));
	k->family_buckets = calloc(FAMILY_BUCKETS, sizeof(*k->family_buckets));
	return k->point_buckets && k->family_buckets ? 0 : -ENOMEM;
}

static void free_point(struct kept_point *x)
{
	if (!x)
		return;
	free(x->texts);
	free(x->point.labels.list.at);
	free(x->pairs);
	free(x->exemplars);
	free(x);
}

static void free_family(struct kept_family *f)
{
	struct kept_point *next;

	if (!f)
		return;
	for (struct kept_point *x = f->first; x; x = next) {
		next = x->next;
		free_point(x);
	}
	free((void *)(uintptr_t)f->metric.name.p);
	free((void *)(uintptr_t)f->metric.help.p);
	free((void *)(uintptr_t)f->metric.unit.p);
	free(f);
}

void kept_points_fini(struct kept_points *k)
{
	struct kept_family *next;

	for (struct kept_family *f = k->families; f; f = next) {
		next = f->next;
		free_family(f);
	}
	free((void *)k->point_buckets);
	free((void *)k->family_buckets);
	*k = (struct kept_points){0};
}

/* ---- families ---- */

static bool copy_owned(struct str *out, struct str s)
{
	char *copy = malloc(s.n + 1);

	if (!copy)
		return false;
	if (s.n)
		memcpy(copy, s.p, s.n);
	*out = str_of(copy, s.n);
	return true;
}

static struct kept_family *find_family(struct kept_points *k, struct str name)
{
	struct kept_family *f = k->family_buckets[hash32(name) % FAMILY_BUCKETS];

	while (f && !str_eq(f->metric.name, name))
		f = f->next_in_bucket;
	return f;
}

static struct kept_family *add_family(struct kept_points *k, const struct prom_metric *m)
{
	struct kept_family **bucket = &k->family_buckets[hash32(m->name) % FAMILY_BUCKETS];
	struct kept_family *f = calloc(1, sizeof(*f));

	if (!f)
		return NULL;
	f->metric.type = m->type;
	f->end = &f->first;
	if (!copy_owned(&f->metric.name, m->name) || !copy_owned(&f->metric.help, m->help) ||
	    !copy_owned(&f->metric.unit, m->unit)) {
		free_family(f);
		return NULL;
	}
	f->next = k->families;
	k->families = f;
	f->next_in_bucket = *bucket;
	*bucket = f;
	k->family_count++;
	return f;
}

/* ---- points ---- */

static struct kept_point *find_point(const struct kept_points *k, const struct kept_family *f,
				     const struct prom_labels *labels, uint32_t hash)
{
	struct kept_point *x = k->point_buckets[hash & k->point_mask];

	while (x &&
	       (x->hash != hash || x->family != f || !prom_labels_eq(&x->point.labels, labels)))
		x = x->next_in_bucket;
	return x;
}

static void unlink_bucket(struct kept_points *k, const struct kept_point *x)
{
	struct kept_point **at = &k->point_buckets[x->hash & k->point_mask];

	while (*at != x)
		at = &(*at)->next_in_bucket;
	*at = x->next_in_bucket;
	k->point_count--;
}

static void remove_point(struct kept_points *k, struct kept_point *x)
{
	struct kept_point **at = &x->family->first;

	unlink_bucket(k, x);
	while (*at != x)
		at = &(*at)->next;
	*at = x->next;
	if (!*at)
		x->family->end = at;
	free_point(x);
}

/* Double the table. Without memory it stays as it is. */
static void grow_buckets(struct kept_points *k)
{
	uint32_t mask = 2 * k->point_mask + 1;
	struct kept_point **more = calloc((size_t)mask + 1, sizeof(*more));

	if (!more)
		return;
	for (uint32_t i = 0; i <= k->point_mask; i++)
		for (struct kept_point *x = k->point_buckets[i], *next; x; x = next) {
			next = x->next_in_bucket;
			x->next_in_bucket = more[x->hash & mask];
			more[x->hash & mask] = x;
		}
	free((void *)k->point_buckets);
	k->point_buckets = more;
	k->point_mask = mask;
}

/* Copy a text to *to, which advances. */
static struct str place_text(char **to, struct str s)
{
	struct str copy = str_of(*to, s.n);

	if (s.n)
		memcpy(*to, s.p, s.n);
	*to += s.n;
	return copy;
}

static bool copy_labels(struct kept_point *x, const struct prom_labels *from)
{
	size_t bytes = 1;
	struct prom_label *at = calloc(from->list.n + 1, sizeof(*at));
	char *to;

	for (uint32_t i = 0; i < from->list.n; i++)
		bytes += from->list.at[i].name.n + from->list.at[i].value.n;
	to = x->texts = malloc(bytes);
	x->point.labels.list.at = at;
	if (!at || !to)
		return false;
	for (uint32_t i = 0; i < from->list.n; i++) {
		const struct prom_label *l = &from->list.at[i];

		at[i].name = place_text(&to, l->name);
		at[i].value = place_text(&to, l->value);
	}
	x->point.labels.list.n = from->list.n;
	return true;
}

static struct kept_point *add_point(struct kept_points *k, struct kept_family *f,
				    const struct prom_labels *labels, uint32_t hash)
{
	struct kept_point *x = calloc(1, sizeof(*x));

	if (!x || !copy_labels(x, labels)) {
		free_point(x);
		return NULL;
	}
	x->family = f;
	x->hash = hash;
	x->point.metric = &f->metric;
	if (k->point_count > k->point_mask)
		grow_buckets(k);
	x->next_in_bucket = k->point_buckets[hash & k->point_mask];
	k->point_buckets[hash & k->point_mask] = x;
	k->point_count++;
	*f->end = x;
	f->end = &x->next;
	return x;
}

/* ---- values ---- */

/* Copy exemplars into one block: rows, labels, texts. */
static bool copy_exemplars(struct kept_point *x, const struct prom_point *p)
{
	size_t labels = 0, texts = 0, n = p->exemplar_count;
	struct prom_exemplar *rows;
	struct prom_label *label;
	char *text;

	for (uint32_t i = 0; i < n; i++) {
		labels += p->exemplars[i].labels.list.n;
		for (uint32_t j = 0; j < p->exemplars[i].labels.list.n; j++)
			texts += p->exemplars[i].labels.list.at[j].name.n +
				 p->exemplars[i].labels.list.at[j].value.n;
	}
	rows = malloc(n * sizeof(*rows) + labels * sizeof(*label) + texts);
	if (!rows)
		return false;
	label = (void *)(rows + n);
	text = (void *)(label + labels);
	for (uint32_t i = 0; i < n; i++) {
		rows[i] = p->exemplars[i];
		rows[i].labels.list.at = label;
		for (uint32_t j = 0; j < rows[i].labels.list.n; j++, label++) {
			const struct prom_label *l = &p->exemplars[i].labels.list.at[j];

			label->name = place_text(&text, l->name);
			label->value = place_text(&text, l->value);
		}
	}
	free(x->exemplars);
	x->exemplars = rows;
	x->point.exemplars = rows;
	x->point.exemplar_count = p->exemplar_count;
	return true;
}

/* Replace what is kept by the point, except for labels. */
static bool replace_value(struct kept_point *x, const struct prom_point *p)
{
	struct prom_labels labels = x->point.labels;
	const struct prom_exemplar *exemplars = x->point.exemplars;
	uint32_t exemplar_count = x->point.exemplar_count;

	if (p->pair_count != x->point.pair_count || !x->pairs) {
		struct prom_pair *pairs =
			realloc(x->pairs, (p->pair_count + (size_t)1) * sizeof(*pairs));

		if (!pairs)
			return false;
		x->pairs = pairs;
	}
	if (p->pair_count)
		memcpy(x->pairs, p->pairs, p->pair_count * sizeof(*x->pairs));
	x->point = *p;
	x->point.metric = &x->family->metric;
	x->point.labels = labels;
	x->point.pairs = x->pairs;
	x->point.exemplars = exemplars;
	x->point.exemplar_count = exemplar_count;
	return !p->exemplar_count || copy_exemplars(x, p);
}

static bool same_bounds(const struct prom_point *a, const struct prom_point *b)
{
	if (a->pair_count != b->pair_count)
		return false;
	for (uint32_t i = 0; i < a->pair_count; i++)
		if (a->pairs[i].at != b->pairs[i].at)
			return false;
	return true;
}

/* Add a delta to what is kept. */
static bool add_value(struct kept_point *x, const struct prom_point *p)
{
	for (uint32_t i = 0; i < p->pair_count; i++)
		x->pairs[i].value += p->pairs[i].value;
	x->point.value += p->value;
	x->point.count += p->count;
	x->point.sum += p->sum;
	x->point.has_sum &= p->has_sum;
	x->point.overflow += p->overflow;
	x->point.time = p->time;
	return !p->exemplar_count || copy_exemplars(x, p);
}

static bool update_point(struct kept_point *x, const struct prom_point *p)
{
	if (p->time < x->point.time)
		return true; /* late: keep the newer one */
	if (p->metric->delta && x->point.time && p->start == x->point.time &&
	    same_bounds(&x->point, p))
		return add_value(x, p);
	return replace_value(x, p);
}

static enum kept_result refuse_point(struct kept_points *k, const struct prom_point *p,
				     const char *why)
{
	log_warn(k->log, "metric dropped", LOG_STR("metric", p->metric->name),
		 LOG_STR("reason", str_from(why)));
	return KEPT_REFUSED;
}

enum kept_result kept_points_put(struct kept_points *k, const struct prom_point *p, uint64_t now)
{
	const struct prom_metric *m = p->metric;
	struct kept_family *f = find_family(k, m->name);
	uint32_t hash = prom_labels_hash(&p->labels) ^ hash32(m->name);
	struct kept_point *x = f ? find_point(k, f, &p->labels, hash) : NULL;

	if (m->type == PROM_NATIVE)
		return refuse_point(k, p, "exponential histograms have no text format");
	if (m->delta && m->type == PROM_GAUGE)
		return refuse_point(k, p, "a delta that is not monotonic");
	if (f && f->metric.type != m->type)
		return refuse_point(k, p, "another metric with this name has another type");
	if (p->stale) {
		if (x)
			remove_point(k, x);
		return KEPT_OK;
	}
	if (!x &&
	    (k->point_count >= KEPT_POINTS_MAX || (!f && k->family_count >= KEPT_FAMILIES_MAX)))
		return refuse_point(k, p, "too many series");
	if (!f)
		f = add_family(k, m);
	if (f && !x)
		x = add_point(k, f, &p->labels, hash);
	if (!x || !update_point(x, p))
		return KEPT_NO_MEMORY;
	x->updated = now;
	return KEPT_OK;
}

/* ---- expiration ---- */

static void expire_points(struct kept_points *k, struct kept_family *f, uint64_t before)
{
	struct kept_point **at = &f->first, *x;

	while ((x = *at)) {
		if (x->updated >= before) {
			at = &x->next;
			continue;
		}
		*at = x->next;
		unlink_bucket(k, x);
		free_point(x);
	}
	f->end = at;
}

static void unlink_family(struct kept_points *k, const struct kept_family *f)
{
	struct kept_family **at = &k->family_buckets[hash32(f->metric.name) % FAMILY_BUCKETS];

	while (*at != f)
		at = &(*at)->next_in_bucket;
	*at = f->next_in_bucket;
	k->family_count--;
}

void kept_points_expire(struct kept_points *k, uint64_t before)
{
	struct kept_family **at = &k->families, *f;

	while ((f = *at)) {
		expire_points(k, f, before);
		if (f->first) {
			at = &f->next;
			continue;
		}
		*at = f->next;
		unlink_family(k, f);
		free_family(f);
	}
}
