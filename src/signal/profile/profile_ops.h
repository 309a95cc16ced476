/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_SIGNAL_PROFILE_PROFILE_OPS_H
#define VARVE_SIGNAL_PROFILE_PROFILE_OPS_H

#include "signal/profile/profile_builder.h"

/*
 * What can be done with whole batches. All of them leave the invariants of profile.h intact, and
 * on error (-ENOMEM, -EOVERFLOW) leave their input as it was. One thread.
 */

/*
 * Append all of `src` to the batch that `dst` builds: resources, scopes and profiles one by one,
 * dictionary rows shared with what is there. Strings are copied, so src and its input may go.
 */
MUST_USE int profile_append(struct profile_builder *dst, const struct profile_batch *src);

/*
 * The same as profile_append() into an empty batch, but only what the samples reach, each row
 * once, in the order of first use: no orphans, no duplicates. Resources and scopes that are equal
 * become one, empty ones go. Strings are borrowed from src, which must outlive dst.
 */
MUST_USE int profile_normalize(struct profile_batch *dst, const struct profile_batch *src);

/*
 * Combine into `dst` (empty) the profiles of `src` that say the same thing at different times:
 * equal resource, scope, sample type, period type and attributes. Times span both, durations add
 * up, ids are dropped, samples are aggregated. This is what merging files means.
 */
MUST_USE int profile_combine(struct profile_batch *dst, const struct profile_batch *src);

/*
 * Make samples of one profile with equal identity (stack, set of attributes, link) one sample:
 * values without times are added up, with times they are appended.
 */
MUST_USE int profile_aggregate(struct profile_batch *dst, const struct profile_batch *src);

/* Keep the samples for which `keep` says yes; profiles stay, even empty. */
MUST_USE int profile_filter(struct profile_batch *dst, const struct profile_batch *src,
			    bool (*keep)(const struct profile_batch *src, uint32_t profile,
					 uint32_t sample, void *arg),
			    void *arg);

/*
 * Normalize, with tables and samples sorted by what they say instead of by first use: two batches
 * with the same content in whatever order become byte-identical.
 */
MUST_USE int profile_sort(struct profile_batch *dst, const struct profile_batch *src);

/*
 * Cut into parts whose OTLP protobuf encoding is at most `max_bytes` each, samples of one profile
 * spread over several where needed, and observations of one sample where it does not fit a part of
 * its own; each part with a dictionary of just its own. `emit` gets each part normalized and may
 * keep nothing of it; what it returns other than 0 ends the split. Profiles without samples are
 * left out. -E2BIG when a single observation does not fit with its stack.
 */
MUST_USE int profile_split(const struct profile_batch *src, size_t max_bytes,
			   int (*emit)(const struct profile_batch *part, void *arg), void *arg,
			   struct err *e);

#endif
