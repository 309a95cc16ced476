/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_NET_RPC_GRPC_CONN_H
#define VARVE_NET_RPC_GRPC_CONN_H

#include <nghttp2/nghttp2.h>
#include <openssl/types.h>

#include "net/rpc/grpc_client.h"
#include "net/rpc/grpc_out.h"

/* Private to src/net: the gRPC client's HTTP/2 connection, one stream at a time. One thread. */
struct grpc_conn {
	char *address, *host; /* host: the name in the certificate */
	char *authority;      /* NULL: the address */
	char *user_agent;
	SSL_CTX *tls; /* NULL: plaintext */
	int fd;	      /* -1: not connected */
	SSL *ssl;
	nghttp2_session *session;
	struct grpc_out out;
	unsigned next_address; /* of those of the name; see net_client_options */
	bool one_address;
};

struct grpc_answer {
	unsigned http_status;
	struct buf grpc_status, grpc_message, grpc_details, grpc_encoding; /* as sent */
	struct buf body;
};

/* A call and its reply. */
struct grpc_call {
	const struct grpc_client_request *request;
	const char *authorization; /* NULL: none */
	uint64_t timeout_ms, deadline_ns, connect_timeout_ms;
	unsigned char frame_header[5];
	struct str one_part;	  /* the message, if it is in one piece */
	const struct str *parts;  /* the message, after the frame header */
	size_t part_count, total; /* total: bytes of frame header and message */
	size_t max_body;	  /* of the reply */
	struct grpc_answer answer;
	/* while the call is in progress */
	size_t sent;		  /* bytes of `total` that are in the output */
	size_t part, part_offset; /* where the next ones are */
	int32_t stream;
	bool done;
	uint32_t reset; /* HTTP/2 error code of the stream; 0: closed normally */
	int fault;	/* an error on our side: -EFBIG, -ENOMEM */
};

MUST_USE int grpc_conn_init(struct grpc_conn *c, const char *address, bool tls,
			    const struct net_client_options *options, struct err *e);
void grpc_conn_fini(struct grpc_conn *c);

/*
 * Connect if necessary, send the call and wait for its reply. Return 0, or a negative errno without
 * a reply.
 */
MUST_USE int grpc_conn_call(struct grpc_conn *c, struct grpc_call *call, struct err *e);
void grpc_call_fini(struct grpc_call *call);

#endif
