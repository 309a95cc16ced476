/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_QUERY_TREE_PRUNE_H
#define VARVE_QUERY_TREE_PRUNE_H

#include "base/regex.h"
#include "signal/sample_type.h"

/*
 * Removes the frames a profile itself declares uninteresting: pprof's drop_frames and keep_frames,
 * such as an allocator's own functions in a heap profile. A function that matches drop_frames and
 * not keep_frames is removed with its callees, so that its caller becomes the leaf.
 *
 * The rules are those of Profile.RemoveUninteresting() in google/pprof: patterns match whole names
 * without their argument lists; a pattern that does not compile is ignored; and frames are removed
 * only below a frame that is not dropped, so that no stack becomes empty.
 */
struct prune {
	const struct profile_batch *batch; /* borrowed */
	struct regex *drop, *keep;	   /* without `drop` nothing is pruned */
	uint8_t *known;			   /* one per string: 0 unknown, 1 keep, 2 drop */
};

/*
 * Compile the patterns of the batch's profiles of that type. If the profiles differ in their
 * patterns, nothing is pruned, because their stacks are merged. 0 or -errno. Fini in every case.
 */
MUST_USE int prune_init(struct prune *p, const struct profile_batch *batch, struct sample_type type,
			struct arena *arena);
void prune_fini(struct prune *p);

/* Return how many of the location's lines are dropped, from the innermost; or -errno. */
MUST_USE int prune_lines(struct prune *p, const struct location *location, struct err *e);

#endif
