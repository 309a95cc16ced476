/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_SDK_GRPC_H2_H
#define VARVE_SDK_GRPC_H2_H

#include "sdk/export/http_client.h"
#include "wire/hpack.h"

/*
 * The client's side of an HTTP/2 connection (RFC 9113) for gRPC, apart from sockets: bytes go in by h2_feed(), and what is to be sent is in
 * `out`. One call at a time, with a body that is whole before it begins. One thread.
 */

/* The call that runs. */
struct h2_call {
	/* 0: none yet */
	uint32_t id;
	struct str body;
	/* of the body, into `out` */
	size_t sent;
	/* of the stream, what the server still takes */
	int64_t window;
	struct post_answer *answer;
	bool done;
	/* not done, and never will be: the server has not looked at it */
	bool refused;
	/* the code of a RST_STREAM; 0: the answer is complete */
	uint32_t reset;
};

struct h2 {
	struct hpack hpack;
	/* to be sent */
	struct buf out;
	/* of a frame that is not whole */
	struct buf in;
	/* of a header block that is not whole, and its stream; 0: none */
	struct buf block;
	uint32_t block_stream;
	bool block_ends_stream;
	/* what the server takes on the connection, on a new stream, in a frame */
	int64_t window;
	uint32_t initial_window, max_frame;
	uint32_t next_id;
	/* this connection takes no more calls */
	bool last;
	struct h2_call call;
};

/* The preface and our settings are in `out` afterwards. h2_fini() takes the zero value. */
void h2_init(struct h2 *h);
void h2_fini(struct h2 *h);

struct h2_request {
	const struct post_client *client;
	const struct post_request *request;
};

/* Begin a call. The body is borrowed and the answer is filled until call.done. 0 or -ENOMEM, -E2BIG. */
MUST_USE int h2_begin(struct h2 *h, const struct h2_request *r, struct post_answer *answer);

/* Put as much of the body into `out` as the server takes, and not too much at once. */
void h2_fill(struct h2 *h);

/* Would the server take more of the body now? */
bool h2_may_fill(const struct h2 *h);

/* Take bytes of the server. 0, or -EPROTO, -EFBIG, -ENOMEM: the connection is of no use any more. */
MUST_USE int h2_feed(struct h2 *h, struct str bytes);

#endif
