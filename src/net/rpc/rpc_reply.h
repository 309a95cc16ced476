/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_NET_RPC_RPC_REPLY_H
#define VARVE_NET_RPC_RPC_REPLY_H

#include "net/rpc/rpc.h"

/* Replies to remote calls. Each of the first four functions ends the exchange. Any thread. */

/* Reply with a message (JSON if call->json, else protobuf), which is moved out of `message`. */
void rpc_reply(struct rpc_call *call, struct buf *message);

struct rpc_error {
	enum rpc_code code;
	struct str message;
	uint64_t retry_after_ms; /* > 0: add RetryInfo, and Retry-After for Connect */
	/* Encoded google.rpc.Any messages as fields 3 of a google.rpc.Status, with their tags. */
	struct str details;
};

/* Reply with an error. */
void rpc_fail(struct rpc_call *call, const struct rpc_error *error);

/* Reply with an error that has a formatted message and no details. */
void rpc_fail_text(struct rpc_call *call, enum rpc_code code, const char *fmt, ...)
	PRINTF_LIKE(3, 4);

/* Respond with a refusal of the server in the client's protocol; RPC_NONE uses Connect. */
void rpc_refuse(struct http_exchange *x, enum rpc_protocol protocol,
		const struct http_refusal *why);

/* Convert between codes, HTTP statuses and names. */
unsigned rpc_code_http(enum rpc_code code);	 /* Connect's table: 400 for invalid_argument ... */
enum rpc_code rpc_code_of_http(unsigned status); /* for refusals of the server */
const char *rpc_code_name(enum rpc_code code);	 /* "invalid_argument" */

/*
 * Append a google.rpc.Status in protobuf, with RetryInfo if retry_after_ms. OTLP/HTTP's error body.
 */
void rpc_status_encode(struct buf *out, const struct rpc_error *error);

/* grpc.health.v1.Health: a handler for an HTTP_RPC route at RPC_HEALTH_CHECK; always SERVING. */
#define RPC_HEALTH_CHECK "/grpc.health.v1.Health/Check"
void rpc_health_check(void *owner, struct http_exchange *x);

#endif
