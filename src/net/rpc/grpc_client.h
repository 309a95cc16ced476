/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_NET_RPC_GRPC_CLIENT_H
#define VARVE_NET_RPC_GRPC_CLIENT_H

#include "net/client/client.h"
#include "net/rpc/rpc.h"
#include "wire/compress/compress.h"

/*
 * A blocking client for unary gRPC calls, on nghttp2: libcurl 7.88 loses plaintext HTTP/2
 * connections when it reuses them.
 */
struct grpc_client;

/* Make a client for "host:port". It connects with the first call. */
MUST_USE int grpc_client_new(struct grpc_client **out, const char *address, bool tls,
			     const struct net_client_options *options, struct err *e);
void grpc_client_free(struct grpc_client *c);

struct grpc_client_request {
	struct str path; /* "/package.Service/Method" */
	struct str message;
	/* The message in pieces, if part_count > 0: sent without joining them. */
	const struct str *parts;
	size_t part_count;
	const struct http_header *headers; /* more metadata; lower-case names */
	size_t header_count;
	enum compress_kind compression; /* COMPRESS_NONE, or one with an rpc_coding_name() */
	uint64_t timeout_ms;		/* 0: 30 s; sent to the server as grpc-timeout */
	size_t max_reply;		/* 0: 64 MiB, also after decompression */
};

struct grpc_client_answer {
	enum rpc_code code;
	struct buf message;	 /* the reply, decompressed */
	struct buf text;	 /* grpc-message, decoded */
	struct buf details;	 /* grpc-status-details-bin: a google.rpc.Status */
	uint64_t retry_after_ms; /* from its RetryInfo; 0: none */
	bool accepted;		 /* the server sent RPC_OK, also if its message cannot be read */
};

/*
 * Make a call and wait for the reply. Return 0 with any code the server sent (an HTTP error without
 * a grpc-status is mapped as the gRPC specification says), or negative without a reply:
 * -ECONNREFUSED, -ETIMEDOUT, -ECONNRESET, -EPROTO, -EFBIG ... Call grpc_client_answer_fini() in
 * every case.
 */
MUST_USE int grpc_client_call(struct grpc_client *c, const struct grpc_client_request *request,
			      struct grpc_client_answer *answer, struct err *e);
void grpc_client_answer_fini(struct grpc_client_answer *answer);

#endif
