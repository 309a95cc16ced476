/* SPDX-License-Identifier: Apache-2.0 */
#include "query/cut.h"

int cut_find_root(struct tree *t, const struct cut_options *o, uint32_t *root, uint32_t *path_n,
		  struct err *e)
{
	*root = 0;
	*path_n = 0;
	for (uint32_t i = 0; i < o->path_n; i++) {
		const uint32_t *children = tree_children(t, *root);
		uint32_t n = t->nodes.at[*root].child_n, k = 0;
		struct frame_ref ref = frame_ref_parse(o->path[i]);

		while (k < n && !frame_ref_matches(&ref, tree_name(t, children[k])))
			k++;
		if (k == n && o->nearest)
			break;
		if (k == n)
			return err_set(e, -ENOENT, "no \"%.*s\" at level %u of the tree",
				       STR_ARG(str_head(ref.name, 100)), i + 1);
		*root = children[k];
		*path_n = i + 1;
	}
	return 0;
}

/* The k-th largest of n weights (k from 1); the order of the array changes. */
static uint64_t kth_of_few(uint64_t *w, size_t n, size_t k)
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

enum { FINE_BITS = 6, WEIGHT_CLASSES = 64 << FINE_BITS };

/* The larger a weight, the larger its class: where its first bit is, and the bits behind that. */
static uint32_t weight_class(uint64_t w)
{
	uint32_t first = 63 - (uint32_t)__builtin_clzll(w | 1);
	uint64_t fine = first > FINE_BITS ? w >> (first - FINE_BITS) : w << (FINE_BITS - first);

	return first << FINE_BITS | (fine & ((1 << FINE_BITS) - 1));
}

/*
 * The same of many: weights are counted by class, and only those of the class that has the wanted
 * one are looked at again.
 */
static uint64_t kth_largest(uint64_t *w, size_t n, size_t k)
{
	uint32_t counts[WEIGHT_CLASSES] = {0}, class = WEIGHT_CLASSES;
	size_t same = 0, larger = 0;

	for (size_t i = 0; i < n; i++)
		counts[weight_class(w[i])]++;
	while (larger + counts[--class] < k)
		larger += counts[class];
	for (size_t i = 0; i < n; i++) {
		uint64_t weight = w[i];

		w[same] = weight;
		same += weight_class(weight) == class;
	}
	return kth_of_few(w, same, k - larger);
}

/* Which nodes are below the root: their weights into `out`; a parent stands before its children. */
static size_t collect(const struct tree *t, uint32_t root, bool *below, uint64_t *out)
{
	size_t n = 0;

	below[root] = true;
	for (uint32_t i = root + 1; i < t->nodes.n; i++) {
		below[i] = below[t->nodes.at[i].parent];
		out[n] = tree_weight(t, i);
		n += below[i];
	}
	return n;
}

/* Count what is shown: below the root, and the parent is shown. `below` becomes "is shown". */
static void count(struct cut *c, const struct tree *t, bool *below)
{
	double whole = cut_amount(t, c->root), hidden = 0;

	for (uint32_t i = c->root + 1; i < t->nodes.n; i++) {
		bool seen = below[t->nodes.at[i].parent], shown = seen && cut_shows(c, t, i);

		below[i] = shown;
		c->shown += shown;
		hidden += seen && !shown ? cut_amount(t, i) : 0;
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
	rc = cut_find_root(t, o, &out->root, &out->path_n, e);
	if (rc)
		return rc;
	arena_init(&scratch, t->arena.budget);
	weights = arena_alloc(&scratch, t->nodes.n, sizeof(*weights));
	below = arena_zalloc(&scratch, t->nodes.n, sizeof(*below));
	rc = weights && below ? 0 : -ENOMEM;
	if (!rc) {
		uint64_t whole = tree_weight(t, out->root);

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
