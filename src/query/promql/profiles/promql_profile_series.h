/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_QUERY_PROMQL_PROFILES_PROMQL_PROFILE_SERIES_H
#define VARVE_QUERY_PROMQL_PROFILES_PROMQL_PROFILE_SERIES_H

#include "base/container/idset.h"
#include "base/container/map.h"
#include "query/promql/profiles/promql_profile_names.h"
#include "query/promql/promql_source.h"
#include "store/store.h"

/*
 * The series of profiles that a selector of PromQL selects, and their labels as PromQL sees them.
 *
 * Labels of a series have the names of profile_naming_get(), and aliases (profile_aliases_of()). The
 * labels of functions and `scope` are not among them.
 */

/* What a selector asks for. Everything is borrowed. */
struct profile_plan {
	const struct promql_select *select;
	struct str metric; /* name of the metric */
	bool scopes[2];	   /* by profile_scopes */
	/* Only the labels of the grouping are needed: of series, of functions. */
	bool sums_series, sums_frames;
	bool frame_needed[PROFILE_FRAME_LABELS], frame_matched[PROFILE_FRAME_LABELS];
};

/* Return a selection of the range, in ms since 1970, both included, without selector and limits. */
struct store_select profile_range(int64_t from_ms, int64_t to_ms);

/* Read the matchers and hints of a selector. Return 0 or -errno. */
MUST_USE int profile_plan_init(struct profile_plan *p, const struct promql_select *select,
			       struct str metric, struct err *e);

/* Return whether the functions have to be told apart in the result; in the selection. */
bool profile_plan_splits(const struct profile_plan *p);
bool profile_plan_filters(const struct profile_plan *p);

/* When profiles of a set were taken, in a slot of time. */
struct profile_moment {
	int64_t slot, last; /* end of the slot, the last profile in it: ms since 1970 */
	uint32_t count;
};

/* Series that have the same labels, as far as these are needed. */
struct profile_set {
	const struct promql_label *labels; /* sorted by name */
	uint32_t label_count;
	VEC(struct profile_moment) moments; /* in any order until profile_sets_sort() */
};

/* A profile type of the metric. */
struct profile_metric_type {
	struct str id;
	struct profile_metric metric;
};

struct profile_sets {
	struct arena *arena; /* borrowed */
	VEC(struct profile_set) sets;
	struct idset index;
	struct map of_series; /* number of the store -> index into sets */
	VEC(struct profile_metric_type) types;
	struct profile_naming_table names;
	VEC(struct str) services; /* of the series, up to PROFILE_SERVICES of them */
	bool more_services;
};

/* More services than this are not listed in the selector of the store. */
enum { PROFILE_SERVICES = 64 };

/*
 * List the series that the plan selects in the range of `in` (tenant, times, limits). Memory is in
 * the arena. Return 0 or -errno.
 */
MUST_USE int profile_sets_list(struct profile_sets *out, const struct profile_plan *plan,
			       struct store *store, const struct store_select *in, struct arena *a,
			       struct err *e);

/*
 * Add matchers to a selector of the store, so that it selects the profiles of that type and few
 * others than those of the sets. Return 0 or -errno.
 */
MUST_USE int profile_sets_push(const struct profile_sets *s, const struct profile_plan *plan,
			       struct str type, struct selector *out, struct err *e);

/* Note a profile of a set. Return 0 or -ENOMEM. */
MUST_USE int profile_set_note(struct profile_sets *s, uint32_t set, int64_t slot, int64_t time);

/* Sort the moments, with one for each slot. */
void profile_sets_sort(struct profile_sets *s);

/* Compare labels by name; for qsort(). */
int profile_label_compare(const void *a, const void *b);

#endif
