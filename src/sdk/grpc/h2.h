/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_SDK_GRPC_H2_H
#define VARVE_SDK_GRPC_H2_H

#include "sdk/export/http_client.h"
#include "wire/hpack.h"

/*
 * The client side of an HTTP/2 connection (RFC 9113) for gRPC, without sockets: received bytes are
 * passed to h2_feed(), bytes to send are in `out`. One call at a time, whose body is complete when
 * it begins. One thread.
 */

/* The current call. */
struct h2_call {
	/* 0: none yet */
	uint32_t id;
	struct str body;
	/* bytes of the body that were put into `out` */
	size_t sent;
	/* the stream's send window */
	int64_t window;
	struct post_answer *answer;
	bool done;
	/* done without an answer: the server has not processed the call */
	bool refused;
	/* the code of RST_STREAM; 0: the answer is complete */
	uint32_t reset;
};

struct h2 {
	struct hpack hpack;
	/* to be sent */
	struct buf out;
	/* an incomplete frame */
	struct buf in;
	/* an incomplete header block, and its stream; 0: none */
	struct buf block;
	uint32_t block_stream;
	bool block_ends_stream;
	/* limits set by the server: send window of the connection and of new streams, frame size */
	int64_t window;
	uint32_t initial_window, max_frame;
	uint32_t next_id;
	/* the connection accepts no more calls */
	bool last;
	struct h2_call call;
};

/* Initialize, and put the preface and our settings into `out`. h2_fini() takes the zero value. */
void h2_init(struct h2 *h);
void h2_fini(struct h2 *h);

struct h2_request {
	const struct post_client *client;
	const struct post_request *request;
};

/* Begin a call; the body is borrowed until call.done. Return 0, -ENOMEM or -E2BIG. */
MUST_USE int h2_begin(struct h2 *h, const struct h2_request *r, struct post_answer *answer);

/* Put as much of the body into `out` as the server accepts, up to a limit of buffered bytes. */
void h2_fill(struct h2 *h);

/* Return whether the server would accept more of the body. */
bool h2_may_fill(const struct h2 *h);

/* Process received bytes. Return 0, or -EPROTO, -EFBIG, -ENOMEM: the connection must be closed. */
MUST_USE int h2_feed(struct h2 *h, struct str bytes);

#endif
