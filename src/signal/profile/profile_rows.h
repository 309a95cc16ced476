/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_SIGNAL_PROFILE_PROFILE_ROWS_H
#define VARVE_SIGNAL_PROFILE_PROFILE_ROWS_H

#include "signal/profile/profile_builder.h"

/*
 * Appends rows that are never shared to a batch: resources, scopes, profiles and samples. Errors
 * are those of profile_builder.h.
 */

/* Copy the bytes of a value, if it has any, into the arena. 0 or -ENOMEM. */
MUST_USE int profile_copy_value(struct arena *arena, struct value *v);

/* Append a resource or a scope; attributes, name and version are copied. */
MUST_USE int profile_add_resource(struct profile_builder *b, const struct keyvalue *attributes,
				  uint32_t n);
MUST_USE int profile_add_scope(struct profile_builder *b, struct str name, struct str version,
			       const struct keyvalue *attributes, uint32_t n);

/*
 * Append a profile of the last scope. row->scope, attributes and samples are ignored and set here;
 * the caller has interned the strings (sample type and unit, ...). The row is
 * batch->profiles.at[batch->profiles.n - 1] and may be completed later (duration, ...).
 */
MUST_USE int profile_add_profile(struct profile_builder *b, const struct profile *row,
				 const uint32_t *attributes, uint32_t n);

/* Append an empty resource, a scope without a name, and a profile of that sample type. */
MUST_USE int profile_begin(struct profile_builder *b, struct str type, struct str unit);

/*
 * Append a sample with one value and no time to the last profile. `attributes` are ids with
 * distinct keys. For a sample with times, append to the pools and call profile_sample_end()
 * instead.
 */
MUST_USE int profile_add_sample(struct profile_builder *b, uint32_t stack, uint32_t link,
				const uint32_t *attributes, uint32_t n, int64_t value);

#endif
