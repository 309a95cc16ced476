/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_STORE_SQLITE_QUERY_STACKS_H
#define VARVE_STORE_SQLITE_QUERY_STACKS_H

#include "store/store.h"

/* Implement store_ops.stacks and store_ops.each_stacks. */
int query_stacks(struct store *s, const struct store_select *sel, struct stack_tree *tree,
		 struct stack_sums *sums, struct err *e);
int query_each_stacks(struct store *s, const struct store_select *sel, store_visit_stacks *visit,
		      void *ctx, uint64_t *divisor, struct err *e);

#endif
