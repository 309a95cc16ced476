/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Nodes are rows of one array; a child is created after its parent, so totals are one backward
 * pass. The children of a node are a linked list, newest first, which is searched linearly while it
 * is short. Nodes with many children share one hash index over (parent, name), so that a lookup
 * below a function with thousands of callees is as cheap as with ten.
 */
#include "query/tree/tree.h"

#include <stdlib.h>

#include "base/container/hash.h"

enum { FEW_CHILDREN = 8 };

int tree_init(struct tree *t, const struct tree_options *options, struct budget *budget)
{
	*t = (struct tree){.options = *options};
	arena_init(&t->arena, budget);
	arena_init(&t->building, budget);

	int rc = names_init(&t->names, &t->arena, frames_key(options->group));

	if (!rc)
		rc = idset_init(&t->index, &t->building, 256);
	if (!rc)
		rc = tree_reserve(t, 1);
	if (!rc)
		t->nodes.at[t->nodes.n++] = (struct tree_node){0};
	return rc;
}

void tree_fini(struct tree *t)
{
	arena_fini(&t->building);
	arena_fini(&t->arena);
}

void tree_borrow(struct tree *out, const struct tree *of, struct budget *budget)
{
	*out = *of;
	arena_init(&out->arena, budget);
	arena_init(&out->building, budget);
	out->names.arena = NULL;
}

/* Grow a per-node array to the capacity of the node array. 0 or -ENOMEM. */
static int grow_node_array(struct tree *t, struct arena *arena, void **array, uint32_t old,
			   size_t size)
{
	char *grown = arena_resize(arena, *array, *array ? old : 0, t->nodes.cap, size);

	if (!grown)
		return -ENOMEM;
	*array = grown;
	return 0;
}

int tree_reserve(struct tree *t, uint32_t more)
{
	uint32_t old = t->nodes.cap;
	int rc = vec_reserve(&t->arena, &t->nodes, more);

	if (rc || t->nodes.cap == old)
		return rc;
	rc = grow_node_array(t, &t->building, (void **)&t->siblings, old, sizeof(*t->siblings));
	for (unsigned c = 0; c < TREE_COLUMNS && !rc; c++)
		if (t->self[c])
			rc = grow_node_array(t, &t->arena, (void **)&t->self[c], old,
					     sizeof(*t->self[c]));
	return rc;
}

static uint32_t child_hash(uint32_t parent, uint32_t name)
{
	return hash_u64((uint64_t)parent << 32 | name);
}

static bool find_child(const struct tree *t, uint32_t parent, uint32_t name, uint32_t *child)
{
	const struct tree_node *p = &t->nodes.at[parent];

	if (p->child_n <= FEW_CHILDREN) {
		for (*child = p->child_at; *child; *child = t->siblings[*child])
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

/* Index a child that was just added, or all children when they have become many. */
static int index_children(struct tree *t, uint32_t parent)
{
	const struct tree_node *p = &t->nodes.at[parent];
	uint32_t n = p->child_n == FEW_CHILDREN + 1 ? p->child_n : 1;
	int rc = 0;

	if (p->child_n <= FEW_CHILDREN)
		return 0;
	for (uint32_t child = p->child_at; n && !rc; n--, child = t->siblings[child])
		rc = idset_add(&t->index, child_hash(parent, t->nodes.at[child].name), child);
	return rc;
}

int tree_child(struct tree *t, uint32_t parent, uint32_t name, uint32_t *child)
{
	int rc;

	if (find_child(t, parent, name, child))
		return 0;
	rc = tree_reserve(t, 1);
	if (rc)
		return rc;
	*child = t->nodes.n++;
	t->nodes.at[*child] = (struct tree_node){.parent = parent, .name = name};
	t->siblings[*child] = t->nodes.at[parent].child_at;
	for (unsigned c = 0; c < TREE_COLUMNS; c++)
		if (t->self[c])
			t->self[c][*child] = 0;
	t->nodes.at[parent].child_at = *child;
	t->nodes.at[parent].child_n++;
	return index_children(t, parent);
}

int tree_put(struct tree *t, uint32_t node, enum tree_column column, int64_t value)
{
	int64_t **self = &t->self[column];

	if (!*self)
		*self = arena_zalloc(&t->arena, t->nodes.cap, sizeof(**self));
	if (!*self)
		return -ENOMEM;
	(*self)[node] = add_wrapping((*self)[node], value, &t->wrapped);
	return 0;
}

/* Add a value to the node at the end of a path, which is given leaf first. */
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
	return tree_put(t, node, column, value);
}

/* The sum of the samples of one stack of the batch. */
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

/* Sum the samples of the tree's type by stack. */
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
		rc = err_set(e, -ENOENT, "no samples of type %.*s/%.*s", STR_ARG(t->type.type),
			     STR_ARG(t->type.unit));
	return rc;
}

