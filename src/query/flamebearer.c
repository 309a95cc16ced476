/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Both encodings walk the shown nodes depth first with an explicit stack, because stacks may be
 * deep. The walk pops the children of a node from the last to the first; finish_level() reverses
 * levels.
 */
#include "query/flamebearer.h"

#include <stdlib.h>

#include "wire/text.h"

#define OTHER UINT32_MAX

/* A node that is still to be written. */
struct pending_node {
	uint32_t node; /* OTHER: the hidden children of its parent */
	uint32_t level;
	int64_t x[TREE_COLUMNS];
	struct tree_values total;
};

struct flamebearer_writer {
	struct flamebearer *out;
	struct tree *tree;
	const struct cut *cut;
	struct arena scratch;
	uint32_t *name_ids; /* by name of the tree: index into out->names + 1 */
	uint32_t other_id;  /* index of "other" + 1 */
	VEC(struct pending_node) stack;
	VEC(uint32_t) shown; /* children of the current node */
};

static int name_id(struct flamebearer_writer *l, uint32_t node, uint32_t *id)
{
	struct str text = STR("other");
	uint32_t *known = &l->other_id;
	int rc = 0;

	if (node != OTHER && node != l->cut->root) {
		known = &l->name_ids[l->tree->nodes.at[node].name];
		text = tree_text(l->tree, node);
	}
	if (!*known) {
		rc = vec_push(&l->tree->arena, &l->out->names, text);
		*known = l->out->names.n;
	}
	*id = *known - 1;
	return rc;
}

/* Append the numbers of one node to its level; x is still absolute. */
static int write_node(struct flamebearer_writer *l, const struct pending_node *w,
		      struct tree_values self)
{
	struct flamebearer *out = l->out;
	uint32_t id = 0;
	int rc = w->level ? name_id(l, w->node, &id) : 0;

	if (!rc && w->level == out->rows.n)
		rc = vec_push(&l->tree->arena, &out->rows, (struct flamebearer_level){0});
	if (!rc)
		rc = vec_reserve(&l->tree->arena, &out->rows.at[w->level].values, out->width);
	if (rc)
		return rc;
	for (unsigned c = 0; c < (out->width == 7 ? 2 : 1); c++) {
		struct flamebearer_level *level = &out->rows.at[w->level];

		level->values.at[level->values.n++] = w->x[c];
		level->values.at[level->values.n++] = w->total.in[c];
		level->values.at[level->values.n++] = self.in[c];
		if (self.in[c] > out->max_self)
			out->max_self = self.in[c];
	}
	out->rows.at[w->level].values.at[out->rows.at[w->level].values.n++] = id;
	return 0;
}

static int compare_names(const void *a, const void *b, void *arg)
{
	const struct tree *t = arg;

	return names_cmp(&t->names, t->nodes.at[*(const uint32_t *)a].name,
			 t->nodes.at[*(const uint32_t *)b].name);
}

static int64_t sub_wrapping(int64_t a, int64_t b)
{
	return (int64_t)((uint64_t)a - (uint64_t)b); /* wraps */
}

/*
 * Set l->shown to the shown children of a node, sorted by name, and *other to the sum of the hidden
 * ones. Children are ordered by size, so all after the first hidden one are hidden.
 */
static int find_shown_children(struct flamebearer_writer *l, uint32_t node,
			       struct tree_values *other)
{
	const struct tree_node *n = &l->tree->nodes.at[node];
	const uint32_t *children = tree_children(l->tree, node);
	struct tree_values self = tree_self(l->tree, node);
	int rc = 0;

	*other = tree_total(l->tree, node);
	for (unsigned c = 0; c < TREE_COLUMNS; c++)
		other->in[c] = sub_wrapping(other->in[c], self.in[c]);
	l->shown.n = 0;
	for (uint32_t i = 0; i < n->child_n && !rc; i++) {
		uint32_t id = children[i];
		struct tree_values total = tree_total(l->tree, id);

		if (!cut_shows(l->cut, l->tree, id))
			break;
		for (unsigned c = 0; c < TREE_COLUMNS; c++)
			other->in[c] = sub_wrapping(other->in[c], total.in[c]);
		rc = vec_push(&l->scratch, &l->shown, id);
	}
	if (l->shown.n > 1)
		qsort_r(l->shown.at, l->shown.n, sizeof(*l->shown.at), compare_names, l->tree);
	return rc;
}

