/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_SIGNAL_PROFILE_PROFILE_TYPE_H
#define VARVE_SIGNAL_PROFILE_PROFILE_TYPE_H

#include "signal/profile/profile.h"

/* Profile types in Pyroscope's form: name:sample type:sample unit:period type:period unit. */
struct profile_type {
	struct str id, name, sample_type, sample_unit, period_type, period_unit;
};

/*
 * Split an id of five parts, or six with "delta" as the last. Return false if it is not a profile
 * type. The parts are borrowed.
 */
bool profile_type_parse(struct profile_type *t, struct str id);

/*
 * Return whether values of the type are levels (heap in use, goroutines) and not amounts. Levels
 * are averaged over time and never summed.
 */
bool profile_type_is_gauge(struct str id);

/* ---- private to src/signal: the type of a profile of a batch ---- */

struct profile_naming {
	struct profile_type
		type;  /* strings are borrowed from the batch, constants, or the arena's */
	int64_t scale; /* see struct series */
};

/*
 * Return whether the scope whose first profile is `first` has a profile of CPU time, in which case
 * sample counts are not converted to CPU time.
 */
bool profile_scope_has_cpu_time(const struct profile_batch *b, uint32_t first);

/*
 * Determine the type of profile `p` of the batch. `name` is the name given by its sender
 * (`__name__`); if it is empty, the rules of docs/series.md apply. 0 or -ENOMEM.
 */
MUST_USE int profile_type_name(struct profile_naming *out, const struct profile_batch *b,
			       uint32_t p, struct str name, bool has_cpu_time, struct arena *arena);

#endif
