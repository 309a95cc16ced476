/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_PYROSCOPE_FIXUPS_H
#define VARVE_PIPELINE_PYROSCOPE_FIXUPS_H

#include "signal/profile/profile.h"

/*
 * Changes that Pyroscope's server makes to received profiles and its clients rely on. Each function
 * modifies a decoded batch in place and returns 0 or -ENOMEM.
 */

/* Replace the attributes of all resources. Strings are borrowed. */
MUST_USE int fixup_resource(struct profile_batch *b, const struct keyvalue *attributes, uint32_t n);

/*
 * Set the time of profiles without one, or with one in 1970 (in the wrong unit), to `from`. 0 means
 * the time of arrival, which is filled in later so that a retry keeps its id.
 */
void fixup_time(struct profile_batch *b, uint64_t from, uint64_t until);

/* Shift all times so that the first profile that has one begins at `from`. */
void fixup_shift(struct profile_batch *b, uint64_t from);

/* Shift all times to `from` if none is within the range: the recording is older than its upload. */
void fixup_outside(struct profile_batch *b, uint64_t from, uint64_t until);

/* Assign samples without a trace to the trace of `link`, which has no span. */
MUST_USE int fixup_trace(struct profile_batch *b, const struct link *link);

/*
 * Rename functions to "file.py name", as for scripting languages; skip absolute paths if
 * `keep_absolute`.
 */
MUST_USE int fixup_script_names(struct profile_batch *b, bool keep_absolute);

/* Replace '-' by '_' in sample types (.NET). */
MUST_USE int fixup_type_dashes(struct profile_batch *b);

/*
 * Turn the attribute profile_id (or span_id) of samples, 16 hex digits, into their link. For a
 * recording (JFR), remove the attributes of thread and object: each value would become a series.
 */
MUST_USE int fixup_sample_attributes(struct profile_batch *b, bool recording);

/*
 * Set the ids of the profiles, so that a retry is stored once: a UUID as it is, other text by its
 * hash. Each profile of a batch gets its own id. Empty text sets none.
 */
void fixup_ids(struct profile_batch *b, struct str id);

#endif
