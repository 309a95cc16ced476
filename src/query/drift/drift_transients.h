/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_QUERY_DRIFT_DRIFT_TRANSIENTS_H
#define VARVE_QUERY_DRIFT_DRIFT_TRANSIENTS_H

#include "base/base.h"

/*
 * What is known about the bursts of one service: deviations that went away by themselves. A burst and
 * a regression look the same until the burst ends, so a deviation must last so long that a burst of its
 * size is unlikely to.
 */
enum { DRIFT_TRANSIENTS_MAX = 128 };

struct drift_transients {
	struct {
		uint64_t end;	/* slot */
		uint32_t slots; /* duration */
		float size;	/* absolute logarithm of the ratio */
	} at[DRIFT_TRANSIENTS_MAX];
	uint32_t n; /* ever added; the last DRIFT_TRANSIENTS_MAX are kept */
};

void drift_transients_add(struct drift_transients *t, uint64_t end, uint32_t slots, double size);

/*
 * Return how many slots a deviation of this size has to last at slot `now`, so that bursts of about this
 * size last longer less than once in many weeks. `age` is the number of slots that were observed. `chance`
 * is the part of the bursts that matter: 1, or less for those that begin at a given event.
 */
uint32_t drift_transients_wait(const struct drift_transients *t, uint64_t now, uint64_t age,
			       double size, double chance);

#endif
