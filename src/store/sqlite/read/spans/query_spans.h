/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_STORE_SQLITE_QUERY_SPANS_H
#define VARVE_STORE_SQLITE_QUERY_SPANS_H

#include "store/sqlite/read/reader.h"
#include "store/sqlite/spans/span_block.h"
#include "store/sqlite/spans/span_columns.h"

/* Implement store_ops.spans. */
int query_spans(struct store *base, const struct store_span_select *sel, store_visit_span *visit,
		void *ctx, struct err *e);

/* A merged block that the caller has read, so that a search for its spans need not do it again. */
struct spans_block {
	const struct partition *partition;
	uint64_t id;
	const struct span_table *table; /* NULL: not read */
	struct str index, pieces;	/* empty: not read */
};

/* A search for spans by trace and id. */
struct span_query {
	const struct store_span_select *select;
	bool details;			 /* with resources, scopes and details */
	struct span_rows found;		 /* by trace and start; with duplicates */
	bool cut;			 /* there are more than select->most_bytes allows */
	const struct span_need *need;	 /* of the details; NULL: all */
	const struct spans_block *known; /* may be NULL */
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

/*
 * Give the spans that were read of the block their details, or what is needed of them (NULL: all).
 * Return 0, -ENOMEM or -EUCLEAN.
 */
MUST_USE int spans_read_details(struct reader *r, const struct span_entry *entry,
				const struct span_need *need, struct arena *a,
				struct span_rows *rows, struct err *e);

/* Visits a partition. Return 0, or -errno; set *stop to visit no more. */
typedef int spans_visit_partition(void *ctx, struct partition *p, bool *stop, struct err *e);

/*
 * Visit the partitions with spans that begin in sel->from to sel->to, the oldest or the newest
 * first. Damaged ones are passed over and noted in sel->limits. Return 0 or the visitor's error.
 */
MUST_USE int spans_each_partition(struct sqlite_store *s, const struct store_span_select *sel,
				  bool newest_first, spans_visit_partition *visit, void *ctx,
				  struct err *e);

#endif
