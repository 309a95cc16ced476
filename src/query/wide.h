/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_QUERY_WIDE_H
#define VARVE_QUERY_WIDE_H

#include "query/tree/top.h"
#include "store/store.h"

/*
 * Questions about more services than fit the memory together, answered from one service after the other (store_ops.each_stacks).
 */

/* The frame that stands for those that are not shown. */
#define WIDE_OTHER STR("[other]")

/*
 * The largest frames of what is selected, about `most` of them, with their exact sums; what the others have is in a child WIDE_OTHER of
 * the caller that is there.
 *
 * It is read twice. The first time each service's totals are added to a table of counters, by hash of the names from the
 * root on: several paths may share a counter, so none is less than what its paths have. The second time those frames are
 * taken whose counter is one of the `most` largest: no other frame has more than the least of these. The tree and the sums are empty
 * before. 0 or -errno.
 */
MUST_USE int wide_stacks(struct store *s, const struct store_select *sel, uint32_t most,
			 struct stack_tree *tree, struct stack_sums *sums, struct err *e);

/*
 * All rows of top_of_tree() for the tree of what is selected, without that tree: `t` is an empty one, which gets the names and the
 * sum. The options of `t` have no filters and do not invert. 0 or -errno.
 */
MUST_USE int wide_top(struct store *s, const struct store_select *sel, struct tree *t,
		      struct top *out, struct err *e);

#endif
