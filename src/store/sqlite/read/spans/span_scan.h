/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_STORE_SQLITE_READ_SPAN_SCAN_H
#define VARVE_STORE_SQLITE_READ_SPAN_SCAN_H

#include "base/container/map.h"
#include "store/sqlite/read/reader.h"
#include "store/sqlite/spans/span_leaves.h"
#include "store/store.h"

/* Finds the spans of a block that are of interest to a search, and hands them to its probe. */
struct span_times {
	uint64_t first, last; /* both included */
};

struct span_scan {
	const struct store_span_select *select;
	const struct store_trace_search *search;
	uint64_t from, to; /* starts of the spans that are probed */
	uint64_t end_from; /* of their traces some span in the block ends then or later */
	/* Called for the traces of hits; begin: of its spans in the block. Return 0 or -errno. */
	int (*found)(void *ctx, const uint8_t *trace_id, uint64_t begin);
	void *ctx;
	/*
	 * Of the current block: spans that start at these times, sorted and disjoint, may be in
	 * another block, too.
	 */
	struct span_times *shared;
	uint32_t shared_n;
	/* Traces whose hits in the block were not found yet begin at this time or before it. */
	uint64_t bound;
	/* private */
	struct arena arena, block, group, probed;
	struct span_leaves leaves; /* empty if the want is `all` */
	struct span_need need;
	struct map seen;     /* hashes of shared spans that were probed; in `probed` */
	uint64_t seen_first; /* the least start of these */
	struct buf details;
	struct block_scan *current;
};

/* Prepare a scan whose first fields are set. Return 0 or -ENOMEM. Fini in any case. */
MUST_USE int span_scan_init(struct span_scan *s);
void span_scan_fini(struct span_scan *s);

/* Begin with a block. Return 0 or -errno. Close it in any case, before the reader ends. */
MUST_USE int span_scan_open(struct span_scan *s, struct reader *r, const struct span_entry *entry,
			    struct err *e);
void span_scan_close(struct span_scan *s);

/*
 * Scan the next group of the block, the newest first, and set s->bound. Return 1 if there may be
 * more, 0 at the end, or -errno, also of the probe.
 */
MUST_USE int span_scan_next(struct span_scan *s, struct err *e);

struct spans_block; /* query_spans.h */

/* Set *out to what is read of the open block; nothing if none is open. */
void span_scan_known(const struct span_scan *s, struct spans_block *out);

#endif
