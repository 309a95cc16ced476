/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_PYROSCOPE_INGEST_H
#define VARVE_PIPELINE_PYROSCOPE_INGEST_H

#include "pipeline/receivers/pyroscope/params.h"

/*
 * Decodes the body of a request to /ingest, in any format, into a batch ready for delivery, with
 * labels, names, times and ids as Pyroscope's server assigns them. No sockets.
 */
struct ingest_request {
	struct str query;	 /* as sent */
	struct str content_type; /* the whole header value */
	struct str key;		 /* Idempotency-Key; may be empty */
	struct ingest_headers headers;
	struct str body;
	uint64_t now;	  /* nanoseconds since 1970 */
	size_t max_bytes; /* uncompressed */
};

/*
 * Decode into an empty batch, which borrows from the request and the arena. Return 0, -EINVAL (bad
 * parameters: 400), -ENOMEM, -EFBIG (more than max_bytes: 413), or another error (bad profile:
 * 422).
 */
MUST_USE int ingest_decode(struct profile_batch *out, struct arena *arena,
			   const struct ingest_request *request, struct err *e);

/*
 * Decompress gzip, zlib, zstd or lz4, also nested, up to three layers. Uncompressed input is
 * returned as is.
 */
MUST_USE int pyroscope_unpack(struct arena *arena, struct str in, size_t max_bytes, struct str *out,
			      struct err *e);

#endif
