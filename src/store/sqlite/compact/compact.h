/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_STORE_SQLITE_COMPACT_H
#define VARVE_STORE_SQLITE_COMPACT_H

#include "store/sqlite/compact/replace.h"
#include "store/sqlite/read/query.h"

/*
 * Behind the writer: level-0 blocks become chunks, chunks of one hour become one, finished hours and
 * days get their roll-ups. Each step reads one snapshot and hands one swap to the writer, so a reader
 * sees all of it or nothing. Worker thread (or a test's).
 */
struct compact_rules {
	bool all;	  /* treat every hour and day as finished */
	uint64_t now;	  /* seconds since 1970 */
	uint64_t settled; /* a chunk that is younger than so many seconds can still get company */
};

/* Turn level 0 of the partition into chunks, some of it at a time; *more: there is more to do. */
MUST_USE int compact_level0(struct partition *p, bool *more, struct err *e);

/* Merge and roll up one finished hour, or the finished day; *more: there may be more to do. */
MUST_USE int compact_finish(struct partition *p, const struct compact_rules *rules, bool *more,
			    struct err *e);

#endif
