/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_PYROSCOPE_INGEST_H
#define VARVE_PIPELINE_PYROSCOPE_INGEST_H

#include "pipeline/receivers/pyroscope/params.h"

/*
 * The body of a request to /ingest, of whatever format, into an empty batch that is ready to be
 * delivered: labels, names, times and ids as Pyroscope's server makes them. No sockets.
 */
struct ingest_request {
	struct str query;	 /* as it was sent */
	struct str content_type; /* the whole header */
	struct str key;		 /* Idempotency-Key; may be empty */
	struct ingest_headers headers;
	struct str body;
	uint64_t now;	  /* nanoseconds since 1970 */
	size_t max_bytes; /* uncompressed */
};

/*
 * The batch borrows from the request and the arena. 0; -EINVAL: the parameters are bad (400); -ENOMEM;
 * -EFBIG: more than max_bytes (413); else the profile is bad (422).
 */
MUST_USE int ingest_decode(struct profile_batch *out, struct arena *arena,
			   const struct ingest_request *request, struct err *e);

/* Take off gzip, zlib, zstd or lz4, as often as it has one, up to three times. */
MUST_USE int pyroscope_unpack(struct arena *arena, struct str in, size_t max_bytes, struct str *out,
			      struct err *e);

#endif
