/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_NET_CLIENT_H
#define VARVE_NET_CLIENT_H

#include "net/rpc/rpc.h"

/*
 * Blocking clients for the commands and for exporters: HTTP by libcurl, gRPC by nghttp2 (libcurl 7.88 loses
 * plain-text HTTP/2 connections when it uses them again). Each keeps its connection between calls
 * and is for one thread at a time. Credentials are never part of an error text.
 */

/* Whom to trust and who we are; all may be NULL or false. Strings are copied. */
struct net_client_options {
	const char *token;	       /* Authorization: Bearer */
	const char *user, *password;   /* Authorization: Basic; HTTP only */
	const char *ca_file;	       /* instead of the system's */
	const char *certificate, *key; /* for servers that ask for one */
	bool skip_verify;	       /* take any certificate */
	uint64_t connect_timeout_ms;   /* 0: 5 s */
};

struct http_client;

MUST_USE int http_client_new(struct http_client **out, const struct net_client_options *options,
			     struct err *e);
void http_client_free(struct http_client *c);

struct http_client_request {
	const char *method; /* NULL: POST with a body, GET without */
	const char *url;
	const struct http_header *headers;
	size_t header_count;
	struct str body;
	uint64_t timeout_ms; /* of the whole; 0: 30 s */
	size_t max_response; /* 0: 64 MiB; also what it decompresses to */
	struct str want;     /* a header of the answer, in lower case; may be empty */
};

struct http_client_answer {
	unsigned status;
	uint64_t retry_after_s;
	char content_type[128];
	struct buf wanted; /* the value of the header `want` */
	struct buf body;   /* decompressed */
};

/*
 * Ask, and wait. 0 with any HTTP status; else -ECONNREFUSED, -ETIMEDOUT, -EFBIG, -EPROTO ... and a text that
 * says the URL. *answer needs http_client_answer_fini() in every case; redirects are not followed.
 */
MUST_USE int http_client_request(struct http_client *c, const struct http_client_request *request,
				 struct http_client_answer *answer, struct err *e);
void http_client_answer_fini(struct http_client_answer *answer);

struct grpc_client;

/* For "host:port", plain or TLS. Connects with the first call. */
MUST_USE int grpc_client_new(struct grpc_client **out, const char *address, bool tls,
			     const struct net_client_options *options, struct err *e);
void grpc_client_free(struct grpc_client *c);

struct grpc_client_request {
	struct str path; /* "/package.Service/Method" */
	struct str message;
	const struct http_header *headers; /* more metadata; lower-case names */
	size_t header_count;
	bool gzip;
	uint64_t timeout_ms; /* 0: 30 s; told to the server as grpc-timeout */
	size_t max_reply;    /* 0: 64 MiB, also decompressed */
};

struct grpc_client_answer {
	enum rpc_code code;
	struct buf message;	 /* of the reply, decompressed */
	struct buf text;	 /* grpc-message, decoded */
	struct buf details;	 /* grpc-status-details-bin: a google.rpc.Status */
	uint64_t retry_after_ms; /* from its RetryInfo; 0: none */
};

/*
 * Call, and wait. 0 with any code the server gave (an HTTP error without one is mapped as gRPC says);
 * negative when there was no answer: -ECONNREFUSED, -ETIMEDOUT, -ECONNRESET, -EPROTO, -EFBIG ...
 * *answer needs grpc_client_answer_fini() in every case.
 */
MUST_USE int grpc_client_call(struct grpc_client *c, const struct grpc_client_request *request,
			      struct grpc_client_answer *answer, struct err *e);
void grpc_client_answer_fini(struct grpc_client_answer *answer);

#endif
