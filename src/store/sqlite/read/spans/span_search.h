/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_STORE_SQLITE_READ_SPAN_SEARCH_H
#define VARVE_STORE_SQLITE_READ_SPAN_SEARCH_H

#include "store/store.h"

/* Implement store_ops.trace_search. */
int query_trace_search(struct store *base, const struct store_span_select *sel,
		       const struct store_trace_search *search, struct err *e);

#endif
