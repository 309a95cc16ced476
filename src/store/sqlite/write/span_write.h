/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_STORE_SQLITE_SPAN_WRITE_H
#define VARVE_STORE_SQLITE_SPAN_WRITE_H

#include "store/sqlite/write/writer.h"

/* A block of spans that is to be written. */
struct new_spans {
	struct span_entry entry; /* without ids and bytes */
	struct buf data, filter; /* with their envelopes; no filter: empty */
	uint64_t raw;		 /* bytes before they were packed */
};

void new_spans_fini(struct new_spans *s);

/* Make the block of spans [first, first + n) of the rows; the entry gets times and counts. 0 or -ENOMEM. */
MUST_USE int spans_pack(struct new_spans *out, const struct span_rows *r, uint32_t first,
			uint32_t n, bool filter);

/* The part of a swap that is about spans: these blocks go, those come. */
struct span_swap {
	VEC(uint64_t) drop; /* ids */
	VEC(struct new_spans) add;
};

/* The list for the directory after the swap: a new one, with room, or `old` with a ref when nothing changes. */
struct span_list *span_swap_list(const struct span_swap *s, struct span_list *old);

/* Carry it out, inside a transaction; `d` has that list. 0, -ESTALE: one that should go is gone, or -errno. */
MUST_USE int span_swap_apply(struct span_swap *s, struct writer_side *side,
			     const struct span_list *old, struct directory *d, struct err *e);

#endif
