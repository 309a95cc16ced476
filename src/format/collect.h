/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_FORMAT_COLLECT_H
#define VARVE_FORMAT_COLLECT_H

#include "signal/profile/profile_builder.h"

/*
 * Collects samples for a batch, for formats that list one observation after the other (perf script,
 * folded, speedscope, ...). Observations with the same identity are merged into one sample, and
 * observations of different sample types, which arrive interleaved, are sorted into their profiles.
 *
 * Memory grows with the number of distinct samples, and by 24 bytes for each timestamp. After more
 * than COLLECT_TIMES_MAX timestamps the collector drops all of them and keeps only the sums, so
 * that a pipe of any length can be read. One thread at a time.
 */
struct collector {
	struct profile_builder *builder; /* borrowed */
	struct arena scratch;		 /* backs all fields below; charged to the batch's budget */
	VEC(struct collect_series) series;
	VEC(struct collect_group) groups;
	VEC(struct collect_time) times;
	VEC(uint32_t) attributes; /* the attribute lists of series and groups */
	struct idset index;	  /* of groups, by identity */
	uint32_t times_max;
	bool times_dropped; /* there were more than times_max */
};

enum { COLLECT_TIMES_MAX = 1 << 22 };

struct collect_sample {
	uint32_t series; /* from collect_series_add() */
	uint32_t stack;
	const uint32_t *attributes; /* ids, keys distinct */
	uint32_t attribute_count;
	bool timed;
	uint64_t time; /* nanoseconds; only when timed */
	int64_t value;
};

/*
 * Initialize an empty collector for the batch of `builder`. Return 0 or -ENOMEM; call
 * collector_fini() in both cases.
 */
MUST_USE int collector_init(struct collector *c, struct profile_builder *builder);
void collector_fini(struct collector *c);

/*
 * Add a series: a sample type, which becomes one profile, in the order of these calls. Types,
 * period, time and duration come from `row`; timestamps of samples extend the time range. Set
 * *series to its id. Return 0 or -ENOMEM.
 */
MUST_USE int collect_series_add(struct collector *c, const struct profile *row,
				const uint32_t *attributes, uint32_t n, uint32_t *series);

/*
 * Return the copy of the row given to collect_series_add(). It may change until collector_finish().
 */
struct profile *collect_series_row(struct collector *c, uint32_t series);

/* Add one observation. Return 0 or -ENOMEM. */
MUST_USE int collect_add(struct collector *c, const struct collect_sample *sample);

/* Append the profiles and samples to the last scope of the batch. Return 0 or -errno. */
MUST_USE int collector_finish(struct collector *c);

#endif
