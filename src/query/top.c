/* SPDX-License-Identifier: Apache-2.0 */
#include "query/top.h"

#include <stdlib.h>

#define NO_NAME UINT32_MAX /* a name that only stands on stacks which the filters drop */

/*
 * Walk the tree depth first without a stack of our own: `next[node]` is the child to go to next.
 * `on_path[name]` counts how often the name stands between the root and here.
 */
static void walk(const struct tree *t, struct top_row *rows, uint32_t *next, uint32_t *on_path,
		 bool *wrapped)
{
	const struct tree_node *nodes = t->nodes.at;
	uint32_t at = 0;

	for (;;) {
		const struct tree_node *n = &nodes[at];

		if (next[at] < n->child_n) {
			at = t->children[n->child_at + next[at]++];
			n = &nodes[at];

			struct top_row *row = &rows[n->name];
			struct tree_values self = tree_self(t, at), total = tree_total(t, at);

			row->name = n->name;
			for (unsigned c = 0; c < TREE_COLUMNS; c++) {
				row->self[c] = add_wrapping(row->self[c], self.in[c], wrapped);
				if (!on_path[n->name])
					row->total[c] =
						add_wrapping(row->total[c], total.in[c], wrapped);
			}
			on_path[n->name]++;
			continue;
		}
		if (!at)
			return;
		on_path[n->name]--;
		at = n->parent;
	}
}

int top_of_tree(struct top *out, struct tree *t)
{
	uint32_t n = t->names.rows.n;
	struct top_row *rows = arena_zalloc(&t->arena, n, sizeof(*rows));
	struct arena scratch;
	uint32_t *next, *on_path;
	int rc = 0;

	arena_init(&scratch, t->arena.budget);
	next = arena_zalloc(&scratch, t->nodes.n, sizeof(*next));
	on_path = arena_zalloc(&scratch, n, sizeof(*on_path));
	*out = (struct top){rows, 0};
	for (uint32_t i = 0; rows && i < n; i++)
		rows[i].name = NO_NAME;
	if (n && (!rows || !next || !on_path))
		rc = -ENOMEM;
	else if (n)
		walk(t, rows, next, on_path, &t->wrapped);
	arena_fini(&scratch);
	for (uint32_t i = 0; !rc && i < n; i++)
		if (rows[i].name != NO_NAME)
			rows[out->n++] = rows[i];
	return rc;
}

struct sorting {
	const struct tree *tree;
	enum top_order order;
};

static int larger_first(int64_t a, int64_t b)
{
	uint64_t x = magnitude_of(a), y = magnitude_of(b);

	if (x != y)
		return x > y ? -1 : 1;
	return a == b ? 0 : a > b ? -1 : 1;
}

static int compare_rows(const void *a, const void *b, void *arg)
{
	const struct sorting *s = arg;
	const struct top_row *x = a, *y = b;
	int self = larger_first(x->self[0], y->self[0]);
	int total = larger_first(x->total[0], y->total[0]);
	int c = s->order == TOP_BY_SELF ? self : total;

	if (!c)
		c = s->order == TOP_BY_SELF ? total : self;
	return c ? c : names_cmp(&s->tree->names, x->name, y->name);
}

void top_sort(struct top *top, const struct tree *t, enum top_order order)
{
	struct sorting sorting = {t, order};

	if (top->n)
		qsort_r(top->rows, top->n, sizeof(*top->rows), compare_rows, &sorting);
}

/* Of a heap whose root is the row that comes last: move the root down to where it belongs. */
static void sift_down(struct top_row *heap, uint32_t n, uint32_t at, struct sorting *s)
{
	for (uint32_t next; (next = 2 * at + 1) < n; at = next) {
		struct top_row swap = heap[at];

		next += next + 1 < n && compare_rows(&heap[next], &heap[next + 1], s) < 0;
		if (compare_rows(&swap, &heap[next], s) >= 0)
			break;
		heap[at] = heap[next];
		heap[next] = swap;
	}
}

int top_first(struct top *out, const struct top *all, struct tree *t, enum top_order order,
	      uint64_t n)
{
	struct sorting sorting = {t, order};
	uint32_t k = n && n < all->n ? (uint32_t)n : all->n;

	*out = (struct top){arena_alloc(&t->arena, k + 1, sizeof(*out->rows)), k};
	if (!out->rows)
		return -ENOMEM;
	memcpy(out->rows, all->rows, k * sizeof(*out->rows));
	if (k < all->n) {
		for (uint32_t i = k / 2; i-- > 0;)
			sift_down(out->rows, k, i, &sorting);
		for (uint32_t i = k; i < all->n; i++) {
			if (compare_rows(&all->rows[i], &out->rows[0], &sorting) >= 0)
				continue;
			out->rows[0] = all->rows[i];
			sift_down(out->rows, k, 0, &sorting);
		}
	}
	top_sort(out, t, order);
	return 0;
}
