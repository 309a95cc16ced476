/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Converts a tree of locations with sums to a tree of names. A parent precedes its children in
 * both, so the state of a stack (its node in the tree, which filters it passes) extends that of its
 * caller: one pass processes the frames of each node once, however many stacks contain it.
 */
#include "query/tree/tree.h"

/* Flags per stack node. STARTED: show_from matched at the node or above it, or is not set. */
enum { NEEDED = 1, FOCUSED = 2, IGNORED = 4, STARTED = 8 };

struct stack_walk {
	struct tree *tree;
	const struct stack_tree *stacks;
	const struct stack_sums *sums[TREE_COLUMNS]; /* NULL: none */
	struct frames frames;
	bool joins;
	uint8_t *flags; /* by stack node */
	uint32_t *ends; /* by stack node: the node of the tree */
};

static int64_t value_at(const struct stack_walk *w, unsigned column, uint32_t node)
{
	const struct stack_sums *sums = w->sums[column];

	return sums && node < sums->self.n ? sums->self.at[node] : 0;
}

static bool has_value(const struct stack_walk *w, uint32_t node)
{
	return value_at(w, TREE_BEFORE, node) || value_at(w, TREE_AFTER, node);
}

static bool has_filters(const struct frame_filters *f)
{
	return f->focus || f->ignore || f->show_from;
}

/* Mark the callers of needed nodes as needed. */
static void need_callers(struct stack_walk *w)
{
	const struct stack_node *nodes = w->stacks->nodes.at;

	for (uint32_t i = w->stacks->nodes.n; i-- > 1;)
		w->flags[nodes[i].parent] |= w->flags[i] & NEEDED;
}

/* Mark all nodes on the path from the root to a node with a value. */
static void mark_needed(struct stack_walk *w)
{
	for (unsigned c = 0; c < TREE_COLUMNS; c++)
		for (uint32_t i = 0; w->sums[c] && i < w->sums[c]->self.n; i++)
			w->flags[i] |= w->sums[c]->self.at[i] ? NEEDED : 0;
	need_callers(w);
}

/* Set the filter flags of each needed node, which extend those of its caller. */
static int mark_kept(struct stack_walk *w, struct err *e)
{
	const struct frame_filters *filters = &w->tree->options.frames;
	int rc = 0;

	w->flags[0] = filters->focus ? 0 : FOCUSED;
	if (!filters->show_from)
		w->flags[0] |= STARTED;
	for (uint32_t i = 1; i < w->stacks->nodes.n; i++) {
		const struct stack_node *node = &w->stacks->nodes.at[i];
		const struct location_frames *l;

		if (!(w->flags[i] & NEEDED))
			continue;
		rc = frames_of_location(&w->frames, node->location, &l, e);
		if (rc)
			return rc;
		w->flags[i] |= w->flags[node->parent] & (FOCUSED | IGNORED | STARTED);
		w->flags[i] |= (l->focus ? FOCUSED : 0) | (l->ignore ? IGNORED : 0) |
			       (l->keep_from ? STARTED : 0);
	}
	return 0;
}

static bool is_kept(const struct stack_walk *w, uint32_t node)
{
	return (w->flags[node] & (FOCUSED | IGNORED | STARTED)) == (FOCUSED | STARTED);
}

/* Reduce the needed nodes to the paths to stacks that pass the filters and have a value. */
static void drop_unneeded(struct stack_walk *w)
{
	for (uint32_t i = 1; i < w->stacks->nodes.n; i++)
		if (!is_kept(w, i) || !has_value(w, i))
			w->flags[i] &= (uint8_t)~NEEDED;
	need_callers(w);
}

/* Add the values of a stack to a node of the tree and to the kept sums. 0 or -ENOMEM. */
static int add_stack_values(struct stack_walk *w, uint32_t stack, uint32_t end)
{
	struct tree *t = w->tree;
	int rc = 0;

	for (unsigned c = 0; c < TREE_COLUMNS && !rc; c++) {
		int64_t value = value_at(w, c, stack);

		if (!value)
			continue; /* most nodes are only inner nodes of other stacks */
		rc = tree_put(t, end, c, value);
		t->sum[c].kept = add_wrapping(t->sum[c].kept, value, &t->wrapped);
		t->sum[c].kept_samples++;
	}
	return rc;
}

/* Descend from `node` along the frames of a location, outermost first. */
static int descend_frames(struct stack_walk *w, uint32_t node, uint32_t location, bool starts,
			  uint32_t *end, struct err *e)
{
	const struct location_frames *l;
	int rc = frames_of_location(&w->frames, location, &l, e);

	if (rc)
		return rc;
	for (uint32_t i = starts ? l->keep_from : l->names.n; i-- > 0;) {
		uint32_t name = w->frames.pool.at[l->names.at + i];

		/* Equal neighbours are merged across locations too. */
		if (w->joins && node && w->tree->nodes.at[node].name == name)
			continue;
		rc = tree_child(w->tree, node, name, &node);
		if (rc)
			return rc;
	}
	*end = node;
	return 0;
}

/*
 * Reserve one tree node per needed stack node: an estimate, because names may merge nodes and
 * inlined calls add some. For the second column of a diff most nodes exist already.
 */
