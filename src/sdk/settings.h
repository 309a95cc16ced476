/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_SDK_SETTINGS_H
#define VARVE_SDK_SETTINGS_H

#include <pthread.h>

#include "sdk/control/lease.h"
#include "sdk/options.h"

/*
 * What the process profiles, as it changes while it runs: the program's own settings (options,
 * varve_set_...(), /debug/profiling), and over them those of a lease of the server. A change by the
 * program ends the lease.
 */
struct sdk;

struct sdk_rates {
	unsigned profiles, cpu_hz, wall_hz; /* 0: off */
	uint64_t heap_interval, block_interval_ns;
};

struct sdk_settings {
	pthread_mutex_t mu;	/* guards what follows; held while the collector is set */
	struct sdk_rates own;	/* of the program */
	struct sdk_rates rates; /* in effect */
	struct lease lease;
};

/* Begin with the options. */
void sdk_settings_init(struct sdk *s);

/* In a forked child: the parent's owner of the mutex does not exist. */
void sdk_settings_forked(struct sdk *s);

/* Change what the program profiles. The values must be valid; they end a lease. Any thread. */
void sdk_settings_change(struct sdk *s, const struct sdk_rates *own);

/* Return a copy of the program's own rates, or of those in effect. Any thread. */
struct sdk_rates sdk_settings_own(struct sdk *s);
struct sdk_rates sdk_settings_in_effect(struct sdk *s);

/* Take an order of the server. Return whether the state of the lease changed. Control thread. */
bool sdk_settings_order(struct sdk *s, const struct control_order *order,
			const struct lease_limits *limits, uint64_t now_ns);

/* End the lease when its time is over. Return whether it did. Control thread. */
bool sdk_settings_check_time(struct sdk *s, uint64_t now_ns);

/* Fill the fields of a report about settings and lease; borrows from `copy`. */
void sdk_settings_report(struct sdk *s, struct control_report *r, struct lease *copy);

#endif
