/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_QUERY_PROMQL_PROFILES_PROMQL_PROFILES_H
#define VARVE_QUERY_PROMQL_PROFILES_PROMQL_PROFILES_H

#include "query/promql/profiles/promql_profile_names.h"
#include "query/promql/promql_source.h"
#include "store/store.h"

/*
 * Profiles as metrics (docs/promql.md, docs/adr/0023): the series of metrics profile_... of a
 * store, computed from its profiles when they are selected. promql_store.c returns them beside the
 * stored metrics.
 *
 * Metrics are selected by name only: by an equal name, or a regular expression that begins with
 * "profile_". Other selectors never read profiles.
 */
struct profile_cursor;

/* Return whether the matchers select metrics of profiles. */
bool promql_selects_profiles(const struct promql_matcher *matchers, uint32_t n);

/* Where profiles are read. All is borrowed. */
struct profile_source {
	struct store *store;
	struct str tenant;
	struct store_limits limits;
};

struct profile_texts {
	VEC(struct str) list; /* sorted, each once */
};

/*
 * Find the names of the metrics that the matchers select; one that has an equal name need not
 * exist. Memory is in the arena. Return 0 or -errno.
 */
MUST_USE int profile_metrics_find(struct profile_texts *out, const struct profile_source *source,
				  const struct promql_select *select, struct arena *a,
				  struct err *e);

/*
 * Begin to read. What `select` points to must outlive the cursor. On success *out is closed by the
 * caller. Return 0 or -errno.
 */
MUST_USE int profile_cursor_open(struct profile_cursor **out, const struct profile_source *source,
				 const struct promql_select *select, struct err *e);

/* As next() and close() of struct promql_source. */
MUST_USE int profile_cursor_next(struct profile_cursor *c, struct promql_samples *out,
				 struct err *e);
void profile_cursor_close(struct profile_cursor *c);

/* The metrics that the profiles of a time range are, by name, each once. */
struct profile_families {
	VEC(struct profile_metric) list;
};

/* List them; memory is in the arena. Times are ms since 1970, both included. Return 0 or -errno. */
MUST_USE int profile_families_list(struct profile_families *out,
				   const struct profile_source *source, int64_t from_ms,
				   int64_t to_ms, struct arena *a, struct err *e);

#endif
