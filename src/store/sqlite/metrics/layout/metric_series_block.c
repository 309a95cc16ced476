/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks of series: each string and each pair is written once. */
#include "base/container/map.h"
#include "store/sqlite/block/columns.h"
#include "store/sqlite/metrics/metric_index.h"

/* ---- writing ---- */

/* The numbers of the index in the order of their first use. */
struct local_numbers {
	struct map map;
	VEC(uint32_t) list;
};

static int local_number(struct local_numbers *l, struct arena *a, uint32_t of, uint32_t *out)
{
	bool added;
	uint64_t *at = map_at(&l->map, of, &added);
	int rc = 0;

	if (!at)
		return -ENOMEM;
	if (added) {
		*at = l->list.n;
		rc = vec_push(a, &l->list, of);
	}
	*out = (uint32_t)*at;
	return rc;
}

static int number_pairs(const struct metric_index *x, uint32_t from, uint32_t to, struct arena *a,
			struct local_numbers *pairs, uint32_t *counts, uint32_t *refs)
{
	uint32_t at = 0;
	int rc = 0;

	for (uint32_t s = from; s < to && !rc; s++) {
		counts[s - from] = x->first.at[s + 1] - x->first.at[s];
		for (uint32_t i = x->first.at[s]; i < x->first.at[s + 1] && !rc; i++)
			rc = local_number(pairs, a, x->labels.at[i], &refs[at++]);
	}
	return rc;
}

static int put_pairs(const struct metric_index *x, struct arena *a,
		     const struct local_numbers *pairs, struct buf *out)
{
	struct local_numbers symbols = {0};
	uint32_t n = pairs->list.n;
	uint32_t *names = arena_alloc(a, n + 1, sizeof(*names));
	uint32_t *values = arena_alloc(a, n + 1, sizeof(*values));
	int rc = names && values ? map_init(&symbols.map, a, n) : -ENOMEM;

	for (uint32_t i = 0; i < n && !rc; i++) {
		const struct metric_pair *p = &x->pairs.at[pairs->list.at[i]];

		rc = local_number(&symbols, a, p->name, &names[i]);
		if (!rc)
			rc = local_number(&symbols, a, p->value, &values[i]);
	}
	if (rc)
		return rc;
	column_put_varint(out, symbols.list.n);
	for (uint32_t i = 0; i < symbols.list.n; i++)
		column_put_str(out, x->symbols.at[symbols.list.at[i]]);
	column_put_varint(out, n);
	column_put_u32(out, names, n);
	column_put_u32(out, values, n);
	return 0;
}

int metric_index_put(const struct metric_index *x, uint32_t from, uint32_t to, struct buf *out)
{
	uint32_t n = to - from, all = x->first.at[to] - x->first.at[from];
	struct local_numbers pairs = {0};
	struct arena a;
	uint32_t *counts, *refs;
	int rc;

	arena_init(&a, NULL);
	counts = arena_alloc(&a, n + 1, sizeof(*counts));
	refs = arena_alloc(&a, all + 1, sizeof(*refs));
	rc = counts && refs ? map_init(&pairs.map, &a, 256) : -ENOMEM;
	if (!rc)
		rc = number_pairs(x, from, to, &a, &pairs, counts, refs);
	column_put_varint(out, from);
	column_put_varint(out, n);
	if (!rc)
		rc = put_pairs(x, &a, &pairs, out);
	if (!rc) {
		column_put_u32(out, counts, n);
		column_put_u32(out, refs, all);
		rc = buf_error(out);
	}
	arena_fini(&a);
	return rc;
}

/* ---- loading ---- */

struct series_block {
	struct arena arena;
	struct str *symbols;
	uint32_t symbol_n, pair_n, n;
	uint32_t *names, *values, *counts, *refs;
};

