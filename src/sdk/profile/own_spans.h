/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_SDK_PROFILE_OWN_SPANS_H
#define VARVE_SDK_PROFILE_OWN_SPANS_H

#include "signal/profile/profile.h"
#include "varve/varve.h"

/*
 * Spans of the profilers' own work, with the option trace_profiler. An export is a span
 * profile-export-flush; in it, each kind of profile is a span such as cpu-profile-collection. The
 * heap's profile has allocations too, for which there is a second span, alloc-profile-collection.
 * All functions do nothing with the zero value.
 */
struct own_spans {
	struct varve_span *whole, *alloc;
	uint64_t start_ns;
	bool has_samples, has_allocations;
};

/* Begin the span of an export; end it with the number and encoded bytes of its profiles. */
struct own_spans own_export_begin(bool enabled);
void own_export_end(const struct own_spans *s, uint64_t profiles, uint64_t bytes);

/* Begin the spans of one kind. */
struct own_spans own_profile_begin(bool enabled, enum varve_profile kind);

/* Note the samples of the collected batch. */
void own_profile_collected(struct own_spans *s, const struct profile_batch *batch);

/* End them with the encoded bytes, and 0 or the -errno for which the profile is not sent. */
void own_profile_end(const struct own_spans *s, uint64_t bytes, int rc);

#endif
