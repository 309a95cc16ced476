/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_FORMAT_COLLECT_H
#define VARVE_FORMAT_COLLECT_H

#include "signal/profile/profile_builder.h"

/*
 * Samples on their way into a batch, for formats that tell one observation after the other
 * (perf script, folded, speedscope, ...): observations with the same identity become one sample,
 * and those of different sample types, which come mixed, are laid out profile by profile.
 *
 * Memory grows with the number of distinct samples, and by 24 bytes for each time that is kept.
 * Past COLLECT_TIMES_MAX times all of them are let go and only the sums stay, so that a pipe of
 * any length can be read. One thread.
 */
struct collector {
	struct profile_builder *builder; /* borrowed */
	struct arena scratch;		 /* of everything here; charged to the batch's budget */
	VEC(struct collect_series) series;
	VEC(struct collect_group) groups;
	VEC(struct collect_time) times;
	VEC(uint32_t) attributes; /* lists of series and groups */
	struct idset index;	  /* of groups */
	uint32_t times_max;
	bool times_dropped; /* more than times_max came */
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

/* An empty collector for the batch of `builder`. 0 or -ENOMEM; fini it in every case. */
MUST_USE int collector_init(struct collector *c, struct profile_builder *builder);
void collector_fini(struct collector *c);

/*
 * A sample type to add samples to, and with it a profile in the order of these calls. Of `row`
 * the types, period, time and duration are taken; times of samples widen the latter two.
 */
MUST_USE int collect_series_add(struct collector *c, const struct profile *row,
				const uint32_t *attributes, uint32_t n, uint32_t *series);

/* The row given to collect_series_add(), to be completed before collector_finish(). */
struct profile *collect_series_row(struct collector *c, uint32_t series);

MUST_USE int collect_add(struct collector *c, const struct collect_sample *sample);

/* Append profiles and samples to the last scope of the batch. 0 or -errno. */
MUST_USE int collector_finish(struct collector *c);

#endif
