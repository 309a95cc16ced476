/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_QUERY_TREE_STACK_TRIM_H
#define VARVE_QUERY_TREE_STACK_TRIM_H

#include "signal/stack_tree.h"

/*
 * Truncates stacks to the locations next to the leaf, for a compiler that needs to know which calls
 * are hot and not how they were reached: with five locations per stack, most stacks of a Go program
 * are the same few.
 */
struct stack_trim {
	uint32_t keep_locations; /* next to the leaf; 0: all */
	bool aggregate_callees;	 /* ignore the line within the leaf's function */
};

/*
 * Add the sums of `from` to `to`, a new tree, by truncated stack. The total is unchanged except for
 * stacks without a location, which are left out. Text is borrowed: `from` must outlive `to`. 0 or
 * -errno.
 */
MUST_USE int stack_trim(const struct stack_trim *trim, const struct stack_tree *from,
			const struct stack_sums *sums, struct stack_tree *to,
			struct stack_sums *trimmed);

#endif
