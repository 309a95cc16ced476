/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_QUERY_PROMQL_PROFILES_PROMQL_PROFILE_EXEMPLARS_H
#define VARVE_QUERY_PROMQL_PROFILES_PROMQL_PROFILE_EXEMPLARS_H

#include "query/promql/profiles/promql_profile_sums.h"

/*
 * Exemplars of metrics of profiles: samples that were taken in a span. Of each series the largest
 * ones.
 */
enum { PROFILE_EXEMPLARS = 5, PROFILE_EXEMPLAR_SERIES = 1000 };

struct profile_exemplar {
	int64_t time_ms;
	double value;
	struct link link;
};

/* Valid until it returns; in order of time. Return 0, or -errno, which ends the query. */
typedef int profile_visit_exemplars(void *ctx, const struct profile_labels *labels,
				    const struct profile_exemplar *x, uint32_t n);

/*
 * Visit the exemplars of the series that `select` selects, up to PROFILE_EXEMPLAR_SERIES series. Its
 * hints are not used. Memory is in the arena. Return 0 or -errno.
 */
MUST_USE int profile_exemplars_find(const struct profile_source *source,
				    const struct promql_select *select,
				    profile_visit_exemplars *visit, void *ctx, struct arena *a,
				    struct err *e);

#endif
