/* SPDX-License-Identifier: Apache-2.0 */
#include "query/promql/eval/promql_labels.h"

#include <xxhash.h>

#include "query/promql/syntax/promql_lexer.h"
#include "query/promql/syntax/promql_parser.h"

int promql_label_table_init(struct promql_label_table *t, struct arena *arena)
{
	*t = (struct promql_label_table){.arena = arena};
	if (idset_init(&t->set, arena, 64))
		return -ENOMEM;
	t->empty = promql_labels_intern(t, NULL, 0, false);
	return t->empty ? 0 : -ENOMEM;
}

void promql_label_table_fini(struct promql_label_table *t)
{
	buf_fini(&t->bytes);
}

/* Append a text with its length, as Prometheus keeps label sets in memory. */
static void put_sized(struct buf *b, struct str s)
{
	if (s.n < 255) {
		buf_put_char(b, (char)s.n);
	} else {
		char size[4] = {(char)255, (char)s.n, (char)(s.n >> 8), (char)(s.n >> 16)};

		buf_put(b, size, sizeof(size));
	}
	buf_put_str(b, s);
}

static bool labels_equal(const struct promql_labels *l, const struct promql_label *labels,
			 uint32_t n)
{
	if (l->n != n)
		return false;
	for (uint32_t i = 0; i < n; i++)
		if (!str_eq(l->at[i].value, labels[i].value) ||
		    !str_eq(l->at[i].name, labels[i].name))
			return false;
	return true;
}

static const struct promql_labels *add(struct promql_label_table *t,
				       const struct promql_label *labels, uint32_t n, uint64_t hash,
				       bool copies)
{
	struct promql_labels *l =
		arena_alloc(t->arena, 1, sizeof(*l) + (size_t)n * sizeof(l->at[0]));
	char *text = NULL;
	size_t size = 0;

	for (uint32_t i = 0; copies && i < n; i++)
		size += labels[i].name.n + labels[i].value.n;
	if (copies)
		text = arena_alloc(t->arena, size + 1, 1);
	if (!l || (copies && !text))
		return NULL;
	l->id = t->items.n;
	l->n = n;
	l->hash = hash;
	for (uint32_t i = 0; i < n; i++) {
		l->at[i] = labels[i];
		if (!copies)
			continue;
		if (labels[i].name.n)
			memcpy(text, labels[i].name.p, labels[i].name.n);
		l->at[i].name.p = text;
		text += labels[i].name.n;
		if (labels[i].value.n)
			memcpy(text, labels[i].value.p, labels[i].value.n);
		l->at[i].value.p = text;
		text += labels[i].value.n;
	}
	if (vec_push(t->arena, &t->items, l) || idset_add(&t->set, (uint32_t)hash, l->id))
		return NULL;
	return l;
}

/* Intern a list without empty values. */
static const struct promql_labels *intern_clean(struct promql_label_table *t,
						const struct promql_label *labels, uint32_t n,
						bool copies)
{
	struct idset_cursor c;
	uint64_t hash;
	uint32_t id;

	buf_rewind(&t->bytes);
	for (uint32_t i = 0; i < n; i++) {
		put_sized(&t->bytes, labels[i].name);
		put_sized(&t->bytes, labels[i].value);
	}
	if (buf_error(&t->bytes))
		return NULL;
	hash = XXH64(t->bytes.p ? t->bytes.p : "", t->bytes.n, 0);
	c = idset_seek(&t->set, (uint32_t)hash);
	while (idset_next(&t->set, &c, &id))
		if (labels_equal(t->items.at[id], labels, n))
			return t->items.at[id];
	return add(t, labels, n, hash, copies);
}

