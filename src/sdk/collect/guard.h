/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_SDK_COLLECT_GUARD_H
#define VARVE_SDK_COLLECT_GUARD_H

#include "base/base.h"
#include "varve/varve.h"

/*
 * The guards: what keeps the profilers from being a burden. Each is a small function of numbers, without clock or state but
 * its own struct, so that a test can drive it; guard_watch() feeds them from /proc once a second and sets the rates.
 */

/* Adaptive sampler: under the threshold the base rate; from there linearly down to the floor at full load. */
unsigned guard_adaptive_hz(unsigned base_hz, unsigned floor_hz, double threshold, double load);

/* Adaptive rate, asked every 10 s: half while CPU or memory is over its threshold, else double; never over the maximum, never under 1. */
unsigned guard_next_hz(unsigned hz, unsigned max_hz, bool over);

/* Overhead monitor: the interval grows 1.5x (at most 10x base) over the target, shrinks 0.8x (at least base) under half of it. */
uint64_t guard_next_interval(uint64_t interval, uint64_t base, double overhead, double target);

/* Resource guard. */
struct guard_limits {
	double max_cpu;
	uint64_t max_memory;
	unsigned max_per_minute, max_seconds;
};
struct guard_state {
	uint64_t minute_start_ns;
	unsigned taken;
	uint64_t refused;
};
/* May a profile of `seconds` be taken now? 0 or -EBUSY with the reason in *why. */
MUST_USE int guard_admit(struct guard_state *g, const struct guard_limits *limits, uint64_t now_ns,
			 double own_cpu, uint64_t own_memory, unsigned seconds, const char **why);

/* Load shedding: drop what was collected? */
bool guard_shed(double machine_cpu, double threshold);

#endif
