/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_QUERY_PROMQL_PROFILES_PROMQL_PROFILE_SUMS_H
#define VARVE_QUERY_PROMQL_PROFILES_PROMQL_PROFILE_SUMS_H

#include "query/promql/profiles/promql_profile_frames.h"
#include "query/promql/profiles/promql_profile_slots.h"
#include "query/promql/profiles/promql_profiles.h"

/*
 * Sums by set of series, class of functions and slot, read from the store. Sums are exact 64-bit
 * integers, of the same profiles and stacks as those of tables and charts.
 */
enum { PROFILE_ROWS_MAX = 262144 };

struct profile_entry {
	int64_t slot, sum; /* end of the slot */
};

/* A series of the result. */
struct profile_row {
	uint32_t set, class; /* class: PROFILE_NO_CLASS if functions are not told apart */
	bool total;	     /* by profile_scopes */
	VEC(struct profile_entry) entries; /* in any order until profile_row_sort() */
};

struct profile_sums {
	struct arena *arena; /* borrowed */
	double divisor;	     /* of all sums, also if types have several units */
	const struct profile_plan *plan;
	struct profile_slots slots;
	struct profile_sets sets;
	struct profile_classes classes;
	VEC(struct profile_row) rows;
	struct map index; /* set, class and scope -> row */
};

/* Read. Memory is in the arena. Return 0 or -errno. */
MUST_USE int profile_sums_read(struct profile_sums *out, const struct profile_plan *plan,
			       const struct profile_source *source, struct arena *a, struct err *e);

struct profile_labels {
	VEC(struct promql_label) list;
};

/* Set *out to the labels of a row, sorted; the list is in the arena. Return 0 or -ENOMEM. */
MUST_USE int profile_row_labels(struct profile_labels *out, const struct profile_sums *s,
				const struct profile_row *row, struct arena *a);

/* Return whether the metric is a gauge. */
bool profile_sums_are_gauges(const struct profile_sums *s);

/* Sort the entries of a row, with one for each slot. */
void profile_row_sort(struct profile_row *row);

#endif
