/* SPDX-License-Identifier: Apache-2.0 */
#include "query/label_list.h"

#include <stdlib.h>

#include "base/hash.h"
#include "base/intern.h"

int label_set_cmp(struct label_set a, struct label_set b)
{
	for (uint32_t i = 0; i < a.n && i < b.n; i++) {
		int c = str_cmp(a.at[i].name, b.at[i].name);

		if (!c)
			c = str_cmp(a.at[i].value, b.at[i].value);
		if (c)
			return c;
	}
	return a.n == b.n ? 0 : a.n < b.n ? -1 : 1;
}

uint64_t label_set_hash(struct label_set set)
{
	uint64_t hash = set.n;

	for (uint32_t i = 0; i < set.n; i++)
		hash = hash * 0x9e3779b97f4a7c15u +
		       ((uint64_t)hash32(set.at[i].name) << 32 | hash32(set.at[i].value));
	return hash;
}

int label_set_pick(struct label_set *out, struct label_set from, const struct str *names,
		   uint32_t name_n, struct arena *arena)
{
	struct label *at = arena_alloc(arena, from.n + 1, sizeof(*at));
	uint32_t n = 0;
	int rc = at ? 0 : -ENOMEM;

	for (uint32_t i = 0; i < from.n && !rc; i++) {
		bool wanted = !name_n;

		for (uint32_t k = 0; k < name_n && !wanted; k++)
			wanted = str_eq(names[k], from.at[i].name);
		if (!wanted)
			continue;
		rc = arena_copy_str(arena, from.at[i].name, &at[n].name);
		if (!rc)
			rc = arena_copy_str(arena, from.at[i].value, &at[n].value);
		n += !rc;
	}
	*out = (struct label_set){at, n};
	return rc;
}

/* ---- names and values ---- */

struct collector {
	struct intern set;
	struct str name; /* whose values; empty: names are collected */
};

static int collect(void *ctx, uint32_t series, const struct store_series *s)
{
	struct collector *c = ctx;
	uint32_t id;
	int rc = 0;

	(void)series;
	if (c->name.n)
		return intern_add(&c->set, label_set_get(s->labels, c->name), &id);
	for (uint32_t i = 0; i < s->labels.n && !rc; i++)
		rc = intern_add(&c->set, s->labels.at[i].name, &id);
	return rc;
}

static int by_text(const void *a, const void *b)
{
	return str_cmp(*(const struct str *)a, *(const struct str *)b);
}

static int collect_all(struct label_list *out, struct store *s, const struct store_select *sel,
		       struct str name, struct arena *arena, struct err *e)
{
	struct collector c = {.name = name};
	struct store_select untimed = *sel;
	int rc = intern_init(&c.set, arena);

	untimed.untimed = true;
	if (!rc)
		rc = s->ops->series(s, &untimed, collect, &c, e);
	if (rc)
		return rc;
	/* The first is the empty string, which no label has. */
	out->items.at = c.set.items.at + 1;
	out->items.n = out->items.cap = c.set.items.n - 1;
	if (out->items.n)
		qsort(out->items.at, out->items.n, sizeof(*out->items.at), by_text);
	return 0;
}

int label_names_of(struct label_list *out, struct store *s, const struct store_select *sel,
		   struct arena *arena, struct err *e)
{
	return collect_all(out, s, sel, (struct str){0}, arena, e);
}

int label_values_of(struct label_list *out, struct store *s, const struct store_select *sel,
		    struct str name, struct arena *arena, struct err *e)
{
	return collect_all(out, s, sel, name, arena, e);
}

/* ---- sets ---- */

struct set_collector {
	struct label_sets *out;
	struct arena *arena;
	struct idset index;
	const struct str *names;
	uint32_t name_n;
};

static int collect_set(void *ctx, uint32_t series, const struct store_series *s)
{
	struct set_collector *c = ctx;
	struct label_set set;
	int rc = label_set_pick(&set, s->labels, c->names, c->name_n, c->arena);
	uint32_t hash, id;

	(void)series;
	if (rc)
		return rc;
	hash = (uint32_t)label_set_hash(set);
	for (struct idset_cursor at = idset_seek(&c->index, hash); idset_next(&c->index, &at, &id);)
		if (!label_set_cmp(c->out->sets.at[id], set))
			return 0;
	rc = idset_add(&c->index, hash, c->out->sets.n);
	return rc ? rc : vec_push(c->arena, &c->out->sets, set);
}

static int by_labels(const void *a, const void *b)
{
	return label_set_cmp(*(const struct label_set *)a, *(const struct label_set *)b);
}

int label_sets_of(struct label_sets *out, struct store *s, const struct store_select *sel,
		  const struct str *names, uint32_t name_n, struct arena *arena, struct err *e)
{
	struct set_collector c = {.out = out, .arena = arena, .names = names, .name_n = name_n};
	struct store_select untimed = *sel;
	int rc = idset_init(&c.index, arena, 64);

	*out = (struct label_sets){0};
	untimed.untimed = true;
	if (!rc)
		rc = s->ops->series(s, &untimed, collect_set, &c, e);
	if (!rc && out->sets.n)
		qsort(out->sets.at, out->sets.n, sizeof(*out->sets.at), by_labels);
	return rc;
}
