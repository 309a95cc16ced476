/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_SDK_COLLECT_WATCH_H
#define VARVE_SDK_COLLECT_WATCH_H

#include "sdk/collect/collect.h"
#include "sdk/collect/guard.h"

/*
 * What the guards look at, read from /proc once a second by the collector's thread, and what they decide: the rate of CPU samples,
 * the length of the export interval, whether profiles are dropped. All shares are 0 to 1.
 */
struct watch_load {
	double machine_cpu; /* of all cores, busy */
	double process_cpu; /* of all cores, used by this process */
	double own_cpu;	    /* of one core: hooks and the library's own threads */
	double overhead;    /* own CPU time of the process's */
	uint64_t resident, memory_limit;
};

struct watch;
MUST_USE int watch_new(struct watch **out, const struct varve_options *o);
void watch_free(struct watch *w);

/* Look, if a second has gone by; decide, and tell the collector. Collector's thread. */
void watch_tick(struct watch *w, struct collector *c, uint64_t now_ns);

/* The rate of CPU samples that the guards begin with from now on; 0: none. Any thread. */
void watch_set_cpu_hz(struct watch *w, unsigned hz);

/* In a forked child: counters begin anew. */
void watch_forked(struct watch *w);

/* Drop what was collected in this interval? Counted. */
bool watch_sheds(struct watch *w);

/* May a profile on demand be taken? As guard_admit(). Any thread. */
MUST_USE int watch_admit(struct watch *w, unsigned seconds, uint64_t own_memory, const char **why);

/* For metrics. Any thread. */
struct watch_state {
	struct watch_load load;
	unsigned cpu_hz;
	uint64_t interval_ms, shed, refused;
};
void watch_state(struct watch *w, struct watch_state *out);

#endif
