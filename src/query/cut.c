/* SPDX-License-Identifier: Apache-2.0 */
#include "query/cut.h"

static int find_root(const struct tree *t, const struct cut_options *o, uint32_t *root,
		     struct err *e)
{
	*root = 0;
	for (uint32_t i = 0; i < o->path_n; i++) {
		const struct tree_node *n = &t->nodes.at[*root];
		uint32_t k = 0;

		while (k < n->child_n &&
		       !str_eq(tree_text(t, t->children[n->child_at + k]), o->path[i]))
			k++;
		if (k == n->child_n)
			return err_set(e, -ENOENT, "no \"%.*s\" at level %u of the tree",
				       STR_ARG(str_head(o->path[i], 100)), i + 1);
		*root = t->children[n->child_at + k];
	}
	return 0;
}

/* The k-th largest of n weights (k from 1); the order of the array changes. */
static uint64_t kth_largest(uint64_t *w, size_t n, size_t k)
{
	size_t low = 0, high = n - 1, want = k - 1;

	while (low < high) {
		uint64_t pivot = w[low + (high - low) / 2];
		size_t i = low, j = high;

		for (;;) {
			while (w[i] > pivot)
				i++;
			while (w[j] < pivot)
				j--;
			if (i >= j)
				break;
			uint64_t swap = w[i];

			w[i++] = w[j];
			w[j--] = swap;
		}
		if (want <= j)
			high = j;
		else
			low = j + 1;
	}
	return w[want];
}

/* Which nodes are below the root: their weights into `out`; a parent stands before its children. */
static size_t collect(const struct tree *t, uint32_t root, bool *below, uint64_t *out)
{
	size_t n = 0;

	below[root] = true;
	for (uint32_t i = root + 1; i < t->nodes.n; i++) {
		if (!below[t->nodes.at[i].parent])
			continue;
		below[i] = true;
		out[n++] = cut_weight(&t->nodes.at[i]);
	}
	return n;
}

/* Count what is shown: below the root, and the parent is shown. `below` becomes "is shown". */
static void count(struct cut *c, const struct tree *t, bool *below)
{
	double whole = cut_amount(&t->nodes.at[c->root]), hidden = 0;

	for (uint32_t i = c->root + 1; i < t->nodes.n; i++) {
		const struct tree_node *n = &t->nodes.at[i];

		if (!below[i])
			continue;
		below[i] = below[n->parent] && cut_shows(c, n);
		c->shown += below[i];
		if (!below[i] && below[n->parent])
			hidden += cut_amount(n);
	}
	c->hidden_share = whole > 0 ? hidden / whole : 0;
}

int cut_of_tree(struct cut *out, struct tree *t, const struct cut_options *o, struct err *e)
{
	struct arena scratch;
	uint64_t *weights;
	bool *below;
	int rc;

	*out = (struct cut){.least = 1};
	rc = find_root(t, o, &out->root, e);
	if (rc)
		return rc;
	arena_init(&scratch, t->arena.budget);
	weights = arena_alloc(&scratch, t->nodes.n, sizeof(*weights));
	below = arena_zalloc(&scratch, t->nodes.n, sizeof(*below));
	rc = weights && below ? 0 : -ENOMEM;
	if (!rc) {
		uint64_t whole = cut_weight(&t->nodes.at[out->root]);

		out->nodes = collect(t, out->root, below, weights);
		if (o->max_nodes && out->nodes > o->max_nodes)
			out->least = kth_largest(weights, out->nodes, o->max_nodes);
		if (o->width && whole / o->width + (whole % o->width != 0) > out->least)
			out->least = whole / o->width + (whole % o->width != 0);
		if (!out->least)
			out->least = 1; /* nodes that add up to nothing have no width */
		count(out, t, below);
	}
	arena_fini(&scratch);
	return rc;
}
