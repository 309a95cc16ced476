/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_SDK_EXPORT_HTTP_CLIENT_H
#define VARVE_SDK_EXPORT_HTTP_CLIENT_H

#include <stdatomic.h>

#include "base/buf.h"
#include "base/err.h"

/*
 * The smallest HTTP/1.1 client that an exporter needs, so that a guest brings no library along: one connection that is kept
 * alive, requests with a length, answers with a length, in chunks or to the end of the connection, all within limits and a
 * time-out. gRPC is HTTP/2 of our own (grpc/grpc_client.c); https without gRPC is libcurl's work (http_curl.c), which is loaded when it is
 * needed first.
 */

enum { POST_HOST_MAX = 256, POST_PATH_MAX = 1024, POST_ANSWER_MAX = 64 << 10 };

/* An endpoint's URL, taken apart. */
struct post_url {
	bool tls;
	char host[POST_HOST_MAX]; /* without the brackets of an IPv6 address */
	char port[8];
	char path
		[POST_PATH_MAX]; /* what goes before the path of a request; "" or "/prefix", without a slash at its end */
};

/* Read "http://host:port/prefix"; without a scheme it is http. -EINVAL with what is wrong. */
MUST_USE int post_url_read(struct post_url *out, const char *url, const char *default_port,
			   struct err *e);

/* Append `value` with %41 as A. -EINVAL when it has control characters then. */
MUST_USE int post_percent_decode(struct buf *out, struct str value);

/* Turn "key=value,key=value" (values percent-encoded) into header lines, each ending in CR LF. -EINVAL. */
MUST_USE int post_headers_read(struct buf *out, const char *headers, struct err *e);

struct post_request {
	const char *method;
	const char *path; /* with its query; begins with a slash */
	const char *content_type;
	const char *header; /* one more, "name: value"; NULL: none */
	bool gzip;	    /* the body is */
	struct str body;
	uint64_t timeout_ms;
	const _Atomic bool *stop; /* give up when it becomes true; may be NULL */
};

struct post_answer {
	unsigned status;
	uint64_t retry_after_ms;
	struct buf body; /* at most POST_ANSWER_MAX bytes of it; owned by whoever has the struct */
	int grpc_status; /* -1: not told */
	char grpc_message[256];
	bool retry_told; /* a gRPC error said that it may be tried again: RetryInfo, in retry_after_ms */
	uint64_t sent; /* bytes that went out */
};
void post_answer_fini(struct post_answer *a);

/* A connection. One thread. */
struct post_lookup;
struct grpc_state;
struct post_client {
	struct post_url url;
	struct buf headers;	     /* of each request, as lines */
	char ca_file[POST_PATH_MAX]; /* certificates to trust, PEM; "": the system's */
	int fd;			     /* -1: none */
	struct buf head, in;
	struct post_lookup *lookup; /* of the host's name, under way; NULL: none */
	struct grpc_state *grpc;    /* of an HTTP/2 connection; NULL: none */
};

/* 0 or -EINVAL, -ENOMEM; needs post_client_fini() in each case. */
MUST_USE int post_client_init(struct post_client *c, const char *url, const char *headers,
			      const char *default_port, struct err *e);
void post_client_fini(struct post_client *c);

/* In a forked child: the connection is the parent's; with `busy` the buffers are lost as well. */
void post_client_forked(struct post_client *c, bool busy);

/* Ask, and wait. 0 with any status; else -errno: -ETIMEDOUT, -ECONNREFUSED, -EPROTO, -EFBIG, -ECANCELED ... */
MUST_USE int post_request(struct post_client *c, const struct post_request *r,
			  struct post_answer *a, struct err *e);

/*
 * An answer as it comes in, apart from sockets, for tests and fuzzing: 1 when `in` holds a whole one (*used bytes of it),
 * 0 when more is needed, -EPROTO or -EFBIG. `at_end`: nothing more will come. *keep: the connection may be used again.
 */
struct post_parsed {
	size_t used;
	bool keep;
};
MUST_USE int post_answer_parse(struct post_answer *a, struct str in, bool at_end,
			       struct post_parsed *out);

/* The same over libcurl: https. A connection of its own. */
MUST_USE int post_by_curl(const struct post_client *c, const struct post_request *r,
			  struct post_answer *a, struct err *e);

/*
 * The same as a gRPC call, over HTTP/2, plain or with TLS: r->path is the method, r->body has its frame of five bytes, and so has the
 * body of the answer. Errors as post_request(), and -EACCES when the server's certificate is refused.
 */
MUST_USE int post_by_grpc(struct post_client *c, const struct post_request *r,
			  struct post_answer *a, struct err *e);

/* By whichever is right for the URL. */
MUST_USE int post_send(struct post_client *c, const struct post_request *r, struct post_answer *a,
		       struct err *e);

/* A google.rpc.Status in base64, as gRPC's grpc-status-details-bin: has it a RetryInfo, and which delay does that tell? */
bool post_retry_info(struct str text, uint64_t *ms);

/* Retry-After: seconds or a date; milliseconds, 0 when it says neither. */
uint64_t post_retry_after(struct str text);

#endif
