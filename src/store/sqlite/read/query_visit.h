/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_STORE_SQLITE_QUERY_VISIT_H
#define VARVE_STORE_SQLITE_QUERY_VISIT_H

#include "store/store.h"

/* Implement store_ops.points and store_ops.scan. */
int query_points(struct store *s, const struct store_select *sel, store_visit_point *visit,
		 void *ctx, struct err *e);
int query_scan(struct store *s, const struct store_select *sel, struct stack_tree *tree,
	       store_visit_samples *visit, void *ctx, struct err *e);

#endif
