/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_TEST_DRIFT_SERVICE_H
#define VARVE_TEST_DRIFT_SERVICE_H

#include "query/drift/drift.h"

/*
 * A simulated service whose functions are sampled: for tests and for the benchmark of drift.
 *
 * Shares follow Zipf's law. The load changes over the day by 35 %; each function has a season of its own
 * (8 %, at the weekend 5 %) and noise with a memory. Bursts multiply the cost of a function for a while,
 * and each deploy changes every function a little. `harder` adds what real services have in addition:
 * bursts with a heavy tail that hit several functions at once, a nightly job, wandering shares, lost
 * slots, a changing number of machines.
 */
enum { DRIFT_FUNCTIONS = 500, DRIFT_BURSTS_MAX = 64 };

struct drift_service_options {
	double cores, hertz;
	double noise;	      /* standard deviation; its memory is an hour */
	double bursts_a_week; /* factors 1.3 to 3, about 20 minutes */
	double deploys_a_week;
	double deploy_change; /* standard deviation of what a deploy changes in each function */
	bool harder;
};

#define DRIFT_SERVICE_OF_NOTE                                                                      \
	(struct drift_service_options)                                                             \
	{                                                                                          \
		.cores = 10, .hertz = 19, .noise = 0.03, .bursts_a_week = 20,                      \
		.deploys_a_week = 3.5, .deploy_change = 0.01                                       \
	}

struct drift_burst {
	uint32_t first, n; /* functions */
	double ends;	   /* slot, with a fraction */
	double factor;
};

struct drift_service {
	struct drift_service_options options;
	uint64_t seed, slot;
	double share[DRIFT_FUNCTIONS], amplitude[DRIFT_FUNCTIONS], phase[DRIFT_FUNCTIONS];
	double weekend[DRIFT_FUNCTIONS], noise[DRIFT_FUNCTIONS], wander[DRIFT_FUNCTIONS];
	double step[DRIFT_FUNCTIONS]; /* logarithm of what deploys and injected changes did */
	struct drift_burst bursts[DRIFT_BURSTS_MAX];
	uint32_t bursts_n;
	double machines;
	bool deployed; /* with the last slot */
	struct drift_count counts[DRIFT_FUNCTIONS];
};

void drift_service_init(struct drift_service *s, const struct drift_service_options *options,
			uint64_t seed);

/* Make the next slot; it is valid until the next call. */
struct drift_slot drift_service_next(struct drift_service *s);

/* A random number in [0, 1). */
double drift_service_random(struct drift_service *s);

#endif
