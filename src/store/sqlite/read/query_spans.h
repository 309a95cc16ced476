/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_STORE_SQLITE_QUERY_SPANS_H
#define VARVE_STORE_SQLITE_QUERY_SPANS_H

#include "store/sqlite/read/reader.h"
#include "store/sqlite/spans/span_block.h"

/* Implement store_ops.spans. */
int query_spans(struct store *base, const struct store_span_select *sel, store_visit_span *visit,
		void *ctx, struct err *e);

/* A search for spans by trace and id. */
struct span_query {
	const struct store_span_select *select;
	bool details;		/* with resources, scopes and details */
	struct span_rows found; /* by trace and start; with duplicates */
	bool cut;		/* there are more than select->most_bytes allows */
	/* private */
	struct sqlite_store *store;
	uint64_t bytes;	    /* of the spans found */
	struct arena arena; /* of the spans found */
	struct arena block; /* of the current block */
	struct idset traces, ids;
};

/* Fill q->found. Return 0 or -errno. Fini in any case. */
MUST_USE int span_query_run(struct span_query *q, struct store *base, struct err *e);
void span_query_fini(struct span_query *q);

/* Return whether two found spans are one span that was stored twice. */
bool span_query_same(const struct kept_span *a, const struct kept_span *b);

/* Set *out to a found span, without resource and scope. */
void span_query_get(const struct span_query *q, const struct kept_span *k, struct span *out);

/* Read a block of spans, or the picked traces of it, without their details. Return 0, -ENOMEM or -EUCLEAN. */
MUST_USE int spans_read(struct reader *r, const struct span_entry *entry,
			const struct span_pick *pick, struct arena *a, struct span_rows *out,
			struct err *e);

/* Give the spans that were read of the block their details. Return 0, -ENOMEM or -EUCLEAN. */
MUST_USE int spans_read_details(struct reader *r, const struct span_entry *entry, struct arena *a,
				struct span_rows *rows, struct err *e);

#endif
