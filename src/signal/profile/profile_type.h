/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_SIGNAL_PROFILE_PROFILE_TYPE_H
#define VARVE_SIGNAL_PROFILE_PROFILE_TYPE_H

#include "signal/series.h"

/* Private to src/signal: what the profile type of a profile is. */
struct profile_naming {
	struct profile_type type; /* texts are the batch's, constants, or the arena's */
	int64_t scale;
};

/* Is there a profile of CPU time in the scope that begins with profile `first`, so that counts need not stand for it? */
bool profile_scope_has_cpu_time(const struct profile_batch *b, uint32_t first);

/*
 * Name profile `p` of the batch. `name` is what its sender calls it (`__name__`); empty: found by
 * the rules of docs/series.md. 0 or -ENOMEM.
 */
MUST_USE int profile_type_name(struct profile_naming *out, const struct profile_batch *b,
			       uint32_t p, struct str name, bool has_cpu_time, struct arena *arena);

#endif
