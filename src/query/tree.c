/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Nodes are rows of one array; a child is always made after its parent, so totals are one pass
 * from the end. A node with few children is searched along its list of them, most often one that
 * was just made; one with many has them in one hash index over (parent, name): a function with
 * thousands of callees costs no more than one with ten.
 */
#include "query/tree.h"

#include <stdlib.h>

#include "base/hash.h"

enum { FEW_CHILDREN = 8 };

int tree_init(struct tree *t, const struct tree_options *options, struct budget *budget)
{
	*t = (struct tree){.options = *options};
	arena_init(&t->arena, budget);

	int rc = names_init(&t->names, &t->arena, frames_key(options->group));

	if (!rc)
		rc = idset_init(&t->index, &t->arena, 256);
	if (!rc)
		rc = vec_push(&t->arena, &t->nodes, (struct tree_node){0});
	if (!rc)
		rc = vec_push(&t->arena, &t->siblings, 0);
	return rc;
}

void tree_fini(struct tree *t)
{
	arena_fini(&t->arena);
}

static uint32_t child_hash(uint32_t parent, uint32_t name)
{
	return hash_u64((uint64_t)parent << 32 | name);
}

static bool find_child(const struct tree *t, uint32_t parent, uint32_t name, uint32_t *child)
{
	const struct tree_node *p = &t->nodes.at[parent];

	if (p->child_n <= FEW_CHILDREN) {
		for (*child = p->child_at; *child; *child = t->siblings.at[*child])
			if (t->nodes.at[*child].name == name)
				return true;
		return false;
	}

	struct idset_cursor cursor = idset_seek(&t->index, child_hash(parent, name));

	while (idset_next(&t->index, &cursor, child)) {
		const struct tree_node *n = &t->nodes.at[*child];

		if (n->parent == parent && n->name == name)
			return true;
	}
	return false;
}

/* A child was added: the index gets it, or all of them when they have become many. */
static int index_children(struct tree *t, uint32_t parent)
{
	const struct tree_node *p = &t->nodes.at[parent];
	uint32_t n = p->child_n == FEW_CHILDREN + 1 ? p->child_n : 1;
	int rc = 0;

	if (p->child_n <= FEW_CHILDREN)
		return 0;
	for (uint32_t child = p->child_at; n && !rc; n--, child = t->siblings.at[child])
		rc = idset_add(&t->index, child_hash(parent, t->nodes.at[child].name), child);
	return rc;
}

int tree_child(struct tree *t, uint32_t parent, uint32_t name, uint32_t *child)
{
	int rc;

	if (find_child(t, parent, name, child))
		return 0;
	rc = vec_reserve(&t->arena, &t->nodes, 1);
	if (!rc)
		rc = vec_push(&t->arena, &t->siblings, t->nodes.at[parent].child_at);
	if (rc)
		return rc;
	*child = t->nodes.n;
	t->nodes.at[t->nodes.n++] = (struct tree_node){.parent = parent, .name = name};
	t->nodes.at[parent].child_at = *child;
	t->nodes.at[parent].child_n++;
	return index_children(t, parent);
}

/* Add a value at the end of a path that is given leaf first. */
static int add_path(struct tree *t, const uint32_t *path, uint32_t n, enum tree_column column,
		    int64_t value)
{
	uint32_t node = 0;

	for (uint32_t i = 0; i < n; i++) {
		uint32_t name = t->options.invert ? path[i] : path[n - 1 - i];
		int rc = tree_child(t, node, name, &node);

		if (rc)
			return rc;
	}

	int64_t *self = &t->nodes.at[node].self[column];

	*self = add_wrapping(*self, value, &t->wrapped);
	return 0;
}

/* What was seen of each stack of the batch. */
struct stack_sum {
	int64_t value;
	uint64_t samples;
};

static int sum_profile(struct tree *t, const struct profile_batch *b, const struct profile *p,
		       struct labels *labels, struct tree_sum *sum, struct stack_sum *stacks,
		       struct err *e)
{
	uint32_t end = p->sample_first + p->sample_count;

	for (uint32_t i = p->sample_first; i < end; i++) {
		int64_t value = sample_total(b, i);
		int rc = labels->filter_count ? labels_match(labels, i, e) : 1;

		if (rc < 0)
			return rc;
		sum->samples++;
		sum->all = add_wrapping(sum->all, value, &t->wrapped);
		if (__builtin_add_overflow(sum->magnitude, magnitude_of(value), &sum->magnitude))
			t->wrapped = true;
		if (!rc || !value)
			continue;

		struct stack_sum *stack = &stacks[b->sample_stack[i]];

		stack->value = add_wrapping(stack->value, value, &t->wrapped);
		stack->samples++;
	}
	return 0;
}

/* Add up the samples of the tree's type by stack. */
static int sum_stacks(struct tree *t, const struct profile_batch *b, struct tree_sum *sum,
		      struct stack_sum *stacks, struct arena *scratch, struct err *e)
{
	struct labels labels;
	bool found = false;
	int rc = labels_init(&labels, b, t->options.labels, t->options.label_count, scratch);

