/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_QUERY_WIDE_H
#define VARVE_QUERY_WIDE_H

#include "query/tree/top.h"
#include "store/store.h"

/*
 * Wide queries: selections of so many services that their stacks do not fit in memory together.
 * They are computed one service at a time (store_ops.each_stacks).
 */

/* The name of the frame that stands for the frames left out. */
#define WIDE_OTHER STR("[other]")

/*
 * Return the largest frames of the selection, about `most` of them, with exact sums. The values of
 * the other frames are added to a child WIDE_OTHER of their innermost caller that is included.
 *
 * The selection is read twice. The first pass adds each frame's total to a table of counters,
 * indexed by a hash of the names from the root to the frame: paths may collide, so a counter is an
 * upper bound of the total of each of its paths. The second pass includes the frames whose counter
 * is among the `most` largest, so the total of every other frame is at most the smallest of these
 * counters. `tree` and `sums` must be empty. 0 or -errno.
 */
MUST_USE int wide_stacks(struct store *s, const struct store_select *sel, uint32_t most,
			 struct stack_tree *tree, struct stack_sums *sums, struct err *e);

/*
 * Return the rows that top_of_tree() would have for the tree of the selection, without building
 * that tree: `t` is an empty tree, which receives the names and the sum. The options of `t` must
 * have no filters and not invert. 0 or -errno.
 */
MUST_USE int wide_top(struct store *s, const struct store_select *sel, struct tree *t,
		      struct top *out, struct err *e);

#endif
