/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_QUERY_PROMQL_PROFILES_PROMQL_PROFILE_NAMES_H
#define VARVE_QUERY_PROMQL_PROFILES_PROMQL_PROFILE_NAMES_H

#include "base/container/idset.h"
#include "signal/profile/profile_type.h"
#include "signal/selector.h"

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
 * The names by which PromQL knows the labels of series: other characters than [A-Za-z0-9_] are '_',
 * and a label that is named as one of a function, `scope` or `service` has the prefix exported_.
 */
struct profile_raw_label {
	struct str raw, name; /* name: empty for internal labels (__x__) */
};

struct profile_naming_table {
	struct arena *arena; /* borrowed */
	VEC(struct profile_raw_label) rows;
	struct idset index;
};

MUST_USE int profile_naming_init(struct profile_naming_table *t, struct arena *a);

/*
 * Labels that are made of others, by which metrics of the same process can be joined: service, version,
 * and job and instance as in metrics of OpenTelemetry. A series has them unless they are empty, or,
 * except for service, it has a label of that name.
 */
enum { PROFILE_ALIASES = 4 };
struct profile_alias {
	struct str name, value;
};

/* Set the aliases of a series; values borrow from it or are in the arena. Return 0 or -ENOMEM. */
MUST_USE int profile_aliases_of(struct profile_alias out[PROFILE_ALIASES], struct label_set raw,
				struct arena *a);

/* Return whether the name is one of an alias. */
bool profile_is_alias(struct str name);

/* Set *name to the name of a label. Return 0 or -ENOMEM. */
MUST_USE int profile_naming_get(struct profile_naming_table *t, struct str raw, struct str *name);

#endif
