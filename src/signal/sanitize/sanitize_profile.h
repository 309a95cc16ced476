/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_SIGNAL_SANITIZE_SANITIZE_PROFILE_H
#define VARVE_SIGNAL_SANITIZE_SANITIZE_PROFILE_H

#include "signal/profile/profile.h"
#include "signal/sanitize/sanitize.h"

/*
 * Sanitizes decoded profiles. The original batch is never modified: the result shares the tables in
 * which nothing was found with it, and has its other tables in the arena of the run. Both have to
 * outlive the result. Each string of the dictionary is examined once for each place it is used at.
 *
 * Removed samples keep their rows in the dictionary, so a batch with `dropped` samples has to pass
 * profile_filter() (sanitized_sample_kept()) before it is written.
 *
 * The original bytes that a profile may carry (OTLP's original_payload) cannot be examined, and are
 * left out.
 */
struct sanitized_profile {
	struct profile_batch batch; /* a view: never pass it to profile_batch_fini() */
	uint8_t *dropped;	    /* by sample: removed by a rule; NULL: none is */
	uint32_t dropped_count;
};

/* Return SANITIZE_KEEP (*out is undefined), SANITIZE_CHANGED, -ENOMEM, -EOVERFLOW or -EBADMSG. */
MUST_USE int sanitize_profile(struct sanitize_run *r, const struct profile_batch *b,
			      struct sanitized_profile *out);

/* For profile_filter(): `arg` is the struct sanitized_profile. */
bool sanitized_sample_kept(const struct profile_batch *b, uint32_t profile, uint32_t sample,
			   void *arg);

#endif
