/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_CONVERT_PROFILE_PAYLOAD_H
#define VARVE_PIPELINE_CONVERT_PROFILE_PAYLOAD_H

#include "pipeline/convert/payload_parts.h"
#include "signal/profile/profile.h"

/*
 * Merges and splits payloads of profiles, for payload_parts.h. A message of profiles has one
 * dictionary, to which its samples refer, so the parts are decoded and encoded again: a merged
 * message has each row of the dictionaries once, and each part of a split one has the rows that its
 * samples need. Items are samples. They keep their order, except that profiles of equal resources
 * are joined within each part of a split message.
 */

/* Return 0, -ENOMEM, -EOVERFLOW, or -EBADMSG with text in `e`. */
MUST_USE int profile_payload_merge(struct payload **out, struct payload *const *parts,
				   uint32_t count, struct budget *budget, struct err *e);

/*
 * Append parts of at most `max_items` samples and `max_bytes` bytes. A profile that is spread over
 * several parts has an id of its own in each of them; see profile_split.h. A payload with an
 * observation that does not fit alone is not cut.
 */
MUST_USE int profile_payload_split(struct payload_list *out, const struct payload *p,
				   uint64_t max_items, size_t max_bytes, struct budget *budget,
				   struct err *e);

/*
 * Return in *out a payload of a decoded batch, repaired as otlp_prepare() does. Return 0, -ENOMEM
 * or -EOVERFLOW.
 */
MUST_USE int profile_payload_encode(struct payload **out, const struct profile_batch *b,
				    struct budget *budget);

#endif
