/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_QUERY_TREE_CUT_H
#define VARVE_QUERY_TREE_CUT_H

#include "query/tree/tree.h"

/*
 * What of a finished tree a picture shows. Tables are made before and know nothing of it; what is
 * hidden is counted, and can be asked for again with the path of its parent as the root.
 */
struct cut_options {
	/*
	 * The subtree to show: names from the root on, each as in struct frame_ref; of several
	 * children that match, the largest. Borrowed.
	 */
	const struct str *path;
	uint32_t path_n; /* 0: all of it */
	/* Where the tree has no such path: the subtree at the longest part of it that there is. */
	bool nearest;
	uint64_t
		max_nodes; /* 0: any number. Nodes as large as the last one that fits are shown too */
	uint64_t width;	   /* pixels; what is narrower than one is hidden. 0: nothing */
};

struct cut {
	uint32_t root; /* the node that is the picture's root */
	/* How many names of the path lead to it: all, unless the nearest was wanted. */
	uint32_t path_n;
	uint64_t least;	       /* nodes of less weight are hidden, with all below them */
	uint64_t nodes, shown; /* below the root: how many there are, how many are shown */
	double hidden_share;   /* of the root's amount, in hidden nodes whose parent is shown */
};

/* Find the root of the picture, and how many names of the path lead to it. 0, or -ENOENT when the tree has no such path. */
MUST_USE int cut_find_root(struct tree *t, const struct cut_options *o, uint32_t *root,
			   uint32_t *path_n, struct err *e);

/* 0, -ENOMEM, or -ENOENT when the tree has no such path. */
MUST_USE int cut_of_tree(struct cut *out, struct tree *t, const struct cut_options *o,
			 struct err *e);

/*
 * How much there is in a node, of both columns. Amounts of one sign add up to no more than their
 * parent's; weights of two columns can, when what was before and what is after lie in different
 * children.
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
