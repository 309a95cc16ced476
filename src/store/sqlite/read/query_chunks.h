/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_STORE_SQLITE_QUERY_CHUNKS_H
#define VARVE_STORE_SQLITE_QUERY_CHUNKS_H

#include "store/sqlite/read/node_sums.h"
#include "store/sqlite/read/query.h"

/*
 * Add the selected samples of all visited chunks to acc, from roll-ups where possible. Return 0 or
 * -errno.
 */
MUST_USE int stacks_add_chunks(struct query *q, struct node_sums *acc);

#endif
