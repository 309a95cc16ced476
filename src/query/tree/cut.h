/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_QUERY_TREE_CUT_H
#define VARVE_QUERY_TREE_CUT_H

#include "query/tree/tree.h"

/*
 * Selects the nodes of a finished tree that a picture shows. Tables are computed from the whole
 * tree; hidden nodes are counted, and can be queried with the path of their parent as the root.
 */
struct cut_options {
	/*
	 * The subtree to show: names from the root on, each as in struct frame_ref; of several
	 * matching children, the largest. Borrowed.
	 */
	const struct str *path;
	uint32_t path_n; /* 0: the whole tree */
	/* If the tree has no such path: show the subtree at its longest existing prefix. */
	bool nearest;
	/* 0: no limit. Nodes as large as the last one that fits are shown too. */
	uint64_t max_nodes;
	/* Width of the picture in pixels; nodes narrower than one are hidden. 0: none is. */
	uint64_t width;
};

struct cut {
	/* The node that is the picture's root. */
	uint32_t root;
	/* Length of the path to it: shorter than requested only with `nearest`. */
	uint32_t path_n;
	/* Nodes of less weight are hidden, with their subtrees. */
	uint64_t least;
	/* Nodes below the root: in total, and shown. */
	uint64_t nodes, shown;
	/* Share of the root's amount in hidden nodes whose parent is shown. */
	double hidden_share;
};

/*
 * Find the root of the picture and the length of the path to it. 0, or -ENOENT when the tree has no
 * such path.
 */
MUST_USE int cut_find_root(struct tree *t, const struct cut_options *o, uint32_t *root,
			   uint32_t *path_n, struct err *e);

/* Compute the cut. 0, -ENOMEM, or -ENOENT when the tree has no such path. */
MUST_USE int cut_of_tree(struct cut *out, struct tree *t, const struct cut_options *o,
			 struct err *e);

/*
 * Return the amount of a node: the magnitudes of both columns together. If all values have one
 * sign, the amounts of children add up to at most their parent's. Weights may not: with two
 * columns, the values before and after may lie in different children.
 */
static inline double cut_amount(const struct tree *t, uint32_t node)
{
	struct tree_values total = tree_total(t, node);

	return (double)magnitude_of(total.in[TREE_BEFORE]) +
	       (double)magnitude_of(total.in[TREE_AFTER]);
}

static inline bool cut_shows(const struct cut *c, const struct tree *t, uint32_t node)
{
	return tree_weight(t, node) >= c->least;
}

#endif
