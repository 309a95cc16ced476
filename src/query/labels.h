/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_QUERY_LABELS_H
#define VARVE_QUERY_LABELS_H

#include "base/regex.h"
#include "signal/profile/profile.h"

/*
 * Which samples carry the labels that were asked for: an attribute of the sample, of its profile,
 * scope or resource with that key and a value that matches. Each attribute row is held against
 * each filter at most once.
 */
struct label_filter {
	struct str key;
	struct regex *value; /* borrowed; NULL: any value */
};

struct labels {
	const struct profile_batch *batch;  /* borrowed */
	const struct label_filter *filters; /* borrowed */
	uint32_t filter_count;
	uint8_t *known;	  /* filter_count a row of attributes: 0 unknown, 1 no, 2 yes */
	bool *by_profile; /* one a filter: the profile, scope or resource matches already */
};

/* Ready for the batch; memory is the arena's. 0 or -ENOMEM. */
MUST_USE int labels_init(struct labels *l, const struct profile_batch *batch,
			 const struct label_filter *filters, uint32_t count, struct arena *arena);

/* Samples asked for from now on are of this profile. 0 or -errno. */
MUST_USE int labels_enter_profile(struct labels *l, uint32_t profile, struct err *e);

/* 1: the sample has all labels that were asked for; 0: it has not; or -errno. */
MUST_USE int labels_match(struct labels *l, uint32_t sample, struct err *e);

#endif
