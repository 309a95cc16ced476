/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_SIGNAL_SANITIZE_PROFILE_REMOVAL_H
#define VARVE_SIGNAL_SANITIZE_PROFILE_REMOVAL_H

#include "signal/sanitize/sanitize_profile.h"

/*
 * What rules remove from a profile batch: attributes from the lists of samples, profiles, locations
 * and mappings; and samples. Rows are marked first and removed together. Functions that can fail
 * return 0 or -ENOMEM.
 */
struct profile_removal {
	struct arena *arena;
	const struct profile_batch *b;
	/* By row: an enum sanitize_verdict; NULL: none is marked. */
	uint8_t *attributes, *keys, *code_strings, *resources, *scopes;
};

void removal_init(struct profile_removal *m, struct arena *arena, const struct profile_batch *b);

/* Mark a string of the dictionary: as key of attributes, or as name of functions and files. */
MUST_USE int removal_mark_string(struct profile_removal *m, bool is_key, uint32_t string,
				 int verdict);
MUST_USE int removal_mark_attribute(struct profile_removal *m, uint32_t row, int verdict);

/* Mark all samples below a resource or scope. */
MUST_USE int removal_mark_resource(struct profile_removal *m, uint32_t row);
MUST_USE int removal_mark_scope(struct profile_removal *m, uint32_t row);

/* Return the verdict on a key, or 0. */
static inline int removal_of_key(const struct profile_removal *m, uint32_t string)
{
	return m->keys ? m->keys[string] : 0;
}

/* Remove the marked attributes from the lists of `out`, and set its dropped samples. */
MUST_USE int removal_apply(const struct profile_removal *m, struct sanitized_profile *out);

#endif
