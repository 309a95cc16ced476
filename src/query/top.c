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
	uint32_t *next = arena_zalloc(&t->arena, t->nodes.n, sizeof(*next));
	uint32_t *on_path = arena_zalloc(&t->arena, n, sizeof(*on_path));

	if (n && (!rows || !next || !on_path))
		return -ENOMEM;
	for (uint32_t i = 0; i < n; i++)
		rows[i].name = NO_NAME;
	if (n)
		walk(t, rows, next, on_path, &t->wrapped);
	*out = (struct top){rows, 0};
	for (uint32_t i = 0; i < n; i++)
		if (rows[i].name != NO_NAME)
			rows[out->n++] = rows[i];
	return 0;
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
