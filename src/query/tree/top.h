/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_QUERY_TREE_TOP_H
#define VARVE_QUERY_TREE_TOP_H

#include "query/tree/tree.h"

/*
 * Self and total of each name in a tree. A function that calls itself counts once in its total:
 * the total is what is spent with that name anywhere on the stack.
 */
struct top_row {
	uint32_t name; /* of tree.names */
	int64_t self[TREE_COLUMNS], total[TREE_COLUMNS];
};

enum top_order { TOP_BY_SELF, TOP_BY_TOTAL };

struct top {
	struct top_row *rows; /* in the tree's arena */
	uint32_t n;
};

/* All rows of a finished tree, in the order of names.rows. 0 or -ENOMEM. */
MUST_USE int top_of_tree(struct top *out, struct tree *t);

/*
 * The first `n` of the rows in the order of top_sort(), without sorting the others; 0: all. `all` stays as it is; memory is the
 * tree's arena. 0 or -ENOMEM.
 */
MUST_USE int top_first(struct top *out, const struct top *all, struct tree *t, enum top_order order,
		       uint64_t n);

/* Sort by a value of the first column, larger magnitude first, then by the other value, then by name. */
void top_sort(struct top *top, const struct tree *t, enum top_order order);

#endif
