/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_STORE_SQLITE_QUERY_TRACES_H
#define VARVE_STORE_SQLITE_QUERY_TRACES_H

#include "store/sqlite/read/spans/query_spans.h"
#include "store/store.h"

/* Implement store_ops.traces. */
int query_traces(struct store *base, const struct store_span_select *sel, store_visit_trace *visit,
		 void *ctx, struct err *e);

/*
 * Do the same with the needed details alone (`need` NULL: all). `known` may be NULL or have a block
 * that is read.
 */
MUST_USE int query_traces_with(struct store *base, const struct store_span_select *sel,
			       const struct span_need *need, const struct spans_block *known,
			       store_visit_trace *visit, void *ctx, struct err *e);

#endif
