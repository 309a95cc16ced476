/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One depth-first walk with a count of each name on the current path: a node adds to the total of
 * its name only if the name is not on the path already.
 */
#include "query/tree/top.h"

#include <stdlib.h>

#include "base/container/sort.h"

#define NO_NAME UINT32_MAX /* the row of a name that occurs only on stacks the filters drop */

/* A node on the current path, and the range of tree.children that is still to be visited. */
struct path_step {
	uint32_t node, at, end;
};

struct top_walk {
	const struct tree *tree;
	struct top_row *rows;
	uint32_t *on_path; /* by name: number of its occurrences on the current path */
	VEC(struct path_step) path;
	struct arena scratch;
	bool wrapped;
};

static int push_step(struct top_walk *w, uint32_t node)
{
	const struct tree_node *n = &w->tree->nodes.at[node];

	return vec_push(&w->scratch, &w->path,
			(struct path_step){node, n->child_at, n->child_at + n->child_n});
}

static void count_node(struct top_walk *w, uint32_t node)
{
	uint32_t name = w->tree->nodes.at[node].name;
	struct tree_values self = tree_self(w->tree, node), total = tree_total(w->tree, node);
	struct top_row *row = &w->rows[name];

	row->name = name;
	for (unsigned c = 0; c < TREE_COLUMNS; c++) {
		row->self[c] = add_wrapping(row->self[c], self.in[c], &w->wrapped);
		if (!w->on_path[name])
			row->total[c] = add_wrapping(row->total[c], total.in[c], &w->wrapped);
	}
	w->on_path[name]++;
}

/* Depth first, without recursion: stacks may be deep. */
static int walk_nodes(struct top_walk *w)
{
	int rc = push_step(w, 0);

	while (!rc) {
		struct path_step *s = &w->path.at[w->path.n - 1];

		if (s->at < s->end) {
			uint32_t node = w->tree->children[s->at++];

			count_node(w, node);
			rc = push_step(w, node);
			continue;
		}
		if (!s->node)
			break;
		w->on_path[w->tree->nodes.at[s->node].name]--;
		w->path.n--;
	}
	return rc;
}

int top_of_tree(struct top *out, struct tree *t)
{
	uint32_t n = t->names.rows.n;
	struct top_walk w = {.tree = t, .rows = arena_zalloc(&t->arena, n, sizeof(*w.rows))};
	int rc;

	arena_init(&w.scratch, t->arena.budget);
	w.on_path = arena_zalloc(&w.scratch, n, sizeof(*w.on_path));
	rc = n && (!w.rows || !w.on_path) ? -ENOMEM : 0;
	for (uint32_t i = 0; i < n && !rc; i++)
		w.rows[i].name = NO_NAME;
	if (n && !rc)
		rc = walk_nodes(&w);
	t->wrapped |= w.wrapped;
	arena_fini(&w.scratch);
	*out = (struct top){w.rows, 0};
	for (uint32_t i = 0; i < n && !rc; i++)
		if (w.rows[i].name != NO_NAME)
			w.rows[out->n++] = w.rows[i];
	return rc;
}

struct row_order {
	const struct tree *tree;
	enum top_order order;
};

static int compare_magnitudes(int64_t a, int64_t b)
{
	uint64_t x = magnitude_of(a), y = magnitude_of(b);

	if (x != y)
		return x > y ? -1 : 1;
	return a == b ? 0 : a > b ? -1 : 1;
}

static int compare_top_rows(const void *a, const void *b, void *arg)
{
	const struct row_order *s = arg;
	const struct top_row *x = a, *y = b;
	int self = compare_magnitudes(x->self[0], y->self[0]);
	int total = compare_magnitudes(x->total[0], y->total[0]);
	int c = s->order == TOP_BY_SELF ? self : total;

	if (!c)
		c = s->order == TOP_BY_SELF ? total : self;
	return c ? c : names_cmp(&s->tree->names, x->name, y->name);
}

void top_sort(struct top *top, const struct tree *t, enum top_order order)
{
	struct row_order sorting = {t, order};

	if (top->n)
		qsort_r(top->rows, top->n, sizeof(*top->rows), compare_top_rows, &sorting);
}

int top_first(struct top *out, const struct top *all, struct tree *t, enum top_order order,
	      uint64_t n)
{
	struct row_order sorting = {t, order};

	*out = (struct top){arena_alloc(&t->arena, all->n + 1, sizeof(*out->rows)), all->n};
	if (!out->rows)
		return -ENOMEM;
	if (all->n)
		memcpy(out->rows, all->rows, all->n * sizeof(*out->rows));
	if (n && n < all->n)
		out->n = (uint32_t)n;
	sort_first(out->rows, all->n, sizeof(*out->rows), out->n, compare_top_rows, &sorting);
	return 0;
}
