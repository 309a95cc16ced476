/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_STORE_SQLITE_SERIES_TIMES_H
#define VARVE_STORE_SQLITE_SERIES_TIMES_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/container/vec.h"
#include "base/err.h"

/* The part `series` of a roll-up: its series, each with the times of its first and last profile. */
struct series_time {
	uint32_t series;
	uint64_t first, last;
};

struct series_times {
	VEC(struct series_time) at; /* after series_times_finish(): by series */
};

/* Add a profile. Adding those of one series together keeps the list short. Return 0 or -ENOMEM. */
MUST_USE int series_times_add(struct series_times *s, struct arena *a, uint32_t series,
			      uint64_t first, uint64_t last);

/* Sort by series and merge entries of the same series. */
void series_times_finish(struct series_times *s);

/* Append the block. Return 0 or -ENOMEM. */
MUST_USE int series_times_encode(struct buf *out, const struct series_times *s);

/* Append the entries of a block to the list. Return 0, -ENOMEM or -EUCLEAN. */
MUST_USE int series_times_decode(struct series_times *s, struct str bytes, struct arena *a,
				 struct err *e);

#endif
