/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_QUERY_TREE_SUBTREE_SUMS_H
#define VARVE_QUERY_TREE_SUBTREE_SUMS_H

#include "base/regex.h"
#include "query/tree/tree.h"

/*
 * Sums over a whole subtree, for who shows only a part of it: what a search finds, and what the places of functions have
 * by themselves. One pass over the nodes each.
 */
struct match_sum {
	/* Nodes whose name matches. */
	uint64_t frames;
	/* Totals of the outermost of them: what is nested counts once. */
	struct tree_values total;
};

/* Sum what matches at and below `root`, a node of the finished tree. 0, -ENOMEM, or a match's -errno with `e`. */
MUST_USE int match_sum_of(struct match_sum *out, struct tree *t, uint32_t root,
			  struct regex *expression, struct err *e);

/*
 * Functions whose source file, module and enclosing name ("net/http.", "std::") are the same: they belong to one package.
 */
struct place {
	/* Any of its functions: a row of the tree's names. */
	uint32_t name;
	/* What all of them have by themselves, in the first column. */
	int64_t self;
};

struct places {
	/* The larger first; in the tree's arena. */
	VEC(struct place) rows;
};

/* Sum the self values at and below `root` by place. Those of 0 are left out. 0, -ENOMEM or -EOVERFLOW. */
MUST_USE int places_of(struct places *out, struct tree *t, uint32_t root);

#endif
