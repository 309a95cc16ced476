/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_CONNECTORS_COUNT_SUMS_H
#define VARVE_PIPELINE_CONNECTORS_COUNT_SUMS_H

#include "base/container/idset.h"
#include "base/container/vec.h"
#include "signal/otlp/build.h"

/*
 * The counts of one resource of a batch: a row for each metric and set of attributes. Rows are in
 * an arena. Not thread-safe.
 */
struct count_span_of_time {
	uint64_t begin, end; /* nanoseconds since 1970; 0: unknown */
};

struct count_row {
	uint32_t metric;
	struct str key; /* the attributes, as fields 1 of a message */
	uint64_t count;
	struct count_span_of_time time; /* of all items */
};

struct count_sums {
	struct arena *arena;
	VEC(struct count_row) rows;
	struct idset by_key;
};

/* Return 0 or -ENOMEM. */
MUST_USE int count_sums_init(struct count_sums *s, struct arena *arena);

/* Add `n` items to the row of a metric and key, which is copied. Return 0, -ENOMEM or -EOVERFLOW. */
MUST_USE int count_sums_add(struct count_sums *s, uint32_t metric, struct str key, uint64_t n,
			    struct count_span_of_time time);

/*
 * Add the data points of a metric to the open metric of a builder; rows without a time get `now`.
 * Return 0, -ENOMEM or -EBADMSG.
 */
MUST_USE int count_sums_write(const struct count_sums *s, uint32_t metric, uint64_t now,
			      struct otlp_builder *b);

#endif
