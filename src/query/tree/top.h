/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_QUERY_TREE_TOP_H
#define VARVE_QUERY_TREE_TOP_H

#include "query/tree/tree.h"

/*
 * Self and total values of each name in a tree. The total of a name is the sum over all stacks that
 * contain it, so a recursive function counts once per stack.
 */
struct top_row {
	uint32_t name; /* row of tree.names */
	int64_t self[TREE_COLUMNS], total[TREE_COLUMNS];
};

enum top_order { TOP_BY_SELF, TOP_BY_TOTAL };

struct top {
	struct top_row *rows; /* in the tree's arena */
	uint32_t n;
};

/* Return all rows of a finished tree, in the order of names.rows. 0 or -ENOMEM. */
MUST_USE int top_of_tree(struct top *out, struct tree *t);

/*
 * Return the first `n` rows of `all` in the order of top_sort(), without sorting the others; 0:
 * all. `all` is not changed; memory is allocated in the tree's arena. 0 or -ENOMEM.
 */
MUST_USE int top_first(struct top *out, const struct top *all, struct tree *t, enum top_order order,
		       uint64_t n);

/*
 * Sort by one value of the first column, largest magnitude first, then by the other value, then by
 * name.
 */
void top_sort(struct top *top, const struct tree *t, enum top_order order);

#endif
