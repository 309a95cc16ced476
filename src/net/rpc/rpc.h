/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_NET_RPC_RPC_H
#define VARVE_NET_RPC_RPC_H

#include "net/http/http.h"
#include "wire/compress/compress.h"

/*
 * Unary remote calls over an exchange: one handler for gRPC (HTTP/2), gRPC-web and Connect. This
 * header decodes calls; rpc_reply.h has the replies.
 *
 *	static void push(void *owner, struct http_exchange *x)
 *	{
 *		struct rpc_call *call = rpc_begin(x);
 *
 *		if (!call)
 *			return; // already answered
 *		... call->message, call->json ...
 *		rpc_reply(call, &bytes);
 *	}
 *
 * Routes that serve only calls have the flag HTTP_RPC, so that a wrong content type is refused
 * before the body is read.
 */
enum rpc_protocol {
	RPC_NONE,
	RPC_GRPC,	   /* application/grpc, application/grpc+proto */
	RPC_GRPC_WEB,	   /* application/grpc-web[+proto] */
	RPC_GRPC_WEB_TEXT, /* application/grpc-web-text[+proto]: the same in base64 */
	RPC_CONNECT,	   /* application/proto, application/json */
};

/* google.rpc.Code */
enum rpc_code {
	RPC_OK,
	RPC_CANCELLED,
	RPC_UNKNOWN,
	RPC_INVALID_ARGUMENT,
	RPC_DEADLINE_EXCEEDED,
	RPC_NOT_FOUND,
	RPC_ALREADY_EXISTS,
	RPC_PERMISSION_DENIED,
	RPC_RESOURCE_EXHAUSTED,
	RPC_FAILED_PRECONDITION,
	RPC_ABORTED,
	RPC_OUT_OF_RANGE,
	RPC_UNIMPLEMENTED,
	RPC_INTERNAL,
	RPC_UNAVAILABLE,
	RPC_DATA_LOSS,
	RPC_UNAUTHENTICATED,
	RPC_CODE_COUNT,
};

/* In the exchange's arena; lives as long as the exchange. */
struct rpc_call {
	struct http_exchange *x;
	enum rpc_protocol protocol;
	bool json;	    /* message and reply are JSON (Connect only) */
	bool gzip_reply;    /* the client accepts gzip */
	struct str message; /* uncompressed */
	/* clock_monotonic_ns(); the earliest of grpc-timeout, connect-timeout-ms, x->deadline_ns */
	uint64_t deadline_ns;
	/* Set by the handler: an additional header of a successful reply; may be empty. */
	struct http_header header;
};

/* Return the protocol for the request's content type, or RPC_NONE. */
enum rpc_protocol rpc_protocol_of(const struct http_exchange *x, bool *json);

/*
 * Decompress the message of a call. Return 0, -EFBIG beyond the limit of bodies, -ENOMEM, or
 * -EBADMSG.
 */
MUST_USE int rpc_decompress(struct rpc_call *call, enum compress_kind kind, struct err *e);

/* Decode the call of an exchange. Return NULL for a bad call, which has been answered. */
struct rpc_call *rpc_begin(struct http_exchange *x);

#endif
