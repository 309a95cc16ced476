/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_STORE_SQLITE_METRIC_RUNS_H
#define VARVE_STORE_SQLITE_METRIC_RUNS_H

#include "store/sqlite/metrics/layout/metric_chunk.h"

/*
 * Samples of one series from several blocks, brought into one order: by time, each time once. Of
 * samples with the same time the one that was added last is kept, so the caller adds blocks in the
 * order of their commits.
 */
struct metric_gather {
	struct arena *arena; /* borrowed */
	VEC(int64_t) times;
	VEC(uint64_t) bits;			 /* of floats */
	VEC(struct native_histogram) histograms; /* or histograms */
	bool sorted;
};

void metric_gather_init(struct metric_gather *g, struct arena *a);
void metric_gather_reset(struct metric_gather *g);

/* Add n samples, with bits or histograms; histograms are borrowed. Return 0 or -ENOMEM. */
MUST_USE int metric_gather_add(struct metric_gather *g, const int64_t *times, uint32_t n,
			       const uint64_t *bits, const struct native_histogram *histograms);

/*
 * Add n samples whose bits the caller has put at the end of `bits`, where it has reserved room.
 * Return 0 or -ENOMEM.
 */
MUST_USE int metric_gather_add_placed(struct metric_gather *g, const int64_t *times, uint32_t n);

/* Sort. Return 0 or -ENOMEM. Then times and values are as described. */
MUST_USE int metric_gather_finish(struct metric_gather *g);

#endif