/* Push the children of a node, the hidden ones as one. */
static int push_children(struct flamebearer_writer *l, const struct pending_node *w)
{
	struct tree_values self = tree_self(l->tree, w->node), other;
	struct pending_node next = {.level = w->level + 1};
	bool wrapped = false;
	int rc = find_shown_children(l, w->node, &other);

	for (unsigned c = 0; c < TREE_COLUMNS; c++)
		next.x[c] = add_wrapping(w->x[c], self.in[c], &wrapped);
	for (uint32_t i = 0; i < l->shown.n && !rc; i++) {
		next.node = l->shown.at[i];
		next.total = tree_total(l->tree, next.node);
		rc = vec_push(&l->scratch, &l->stack, next);
		for (unsigned c = 0; c < TREE_COLUMNS; c++)
			next.x[c] = add_wrapping(next.x[c], next.total.in[c], &wrapped);
	}
	next.node = OTHER;
	next.total = other;
	if (!rc && (other.in[0] || other.in[1]))
		rc = vec_push(&l->scratch, &l->stack, next);
	return rc;
}

/* Reverse a level, which was filled from the right, and make each x relative. */
static void finish_level(struct flamebearer_level *level, unsigned width)
{
	uint32_t n = level->values.n / width;
	int64_t *v = level->values.at, end[TREE_COLUMNS] = {0};
	bool wrapped = false;

	for (uint32_t i = 0; i < n / 2; i++)
		for (unsigned k = 0; k < width; k++) {
			int64_t swap = v[i * width + k];

			v[i * width + k] = v[(n - 1 - i) * width + k];
			v[(n - 1 - i) * width + k] = swap;
		}
	for (uint32_t i = 0; i < n; i++)
		for (unsigned c = 0; c < (width == 7 ? 2 : 1); c++) {
			int64_t *x = &v[i * width + c * 3];
			int64_t absolute = *x;

			*x = (int64_t)((uint64_t)absolute - (uint64_t)end[c]);
			end[c] = add_wrapping(absolute, x[1], &wrapped);
		}
}

static int write_levels(struct flamebearer_writer *l)
{
	struct pending_node first = {.node = l->cut->root,
				     .total = tree_total(l->tree, l->cut->root)};
	int rc = vec_push(&l->tree->arena, &l->out->names, STR("total"));

	if (!rc)
		rc = vec_push(&l->scratch, &l->stack, first);
	while (!rc && l->stack.n) {
		struct pending_node w = l->stack.at[--l->stack.n];

		if (w.node == OTHER) {
			rc = write_node(l, &w, w.total);
			continue;
		}
		rc = write_node(l, &w, tree_self(l->tree, w.node));
		if (!rc)
			rc = push_children(l, &w);
	}
	return rc;
}

int flamebearer_of_tree(struct flamebearer *out, struct tree *t, const struct cut *c, bool both)
{
	struct flamebearer_writer l = {.out = out, .tree = t, .cut = c};
	struct tree_values root = tree_total(t, c->root);
	bool wrapped = false;
	int rc = -ENOMEM;

	*out = (struct flamebearer){.width = both ? 7 : 4};
	arena_init(&l.scratch, t->arena.budget);
	l.name_ids = arena_zalloc(&l.scratch, t->names.rows.n + 1, sizeof(*l.name_ids));
	if (l.name_ids)
		rc = write_levels(&l);
	for (uint32_t i = 0; i < out->rows.n && !rc; i++)
		finish_level(&out->rows.at[i], out->width);
	memcpy(out->ticks, root.in, sizeof(out->ticks));
	out->total = both ? add_wrapping(root.in[0], root.in[1], &wrapped) : root.in[0];
	arena_fini(&l.scratch);
	return rc;
}

/* ---- tree bytes ---- */

/* Write the number of children of a node and push them. */
static int write_child_count(struct buf *out, struct flamebearer_writer *l, uint32_t node)
{
	struct pending_node other = {.node = OTHER};
	int rc = find_shown_children(l, node, &other.total);

	for (uint32_t i = 0; i < l->shown.n && !rc; i++)
		rc = vec_push(&l->scratch, &l->stack,
			      (struct pending_node){.node = l->shown.at[i]});
	if (!rc && other.total.in[0])
		rc = vec_push(&l->scratch, &l->stack, other);
	leb128_put_u64(out, l->shown.n + (other.total.in[0] != 0));
	return rc;
}

int flamebearer_tree_bytes(struct buf *out, struct tree *t, const struct cut *c)
{
	struct flamebearer_writer l = {.tree = t, .cut = c};
	int rc;

	arena_init(&l.scratch, t->arena.budget);
	rc = vec_push(&l.scratch, &l.stack, (struct pending_node){.node = c->root});
	while (!rc && l.stack.n) {
		struct pending_node w = l.stack.at[--l.stack.n];
		struct str name = STR("other");

		if (w.node != OTHER)
			name = w.node == c->root ? (struct str){0} : tree_text(t, w.node);
		leb128_put_u64(out, name.n);
		buf_put_str(out, name);
		if (w.node == OTHER) {
			leb128_put_u64(out, (uint64_t)w.total.in[0]);
			leb128_put_u64(out, 0);
			continue;
		}
		leb128_put_u64(out, (uint64_t)tree_self(t, w.node).in[0]);
		rc = write_child_count(out, &l, w.node);
	}
	arena_fini(&l.scratch);
	return rc ? rc : buf_error(out);
}
