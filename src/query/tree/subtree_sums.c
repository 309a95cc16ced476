/* SPDX-License-Identifier: Apache-2.0 */
/* A parent precedes its children in the array of nodes, so each sum is one forward pass. */
#include "query/tree/subtree_sums.h"

#include <stdlib.h>

#include "base/container/hash.h"

/* Whether a node is outside the subtree, in it, or at or below a match. */
enum { ELSEWHERE, BELOW_ROOT, BELOW_MATCH };

/* Mark the names that match. 0 or -errno. */
static int match_names(const struct tree *t, struct regex *expression, bool *matches, struct err *e)
{
	for (uint32_t i = 0; i < t->names.rows.n; i++) {
		int rc = regex_match(expression, t->names.rows.at[i].text, e);

		if (rc < 0)
			return rc;
		matches[i] = rc;
	}
	return 0;
}

static void add_match(struct match_sum *out, struct tree *t, uint32_t node)
{
	struct tree_values total = tree_total(t, node);

	for (unsigned c = 0; c < TREE_COLUMNS; c++)
		out->total.in[c] = add_wrapping(out->total.in[c], total.in[c], &t->wrapped);
}

int match_sum_of(struct match_sum *out, struct tree *t, uint32_t root, struct regex *expression,
		 struct err *e)
{
	struct arena scratch;
	bool *matches;
	uint8_t *where;
	int rc;

	*out = (struct match_sum){0};
	arena_init(&scratch, t->arena.budget);
	matches = arena_zalloc(&scratch, t->names.rows.n + 1, sizeof(*matches));
	where = arena_zalloc(&scratch, t->nodes.n, sizeof(*where));
	rc = matches && where ? match_names(t, expression, matches, e) : -ENOMEM;
	for (uint32_t i = root; i < t->nodes.n && !rc; i++) {
		uint8_t above = i == root ? BELOW_ROOT : where[t->nodes.at[i].parent];
		bool match = i && above && matches[t->nodes.at[i].name];

		out->frames += match;
		if (match && above == BELOW_ROOT)
			add_match(out, t, i);
		where[i] = match ? BELOW_MATCH : above;
	}
	arena_fini(&scratch);
	return rc;
}

/* ---- places ---- */

static bool is_same_place(const struct frame_name *a, const struct frame_name *b)
{
	return str_eq(a->file, b->file) && str_eq(a->module, b->module) &&
	       str_eq(names_package(a->text), names_package(b->text));
}

static uint32_t hash_place(const struct frame_name *name)
{
	struct str enclosing = names_package(name->text);
	uint64_t hash = (uint64_t)hash32(name->file) << 32 | hash32(name->module);

	return hash_u64(hash ^ (uint64_t)(enclosing.n ? hash32(enclosing) : 0) << 16);
}

static int add_place(struct places *out, struct tree *t, struct idset *index, struct place place)
{
	const struct frame_name *names = t->names.rows.at;
	uint32_t hash = hash_place(&names[place.name]), id;
	struct idset_cursor cursor = idset_seek(index, hash);
	int rc;

	while (idset_next(index, &cursor, &id)) {
		struct place *known = &out->rows.at[id];

		if (is_same_place(&names[known->name], &names[place.name])) {
			known->self = add_wrapping(known->self, place.self, &t->wrapped);
			return 0;
		}
	}
	rc = idset_add(index, hash, out->rows.n);
	return rc ? rc : vec_push(&t->arena, &out->rows, place);
}

/* Return the sum of self values at and below the root by name. NULL: out of memory. */
static int64_t *sum_self_by_name(struct tree *t, uint32_t root, struct arena *scratch)
{
	int64_t *self = arena_zalloc(scratch, t->names.rows.n + 1, sizeof(*self));
	bool *below = arena_zalloc(scratch, t->nodes.n, sizeof(*below));

	if (!self || !below)
		return NULL;
	for (uint32_t i = root; i < t->nodes.n; i++) {
		int64_t *sum = &self[t->nodes.at[i].name];

		below[i] = i == root || below[t->nodes.at[i].parent];
		if (i && below[i])
			*sum = add_wrapping(*sum, tree_self(t, i).in[TREE_ONLY], &t->wrapped);
	}
	return self;
}

static int compare_places(const void *a, const void *b, void *tree)
{
	const struct place *x = a, *y = b;
	const struct tree *t = tree;
	uint64_t one = magnitude_of(x->self), two = magnitude_of(y->self);

	return one != two ? (one > two ? -1 : 1) : names_cmp(&t->names, x->name, y->name);
}

int places_of(struct places *out, struct tree *t, uint32_t root)
{
	struct arena scratch;
	struct idset index;
	int64_t *self;
	int rc;

	*out = (struct places){0};
	arena_init(&scratch, t->arena.budget);
	self = sum_self_by_name(t, root, &scratch);
	rc = self ? idset_init(&index, &scratch, 256) : -ENOMEM;
	for (uint32_t i = 0; i < t->names.rows.n && !rc; i++)
		if (self[i])
			rc = add_place(out, t, &index, (struct place){i, self[i]});
	arena_fini(&scratch);
	if (!rc && out->rows.n)
		qsort_r(out->rows.at, out->rows.n, sizeof(*out->rows.at), compare_places, t);
	return rc;
}
