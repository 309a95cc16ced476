/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_QUERY_TREE_STACK_TRIM_H
#define VARVE_QUERY_TREE_STACK_TRIM_H

#include "signal/stack_tree.h"

/*
 * The ends of stacks alone, for a compiler that asks which calls are hot and not how they were
 * reached: with five locations a stack, most stacks of a Go program are the same few.
 */
struct stack_trim {
	uint32_t keep_locations; /* those next to the leaf; 0: all of them */
	bool aggregate_callees;	 /* it does not matter on which of its lines the leaf was */
};

/*
 * Add up in `to`, a new tree, what `from` has. The sum of all is the same, but for stacks without a
 * location: these are left out. Texts are borrowed: `from` must live as long as `to`. 0 or -errno.
 */
MUST_USE int stack_trim(const struct stack_trim *trim, const struct stack_tree *from,
			const struct stack_sums *sums, struct stack_tree *to,
			struct stack_sums *trimmed);

#endif
