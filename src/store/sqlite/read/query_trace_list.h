/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_STORE_SQLITE_QUERY_TRACE_LIST_H
#define VARVE_STORE_SQLITE_QUERY_TRACE_LIST_H

#include "store/store.h"

/* Implement store_ops.trace_list. */
int query_trace_list(struct store *base, const struct store_span_select *sel,
		     store_visit_trace_time *visit, void *ctx, struct err *e);

#endif
