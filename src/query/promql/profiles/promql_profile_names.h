/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_QUERY_PROMQL_PROFILES_PROMQL_PROFILE_NAMES_H
#define VARVE_QUERY_PROMQL_PROFILES_PROMQL_PROFILE_NAMES_H

#include "signal/profile/profile_type.h"

/*
 * Names of metrics that profiles are (docs/promql.md, "Profiles"), and of their labels.
 *
 * A metric is profile_<type>_<unit>. The type is the name of the profile and the sample type, each
 * once: process_cpu:cpu -> cpu, wall:wall -> wall, memory:alloc_space -> memory_alloc_space. The unit
 * is seconds for all times; counts have none.
 */
struct profile_metric {
	struct str name, unit; /* unit: empty for counts */
	struct str help;
	double divisor; /* of stored values */
	bool gauge;
};

#define PROFILE_METRIC_PREFIX STR("profile_")

/* Set *out to the metric of a profile type; strings are in the arena. Return 0 or -ENOMEM. */
MUST_USE int profile_metric_of(struct profile_metric *out, const struct profile_type *t,
			       struct arena *a);

/* The labels that functions have, which no label of a series may have. */
enum profile_frame_label {
	PROFILE_FUNCTION,
	PROFILE_PACKAGE,
	PROFILE_MODULE,
	PROFILE_FILE,
	PROFILE_FRAME_LABELS
};
extern const struct str profile_frame_labels[PROFILE_FRAME_LABELS];

/* What a value counts: samples that end in the function (self), or all that contain it (total). */
#define PROFILE_SCOPE STR("scope")
extern const struct str profile_scopes[2];

/* Return the number of the frame label of that name, or PROFILE_FRAME_LABELS. */
enum profile_frame_label profile_frame_label_find(struct str name);

/*
 * Set *out to the name by which PromQL knows a label of a series: other characters than [A-Za-z0-9_]
 * are '_', and a label named as one of a function has the prefix exported_. It is empty for
 * internal labels (__x__). Return 0 or -ENOMEM.
 */
MUST_USE int profile_label_name(struct str *out, struct str raw, struct arena *a);

#endif
