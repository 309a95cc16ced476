/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_SDK_EXPORT_HTTP_ANSWER_H
#define VARVE_SDK_EXPORT_HTTP_ANSWER_H

#include "base/buf.h"
#include "base/err.h"

/* Parses the answer to an HTTP/1.1 request, without sockets, for tests and fuzzing. */

enum { POST_ANSWER_MAX = 64 << 10 };

/* An answer to HTTP or gRPC. The body is owned by whoever has the struct: post_answer_fini(). */
struct post_answer {
	unsigned status;
	uint64_t retry_after_ms;
	struct buf body; /* truncated to POST_ANSWER_MAX bytes */
	int grpc_status; /* -1: none received */
	char grpc_message[256];
	bool has_retry_info; /* a gRPC error has a RetryInfo, whose delay is in retry_after_ms */
	uint64_t sent;	     /* bytes of the request that were sent */
};
void post_answer_fini(struct post_answer *a);

struct post_parsed {
	size_t used; /* bytes of the answer */
	bool keep;   /* the connection may be used again */
};

/*
 * Parse an answer from the start of `in`. Return 1 when it is complete, 0 when more bytes are
 * needed, -EPROTO, -EFBIG or -ENOMEM. `at_end`: the connection has ended.
 */
MUST_USE int post_answer_parse(struct post_answer *a, struct str in, bool at_end,
			       struct post_parsed *out);

/*
 * Decode a google.rpc.Status in base64 (gRPC's grpc-status-details-bin). Return whether it has a
 * RetryInfo, and its delay in *ms.
 */
bool post_retry_info(struct str text, uint64_t *ms);

/* Parse Retry-After, seconds or a date. Return milliseconds; 0 when it is neither. */
uint64_t post_retry_after(struct str text);

#endif
