/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_STORE_SQLITE_CHUNK_ENCODE_H
#define VARVE_STORE_SQLITE_CHUNK_ENCODE_H

#include "base/buf.h"
#include "store/sqlite/block/rows.h"

/* The parts of a chunk (chunk.h) as blocks without frame headers; absent parts are empty. */
struct chunk_parts {
	struct buf points, runs, detail, linked, links, filter;
	struct buf detail_ends; /* u32: where the columns of `detail` end */
	/* `runs` is compressed in pieces; otherwise the caller compresses it like the others. */
	bool runs_packed;
	uint64_t slots; /* slots of the hour that have data, a bit each */
};

void chunk_parts_fini(struct chunk_parts *p);

/*
 * Encode rows of one group that are all in the hour number `hour` (time / 3600 s). Return 0 or
 * -ENOMEM; call chunk_parts_fini() in every case.
 */
MUST_USE int chunk_encode(struct chunk_parts *out, const struct rows *r, uint64_t hour);

#endif
