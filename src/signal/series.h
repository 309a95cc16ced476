/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_SIGNAL_SERIES_H
#define VARVE_SIGNAL_SERIES_H

#include "signal/profile/profile.h"
#include "signal/profile/profile_type.h"
#include "signal/selector.h"

/*
 * Maps the samples of a batch to series. A series is one profile type with one set of labels; its
 * labels identify it:
 *
 *	service_name		the resource's service.name, or "unknown_service..."
 *	__profile_type__	name:sample type:sample unit:period type:period unit
 *	__name__, __type__, __unit__, __period_type__, __period_unit__, __service_name__
 *	and every other attribute of the resource, the scope, the profile and (text only) the sample
 *
 * The profile type and the naming rules are Pyroscope's, so that its clients find what they sent:
 * see docs/series.md. If a resource and a sample have an attribute of the same name, the resource's
 * is used.
 */
struct series {
	struct label_set labels;
	uint32_t profile; /* of the batch */
	/* Factor for each value: the period if samples count periods, else 1. */
	int64_t scale;
};

#define SERIES_NONE UINT32_MAX

/* A rejected profile, whose samples have no series, and the reason in one line. */
struct series_refusal {
	uint32_t profile;
	struct str reason;
};

struct series_map {
	VEC(struct series) series; /* grouped by profile, in profile order */
	uint32_t *of_sample;	   /* by sample of the batch: its series, or SERIES_NONE */
	VEC(struct series_refusal) refused;
};

struct series_limits {
	uint32_t labels, name_bytes, value_bytes; /* per series; a profile over it is rejected */
};

extern const struct series_limits series_limits_default; /* 100 labels, 1,024 and 4,096 bytes */

/*
 * Map the batch; NULL limits are the default ones. All memory is the arena's; strings may borrow
 * from the batch. 0 or -ENOMEM.
 */
MUST_USE int series_map_init(struct series_map *m, const struct profile_batch *batch,
			     const struct series_limits *limits, struct arena *arena);

#endif
