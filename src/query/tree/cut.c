/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The least weight to show is that of the k-th largest node. It is found by one pass over the whole
 * tree, or, if no node weighs more than its parent and few are shown, by a walk from the root with
 * a heap, which visits only the nodes shown.
 */
#include "query/tree/cut.h"

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

/* Return the k-th largest of n weights (k from 1) by quickselect; reorders the array. */
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

/* Return the class of a weight: the position of its highest bit and the next FINE_BITS bits. */
static uint32_t weight_class(uint64_t w)
{
	uint32_t first = 63 - (uint32_t)__builtin_clzll(w | 1);
	uint64_t fine = first > FINE_BITS ? w >> (first - FINE_BITS) : w << (FINE_BITS - first);

	return first << FINE_BITS | (fine & ((1 << FINE_BITS) - 1));
}

/*
 * The same for many weights: count them by class, and search only the class that contains the
 * k-th largest.
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

/* Mark the nodes below the root, which follow their parents, and collect their weights. */
static size_t collect_weights(const struct tree *t, uint32_t root, bool *below, uint64_t *out)
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

/* Count the shown nodes: below the root with a shown parent. `below` becomes "is shown". */
static void count_all(struct cut *c, const struct tree *t, bool *below)
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

/* ---- the same for a monotone tree: only shown nodes are visited ---- */

/* The remaining children of one parent, largest first: a range of tree.children. */
struct candidate {
	uint64_t weight; /* of the first child */
	uint32_t at, end;
};

static void sift_candidate_up(struct candidate *heap, size_t at)
{
	for (; at && heap[at].weight > heap[(at - 1) / 2].weight; at = (at - 1) / 2) {
		struct candidate swap = heap[at];

		heap[at] = heap[(at - 1) / 2];
		heap[(at - 1) / 2] = swap;
	}
}

static void sift_candidate_down(struct candidate *heap, size_t n)
{
	for (size_t at = 0, next; (next = 2 * at + 1) < n; at = next) {
		struct candidate swap = heap[at];

		next += next + 1 < n && heap[next + 1].weight > heap[next].weight;
		if (swap.weight >= heap[next].weight)
			break;
		heap[at] = heap[next];
		heap[next] = swap;
	}
}

static struct candidate children_of(const struct tree *t, uint32_t node)
{
	uint32_t at = t->nodes.at[node].child_at, n = t->nodes.at[node].child_n;

	return (struct candidate){n ? tree_weight(t, t->children[at]) : 0, at, at + n};
}

/* Return the weight of the k-th largest node below the root. 0 or -ENOMEM. */
static int kth_from_root(const struct tree *t, uint32_t root, size_t k, struct arena *scratch,
			 uint64_t *out)
{
	struct candidate *heap = arena_alloc(scratch, k + 1, sizeof(*heap));
	size_t n = 1;

	if (!heap)
		return -ENOMEM;
	heap[0] = children_of(t, root);
	while (n && k--) {
		uint32_t node = t->children[heap[0].at];
		struct candidate below = children_of(t, node);

		*out = heap[0].weight;
		if (++heap[0].at < heap[0].end)
			heap[0].weight = tree_weight(t, t->children[heap[0].at]);
		else
			heap[0] = heap[--n];
		sift_candidate_down(heap, n);
		if (below.at < below.end && k) {
			heap[n] = below;
			sift_candidate_up(heap, n++);
		}
	}
	return 0;
}

/* Count the shown nodes. The hidden amount is the root's minus the shown self values. */
static int count_shown(struct cut *c, const struct tree *t, struct arena *scratch)
{
	double whole = cut_amount(t, c->root), hidden = whole;
	VEC(uint32_t) stack = {0};
	int rc = vec_push(scratch, &stack, c->root);

	while (stack.n && !rc) {
		uint32_t node = stack.at[--stack.n];
		const uint32_t *children = tree_children(t, node);
		struct tree_values self = tree_self(t, node);

		hidden -= (double)self.in[TREE_BEFORE] + (double)self.in[TREE_AFTER];
		for (uint32_t i = 0; i < t->nodes.at[node].child_n && !rc; i++) {
			if (!cut_shows(c, t, children[i]))
				break; /* the others are smaller */
			c->shown++;
			rc = vec_push(scratch, &stack, children[i]);
		}
	}
	c->hidden_share = whole > 0 && hidden > 0 ? hidden / whole : 0;
	return rc;
}

/* ---- common ---- */

/* Hide nodes narrower than a pixel, and nodes of weight 0. */
static void apply_width(struct cut *c, const struct tree *t, uint64_t width)
{
	uint64_t whole = tree_weight(t, c->root);

	if (width && whole / width + (whole % width != 0) > c->least)
		c->least = whole / width + (whole % width != 0);
	if (!c->least)
		c->least = 1; /* nodes of weight 0 have no width */
}

static int cut_all(struct cut *c, const struct tree *t, const struct cut_options *o,
		   struct arena *scratch)
{
	uint64_t *weights = arena_alloc(scratch, t->nodes.n, sizeof(*weights));
	bool *below = arena_zalloc(scratch, t->nodes.n, sizeof(*below));

	if (!weights || !below)
		return -ENOMEM;
	c->nodes = collect_weights(t, c->root, below, weights);
	if (o->max_nodes && c->nodes > o->max_nodes)
		c->least = kth_largest(weights, c->nodes, o->max_nodes);
	apply_width(c, t, o->width);
	count_all(c, t, below);
	return 0;
}

static int cut_shown(struct cut *c, const struct tree *t, const struct cut_options *o,
		     struct arena *scratch)
{
	int rc = 0;

	c->nodes = t->below[c->root];
	if (o->max_nodes && c->nodes > o->max_nodes)
		rc = kth_from_root(t, c->root, o->max_nodes, scratch, &c->least);
	apply_width(c, t, o->width);
	return rc ? rc : count_shown(c, t, scratch);
}

/* If more than 1/SMALL_PART of the tree is shown, one pass over all nodes is cheaper. */
enum { SMALL_PART = 16 };

int cut_of_tree(struct cut *out, struct tree *t, const struct cut_options *o, struct err *e)
{
	struct arena scratch;
	bool few;
	int rc;

	*out = (struct cut){.least = 1};
	rc = cut_find_root(t, o, &out->root, &out->path_n, e);
	if (rc)
		return rc;
	few = o->max_nodes ? o->max_nodes <= t->nodes.n / SMALL_PART : o->width != 0;
	arena_init(&scratch, t->arena.budget);
	rc = (t->monotone && few ? cut_shown : cut_all)(out, t, o, &scratch);
	arena_fini(&scratch);
	return rc;
}
