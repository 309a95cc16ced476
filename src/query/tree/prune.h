/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_QUERY_TREE_PRUNE_H
#define VARVE_QUERY_TREE_PRUNE_H

#include "base/regex.h"
#include "signal/sample_type.h"

/*
 * The frames a profile itself calls uninteresting: pprof's drop_frames and keep_frames, such as an
 * allocator's own functions in a heap profile. A function that the first matches and the second
 * does not is cut off with all that it calls, so that the caller is the leaf.
 *
 * The rules are those of Profile.RemoveUninteresting() in google/pprof: patterns match whole names
 * without their argument lists; one that does not compile is as if it were not there; and nothing
 * is cut before the first frame that is not to be dropped, so that no stack becomes empty.
 */
struct prune {
	const struct profile_batch *batch; /* borrowed */
	struct regex *drop, *keep;	   /* no drop: nothing is pruned */
	uint8_t *known;			   /* one a string: 0 unknown, 1 stays, 2 goes */
};

/*
 * Take the patterns of the batch's profiles of that type. Where these do not agree nothing is
 * pruned: their stacks are added up together. 0 or -errno. Fini it in every case.
 */
MUST_USE int prune_init(struct prune *p, const struct profile_batch *batch, struct sample_type type,
			struct arena *arena);
void prune_fini(struct prune *p);

/* How many of the location's lines go, counted from the innermost; or -errno. */
MUST_USE int prune_lines(struct prune *p, const struct location *location, struct err *e);

#endif
