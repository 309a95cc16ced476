/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_SDK_COLLECT_GUARD_H
#define VARVE_SDK_COLLECT_GUARD_H

#include "base/base.h"
#include "varve/varve.h"

/*
 * The guards that limit the overhead of the profilers. Each is a small function of numbers, without
 * a clock and without state besides its own struct, so that it can be tested. watch_tick() feeds
 * them from /proc once a second and applies the rates.
 */

/* Adaptive sampler: base rate up to the threshold, then linearly down to the floor at full load. */
unsigned guard_adaptive_hz(unsigned base_hz, unsigned floor_hz, double threshold, double load);

/*
 * Adaptive rate, called every 10 s: half of the base rate while CPU or memory is over its
 * threshold, else the base rate. With `keep_halving` the rate is halved again each time, and
 * doubled when neither is over, within [1, base_hz].
 */
unsigned guard_next_hz(unsigned hz, unsigned base_hz, bool over, bool keep_halving);

/*
 * Overhead monitor: the interval grows by 1.5 above the target, up to 10 * base, and shrinks by 0.8
 * below half the target, down to base.
 */
uint64_t guard_next_interval(uint64_t interval, uint64_t base, double overhead, double target);

/* Resource guard for profiles on demand. */
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
/* Return 0 if a profile of `seconds` may be taken now, or -EBUSY with the reason in *why. */
MUST_USE int guard_admit(struct guard_state *g, const struct guard_limits *limits, uint64_t now_ns,
			 double own_cpu, uint64_t own_memory, unsigned seconds, const char **why);

/* Load shedding: return whether to drop the collected samples. */
bool guard_shed(double machine_cpu, double threshold);

#endif
