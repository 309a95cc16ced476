/* SPDX-License-Identifier: Apache-2.0 */
/* The decisions of the guards, as pure functions of their inputs. */
#include "sdk/collect/guard.h"

#include <errno.h>

#define MINUTE_NS ((uint64_t)60000000000)

unsigned guard_adaptive_hz(unsigned base_hz, unsigned floor_hz, double threshold, double load)
{
	double share;

	if (load <= threshold || threshold >= 1 || floor_hz >= base_hz)
		return base_hz;
	if (load >= 1)
		return floor_hz;
	share = (load - threshold) / (1 - threshold);
	return base_hz - (unsigned)((double)(base_hz - floor_hz) * share + 0.5);
}

unsigned guard_next_hz(unsigned hz, unsigned base_hz, bool over, bool keep_halving)
{
	unsigned next = over ? hz / 2 : hz * 2;

	if (!keep_halving)
		next = over ? base_hz / 2 : base_hz;
	return next < 1 ? 1 : next > base_hz ? base_hz : next;
}

uint64_t guard_next_interval(uint64_t interval, uint64_t base, double overhead, double target)
{
	uint64_t next = interval;

	if (overhead > target)
		next = interval + interval / 2;
	else if (overhead < target / 2)
		next = interval - interval / 5;
	return next < base ? base : next > base * 10 ? base * 10 : next;
}

int guard_admit(struct guard_state *g, const struct guard_limits *limits, uint64_t now_ns,
		double own_cpu, uint64_t own_memory, unsigned seconds, const char **why)
{
	*why = NULL;
	if (!g->minute_start_ns || now_ns - g->minute_start_ns >= MINUTE_NS) {
		g->minute_start_ns = now_ns;
		g->taken = 0;
	}
	if (own_cpu > limits->max_cpu)
		*why = "the profilers use more CPU than max_cpu allows";
	else if (own_memory > limits->max_memory)
		*why = "the profilers hold more memory than max_memory allows";
	else if (seconds > limits->max_seconds)
		*why = "the duration exceeds max_seconds";
	else if (g->taken >= limits->max_per_minute)
		*why = "max_per_minute profiles were already taken in this minute";
	if (*why) {
		g->refused++;
		return -EBUSY;
	}
	g->taken++;
	return 0;
}

bool guard_shed(double machine_cpu, double threshold)
{
	return machine_cpu > threshold;
}
