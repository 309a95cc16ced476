/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_STORE_SQLITE_COMPACT_H
#define VARVE_STORE_SQLITE_COMPACT_H

#include "store/sqlite/compact/replace.h"
#include "store/sqlite/read/query.h"

/*
 * Background compaction: level-0 blocks become chunks, chunks of an hour are merged, finished hours
 * and days get roll-ups. Each step reads one snapshot and hands one replacement to the writer, so
 * that a reader sees all of it or nothing. Worker thread (or a test's).
 */
struct compact_rules {
	bool all;     /* treat every hour and day as finished */
	uint64_t now; /* seconds since 1970 */
	/* a chunk's hour is not finished before the chunk has this age, in seconds */
	uint64_t settled;
};

/*
 * Turn some of the partition's level 0 into chunks. Set *more to whether there is more. Return 0 or
 * -errno.
 */
MUST_USE int compact_level0(struct partition *p, bool *more, struct err *e);

#endif
