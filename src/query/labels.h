/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_QUERY_LABELS_H
#define VARVE_QUERY_LABELS_H

#include "base/regex.h"
#include "signal/profile/profile.h"

/*
 * Filters the samples of a batch by label: an attribute of the sample, or of its profile, scope or
 * resource, with the filter's key and a matching value. Each attribute row is matched against each
 * filter at most once.
 */
struct label_filter {
	struct str key;
	struct regex *value; /* borrowed; NULL: any value */
};

struct labels {
	const struct profile_batch *batch;  /* borrowed */
	const struct label_filter *filters; /* borrowed */
	uint32_t filter_count;
	/* Result per attribute row and filter: 0 unknown, 1 no match, 2 match. */
	uint8_t *known;
	/* Per filter: whether the current profile, its scope or its resource matches. */
	bool *by_profile;
};

/* Prepare to filter the batch; memory is allocated in the arena. 0 or -ENOMEM. */
MUST_USE int labels_init(struct labels *l, const struct profile_batch *batch,
			 const struct label_filter *filters, uint32_t count, struct arena *arena);

/* Set the profile that the samples of the following labels_match() calls belong to. 0 or -errno. */
MUST_USE int labels_enter_profile(struct labels *l, uint32_t profile, struct err *e);

/* Return 1 if the sample matches all filters, 0 if not, or -errno. */
MUST_USE int labels_match(struct labels *l, uint32_t sample, struct err *e);

#endif
