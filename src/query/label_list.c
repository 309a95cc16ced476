/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of names, values and sets of labels: collected from the store's series, then sorted. */
#include "query/label_list.h"

#include <stdlib.h>

#include "base/container/hash.h"
#include "base/container/intern.h"

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

static bool is_one_of(struct str name, const struct str *names, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (str_eq(names[i], name))
			return true;
	return false;
}

/* Select the named labels into `at`, which has room for all of `from`; strings are not copied. */
static struct label_set select_labels(struct label *at, struct label_set from,
				      const struct str *names, uint32_t name_n)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < from.n; i++)
		if (!name_n || is_one_of(from.at[i].name, names, name_n))
			at[n++] = from.at[i];
	return (struct label_set){at, n};
}

static int copy_label_texts(struct label *at, uint32_t n, struct arena *arena)
{
	int rc = 0;

	for (uint32_t i = 0; !rc && i < n; i++) {
		rc = arena_copy_str(arena, at[i].name, &at[i].name);
		if (!rc)
			rc = arena_copy_str(arena, at[i].value, &at[i].value);
	}
	return rc;
}

int label_set_pick(struct label_set *out, struct label_set from, const struct str *names,
		   uint32_t name_n, struct arena *arena)
{
	struct label *at = arena_alloc(arena, from.n + 1, sizeof(*at));

	if (!at)
		return -ENOMEM;
	*out = select_labels(at, from, names, name_n);
	return copy_label_texts(at, out->n, arena);
}

/* ---- names and values ---- */

/*
 * Consecutive series mostly have the same labels at the same positions, so both modes first look at
 * the position in the previous series.
 */
struct label_collector {
	struct intern set;
	struct str name;       /* collect the values of this label; empty: collect names */
	uint32_t at;	       /* position of the label in the previous series */
	VEC(struct str) names; /* last name at each position; strings are owned by the set */
};

static int collect_value(struct label_collector *c, struct label_set labels)
{
	uint32_t id;

	if (c->at >= labels.n || !str_eq(labels.at[c->at].name, c->name))
		for (c->at = 0; c->at < labels.n; c->at++)
			if (str_eq(labels.at[c->at].name, c->name))
				break;
	return c->at < labels.n ? intern_add(&c->set, labels.at[c->at].value, &id) : 0;
}

static int collect_names(void *ctx, uint32_t series, const struct store_series *s)
{
	struct label_collector *c = ctx;
	int rc = 0;

	(void)series;
	if (c->name.n)
		return collect_value(c, s->labels);
	for (uint32_t i = 0; i < s->labels.n && !rc; i++) {
		struct str name = s->labels.at[i].name;
		uint32_t id;

		if (i < c->names.n && str_eq(name, c->names.at[i]))
			continue;
		rc = intern_add(&c->set, name, &id);
		if (!rc && i >= c->names.n)
			rc = vec_push(c->set.arena, &c->names, name);
		if (!rc)
			c->names.at[i] = c->set.items.at[id];
	}
	return rc;
}

/*
 * A string with the eight bytes after the common prefix of all strings as its key. Ten thousand
 * names of pods begin alike; the keys order nearly all of them without a string comparison.
 */
struct sort_item {
	uint64_t key;
	struct str text;
};

static int compare_items(const void *a, const void *b)
{
	const struct sort_item *x = a, *y = b;

	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	return str_cmp(x->text, y->text);
}

static size_t common_prefix(const struct str *texts, uint32_t n)
{
	size_t common = texts[0].n;

	for (uint32_t i = 1; i < n; i++) {
		size_t k = 0, most = texts[i].n < common ? texts[i].n : common;

		while (k < most && texts[i].p[k] == texts[0].p[k])
			k++;
		common = k;
	}
	return common;
}

static int sort_texts(struct str *texts, uint32_t n, struct arena *arena)
{
	size_t common = n ? common_prefix(texts, n) : 0;
	struct sort_item *items = arena_alloc(arena, n + (size_t)1, sizeof(*items));

	if (!items)
		return -ENOMEM;
	for (uint32_t i = 0; i < n; i++) {
		items[i] = (struct sort_item){0, texts[i]};
		for (size_t k = 0; k < sizeof(items->key); k++)
			items[i].key =
				items[i].key << 8 |
				(common + k < texts[i].n ? (uint8_t)texts[i].p[common + k] : 0);
	}
	qsort(items, n, sizeof(*items), compare_items);
	for (uint32_t i = 0; i < n; i++)
		texts[i] = items[i].text;
	return 0;
}

static int collect_labels(struct label_list *out, struct store *s, const struct store_select *sel,
			  struct str name, struct arena *arena, struct err *e)
{
	struct label_collector c = {.name = name};
	struct store_select untimed = *sel;
	int rc = intern_init(&c.set, arena);

	untimed.untimed = true;
	if (!rc)
		rc = s->ops->series(s, &untimed, collect_names, &c, e);
	if (rc)
		return rc;
	/* Item 0 of the set is the empty string, which is not a name or value. */
	out->items.at = c.set.items.at + 1;
	out->items.n = out->items.cap = c.set.items.n - 1;
	return sort_texts(out->items.at, out->items.n, arena);
}

int label_names_of(struct label_list *out, struct store *s, const struct store_select *sel,
		   struct arena *arena, struct err *e)
{
	return collect_labels(out, s, sel, (struct str){0}, arena, e);
}

int label_values_of(struct label_list *out, struct store *s, const struct store_select *sel,
		    struct str name, struct arena *arena, struct err *e)
{
	return collect_labels(out, s, sel, name, arena, e);
}

/* ---- sets ---- */

struct set_collector {
	struct label_sets *out;
	struct arena *arena;
	struct idset index;
	const struct str *names;
	uint32_t name_n;
	VEC(struct label) picked; /* of the current series */
};

static bool label_sets_equal(struct label_set a, struct label_set b)
{
	bool same = a.n == b.n;

	for (uint32_t i = 0; same && i < a.n; i++)
		same = str_eq(a.at[i].value, b.at[i].value) && str_eq(a.at[i].name, b.at[i].name);
	return same;
}

/* Add the set of a series. Most sets exist already, so strings are copied only for a new one. */
static int collect_set(void *ctx, uint32_t series, const struct store_series *s)
{
	struct set_collector *c = ctx;
	struct label_set set;
	uint32_t hash, id, n = c->out->sets.n;
	int rc;

	(void)series;
	c->picked.n = 0;
	rc = vec_reserve(c->arena, &c->picked, s->labels.n + 1);
	if (rc)
		return rc;
	set = select_labels(c->picked.at, s->labels, c->names, c->name_n);
	if (n && label_sets_equal(c->out->sets.at[n - 1], set))
		return 0;
	hash = (uint32_t)label_set_hash(set);
	for (struct idset_cursor at = idset_seek(&c->index, hash); idset_next(&c->index, &at, &id);)
		if (label_sets_equal(c->out->sets.at[id], set))
			return 0;
	rc = label_set_pick(&set, set, NULL, 0, c->arena);
	if (!rc)
		rc = idset_add(&c->index, hash, n);
	return rc ? rc : vec_push(c->arena, &c->out->sets, set);
}

static int compare_sets(const void *a, const void *b)
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
		qsort(out->sets.at, out->sets.n, sizeof(*out->sets.at), compare_sets);
	return rc;
}
