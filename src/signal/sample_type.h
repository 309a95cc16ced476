/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_SIGNAL_SAMPLE_TYPE_H
#define VARVE_SIGNAL_SAMPLE_TYPE_H

#include "base/buf.h"
#include "signal/profile/profile.h"

/*
 * What the samples of a batch count. A batch has one profile a sample type and source; a query is
 * about one type, over all profiles that have it.
 */
struct sample_type {
	struct str type, unit; /* borrowed from the batch, or copied by the caller */
};

/* Is it this profile's? */
bool sample_type_is(const struct profile_batch *b, const struct profile *p, struct sample_type t);

/*
 * Pick the type that `wanted` names: "cpu", "cpu/nanoseconds"; empty: the default, which is what
 * the source says (pprof.scope.default_sample_type), else with `last` (pprof's habit) the last one,
 * else of what were columns of one pprof the last that is no count, else the first that has
 * samples. 0, or -ENOENT with the types there are in `e`. The result is borrowed from the batch.
 */
MUST_USE int sample_type_pick(struct sample_type *out, const struct profile_batch *b,
			      struct str wanted, bool last, struct err *e);

/* "cpu/nanoseconds, samples/count", each once, in their order. */
void sample_type_list(struct buf *out, const struct profile_batch *b);

#endif
