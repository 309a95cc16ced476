/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_NET_RPC_RPC_H
#define VARVE_NET_RPC_RPC_H

#include "net/http/http.h"

/*
 * Unary remote calls over an exchange: gRPC (HTTP/2), gRPC-web and Connect, one handler for all.
 *
 *	static void push(void *owner, struct http_exchange *x)
 *	{
 *		struct rpc_call *call = rpc_begin(x);
 *
 *		if (!call)
 *			return; // answered already
 *		... call->message, call->json ...
 *		rpc_reply(call, &bytes);
 *	}
 *
 * Routes that serve only calls are marked HTTP_RPC, so that a wrong content type is refused before the body.
 */
enum rpc_protocol {
	RPC_NONE,
	RPC_GRPC,	   /* application/grpc, application/grpc+proto */
	RPC_GRPC_WEB,	   /* application/grpc-web[+proto] */
	RPC_GRPC_WEB_TEXT, /* application/grpc-web-text[+proto]: base64 of the same */
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

/* Lives in the exchange's arena, as long as the exchange. */
struct rpc_call {
	struct http_exchange *x;
	enum rpc_protocol protocol;
	bool json;	    /* the message is JSON, and so must the reply be (Connect only) */
	bool gzip_reply;    /* the sender takes gzip */
	struct str message; /* uncompressed */
	uint64_t
		deadline_ns; /* clock_monotonic_ns(); from grpc-timeout or connect-timeout-ms, or the exchange's */
	struct http_header header; /* one more for a good answer; the caller's, may be empty */
};

/* The protocol a request speaks by its content type; RPC_NONE for others. */
enum rpc_protocol rpc_protocol_of(const struct http_exchange *x, bool *json);

/* The call of an exchange; NULL when it was bad and has been answered. */
struct rpc_call *rpc_begin(struct http_exchange *x);

/* Answer with a message, which is moved (protobuf, or JSON when call->json). Any thread; ends the exchange. */
void rpc_reply(struct rpc_call *call, struct buf *message);

/*
 * Answer with an error. `details` is NULL or more google.rpc.Any messages: fields 3 of a google.rpc.Status,
 * with their tags. retry_after_ms > 0 adds RetryInfo, and Retry-After in Connect.
 */
struct rpc_error {
	enum rpc_code code;
	struct str message;
	uint64_t retry_after_ms;
	struct str details;
};
void rpc_fail(struct rpc_call *call, const struct rpc_error *error);

/* The same for a line of text without details. */
void rpc_fail_text(struct rpc_call *call, enum rpc_code code, const char *fmt, ...)
	PRINTF_LIKE(3, 4);

/* Answer a refusal of the server in a caller's protocol; RPC_NONE is answered as Connect. */
void rpc_refuse(struct http_exchange *x, enum rpc_protocol protocol,
		const struct http_refusal *why);

/* Codes between the worlds. */
unsigned rpc_code_http(enum rpc_code code);	 /* Connect's table: 400 for invalid_argument ... */
enum rpc_code rpc_code_of_http(unsigned status); /* for refusals of the server */
const char *rpc_code_name(enum rpc_code code);	 /* "invalid_argument" */

/* A google.rpc.Status in protobuf, appended; with RetryInfo if retry_after_ms. Also OTLP/HTTP's error body. */
void rpc_status_encode(struct buf *out, const struct rpc_error *error);

/* grpc.health.v1.Health: a handler for a route HTTP_RPC with path RPC_HEALTH_CHECK; always SERVING. */
#define RPC_HEALTH_CHECK "/grpc.health.v1.Health/Check"
void rpc_health_check(void *owner, struct http_exchange *x);

#endif
