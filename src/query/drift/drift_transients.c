/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Durations are taken as exponential above the shortest one that is noticed, with the mean of all
 * bursts of the last weeks: N bursts of about that size in a week, of which a part exp(-t / mean) lasts longer than t
 * give N * exp(-t / mean) false findings a week, which is set to the number that is accepted. If a
 * burst lasted longer than that suggests, the tail is heavier: then the wait follows the longest one.
 */
#include "query/drift/drift_transients.h"

#include <math.h>

#include "query/drift/drift.h"

enum {
	MEMORY = 6 * DRIFT_SLOTS_PER_WEEK,
	NOTICED = 2,  /* slots: shorter bursts are rarely noticed */
	SHORTEST = 6, /* limits of the result */
	LONGEST = 12 * DRIFT_SLOTS_PER_HOUR
};

#define ACCEPTED 0.005 /* false findings a week and class of size */
#define COMPARABLE 1.6 /* sizes differ by less than this factor */
#define TAIL 1.25
#define PRIOR_BURSTS 0.25 /* added to what was seen: a burst of PRIOR_SLOTS */
#define PRIOR_SLOTS 2.0

void drift_transients_add(struct drift_transients *t, uint64_t end, uint32_t slots, double size)
{
	uint32_t i = t->n++ % DRIFT_TRANSIENTS_MAX;

	t->at[i].end = end;
	t->at[i].slots = slots;
	t->at[i].size = (float)size;
}

uint32_t drift_transients_wait(const struct drift_transients *t, uint64_t now, uint64_t age,
			       double size, double chance)
{
	uint32_t kept = t->n < DRIFT_TRANSIENTS_MAX ? t->n : DRIFT_TRANSIENTS_MAX;
	double n = PRIOR_BURSTS, all = PRIOR_BURSTS, sum = PRIOR_BURSTS * PRIOR_SLOTS, longest = 0,
	       wait;
	double weeks = (double)(age < MEMORY ? age : MEMORY) / DRIFT_SLOTS_PER_WEEK;

	for (uint32_t i = 0; i < kept; i++) {
		double ratio = t->at[i].size / size;
		uint32_t slots = t->at[i].slots;

		if (now - t->at[i].end > MEMORY || slots <= NOTICED)
			continue;
		all++;
		sum += slots - NOTICED;
		if (ratio > COMPARABLE || ratio < 1 / COMPARABLE)
			continue;
		n++;
		longest = fmax(longest, slots);
	}
	wait = NOTICED + sum / all * log(fmax(1, n / fmax(weeks, 1) * chance / ACCEPTED));
	if (chance >= 1)
		wait = fmax(fmax(wait, TAIL * longest), SHORTEST);
	return (uint32_t)fmin(ceil(wait), LONGEST);
}
