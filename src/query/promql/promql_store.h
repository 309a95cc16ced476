/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_QUERY_PROMQL_PROMQL_STORE_H
#define VARVE_QUERY_PROMQL_PROMQL_STORE_H

#include "query/promql/promql_source.h"
#include "store/metric_store.h"

/* The metrics and profiles of a store as a source of PromQL. One thread at a time. */
struct promql_store {
	struct promql_source source; /* first */
	struct store *store;
	struct str tenant;
	struct store_limits limits;
};

/* Initialize; everything is borrowed. The store must have metrics (store_ops.metrics). */
void promql_store_init(struct promql_store *s, struct store *store, struct str tenant,
		       const struct store_limits *limits);

/*
 * Append PromQL's matchers as those of a store; the texts and regular expressions are borrowed. The
 * array is in the arena. Return 0 or -ENOMEM.
 */
MUST_USE int promql_store_matchers(struct store_matchers *out,
				   const struct promql_matcher *matchers, uint32_t n,
				   struct arena *a);

#endif
