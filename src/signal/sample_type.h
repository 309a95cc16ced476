/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_SIGNAL_SAMPLE_TYPE_H
#define VARVE_SIGNAL_SAMPLE_TYPE_H

#include "base/buf.h"
#include "signal/profile/profile.h"

/*
 * Sample types: what the samples of a profile count. A batch has one profile per sample type and
 * source; a query selects one type, over all profiles that have it.
 */
struct sample_type {
	struct str type, unit; /* borrowed from the batch, or copied by the caller */
};

/* Return whether the profile has this type. */
bool sample_type_is(const struct profile_batch *b, const struct profile *p, struct sample_type t);

/*
 * Find the type that `wanted` names: "cpu" or "cpu/nanoseconds". Empty selects the default: the one
 * the source names (pprof.scope.default_sample_type); else with `last` (as `go tool pprof` does)
 * the last one; else, if the profiles were columns of one pprof file, the last one that is not a
 * count; else the first one with samples. 0, or -ENOENT with the existing types in `e`. The result
 * is borrowed from the batch.
 */
MUST_USE int sample_type_pick(struct sample_type *out, const struct profile_batch *b,
			      struct str wanted, bool last, struct err *e);

/* Append the types as "cpu/nanoseconds, samples/count", each once, in their order. */
void sample_type_list(struct buf *out, const struct profile_batch *b);

#endif
