/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_QUERY_PROMQL_PROFILES_PROMQL_PROFILE_SLOTS_H
#define VARVE_QUERY_PROMQL_PROFILES_PROMQL_PROFILE_SLOTS_H

#include "query/promql/promql_source.h"

/*
 * The slots of time by which profiles are added up: between two times at which a window of the
 * query begins or ends, so that each window is a number of whole slots and its sum is exact.
 * Functions that look into a window have finer slots in addition: one for each profile, unless the
 * range is so long that more than PROFILE_SLOTS_FINE would result.
 *
 * A counter is continuous over the range if only differences are used (rate() and the like). Else
 * it begins at 0 at midnight (UTC), as counters do when a process starts; it is the same for each
 * range that way.
 */
enum { PROFILE_SLOTS_FINE = 20000 };

struct profile_slots {
	int64_t from, to; /* what is read: ms since 1970, both included */
	int64_t edge;	  /* a window ends there, and every `step` before and after */
	int64_t step;	  /* 0: there is one window */
	int64_t range;	  /* windows begin this much earlier; 0: they have no begin */
	int64_t fine;	  /* 0: no finer slots */
	bool continuous;  /* counters do not begin again at midnight */
	bool exact;	  /* of counters only the differences between slots are used */
};

/* Choose the slots of a selector. */
struct profile_slots profile_slots_of(const struct promql_select *s, bool gauge);

/* Return the end of the slot of a time in the range. */
int64_t profile_slot_end(const struct profile_slots *s, int64_t time);

enum { PROFILE_DAY_MS = 86400000 };

/* Return the number of the UTC day. */
static inline int64_t profile_day_of(int64_t ms)
{
	return ms >= 0 ? ms / PROFILE_DAY_MS : -((PROFILE_DAY_MS - 1 - ms) / PROFILE_DAY_MS);
}

#endif
