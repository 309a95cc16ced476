/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_QUERY_DRIFT_DRIFT_VERSIONS_H
#define VARVE_QUERY_DRIFT_DRIFT_VERSIONS_H

#include "base/buf.h"
#include "query/drift/drift_costs.h"

/*
 * The versions of a service that ran lately: values of the label service_version (or version,
 * git_ref and the like), and build ids of its programs and libraries. When there are too many, the
 * one that was not seen for the longest time is forgotten. Times are slots.
 */
enum { DRIFT_VERSIONS_MAX = 64, DRIFT_VERSION_TEXT = 100 };

struct drift_version {
	char text[DRIFT_VERSION_TEXT + 1];
	uint64_t first, last;
	bool build;
};

struct drift_versions {
	struct drift_version at[DRIFT_VERSIONS_MAX];
	uint32_t n;
};

/* Note that a version ran in these slots. Return whether it is new. */
bool drift_versions_note(struct drift_versions *v, struct str text, bool build, uint64_t first,
			 uint64_t last);

/*
 * Read the versions of the range from the labels of the source's series, into the empty `out`, with
 * the first and last slot of each. Return 0 or -errno.
 */
MUST_USE int drift_versions_read(struct drift_versions *out, const struct drift_source *source,
				 uint64_t from, uint64_t to, struct err *e);

/*
 * Append the versions of the slots [from, to), separated by ", ". Without labels: the build ids that
 * did not run in [other_from, other_to).
 */
void drift_versions_put(const struct drift_versions *v, uint64_t from, uint64_t to,
			uint64_t other_from, uint64_t other_to, struct buf *out);

#endif
