/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_STORE_SQLITE_SPAN_WRITE_H
#define VARVE_STORE_SQLITE_SPAN_WRITE_H

#include "store/sqlite/write/writer_side.h"

/* A block of spans to be written. */
struct new_spans {
	struct span_entry entry; /* without ids and bytes */
	/* With their frame headers; empty if there is none. */
	struct buf data, filter, trace_filter, details, index;
	uint64_t raw; /* bytes before compression */
};

void new_spans_fini(struct new_spans *s);

/*
 * Encode the spans [first, first + n) of the rows as a block; set times and counts of its entry.
 * `merged`: with a filter, and details as columns. Return 0 or -ENOMEM.
 */
MUST_USE int spans_pack(struct new_spans *out, const struct span_rows *r, uint32_t first,
			uint32_t n, bool merged);

/* The spans of a replacement (compact/replace.h): blocks to drop and blocks to add. */
struct span_replacement {
	VEC(uint64_t) drop; /* ids */
	VEC(struct new_spans) add;
};

/*
 * Return the span list for the next directory: a new list with room for all blocks, or `old` with a
 * new reference if nothing changes. NULL: no memory.
 */
struct span_list *span_replacement_list(const struct span_replacement *s, struct span_list *old);

/*
 * Apply the replacement inside a transaction; `d` has the list of span_replacement_list(). Return
 * 0, -ESTALE if a block to drop is missing, or -errno.
 */
MUST_USE int span_replacement_apply(struct span_replacement *s, struct writer_side *side,
				    const struct span_list *old, struct directory *d,
				    struct err *e);

/*
 * Add the spans of the write that start in the partition's day to the pending rows, like
 * writer_map().
 */
MUST_USE int writer_map_spans(struct partition *p, struct store_write *w, struct err *e);

/*
 * Write the spans of the sealed commit, inside its transaction; d->spans has room for them at its
 * end.
 */
MUST_USE int writer_put_spans(struct writer_side *side, struct directory *d, struct err *e);

#endif
