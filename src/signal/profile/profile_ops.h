/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_SIGNAL_PROFILE_PROFILE_OPS_H
#define VARVE_SIGNAL_PROFILE_PROFILE_OPS_H

#include "signal/profile/profile_builder.h"

/*
 * Operations on whole batches: append, normalize, filter. All of them preserve the invariants of
 * profile.h, and on error (-ENOMEM, -EOVERFLOW) leave their input unchanged. One thread. More
 * operations are in profile_merge.h (combine, aggregate) and profile_split.h.
 */

/*
 * Append all of `src` to the batch that `dst` builds: resources, scopes and profiles are appended,
 * dictionary rows are shared with existing ones. Strings are copied, so src may be freed.
 */
MUST_USE int profile_append(struct profile_builder *dst, const struct profile_batch *src);

/*
 * Copy `src` into `dst`, an empty batch, without unused and duplicate rows: only the rows that
 * samples refer to, each once, in order of first use. Equal resources and scopes become one, empty
 * ones are dropped. Strings are borrowed from src, which must outlive dst.
 */
MUST_USE int profile_normalize(struct profile_batch *dst, const struct profile_batch *src);

/* Normalize, with only the samples for which keep() returns true; empty profiles are kept. */
MUST_USE int profile_filter(struct profile_batch *dst, const struct profile_batch *src,
			    bool (*keep)(const struct profile_batch *src, uint32_t profile,
					 uint32_t sample, void *arg),
			    void *arg);

#endif
