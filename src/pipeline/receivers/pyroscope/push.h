/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_PYROSCOPE_PUSH_H
#define VARVE_PIPELINE_PYROSCOPE_PUSH_H

#include "base/err.h"
#include "signal/profile/profile.h"
#include "wire/schema.h"

/*
 * Decodes push.v1's PushRequest, one profile at a time. No sockets.
 *
 *	rc = push_read(&request, message, arena, e);
 *	for (i = 0; i < request.profiles.n; i++)
 *		rc = push_decode(&batch, arena, &request, i, max_bytes, e);
 */
struct push_profile {
	uint32_t series;  /* its index in the request */
	struct str id;	  /* RawSample.ID; may be empty */
	struct str pprof; /* as received, possibly compressed */
};

struct push_series {
	struct list labels; /* of request.labels */
};

struct push_request {
	VEC(struct keyvalue) labels;
	VEC(struct push_series) series;
	VEC(struct push_profile) profiles;
};

enum { PUSH_SERIES_MAX = 100000, PUSH_LABELS_MAX = 1000 };

/* The schema that converts JSON to protobuf. */
extern const struct schema_message push_request_schema;

/*
 * Parse the message (protobuf). Strings are borrowed. Return 0, -ENOMEM, or -EBADMSG with the
 * offset in `e`.
 */
MUST_USE int push_read(struct push_request *r, struct str message, struct arena *arena,
		       struct err *e);

/*
 * Decode profile `i` into an empty batch, with its labels and ids. The batch borrows from the
 * message and the arena. Return 0, -ENOMEM, -EFBIG or -EBADMSG.
 */
MUST_USE int push_decode(struct profile_batch *out, struct arena *arena,
			 const struct push_request *r, uint32_t i, size_t max_bytes, struct err *e);

#endif
