/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_SDK_COLLECT_WATCH_H
#define VARVE_SDK_COLLECT_WATCH_H

#include "sdk/collect/collect.h"
#include "sdk/collect/guard.h"

/*
 * Reads the inputs of the guards from /proc once a second, on the collector's thread, and applies
 * their decisions: the rate of CPU samples, the length of the export interval, whether to drop
 * samples. All shares are 0 to 1.
 */
struct watch_load {
	double machine_cpu; /* busy share of all cores */
	double process_cpu; /* share of all cores used by this process */
	double own_cpu;	    /* share of one core used by hooks and the library's threads */
	double overhead;    /* own CPU time as a share of the process's */
	uint64_t resident, memory_limit;
};

struct watch;
MUST_USE int watch_new(struct watch **out, const struct varve_options *o);
void watch_free(struct watch *w);

/*
 * If a second has passed, read the load, decide, and set the collector's rates. Collector's thread.
 */
void watch_tick(struct watch *w, struct collector *c, uint64_t now_ns);

/* Set the base rate of CPU samples; 0: none. Any thread. */
void watch_set_cpu_hz(struct watch *w, unsigned hz);

/* Set the load that the program reports, instead of measured ones; negative: none. Any thread. */
void watch_set_program_load(struct watch *w, double load);

/* Return the share of the base rate at which CPU samples are taken; 0 while samples are dropped. */
double watch_rate_share(struct watch *w);

/* Change the guards, or return a copy of them. Any thread. */
void watch_set_guards(struct watch *w, const struct varve_guard_options *guards);
struct varve_guard_options watch_guards(struct watch *w);

/* In a forked child: reset the counters. */
void watch_forked(struct watch *w);

/* Return whether to drop the samples of this interval, and count it. */
bool watch_sheds(struct watch *w);

/* Decide on a profile on demand, as guard_admit(). Any thread. */
MUST_USE int watch_admit(struct watch *w, unsigned seconds, uint64_t own_memory, const char **why);

/* Copy the state, for metrics. Any thread. */
struct watch_state {
	struct watch_load load;
	unsigned cpu_hz;
	uint64_t interval_ms, shed, refused;
};
void watch_state(struct watch *w, struct watch_state *out);

#endif
