/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_CONVERT_PAYLOAD_PARTS_H
#define VARVE_PIPELINE_CONVERT_PAYLOAD_PARTS_H

#include "base/err.h"
#include "signal/otlp/payload.h"

/*
 * Merges and splits payloads of any signal, for batches and for the queues of senders.
 */

/* References to payloads. The zero value is an empty list. */
struct payload_list {
	struct payload **at;
	uint32_t n, room;
};

/* Append `p` and take over the reference. On error (-ENOMEM) the caller keeps it. */
MUST_USE int payload_list_add(struct payload_list *l, struct payload *p);

/* Release all payloads and free the list. */
void payload_list_free(struct payload_list *l);

/*
 * Return in *out one payload with the items of all parts, in order; its bytes are shared with the
 * parts, except for profiles (profile_payload.h). The parts must not borrow, and are of one signal.
 * Return 0, -ENOMEM, -EINVAL (no parts), or of profiles -EOVERFLOW, or -EBADMSG with text in `e`.
 */
MUST_USE int payload_parts_merge(struct payload **out, struct payload *const *parts, uint32_t count,
				 struct budget *budget, struct err *e);

/*
 * Append to *out payloads of at most `max_items` items (spans, data points, log records, samples)
 * and about `max_bytes` bytes, which together have the items of `p` in order; 0: no limit. A part
 * is filled before the next one begins. Only a part with a single item can be larger than
 * `max_bytes`.
 *
 * Whole resources share the bytes of `p`; a resource that is cut is copied, with its headers and
 * schema_url in each part. A metric is cut between its data points. If `p` is within the limits,
 * it is appended itself (payload_keep()). Parts of profiles are new messages (profile_payload.h).
 *
 * Return 0, -ENOMEM, or -EBADMSG with text in `e`; on error *out may have some of the parts.
 */
MUST_USE int payload_parts_split(struct payload_list *out, const struct payload *p,
				 uint64_t max_items, size_t max_bytes, struct budget *budget,
				 struct err *e);

#endif
