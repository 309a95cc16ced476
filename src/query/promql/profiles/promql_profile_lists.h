/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_QUERY_PROMQL_PROFILES_PROMQL_PROFILE_LISTS_H
#define VARVE_QUERY_PROMQL_PROFILES_PROMQL_PROFILE_LISTS_H

#include "query/promql/profiles/promql_profiles.h"

/*
 * Lists of the labels of metrics of profiles, for completion.
 *
 * Labels of functions have values only for selectors: those read the stacks of the range.
 */
struct profile_list {
	struct profile_source source;
	int64_t from_ms, to_ms; /* both included */
	/* Any of these; those that select no profiles are left out. None: all metrics of profiles. */
	const struct promql_select *selects;
	uint32_t select_count;
};

/*
 * List the values of a label, or with an empty name the names of labels. Memory is in the arena.
 * Return 0 or -errno.
 */
MUST_USE int profile_texts_list(struct profile_texts *out, const struct profile_list *in,
				struct str name, struct arena *a, struct err *e);

#endif
