/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_STORE_SQLITE_QUERY_TRACES_H
#define VARVE_STORE_SQLITE_QUERY_TRACES_H

#include "store/store.h"

/* Implement store_ops.traces. */
int query_traces(struct store *base, const struct store_span_select *sel, store_visit_trace *visit,
		 void *ctx, struct err *e);

#endif
