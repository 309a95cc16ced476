/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_STORE_SQLITE_QUERY_SPANS_H
#define VARVE_STORE_SQLITE_QUERY_SPANS_H

#include "store/sqlite/block/span_block.h"
#include "store/sqlite/read/reader.h"

/* Implement store_ops.spans. */
int query_spans(struct store *base, const struct store_span_select *sel, store_visit_span *visit,
		void *ctx, struct err *e);

/* Read a block of spans into the arena. Return 0, -ENOMEM or -EUCLEAN. */
MUST_USE int spans_read(struct reader *r, const struct span_entry *entry, struct arena *a,
			struct span_rows *out, struct err *e);

#endif
