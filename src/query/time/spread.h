/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_QUERY_TIME_SPREAD_H
#define VARVE_QUERY_TIME_SPREAD_H

#include "base/container/vec.h"

/*
 * Values over time in which each profile counts over its own time. The value of a profile of an
 * interval is distributed evenly over its duration, so that a chart with steps shorter than the
 * interval of the senders is flat and not a comb. A gauge is a level: it holds until the next
 * profile of its series, at most SPREAD_HOLD_NS.
 *
 * Bucket k of `count` covers [start + k * step, start + (k + 1) * step), in nanoseconds.
 */
#define SPREAD_HOLD_NS (300ull * 1000000000ull)

struct spread_bucket {
	double value; /* of profiles that begin or end in the bucket; of gauges: level * time */
	double whole; /* change, from the bucket before, of the value of profiles that cover all of it */
	int64_t covers;	      /* change of the number of profiles that touch the bucket */
	uint64_t first, last; /* of gauges: the time with data */
};

struct spread {
	struct arena *arena;
	uint64_t start, step;
	uint32_t count;
	bool gauge;
	VEC(struct spread_bucket *) rows;
	/* The last profile of a gauge, until the next one tells how long it holds. */
	struct {
		bool set;
		uint32_t row, series;
		uint64_t time, duration, gap;
		double value;
	} held;
};

/* Add a profile to a row. Profiles of one series come in the order of time. 0 or -ENOMEM. */
MUST_USE int spread_add(struct spread *s, uint32_t row, uint32_t series, uint64_t time,
			uint64_t duration, double value);

/* Add what is held back: to be called after the last profile. 0 or -ENOMEM. */
MUST_USE int spread_end(struct spread *s);

/*
 * Call `put` for each bucket of a row with data, in the order of time: of gauges with the mean of
 * the level, else with the sum. 0, or the first error of put().
 */
MUST_USE int spread_read(const struct spread *s, uint32_t row,
			 int (*put)(void *ctx, uint32_t bucket, double value), void *ctx);

#endif
