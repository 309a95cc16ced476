/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_API_PROMETHEUS_PROMETHEUS_PROFILES_H
#define VARVE_API_PROMETHEUS_PROMETHEUS_PROFILES_H

#include "api/prometheus/prometheus_request.h"
#include "query/promql/profiles/promql_profile_lists.h"

/* The part of profiles (docs/promql.md) in the lists of Prometheus' API. */

/*
 * List the values of a label in metrics of profiles, or with an empty name the names of labels:
 * sorted, in the request's arena. Return 0 or -errno.
 */
MUST_USE int prometheus_profile_texts(struct profile_texts *out, struct request *r,
				      const struct prometheus_selection *s, struct str name,
				      struct err *e);

/*
 * Append the selected series of profiles to the open array, up to s->limit together with the *n that
 * are in it; set *cut if there are more. Return 0 or -errno.
 */
MUST_USE int prometheus_put_profile_series(struct json_writer *w, struct request *r,
					   const struct prometheus_selection *s, uint64_t *n,
					   bool *cut, struct err *e);

/*
 * Append the exemplars of the series of profiles that selectors select to the open array. Return 0
 * or -errno.
 */
MUST_USE int prometheus_put_profile_exemplars(struct json_writer *w, struct request *r,
					      const struct promql_select *selects, uint32_t n,
					      struct err *e);

/*
 * Add an info to a result without series for each selector whose metric profile_... does not exist,
 * with the name that may have been meant. Return 0 or -errno.
 */
MUST_USE int prometheus_note_profiles(struct request *r, const struct promql_expr *expr,
				      struct promql_result *result, struct err *e);

/*
 * Call `visit` with the metadata of each metric of profiles in the range. Return 0 or -errno.
 */
MUST_USE int prometheus_profile_families(struct request *r, int64_t from_ms, int64_t to_ms,
					 store_visit_family *visit, void *ctx, struct err *e);

#endif