static int read_symbols(struct series_block *b, struct column_cursor *c)
{
	b->symbol_n = column_count(c);
	b->symbols = arena_alloc(&b->arena, b->symbol_n + 1, sizeof(*b->symbols));
	if (!b->symbols)
		return -ENOMEM;
	for (uint32_t i = 0; i < b->symbol_n; i++)
		b->symbols[i] = column_str(c);
	return c->bad ? -EUCLEAN : 0;
}

static int read_pairs(struct series_block *b, struct column_cursor *c)
{
	int rc = 0;

	b->pair_n = column_count(c);
	b->names = column_new_u32(c, &b->arena, b->pair_n, &rc);
	b->values = column_new_u32(c, &b->arena, b->pair_n, &rc);
	if (!b->names || !b->values || c->bad)
		return rc ? rc : -EUCLEAN;
	for (uint32_t i = 0; i < b->pair_n; i++)
		if (b->names[i] >= b->symbol_n || b->values[i] >= b->symbol_n)
			return -EUCLEAN;
	return 0;
}

static int read_series(struct series_block *b, struct column_cursor *c)
{
	uint64_t all = 0;
	int rc = 0;

	if (b->n > 4 * (column_left(c) + 1))
		return -EUCLEAN;
	b->counts = column_new_u32(c, &b->arena, b->n, &rc);
	if (!b->counts)
		return rc ? rc : -EUCLEAN;
	for (uint32_t i = 0; i < b->n; i++) {
		if (!b->counts[i] || b->counts[i] > METRIC_LABELS_MAX + 1)
			return -EUCLEAN;
		all += b->counts[i];
	}
	if (all > 4 * (column_left(c) + 1))
		return -EUCLEAN;
	b->refs = column_new_u32(c, &b->arena, all, &rc);
	if (!b->refs || c->bad || column_left(c))
		return rc ? rc : -EUCLEAN;
	for (uint64_t i = 0; i < all; i++)
		if (b->refs[i] >= b->pair_n)
			return -EUCLEAN;
	return 0;
}

/* Add one series; its first pair is the tenant. */
static int load_series(struct metric_index *x, const struct series_block *b, const uint32_t *refs,
		       uint32_t n, struct buf *labels)
{
	uint32_t id, expected = x->n;
	int rc;

	if (b->symbols[b->names[refs[0]]].n)
		return -EUCLEAN;
	buf_clear(labels);
	for (uint32_t i = 1; i < n; i++)
		metric_labels_put(labels, b->symbols[b->names[refs[i]]],
				  b->symbols[b->values[refs[i]]]);
	rc = buf_error(labels);
	if (!rc && metric_labels_check(buf_str(labels)))
		rc = -EUCLEAN;
	if (!rc)
		rc = metric_index_add(x, b->symbols[b->values[refs[0]]], buf_str(labels), 0, &id);
	return rc ? rc : id == expected ? 0 : -EUCLEAN;
}

int metric_index_load(struct metric_index *x, struct str block, struct err *e)
{
	struct column_cursor c = column_cursor(block);
	struct series_block b = {0};
	struct buf labels = {0};
	uint64_t from = column_varint(&c), n = column_varint(&c);
	uint32_t at = 0;
	int rc = from != x->n || n > UINT32_MAX || c.bad ? -EUCLEAN : 0;

	arena_init(&b.arena, NULL);
	b.n = (uint32_t)n;
	if (!rc)
		rc = read_symbols(&b, &c);
	if (!rc)
		rc = read_pairs(&b, &c);
	if (!rc)
		rc = read_series(&b, &c);
	for (uint32_t i = 0; i < b.n && !rc; i++) {
		rc = load_series(x, &b, b.refs + at, b.counts[i], &labels);
		at += b.counts[i];
	}
	buf_fini(&labels);
	arena_fini(&b.arena);
	if (rc == -ENOMEM)
		return err_errno(e, rc, "read series of metrics");
	return rc ? err_set(e, -EUCLEAN, "a block of series of metrics is damaged") : 0;
}
