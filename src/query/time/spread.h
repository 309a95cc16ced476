/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_QUERY_TIME_SPREAD_H
#define VARVE_QUERY_TIME_SPREAD_H

#include "base/container/vec.h"

/*
 * Values over time, with the value of each profile distributed evenly over its duration, so that a
 * chart with steps shorter than the upload interval is flat and has no gaps. A gauge is a level: it
 * holds until the next profile of its series, at most SPREAD_HOLD_NS.
 *
 * Bucket k of `count` covers [start + k * step, start + (k + 1) * step), in nanoseconds.
 */
#define SPREAD_HOLD_NS (300ull * 1000000000ull)

struct spread_bucket {
	/* Value of profiles that begin or end in the bucket; of gauges: level * time. */
	double value;
	/* Change from the previous bucket of the value of profiles that cover the whole bucket. */
	double whole;
	/* Change from the previous bucket of the number of profiles that overlap it. */
	int64_t covers;
	/* Gauges: the time range with data. */
	uint64_t first, last;
};

struct spread {
	struct arena *arena;
	uint64_t start, step;
	uint32_t count;
	bool gauge;
	VEC(struct spread_bucket *) rows;
	/* The last profile of a gauge, held until the next one determines its duration. */
	struct {
		bool set;
		uint32_t row, series;
		uint64_t time, duration, gap;
		double value;
	} held;
};

/* Add a profile to a row. Profiles of one series must come in time order. 0 or -ENOMEM. */
MUST_USE int spread_add(struct spread *s, uint32_t row, uint32_t series, uint64_t time,
			uint64_t duration, double value);

/* Add the profile that is still held. Call after the last profile. 0 or -ENOMEM. */
MUST_USE int spread_end(struct spread *s);

/*
 * Call `put` for each bucket of a row that has data, in time order, with the mean level of a gauge
 * or else the sum. 0, or the first error of put().
 */
MUST_USE int spread_read(const struct spread *s, uint32_t row,
			 int (*put)(void *ctx, uint32_t bucket, double value), void *ctx);

#endif
