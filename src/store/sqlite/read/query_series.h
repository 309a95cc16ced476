/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_STORE_SQLITE_QUERY_SERIES_H
#define VARVE_STORE_SQLITE_QUERY_SERIES_H

#include "store/sqlite/block/series_times.h"
#include "store/sqlite/read/query.h"

/* Implement store_ops.series. */
int query_series(struct store *s, const struct store_select *sel, store_visit_series *visit,
		 void *ctx, struct err *e);

/* Read and check the series of a roll-up. Return 0 or -errno. */
MUST_USE int query_series_times(struct query *q, const struct chunk_entry *c, struct arena *arena,
				struct series_times *out);

#endif
