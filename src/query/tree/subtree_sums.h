/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_QUERY_TREE_SUBTREE_SUMS_H
#define VARVE_QUERY_TREE_SUBTREE_SUMS_H

#include "base/regex.h"
#include "query/tree/tree.h"

/*
 * Sums over a whole subtree, for a client that shows only a part of it: the matches of a search,
 * and self values by place. Each takes one pass over the nodes.
 */
struct match_sum {
	/* Nodes whose name matches. */
	uint64_t frames;
	/* Totals of the outermost of them: nested matches count once. */
	struct tree_values total;
};

/*
 * Sum the matching nodes at and below `root`, a node of the finished tree. 0, -ENOMEM, or -errno of
 * a regex match with `e`.
 */
MUST_USE int match_sum_of(struct match_sum *out, struct tree *t, uint32_t root,
			  struct regex *expression, struct err *e);

/*
 * A place: the functions of one package, which have the same source file, module and enclosing name
 * ("net/http.", "std::").
 */
struct place {
	/* Any of its functions: a row of the tree's names. */
	uint32_t name;
	/* Sum of the self values of its functions in the first column. */
	int64_t self;
};

struct places {
	/* Largest first; in the tree's arena. */
	VEC(struct place) rows;
};

/*
 * Sum the self values at and below `root` by place; functions without self value are left out. 0,
 * -ENOMEM or -EOVERFLOW.
 */
MUST_USE int places_of(struct places *out, struct tree *t, uint32_t root);

#endif