	for (uint32_t p = 0; p < b->profiles.n && !rc; p++) {
		const struct profile *profile = &b->profiles.at[p];

		if (!sample_type_is(b, profile, t->type))
			continue;
		found = true;
		sum->profiles++;
		sum->duration_nano += profile->duration_nano;
		rc = labels_enter_profile(&labels, p, e);
		if (!rc)
			rc = sum_profile(t, b, profile, &labels, sum, stacks, e);
	}
	if (!rc && !found)
		rc = err_set(e, -ENOENT, "no samples of type %.*s/%.*s in it",
			     STR_ARG(t->type.type), STR_ARG(t->type.unit));
	return rc;
}

static int walk_stacks(struct tree *t, const struct profile_batch *b, enum tree_column column,
		       const struct stack_sum *stacks, struct arena *scratch, struct err *e)
{
	struct tree_sum *sum = &t->sum[column];
	struct frames frames;
	struct prune prune = {0};
	int rc = frames_init(&frames, b, &t->options.frames, t->options.group, &t->names, scratch);

	if (!rc && !t->options.all_frames)
		rc = prune_init(&prune, b, t->type, scratch);
	frames.prune = prune.drop ? &prune : NULL;
	for (uint32_t i = 0; i < b->stacks.n && !rc; i++) {
		if (!stacks[i].samples)
			continue;
		rc = frames_of_stack(&frames, i, e);
		if (rc <= 0)
			continue;
		sum->kept_samples += stacks[i].samples;
		sum->kept = add_wrapping(sum->kept, stacks[i].value, &t->wrapped);
		rc = add_path(t, frames.path.at, frames.path.n, column, stacks[i].value);
	}
	prune_fini(&prune);
	return rc;
}

int tree_set_type(struct tree *t, struct str type, struct str unit)
{
	int rc = arena_copy_str(&t->arena, type, &t->type.type);

	if (!rc)
		rc = arena_copy_str(&t->arena, unit, &t->type.unit);
	t->has_type = !rc;
	return rc;
}

/* The first batch decides which type the tree is about. */
static int choose_type(struct tree *t, const struct profile_batch *b, struct err *e)
{
	struct sample_type type;
	int rc = sample_type_pick(&type, b, t->options.type, t->options.last_type, e);

	return rc || t->has_type ? rc : tree_set_type(t, type.type, type.unit);
}

int tree_add(struct tree *t, const struct profile_batch *batch, enum tree_column column,
	     struct err *e)
{
	struct arena scratch;
	int rc = choose_type(t, batch, e);

	if (rc)
		goto out_early;
	arena_init(&scratch, t->arena.budget);

	struct stack_sum *stacks = arena_zalloc(&scratch, batch->stacks.n, sizeof(*stacks));

	rc = stacks ? sum_stacks(t, batch, &t->sum[column], stacks, &scratch, e) : -ENOMEM;
	if (!rc)
		rc = walk_stacks(t, batch, column, stacks, &scratch, e);
	arena_fini(&scratch);
out_early:
	if (rc == -ENOMEM)
		err_set(e, rc, "out of memory: raise --max-memory");
	return rc;
}

static uint64_t node_weight(const struct tree_node *n)
{
	uint64_t before = magnitude_of(n->total[TREE_BEFORE]);
	uint64_t after = magnitude_of(n->total[TREE_AFTER]);

	return before > after ? before : after;
}

static int order_children(const void *a, const void *b, void *arg)
{
	const struct tree *t = arg;
	const struct tree_node *x = &t->nodes.at[*(const uint32_t *)a];
	const struct tree_node *y = &t->nodes.at[*(const uint32_t *)b];
	uint64_t wx = node_weight(x), wy = node_weight(y);

	if (wx != wy)
		return wx > wy ? -1 : 1;
	return names_cmp(&t->names, x->name, y->name);
}

static void sum_totals(struct tree *t)
{
	struct tree_node *nodes = t->nodes.at;

	for (uint32_t i = t->nodes.n; i-- > 0;) {
		for (unsigned c = 0; c < TREE_COLUMNS; c++) {
			struct tree_node *n = &nodes[i];

			n->total[c] = add_wrapping(n->total[c], n->self[c], &t->wrapped);
			if (i)
				nodes[n->parent].total[c] = add_wrapping(nodes[n->parent].total[c],
									 n->total[c], &t->wrapped);
		}
	}
}

int tree_finish(struct tree *t)
{
	struct tree_node *nodes = t->nodes.at;
	uint32_t at = 0;

	t->children = arena_alloc(&t->arena, t->nodes.n, sizeof(*t->children));
	if (!t->children)
		return -ENOMEM;
	sum_totals(t);
	for (uint32_t i = 0; i < t->nodes.n; i++) {
		nodes[i].child_at = at; /* child_n is known since they were made */
		at += nodes[i].child_n;
		nodes[i].child_n = 0;
	}
	for (uint32_t i = 1; i < t->nodes.n; i++) {
		struct tree_node *parent = &nodes[nodes[i].parent];

		t->children[parent->child_at + parent->child_n++] = i;
	}
	for (uint32_t i = 0; i < t->nodes.n; i++)
		if (nodes[i].child_n > 1)
			qsort_r(t->children + nodes[i].child_at, nodes[i].child_n,
				sizeof(*t->children), order_children, t);
	return 0;
}
