/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_SIGNAL_SERIES_H
#define VARVE_SIGNAL_SERIES_H

#include "signal/profile/profile.h"
#include "signal/selector.h"

/*
 * Which series the samples of a batch belong to. A series is one profile type of one set of labels;
 * its labels say all of it:
 *
 *	service_name		of the resource's service.name; "unknown_service..." without one
 *	__profile_type__	name:sample type:sample unit:period type:period unit
 *	__name__, __type__, __unit__, __period_type__, __period_unit__, __service_name__
 *	and every other attribute of the resource, the scope, the profile and (text only) the sample
 *
 * The profile type and the rules for names are Pyroscope's, so that its clients find what they
 * sent; docs/series.md has them. A resource's attribute wins over a sample's of the same name.
 */
struct series {
	struct label_set labels;
	uint32_t profile; /* of the batch */
	int64_t scale; /* what each value is multiplied by: the period, where samples are counts of it; else 1 */
};

#define SERIES_NONE UINT32_MAX

/* A profile that cannot be kept, and why: one line. Its samples have no series. */
struct series_refusal {
	uint32_t profile;
	struct str reason;
};

struct series_map {
	VEC(struct series) series; /* those of one profile are neighbours, in profile order */
	uint32_t *of_sample;	   /* one a sample of the batch, or SERIES_NONE */
	VEC(struct series_refusal) refused;
};

struct series_limits {
	uint32_t labels, name_bytes, value_bytes; /* of one series; over it a profile is refused */
};

extern const struct series_limits series_limits_default; /* 100 labels, 1,024 and 4,096 bytes */

/* Work it out; all memory is the arena's, texts may be the batch's. 0 or -ENOMEM. */
MUST_USE int series_map_init(struct series_map *m, const struct profile_batch *batch,
			     const struct series_limits *limits, struct arena *arena);

/* The five (or six) parts of a profile type; false when the text is not one. Borrowed. */
struct profile_type {
	struct str id, name, sample_type, sample_unit, period_type, period_unit;
};

bool profile_type_parse(struct profile_type *t, struct str id);

/*
 * Does it say how much there is at a moment (heap in use, goroutines) and not how much happened?
 * Such values are averaged over time and never summed.
 */
bool profile_type_is_gauge(struct str id);

#endif
