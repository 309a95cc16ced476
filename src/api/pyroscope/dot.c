/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A call graph for Graphviz. Functions are nodes with exact self and total values; an edge has the
 * total of the callee when called from the caller, with recursive calls counted once.
 */
#include "api/pyroscope/dot.h"

#include <stdlib.h>

#include "base/container/map.h"
#include "query/tree/top.h"

enum { DOT_NODES = 100 };

struct edge {
	uint32_t from, to; /* node numbers, see `numbers` */
	int64_t total;
	uint32_t on_path;
};

struct dot_graph {
	struct tree *tree;
	struct arena scratch;
	uint32_t *numbers; /* by name: node number, 0: not drawn */
	struct map ids;	   /* from << 32 | to: index of edges + 1 */
	VEC(struct edge) edges;
	uint32_t *next; /* by node of the tree: the next child to visit */
};

static int enter_call(struct dot_graph *d, uint32_t node)
{
	const struct tree_node *n = &d->tree->nodes.at[node];
	uint32_t from = n->parent ? d->numbers[d->tree->nodes.at[n->parent].name] : 0;
	bool wrapped = false;
	uint64_t *id;

	if (!from || !d->numbers[n->name])
		return 0;
	id = map_at(&d->ids, (uint64_t)from << 32 | d->numbers[n->name], NULL);
	if (!id)
		return -ENOMEM;
	if (!*id) {
		int rc = vec_push(&d->scratch, &d->edges,
				  (struct edge){.from = from, .to = d->numbers[n->name]});
		if (rc)
			return rc;
		*id = d->edges.n;
	}

	struct edge *edge = &d->edges.at[*id - 1];

	if (!edge->on_path++)
		edge->total = add_wrapping(edge->total, tree_total(d->tree, node).in[0], &wrapped);
	return 0;
}

static void leave_call(struct dot_graph *d, uint32_t node)
{
	const struct tree_node *n = &d->tree->nodes.at[node];
	uint32_t from = n->parent ? d->numbers[d->tree->nodes.at[n->parent].name] : 0;
	uint64_t id;

	if (from && map_get(&d->ids, (uint64_t)from << 32 | d->numbers[n->name], &id))
		d->edges.at[id - 1].on_path--;
}

static int walk_calls(struct dot_graph *d)
{
	const struct tree *t = d->tree;
	uint32_t at = 0;
	int rc = 0;

	while (!rc) {
		const struct tree_node *n = &t->nodes.at[at];

		if (d->next[at] < n->child_n) {
			at = t->children[n->child_at + d->next[at]++];
			rc = enter_call(d, at);
			continue;
		}
		if (!at)
			break;
		leave_call(d, at);
		at = n->parent;
	}
	return rc;
}

static void put_dot_string(struct buf *out, struct str s)
{
	buf_put_char(out, '"');
	for (size_t i = 0; i < s.n; i++) {
		if (s.p[i] == '"' || s.p[i] == '\\')
			buf_put_char(out, '\\');
		buf_put_char(out, (unsigned char)s.p[i] < ' ' ? ' ' : s.p[i]);
	}
	buf_put_char(out, '"');
}

static int larger_edge_first(const void *a, const void *b)
{
	const struct edge *x = a, *y = b;
	uint64_t wx = magnitude_of(x->total), wy = magnitude_of(y->total);

	if (wx != wy)
		return wx > wy ? -1 : 1;
	return x->from != y->from ? (x->from < y->from ? -1 : 1) : x->to < y->to ? -1 : 1;
}

static void put_graph(struct buf *out, struct dot_graph *d, const struct top *top, uint32_t n)
{
	double whole = (double)tree_total(d->tree, 0).in[0];

	buf_put_str(out, STR("digraph \"profile\" {\nnode [style=filled fillcolor=\"#f8f8f8\" "
			     "shape=box]\n"));
	for (uint32_t i = 0; i < n; i++) {
		const struct top_row *row = &top->rows[i];
		struct str name = d->tree->names.rows.at[row->name].text;

		buf_printf(out, "N%u [label=", i + 1);
		put_dot_string(out, name);
		buf_printf(out, " tooltip=\"self %lld, total %lld (%.2f%%)\"]\n",
			   (long long)row->self[0], (long long)row->total[0],
			   whole != 0 ? 100 * (double)row->total[0] / whole : 0);
	}
	if (d->edges.n)
		qsort(d->edges.at, d->edges.n, sizeof(*d->edges.at), larger_edge_first);
	for (uint32_t i = 0; i < d->edges.n; i++)
		buf_printf(out, "N%u -> N%u [label=\" %lld\" weight=%d]\n", d->edges.at[i].from,
			   d->edges.at[i].to, (long long)d->edges.at[i].total,
			   whole > 0 ? 1 + (int)(100 * (double)d->edges.at[i].total / whole) : 1);
	buf_put_str(out, STR("}\n"));
}

int dot_of_tree(struct buf *out, struct tree *t, uint64_t max_nodes)
{
	struct dot_graph d = {.tree = t};
	struct top top;
	uint32_t n;
	int rc = top_of_tree(&top, t);

	if (rc || !top.n)
		return rc;
	top_sort(&top, t, TOP_BY_TOTAL);
	n = max_nodes && max_nodes < top.n ? (uint32_t)max_nodes : top.n;
	if (!max_nodes && n > DOT_NODES)
		n = DOT_NODES;
	arena_init(&d.scratch, t->arena.budget);
	d.numbers = arena_zalloc(&d.scratch, t->names.rows.n, sizeof(*d.numbers));
	d.next = arena_zalloc(&d.scratch, t->nodes.n, sizeof(*d.next));
	rc = d.numbers && d.next ? map_init(&d.ids, &d.scratch, 256) : -ENOMEM;
	for (uint32_t i = 0; i < n && !rc; i++)
		d.numbers[top.rows[i].name] = i + 1;
	if (!rc)
		rc = walk_calls(&d);
	if (!rc)
		put_graph(out, &d, &top, n);
	arena_fini(&d.scratch);
	return rc ? rc : buf_error(out);
}
