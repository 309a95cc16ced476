/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_STORE_SQLITE_SPAN_BLOCK_H
#define VARVE_STORE_SQLITE_SPAN_BLOCK_H

#include "base/buf.h"
#include "base/container/idset.h"
#include "base/container/vec.h"
#include "signal/span_batch.h"

/*
 * Spans in memory, and as a block. Names, services and tenants are numbers of the rows' own strings.
 *
 * A block has its spans by trace, the traces by when they begin, and in a trace by start: a parent is then a number of
 * its trace, and times are small. The same span twice (same trace, id and start: a retry) is in it once. Columns:
 *
 *	strings	how many; each with its length
 *	traces	how many; tenant, number of spans, begin (delta), 16 bytes of id each
 *	spans	how many; start - begin of the trace, duration, name, service, parent (0 none, 1 elsewhere, else 2 + its
 *		number in the trace), one byte of kind and status, 8 bytes of id each
 *	parents	8 bytes of each that is elsewhere
 */
enum { SPANS_IN_BLOCK = 1 << 17 };

struct kept_span {
	uint8_t trace_id[TRACE_ID_SIZE], span_id[SPAN_ID_SIZE], parent_id[SPAN_ID_SIZE];
	uint64_t start, duration;
	uint32_t tenant, service, name; /* of strings */
	uint8_t kind, status;
};

struct span_rows {
	VEC(struct kept_span) spans;
	VEC(struct str) strings;
	struct idset index; /* of strings; the zero value: none yet */
};

/* The number of the string, which is copied into the arena if it is new. 0 or -ENOMEM. */
MUST_USE int span_rows_string(struct span_rows *r, struct arena *a, struct str s, uint32_t *number);

/* Append spans of other rows: [first, first + n). 0 or -ENOMEM; after an error more strings may be there. */
MUST_USE int span_rows_append(struct span_rows *to, struct arena *a, const struct span_rows *from,
			      uint32_t first, uint32_t n);

/* What a block has in it. */
struct span_extent {
	uint64_t first, last; /* starts */
	uint32_t spans;
};

/*
 * Append the block of spans [first, first + n), at most SPANS_IN_BLOCK, and (unless `filter` is NULL) the Bloom filter of their
 * span and trace ids. Both without envelope. 0 or -ENOMEM.
 */
MUST_USE int span_block_encode(struct buf *out, struct buf *filter, const struct span_rows *r,
			       uint32_t first, uint32_t n, struct span_extent *extent);

/* Into empty rows; strings borrow from `bytes`. 0, -ENOMEM or -EUCLEAN. */
MUST_USE int span_block_decode(struct span_rows *out, struct str bytes, struct arena *a,
			       struct err *e);

#endif
