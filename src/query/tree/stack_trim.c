/* SPDX-License-Identifier: Apache-2.0 */
/* Each stack with a value is walked from the leaf and added to the new tree. */
#include "query/tree/stack_trim.h"

struct trimmer {
	const struct stack_trim *trim;
	const struct stack_tree *from;
	struct stack_import import;
	struct arena arena;
	/* By location of `from`: its copy without a line number; 0: not created yet. */
	uint32_t *leaves;
	VEC(uint32_t) locations; /* of the current stack, leaf first */
};

/* Create a copy of a location without its address and the line in its innermost function. */
static int make_leaf(struct trimmer *t, uint32_t location, uint32_t *id)
{
	struct profile_builder *b = &t->import.tree->builder;
	const struct location *row;
	struct line *lines;
	int rc = stack_import_location(&t->import, location, id);

	if (rc)
		return rc;
	row = &b->batch->locations.at[*id];
	if (!row->lines.n)
		return 0; /* only the address identifies the function */
	lines = arena_alloc(&t->arena, row->lines.n, sizeof(*lines));
	if (!lines)
		return -ENOMEM;
	memcpy(lines, b->batch->lines.at + row->lines.at, row->lines.n * sizeof(*lines));
	lines[0].line = lines[0].column = 0;
	return profile_add_location(b,
				    &(struct location_parts){
					    .mapping = row->mapping,
					    .lines = lines,
					    .line_count = row->lines.n,
				    },
				    id);
}

static int find_leaf(struct trimmer *t, uint32_t location, uint32_t *id)
{
	int rc = t->leaves[location] ? 0 : make_leaf(t, location, &t->leaves[location]);

	*id = t->leaves[location];
	return rc;
}

/* Return the node in the new tree for the stack that ends at `node`. */
static int trim_stack(struct trimmer *t, uint32_t node, uint32_t *out)
{
	uint32_t keep = t->trim->keep_locations ? t->trim->keep_locations : UINT32_MAX;
	int rc = 0;

	t->locations.n = 0;
	for (; node && t->locations.n < keep && !rc; node = t->from->nodes.at[node].parent) {
		uint32_t location = t->from->nodes.at[node].location, id;

		rc = t->trim->aggregate_callees && !t->locations.n
			     ? find_leaf(t, location, &id)
			     : stack_import_location(&t->import, location, &id);
		if (!rc)
			rc = vec_push(&t->arena, &t->locations, id);
	}
	*out = 0;
	for (uint32_t i = t->locations.n; i-- > 0 && !rc;)
		rc = stack_tree_child(t->import.tree, *out, t->locations.at[i], out);
	return rc;
}

int stack_trim(const struct stack_trim *trim, const struct stack_tree *from,
	       const struct stack_sums *sums, struct stack_tree *to, struct stack_sums *trimmed)
{
	struct trimmer t = {.trim = trim, .from = from};
	int rc = stack_import_init(&t.import, to, &from->dictionary, false);

	arena_init(&t.arena, to->dictionary.arena.budget);
	if (!rc) {
		t.leaves = arena_zalloc(&t.arena, from->dictionary.locations.n, sizeof(*t.leaves));
		rc = t.leaves ? 0 : -ENOMEM;
	}
	for (uint32_t node = 1; node < sums->self.n && !rc; node++) {
		uint32_t end;

		if (!sums->self.at[node])
			continue;
		rc = trim_stack(&t, node, &end);
		if (!rc)
			rc = stack_sums_add(to, trimmed, end, sums->self.at[node]);
	}
	arena_fini(&t.arena);
	stack_import_fini(&t.import);
	return rc;
}
