/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_PYROSCOPE_FIXUPS_H
#define VARVE_PIPELINE_PYROSCOPE_FIXUPS_H

#include "signal/profile/profile.h"

/*
 * What Pyroscope's server does to profiles that come in, so that its clients find what they expect.
 * All of them change a batch that was just decoded, in place; 0 or -ENOMEM.
 */

/* All resources get these attributes and no others. Texts are borrowed. */
MUST_USE int fixup_resource(struct profile_batch *b, const struct keyvalue *attributes, uint32_t n);

/*
 * Profiles without a time, or with one in 1970 (which are other units), began at `from`; 0: when they arrive, so that a
 * retry is known by its id though it arrives later.
 */
void fixup_time(struct profile_batch *b, uint64_t from, uint64_t until);

/* Shift all times so that the first profile that has one begins at `from`. */
void fixup_shift(struct profile_batch *b, uint64_t from);

/* Shift a recording that has nothing in common with the range: it was made before and is sent now. */
void fixup_outside(struct profile_batch *b, uint64_t from, uint64_t until);

/* Samples without a trace are of this one: `link` has a trace and no span. */
MUST_USE int fixup_trace(struct profile_batch *b, const struct link *link);

/* Functions are called "file.py name", as scripting languages want it; not those of absolute paths if `keep_absolute`. */
MUST_USE int fixup_script_names(struct profile_batch *b, bool keep_absolute);

/* .NET's sample types: '-' becomes '_'. */
MUST_USE int fixup_type_dashes(struct profile_batch *b);

/*
 * The attribute profile_id (or span_id) of samples, 16 hex digits, becomes their link. Attributes
 * that a recording has of each sample's thread and object go: they would each be a series.
 */
MUST_USE int fixup_sample_attributes(struct profile_batch *b, bool recording);

/*
 * Ids of the profiles, so that a retry is kept once. A UUID is taken as it is, other text by its hash; the
 * profiles of one batch get different ones. Empty text: none.
 */
void fixup_ids(struct profile_batch *b, struct str id);

#endif
