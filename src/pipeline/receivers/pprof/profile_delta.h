/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_RECEIVERS_PPROF_PROFILE_DELTA_H
#define VARVE_PIPELINE_RECEIVERS_PPROF_PROFILE_DELTA_H

#include "signal/profile/profile.h"

/*
 * Turns sums since the start of a process into what was added since the previous profile of the
 * same source: allocations (alloc_objects, alloc_space) and waiting (contentions, delay). Other
 * sample types, such as memory in use, pass through.
 *
 *	rc = profile_delta_apply(&d, &batch, now, scratch, e);	// changes the batch
 *	... deliver ...
 *	profile_delta_commit(&d);	// or not: the next profile then has what this one had, too
 *
 * The first profile has nothing of these sample types. If a sum is lower than before, the process
 * was started again; that profile has nothing of them, too. Samples are the same if their types,
 * stacks and text labels are: by names and lines, and by addresses where there are no names. One
 * thread.
 */
struct delta_row;

struct profile_delta {
	struct delta_row *rows; /* hash table */
	uint32_t capacity;	/* 0 or a power of 2 */
	uint32_t count, limit;
	uint32_t round;		/* number of calls of profile_delta_apply() */
	bool begun;		/* a profile was committed */
	bool restarted;		/* in this round */
	uint64_t time, pending; /* of the committed profile and of this round, ns since 1970 */
};

enum { PROFILE_DELTA_ROWS_MAX = 1 << 18 };

/* `limit` is the number of samples to remember, 0: PROFILE_DELTA_ROWS_MAX. */
void profile_delta_init(struct profile_delta *d, uint32_t limit);
void profile_delta_fini(struct profile_delta *d);

/*
 * Subtract the committed profile from the batch, whose samples have one value each. Samples of 0
 * are removed, and profiles without others; the profiles that were changed begin at the time of the
 * committed one. Return 0,
 * -ENOMEM, or -E2BIG with text in `e` for more samples than can be remembered: all is forgotten
 * then.
 */
MUST_USE int profile_delta_apply(struct profile_delta *d, struct profile_batch *b, uint64_t now,
				 struct arena *scratch, struct err *e);

/* Remember what the last call of profile_delta_apply() has read. */
void profile_delta_commit(struct profile_delta *d);

#endif