/* Add the sum of each stack to the tree. */
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

/* Set the type of the tree from the first batch. */
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

/* Return whether child x sorts before y. */
static bool sorts_before(const struct tree *t, uint32_t x, uint32_t y)
{
	const struct tree_node *nodes = t->nodes.at;
	uint64_t wx = tree_weight(t, x), wy = tree_weight(t, y);

	return wx != wy ? wx > wy : names_cmp(&t->names, nodes[x].name, nodes[y].name) < 0;
}

static int compare_children(const void *a, const void *b, void *tree)
{
	return sorts_before(tree, *(const uint32_t *)a, *(const uint32_t *)b) ? -1 : 1;
}

static void sort_children(struct tree *t, uint32_t *at, uint32_t n)
{
	if (n > FEW_CHILDREN) {
		qsort_r(at, n, sizeof(*at), compare_children, t);
		return;
	}
	for (uint32_t i = 1; i < n; i++) {
		uint32_t child = at[i], k = i;

		for (; k && sorts_before(t, child, at[k - 1]); k--)
			at[k] = at[k - 1];
		at[k] = child;
	}
}

static int sum_totals(struct tree *t, unsigned column)
{
	const struct tree_node *nodes = t->nodes.at;
	int64_t *total = arena_alloc(&t->arena, t->nodes.n, sizeof(*total));
	int64_t signs = 0;

	if (!total)
		return -ENOMEM;
	memcpy(total, t->self[column], t->nodes.n * sizeof(*total));
	for (uint32_t i = t->nodes.n; i-- > 1;) {
		int64_t *parent = &total[nodes[i].parent];

		signs |= t->self[column][i];
		*parent = add_wrapping(*parent, total[i], &t->wrapped);
	}
	t->monotone &= signs >= 0 && t->self[column][0] >= 0;
	t->total[column] = total;
	return 0;
}

/* Compute the number of nodes below each node. */
static void count_below(struct tree *t)
{
	for (uint32_t i = t->nodes.n; i-- > 1;)
		t->below[t->nodes.at[i].parent] += t->below[i] + 1;
}

/* Store the children of each parent side by side, sorted. */
static void list_children(struct tree *t)
{
	uint32_t at = 0;

	for (uint32_t i = 0; i < t->nodes.n; i++) {
		struct tree_node *n = &t->nodes.at[i];
		uint32_t child = n->child_at;

		for (n->child_at = at; child; child = t->siblings[child])
			t->children[at++] = child;
		if (n->child_n > 1)
			sort_children(t, t->children + n->child_at, n->child_n);
	}
}

int tree_finish(struct tree *t)
{
	t->children = arena_alloc(&t->arena, t->nodes.n, sizeof(*t->children));
	t->below = arena_zalloc(&t->arena, t->nodes.n, sizeof(*t->below));
	if (!t->children || !t->below)
		return -ENOMEM;
	t->monotone = true;
	for (unsigned c = 0; c < TREE_COLUMNS; c++)
		if (t->self[c] && sum_totals(t, c))
			return -ENOMEM;
	t->monotone &= !t->wrapped;
	count_below(t);
	list_children(t);
	arena_fini(&t->building);
	t->siblings = NULL;
	return 0;
}
