/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_RULES_RULE_STORE_H
#define VARVE_RULES_RULE_STORE_H

#include "query/query_pool.h"
#include "rules/eval/rule_io.h"
#include "store/store.h"

/*
 * Rules over the store of a server. Queries run on the query pool like those of clients, with a
 * deadline and a memory budget; the caller waits for them. Writes are durable when they return.
 */
struct rule_store {
	struct rule_io io; /* first */
	struct store *store;
	struct query_pool *pool;
	struct budget *budget; /* of queries; may be NULL */
	uint64_t timeout_ns;   /* of a query and of a write */
};

/* Initialize; everything is borrowed. The store must have metrics. */
void rule_store_init(struct rule_store *s, struct store *store, struct query_pool *pool,
		     struct budget *budget);

#endif
