/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_STORE_SQLITE_SPAN_BLOCK_H
#define VARVE_STORE_SQLITE_SPAN_BLOCK_H

#include "base/buf.h"
#include "base/container/idset.h"
#include "base/container/vec.h"
#include "signal/span_batch.h"

/*
 * Spans in memory, and as a block. Names, services and tenants are indexes of the rows' own
 * strings.
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
enum { SPANS_IN_BLOCK = 1 << 17 };

struct kept_span {
	uint8_t trace_id[TRACE_ID_SIZE], span_id[SPAN_ID_SIZE], parent_id[SPAN_ID_SIZE];
	uint64_t start, duration;
	uint32_t tenant, service, name; /* indexes of strings */
	uint8_t kind, status;
};

struct span_rows {
	VEC(struct kept_span) spans;
	VEC(struct str) strings;
	struct idset index; /* of strings; the zero value: not created */
};

/* Find the string, or add a copy of it, and set *number to its index. Return 0 or -ENOMEM. */
MUST_USE int span_rows_string(struct span_rows *r, struct arena *a, struct str s, uint32_t *number);

/*
 * Append the spans [first, first + n) of `from`. Return 0 or -ENOMEM; after an error strings may
 * have been added.
 */
MUST_USE int span_rows_append(struct span_rows *to, struct arena *a, const struct span_rows *from,
			      uint32_t first, uint32_t n);

/* The time range and number of the spans of a block. */
struct span_extent {
	uint64_t first, last; /* starts */
	uint32_t spans;
};

/*
 * Append the block of the spans [first, first + n), at most SPANS_IN_BLOCK, and unless `filter` is
 * NULL the Bloom filter of their span and trace ids, both without frame header. Return 0 or
 * -ENOMEM.
 */
MUST_USE int span_block_encode(struct buf *out, struct buf *filter, const struct span_rows *r,
			       uint32_t first, uint32_t n, struct span_extent *extent);

/* Decode a block; strings are slices of `bytes`. Return 0, -ENOMEM or -EUCLEAN. */
MUST_USE int span_block_decode(struct span_rows *out, struct str bytes, struct arena *a,
			       struct err *e);

#endif