static int reserve_nodes(struct stack_walk *w)
{
	uint32_t n = 0;

	if (w->tree->nodes.n > 1)
		return 0;
	for (uint32_t i = 0; i < w->stacks->nodes.n; i++)
		n += w->flags[i] & NEEDED;
	return tree_reserve(w->tree, n);
}

static int walk_down(struct stack_walk *w, struct err *e)
{
	for (uint32_t i = 1; i < w->stacks->nodes.n; i++) {
		const struct stack_node *node = &w->stacks->nodes.at[i];
		bool starts = !(w->flags[node->parent] & STARTED);
		int rc;

		if (!(w->flags[i] & NEEDED))
			continue;
		w->ends[i] = 0;
		if (!(w->flags[i] & STARTED))
			continue;
		rc = descend_frames(w, w->ends[node->parent], node->location, starts, &w->ends[i],
				    e);
		/* A stack without remaining frames is dropped. */
		if (!rc && is_kept(w, i) && w->ends[i])
			rc = add_stack_values(w, i, w->ends[i]);
		if (rc)
			return rc;
	}
	return 0;
}

/* Build the inverted tree: each stack is walked by itself, from the leaf. */
static int walk_up(struct stack_walk *w, struct err *e)
{
	for (uint32_t i = 1; i < w->stacks->nodes.n; i++) {
		uint32_t end = 0, at = i;
		int rc = 0;

		if (!is_kept(w, i) || !has_value(w, i))
			continue;
		for (; at && !rc && (w->flags[at] & STARTED); at = w->stacks->nodes.at[at].parent) {
			const struct stack_node *node = &w->stacks->nodes.at[at];
			const struct location_frames *l;
			bool starts = !(w->flags[node->parent] & STARTED);

			rc = frames_of_location(&w->frames, node->location, &l, e);
			for (uint32_t k = 0; !rc && k < (starts ? l->keep_from : l->names.n); k++) {
				uint32_t name = w->frames.pool.at[l->names.at + k];

				if (!w->joins || !end || w->tree->nodes.at[end].name != name)
					rc = tree_child(w->tree, end, name, &end);
			}
		}
		if (!rc && end)
			rc = add_stack_values(w, i, end);
		if (rc)
			return rc;
	}
	return 0;
}

/* Values without a stack get a name of their own, so that tables add up. */
static int walk_root(struct stack_walk *w)
{
	uint32_t name, end;
	int rc;

	if (!has_value(w, 0))
		return 0;
	rc = frames_no_stack(&w->frames, &name);
	if (rc <= 0)
		return rc;
	rc = tree_child(w->tree, 0, name, &end);
	return rc ? rc : add_stack_values(w, 0, end);
}

static void sum_all_stacks(struct stack_walk *w)
{
	struct tree *t = w->tree;

	for (unsigned c = 0; c < TREE_COLUMNS; c++) {
		struct tree_sum *sum = &t->sum[c];

		if (w->sums[c]) { /* values that were filtered out earlier */
			sum->all = add_wrapping(sum->all, w->sums[c]->dropped, &t->wrapped);
			if (__builtin_add_overflow(sum->magnitude, w->sums[c]->dropped_weight,
						   &sum->magnitude))
				t->wrapped = true;
		}
		for (uint32_t i = 0; w->sums[c] && i < w->sums[c]->self.n; i++) {
			int64_t value = w->sums[c]->self.at[i];

			sum->all = add_wrapping(sum->all, value, &t->wrapped);
			sum->samples += value != 0;
			if (__builtin_add_overflow(sum->magnitude, magnitude_of(value),
						   &sum->magnitude))
				t->wrapped = true;
		}
	}
}

static int walk_all(struct stack_walk *w, struct err *e)
{
	int rc = 0;

	sum_all_stacks(w);
	mark_needed(w);
	if (has_filters(&w->tree->options.frames)) {
		rc = mark_kept(w, e);
		drop_unneeded(w);
	} else {
		for (uint32_t i = 0; i < w->stacks->nodes.n; i++)
			w->flags[i] |= FOCUSED | STARTED;
	}
	if (!rc)
		rc = walk_root(w);
	if (!rc)
		rc = reserve_nodes(w);
	if (!rc)
		rc = (w->tree->options.invert ? walk_up : walk_down)(w, e);
	return rc;
}

int tree_add_stacks(struct tree *t, const struct stack_tree *stacks,
		    const struct stack_sums *before, const struct stack_sums *after, struct err *e)
{
	struct stack_walk w = {.tree = t,
			       .stacks = stacks,
			       .sums = {before, after},
			       .joins = frames_join(t->options.group)};
	struct arena scratch;
	int rc;

	arena_init(&scratch, t->arena.budget);
	w.flags = arena_zalloc(&scratch, stacks->nodes.n, sizeof(*w.flags));
	w.ends = arena_zalloc(&scratch, stacks->nodes.n, sizeof(*w.ends));
	rc = w.flags && w.ends ? 0 : -ENOMEM;
	if (!rc)
		rc = frames_init(&w.frames, &stacks->dictionary, &t->options.frames,
				 t->options.group, &t->names, &scratch);
	if (!rc)
		rc = walk_all(&w, e);
	arena_fini(&scratch);
	if (rc == -ENOMEM)
		err_set(e, rc, "out of memory");
	return rc;
}
