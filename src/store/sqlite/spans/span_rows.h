/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_STORE_SQLITE_SPAN_ROWS_H
#define VARVE_STORE_SQLITE_SPAN_ROWS_H

#include "base/buf.h"
#include "base/container/idset.h"
#include "base/container/vec.h"
#include "signal/span_batch.h"

/*
 * Spans in memory, between a write and a block, and after reading a block. Names, services and
 * tenants are indexes of the rows' own strings; so are resources and scopes, each encoded by
 * span_origin_put().
 */
enum { SPANS_IN_BLOCK = 1 << 17 };

/* A block has at most this many bytes of details, or one span. */
#define SPAN_BLOCK_BYTES (32 * MIB)

struct kept_span {
	uint8_t trace_id[TRACE_ID_SIZE], span_id[SPAN_ID_SIZE], parent_id[SPAN_ID_SIZE];
	uint64_t start, duration;
	uint32_t tenant, service, name; /* indexes of strings */
	uint32_t resource, scope;	/* 1 + indexes of strings; 0: unknown */
	uint8_t kind, status;
	struct str details; /* as in struct span */
};

struct span_rows {
	VEC(struct kept_span) spans;
	VEC(struct str) strings;
	size_t bytes; /* of the details of all spans */
	/* Of a decoded block: its number of spans, and the places of these in it; NULL: all. */
	uint32_t block_spans;
	uint32_t *picked;
	struct idset index; /* of strings; the zero value: not created */
};

/* Find the string, or add a copy of it, and set *number to its index. Return 0 or -ENOMEM. */
MUST_USE int span_rows_string(struct span_rows *r, struct arena *a, struct str s, uint32_t *number);

/*
 * Append the spans [first, first + n) of `from` with copies of strings and details. Return 0 or
 * -ENOMEM; after an error strings and spans may have been added.
 */
MUST_USE int span_rows_append(struct span_rows *to, struct arena *a, const struct span_rows *from,
			      uint32_t first, uint32_t n);

/* Return the number of spans from `first` on that make a block. */
uint32_t span_rows_cut(const struct span_rows *r, uint32_t first);

/* Append the encoding of a resource or scope; decode it, borrowing. False: it is damaged. */
void span_origin_put(struct buf *out, const struct span_origin *o);
MUST_USE bool span_origin_get(struct str encoded, struct span_origin *out);

/* ---- order ---- */

struct trace_group {
	uint32_t first, n; /* range of span_order.spans */
	uint64_t begin;
};

/* Spans in the order of a block: the traces by begin, the spans of a trace by start. */
struct span_order {
	struct arena arena;
	struct kept_span *spans; /* copies; read them by way of the traces */
	uint32_t n;		 /* without duplicates */
	struct trace_group *traces;
	uint32_t traces_n;
};

/* Order n spans and drop duplicates. Return 0 or -ENOMEM. Fini in any case. */
MUST_USE int span_order_init(struct span_order *o, const struct kept_span *at, uint32_t n);
void span_order_fini(struct span_order *o);

#endif
