/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_QUERY_DRIFT_DRIFT_WATCH_H
#define VARVE_QUERY_DRIFT_DRIFT_WATCH_H

#include "query/drift/drift.h"
#include "query/drift/drift_versions.h"

/*
 * The detector of one service and profile type, fed from a store. Functions count by self cost: a
 * change of a total is the sum of changes of what it calls, and would be found at every caller.
 * Values are divided by what a sample counts for, because the detector needs counts.
 *
 * One thread at a time.
 */
enum {
	DRIFT_NAMES_MAX = 1 << 16, /* functions that are told apart */
	DRIFT_FINDINGS_MAX = 64	   /* of one slot; others are not reported */
};

struct drift_watch {
	struct arena arena; /* of names; charged to the budget of the detectors */
	struct str tenant, service, type;
	struct drift *drift;
	struct idset index;
	VEC(struct str) keys; /* by number of the function */
	VEC(struct drift_count) counts;
	struct drift_versions versions;
	uint64_t first, next; /* slots: the first with data (0: none yet); to be read next */
	uint64_t unit;
	bool full; /* the budget of the detectors does not suffice for it */
	/* Of the last slot. */
	struct drift_finding findings[DRIFT_FINDINGS_MAX];
	uint32_t finding_n;
	uint64_t total; /* values of all functions */
};

/* Begin to watch a service, whose strings are copied. Return NULL without memory. */
struct drift_watch *drift_watch_new(struct str tenant, struct str service, struct str type,
				    struct budget *budget);
void drift_watch_free(struct drift_watch *w); /* takes NULL */

/*
 * Read the slots [w->next, end) of the store, at most `most`, and call found() after each one with
 * findings. found() returns 0, or -errno which ends the step. w->next is the slot after the last one
 * that was read. `memory` is the budget of queries. Return 0; -ENOMEM, which leaves out a slot (w->full: for
 * want of memory of the detectors); or another -errno of the store, after which the slot can be read
 * again.
 */
struct drift_step {
	struct store *store;
	struct budget *memory;
	const _Atomic bool *cancelled;
	int (*found)(void *ctx, struct drift_watch *w);
	void *ctx;
};
MUST_USE int drift_watch_step(struct drift_watch *w, const struct drift_step *step, uint64_t end,
			      uint32_t most, struct err *e);

/* Return the source of the service in a store. */
struct drift_source drift_watch_source(const struct drift_watch *w, const struct drift_step *step);

/* Return the key of a function of a finding. */
static inline struct str drift_watch_key(const struct drift_watch *w, uint32_t function)
{
	return w->keys.at[function];
}

#endif
