/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_STORE_SQLITE_SPAN_BLOCK_H
#define VARVE_STORE_SQLITE_SPAN_BLOCK_H

#include "store/sqlite/spans/span_table.h"

/*
 * The structure of spans as a block; what else a span has is in separate blobs (span_packed.h,
 * span_columns.h) in the same order, so that a query of the structure does not read it. Names,
 * services and tenants are indexes of the block's strings.
 *
 * A block has its spans grouped by trace: the traces ordered by begin, the spans of a trace by
 * start. So a parent is an index within the trace, and times are small. Duplicates (same trace, id
 * and start: a retry) are dropped. Columns:
 *
 *	strings	count; each string with its length
 *	traces	count; tenant, number of spans, begin (delta), 16 bytes of id
 *	spans	count; start - begin of the trace, duration, name, service, parent (0 none,
 *		1 elsewhere, else 2 + its index in the trace), one byte of kind and status,
 *		8 bytes of id
 *	parents	8 bytes of id of each parent that is elsewhere
 */

/* The time range and number of the spans of a block. */
struct span_extent {
	uint64_t first, last; /* starts */
	uint32_t spans;
};

/*
 * Append the block of the ordered spans, at most SPANS_IN_BLOCK, without frame header. `r` has
 * their strings. Return 0 or -ENOMEM.
 */
MUST_USE int span_block_put(struct buf *out, const struct span_rows *r, struct span_order *order,
			    struct span_extent *extent);

/*
 * Append the Bloom filter of the trace ids, and if `ids` is true of the span ids, too. Return 0 or
 * -ENOMEM.
 */
MUST_USE int span_filter_put(struct buf *out, struct span_order *order, bool ids);

/* Order the spans [first, first + n) and do the same. */
MUST_USE int span_block_encode(struct buf *out, struct buf *filter, const struct span_rows *r,
			       uint32_t first, uint32_t n, struct span_extent *extent);

/* Chooses traces of a block. */
struct span_pick {
	bool (*wants)(const void *ctx, const uint8_t trace_id[TRACE_ID_SIZE]);
	const void *ctx;
};

/*
 * Decode a block, or only those of its traces that are picked; strings are slices of `bytes`. The
 * spans have no details yet. Return 0, -ENOMEM or -EUCLEAN.
 */
MUST_USE int span_block_decode(struct span_rows *out, struct str bytes,
			       const struct span_pick *pick, struct arena *a, struct err *e);

/* The same of a block whose table is read. Return 0 or -ENOMEM. */
MUST_USE int span_block_rows(struct span_rows *out, const struct span_table *t,
			     const struct span_pick *pick, struct arena *a);

/* Whose spans a block has. */
enum span_tenants { SPANS_OF_TENANT, SPANS_OF_OTHERS, SPANS_OF_SEVERAL };

/* Find out without decoding the spans. Return 0, -ENOMEM or -EUCLEAN. */
MUST_USE int span_block_tenants(struct str bytes, struct str tenant, struct arena *a,
				enum span_tenants *out, struct err *e);

#endif