const struct promql_labels *promql_labels_intern(struct promql_label_table *t,
						 const struct promql_label *labels, uint32_t n,
						 bool copies)
{
	bool clean = true;

	for (uint32_t i = 0; i < n; i++)
		clean &= labels[i].value.n > 0;
	if (clean)
		return intern_clean(t, labels, n, copies);
	t->scratch.n = 0;
	for (uint32_t i = 0; i < n; i++)
		if (labels[i].value.n && vec_push(t->arena, &t->scratch, labels[i]))
			return NULL;
	return intern_clean(t, t->scratch.at, t->scratch.n, copies);
}

struct str promql_labels_get(const struct promql_labels *l, struct str name)
{
	for (uint32_t i = 0; i < l->n; i++)
		if (str_eq(l->at[i].name, name))
			return l->at[i].value;
	return (struct str){0};
}

int promql_labels_compare(const struct promql_labels *a, const struct promql_labels *b)
{
	uint32_t n = a->n < b->n ? a->n : b->n;

	for (uint32_t i = 0; a != b && i < n; i++) {
		int order = str_cmp(a->at[i].name, b->at[i].name);

		if (!order)
			order = str_cmp(a->at[i].value, b->at[i].value);
		if (order)
			return order;
	}
	return (a->n > b->n) - (a->n < b->n);
}

const struct promql_labels *promql_labels_set(struct promql_label_table *t,
					      const struct promql_labels *l, struct str name,
					      struct str value)
{
	bool placed = !value.n;

	t->scratch.n = 0;
	for (uint32_t i = 0; i < l->n; i++) {
		int order = str_cmp(l->at[i].name, name);

		if (order >= 0 && !placed) {
			if (vec_push(t->arena, &t->scratch, (struct promql_label){name, value}))
				return NULL;
			placed = true;
		}
		if (order && vec_push(t->arena, &t->scratch, l->at[i]))
			return NULL;
	}
	if (!placed && vec_push(t->arena, &t->scratch, (struct promql_label){name, value}))
		return NULL;
	return intern_clean(t, t->scratch.at, t->scratch.n, false);
}

static bool is_named(struct str name, const struct str *names, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (str_eq(names[i], name))
			return true;
	return false;
}

const struct promql_labels *promql_labels_select(struct promql_label_table *t,
						 const struct promql_labels *l,
						 const struct str *names, uint32_t n, bool keep)
{
	t->scratch.n = 0;
	for (uint32_t i = 0; i < l->n; i++)
		if (is_named(l->at[i].name, names, n) == keep &&
		    vec_push(t->arena, &t->scratch, l->at[i]))
			return NULL;
	return t->scratch.n == l->n ? l : intern_clean(t, t->scratch.at, t->scratch.n, false);
}

const struct promql_labels *promql_labels_without(struct promql_label_table *t,
						  const struct promql_labels *l,
						  const struct str *names, uint32_t n)
{
	t->scratch.n = 0;
	for (uint32_t i = 0; i < l->n; i++)
		if (!str_eq(l->at[i].name, STR("__name__")) && !is_named(l->at[i].name, names, n) &&
		    vec_push(t->arena, &t->scratch, l->at[i]))
			return NULL;
	return t->scratch.n == l->n ? l : intern_clean(t, t->scratch.at, t->scratch.n, false);
}

const struct promql_labels *promql_labels_drop_name(struct promql_label_table *t,
						    const struct promql_labels *l)
{
	static const struct str names[] = {STR_INIT("__name__"), STR_INIT("__type__"),
					   STR_INIT("__unit__")};

	return promql_labels_select(t, l, names, countof(names), false);
}

void promql_labels_put(struct buf *b, const struct promql_labels *l)
{
	buf_put_char(b, '{');
	for (uint32_t i = 0; i < l->n; i++) {
		if (i)
			buf_put_str(b, STR(", "));
		if (promql_is_plain_label(l->at[i].name))
			buf_put_str(b, l->at[i].name);
		else
			promql_put_quoted(b, l->at[i].name, 0);
		buf_put_char(b, '=');
		promql_put_quoted(b, l->at[i].value, 0);
	}
	buf_put_char(b, '}');
}
