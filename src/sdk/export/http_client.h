/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_SDK_EXPORT_HTTP_CLIENT_H
#define VARVE_SDK_EXPORT_HTTP_CLIENT_H

#include <stdatomic.h>

#include "sdk/export/http_answer.h"

/*
 * A minimal HTTP/1.1 client for exporters, so that the library adds no dependency to the host
 * program: one persistent connection; bodies with a length, chunked, or up to the end of the
 * connection; limits and timeouts everywhere. gRPC uses our own HTTP/2 (sdk/grpc/grpc_client.h);
 * https without gRPC uses libcurl, loaded on first use (http_curl.h).
 */

enum { POST_HOST_MAX = 256, POST_PATH_MAX = 1024 };

/* The parts of an endpoint's URL. */
struct post_url {
	bool tls;
	char host[POST_HOST_MAX]; /* without the brackets of an IPv6 address */
	char port[8];
	/* prefix of request paths: "" or "/prefix", without a trailing slash */
	char path[POST_PATH_MAX];
};

/*
 * Parse "http://host:port/prefix"; the default scheme is http. Return 0 or -EINVAL with the reason.
 */
MUST_USE int post_url_read(struct post_url *out, const char *url, const char *default_port,
			   struct err *e);

/* Append `value` with %41 decoded to A. Return -EINVAL when the result has control characters. */
MUST_USE int post_percent_decode(struct buf *out, struct str value);

/*
 * Convert "key=value,key=value" (values percent-encoded) to header lines ending in CR LF. Return 0,
 * -EINVAL or -ENOMEM.
 */
MUST_USE int post_headers_read(struct buf *out, const char *headers, struct err *e);

struct post_request {
	const char *method;
	const char *path; /* with its query; starts with a slash */
	const char *content_type;
	const char *header; /* an additional one, "name: value"; NULL: none */
	bool gzip;	    /* the body is gzipped */
	struct str body;
	uint64_t timeout_ms;
	const _Atomic bool *stop; /* cancels the request when true; may be NULL */
};

/* A connection to one endpoint. One thread at a time. */
struct post_lookup;
struct grpc_state;
struct post_client {
	struct post_url url;
	struct buf headers;	     /* of each request, as lines */
	char ca_file[POST_PATH_MAX]; /* trusted certificates, PEM; "": the system's */
	int fd;			     /* -1: not connected */
	struct buf head, in;
	struct post_lookup *lookup; /* name lookup in progress; NULL: none */
	struct grpc_state *grpc;    /* state of an HTTP/2 connection; NULL: none */
};

/* Return 0, -EINVAL or -ENOMEM; call post_client_fini() in each case. */
MUST_USE int post_client_init(struct post_client *c, const char *url, const char *headers,
			      const char *default_port, struct err *e);
void post_client_fini(struct post_client *c);

/*
 * In a forked child: drop the parent's connection. `busy`: the parent was using the client, and the
 * buffers are lost.
 */
void post_client_forked(struct post_client *c, bool busy);

/*
 * Send a request and wait for the answer. Return 0 for any status, or -ETIMEDOUT, -ECONNREFUSED,
 * -EPROTO, -EFBIG, -ECANCELED ...
 */
MUST_USE int post_request(struct post_client *c, const struct post_request *r,
			  struct post_answer *a, struct err *e);

/* Send by libcurl or post_request(), as the URL requires. */
MUST_USE int post_send(struct post_client *c, const struct post_request *r, struct post_answer *a,
		       struct err *e);

#endif
