/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The hash index is filled only when a lookup needs it: a tree that is built by stack_tree_append()
 * alone never has one.
 */
#include "signal/stack_tree.h"

#include "base/container/hash.h"
#include "signal/profile/profile_rows.h"

int stack_tree_init(struct stack_tree *t, struct budget *budget)
{
	int rc;

	*t = (struct stack_tree){0};
	rc = profile_batch_init(&t->dictionary, budget);
	if (!rc)
		rc = profile_builder_init(&t->builder, &t->dictionary);
	if (!rc)
		rc = vec_push(&t->dictionary.arena, &t->nodes, (struct stack_node){0});
	return rc;
}

void stack_tree_fini(struct stack_tree *t)
{
	profile_batch_fini(&t->dictionary);
	*t = (struct stack_tree){0};
}

static uint32_t hash_node(struct stack_node n)
{
	return hash_u64((uint64_t)n.parent << 32 | n.location);
}

/* Allocate a larger, empty index. */
static int grow_index(struct stack_tree *t)
{
	uint32_t size = t->index_size ? t->index_size * 2 : 64, *grown;

	if (!size)
		return -EOVERFLOW;
	grown = arena_zalloc(&t->dictionary.arena, size, sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	if (t->index)
		arena_free(&t->dictionary.arena, t->index, t->index_size * sizeof(*grown));
	t->index = grown;
	t->index_size = size;
	t->index_used = 0;
	t->indexed = 1; /* the root is never looked up */
	return 0;
}

/* Index all nodes, keeping the index at most three quarters full. */
static int index_nodes(struct stack_tree *t)
{
	while (t->indexed < t->nodes.n) {
		struct stack_node n = t->nodes.at[t->indexed];
		uint32_t i;

		if (t->index_size / 4 * 3 <= t->index_used) {
			int rc = grow_index(t);

			if (rc)
				return rc;
			continue;
		}
		if (n.parent + 1 != t->indexed) {
			i = hash_node(n) & (t->index_size - 1);
			while (t->index[i])
				i = (i + 1) & (t->index_size - 1);
			t->index[i] = t->indexed;
			t->index_used++;
		}
		t->indexed++;
	}
	return 0;
}

int stack_tree_append(struct stack_tree *t, uint32_t parent, uint32_t location, uint32_t *node)
{
	*node = t->nodes.n;
	return vec_push(&t->dictionary.arena, &t->nodes, (struct stack_node){parent, location});
}

static bool is_child(const struct stack_tree *t, uint32_t node, struct stack_node wanted)
{
	const struct stack_node *n = &t->nodes.at[node];

	return n->parent == wanted.parent && n->location == wanted.location;
}

int stack_tree_child(struct stack_tree *t, uint32_t parent, uint32_t location, uint32_t *node)
{
	struct stack_node wanted = {parent, location};
	uint32_t mask;
	int rc;

	*node = parent + 1;
	if (*node == t->nodes.n) /* the last node has no children */
		return stack_tree_append(t, parent, location, node);
	if (is_child(t, *node, wanted))
		return 0;
	rc = index_nodes(t);
	if (rc)
		return rc;
	mask = t->index_size - 1;
	for (uint32_t i = hash_node(wanted) & mask; t->index[i]; i = (i + 1) & mask) {
		*node = t->index[i];
		if (is_child(t, *node, wanted))
			return 0;
	}
	return stack_tree_append(t, parent, location, node);
}

int stack_import_init(struct stack_import *i, struct stack_tree *t,
		      const struct profile_batch *from, bool copy)
{
	int rc;

	*i = (struct stack_import){.tree = t};
	profile_remap_init(&i->remap, &t->builder, copy);
	rc = profile_remap_begin(&i->remap, from);
	if (rc)
		return rc;
	i->stacks = arena_zalloc(&i->remap.scratch, from->stacks.n, sizeof(*i->stacks));
	return i->stacks ? 0 : -ENOMEM;
}

void stack_import_fini(struct stack_import *i)
{
	profile_remap_fini(&i->remap);
	*i = (struct stack_import){0};
}

int stack_import_location(struct stack_import *i, uint32_t location, uint32_t *id)
{
	return profile_remap_location(&i->remap, location, id);
}

int stack_import_stack(struct stack_import *i, uint32_t stack, uint32_t *node)
{
	uint32_t n, at = 0;
	const uint32_t *locations = stack_of(i->remap.src, stack, &n);

	if (i->stacks[stack]) {
		*node = i->stacks[stack] - 1;
		return 0;
	}
	while (n--) { /* stacks of a batch are leaf first */
		uint32_t id;
		int rc = profile_remap_location(&i->remap, locations[n], &id);

		if (!rc)
			rc = stack_tree_child(i->tree, at, id, &at);
		if (rc)
			return rc;
	}
	i->stacks[stack] = at + 1;
	*node = at;
	return 0;
}

int stack_sums_fit(struct stack_tree *t, struct stack_sums *s)
{
	int rc = 0;

	if (s->self.n < t->nodes.n) {
		rc = vec_reserve(&t->dictionary.arena, &s->self, t->nodes.n - s->self.n);
		if (!rc) {
			memset(s->self.at + s->self.n, 0,
			       (t->nodes.n - s->self.n) * sizeof(*s->self.at));
			s->self.n = t->nodes.n;
		}
	}
	return rc;
}

int stack_sums_add(struct stack_tree *t, struct stack_sums *s, uint32_t node, int64_t value)
{
	int rc = node < s->self.n ? 0 : stack_sums_fit(t, s);

	if (!rc)
		s->self.at[node] = (int64_t)((uint64_t)s->self.at[node] + (uint64_t)value);
	return rc;
}

void stack_tree_trim(struct stack_tree *t)
{
	vec_trim(&t->dictionary.arena, &t->nodes);
}

void stack_sums_trim(struct stack_tree *t, struct stack_sums *s)
{
	vec_trim(&t->dictionary.arena, &s->self);
}

/* Add the stack that ends at the node to the remap's batch. */
static int add_node_stack(struct profile_remap *m, const struct stack_tree *t, uint32_t node,
			  uint32_t *stack)
{
	m->more_ids.n = 0;
	for (; node; node = t->nodes.at[node].parent) {
		uint32_t id;
		int rc = profile_remap_location(m, t->nodes.at[node].location, &id);

		if (!rc)
			rc = vec_push(&m->scratch, &m->more_ids, id);
		if (rc)
			return rc;
	}
	return profile_add_stack(m->dst, m->more_ids.at, m->more_ids.n, stack);
}

static int add_node_samples(struct profile_remap *m, const struct stack_tree *t,
			    const struct stack_sums *s)
{
	for (uint32_t node = 0; node < s->self.n; node++) {
		uint32_t stack;
		int rc;

		if (!s->self.at[node])
			continue;
		rc = add_node_stack(m, t, node, &stack);
		if (!rc)
			rc = profile_add_sample(m->dst, stack, 0, NULL, 0, s->self.at[node]);
		if (rc)
			return rc;
	}
	return 0;
}

int stack_sums_to_batch(const struct stack_tree *t, const struct stack_sums *s,
			struct str sample_type, struct str sample_unit, struct profile_batch *out)
{
	struct profile_builder builder;
	struct profile_remap remap;
	int rc = profile_builder_init(&builder, out);

	profile_remap_init(&remap, &builder, true);
	if (!rc)
		rc = profile_remap_begin(&remap, &t->dictionary);
	if (!rc)
		rc = profile_begin(&builder, sample_type, sample_unit);
	if (!rc)
		rc = add_node_samples(&remap, t, s);
	profile_remap_fini(&remap);
	return rc;
}
