/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_NET_HTTP_CLIENT_H
#define VARVE_NET_HTTP_CLIENT_H

#include <stdatomic.h>

#include "net/client/client.h"
#include "net/http/http.h"

/* A blocking HTTP/1.1 client on libcurl. */
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
	/* The body in pieces, if part_count > 0: sent without joining them. */
	const struct str *parts;
	size_t part_count;
	uint64_t timeout_ms; /* of the whole request; 0: 30 s */
	size_t max_response; /* bytes after decompression; 0: 64 MiB */
	struct str want;     /* a response header to return, in lower case; may be empty */
	/* Set by another thread to end the request within about a second; may be NULL. */
	const _Atomic bool *cancelled;
};

struct http_client_answer {
	unsigned status;
	uint64_t retry_after_s; /* of Retry-After, in seconds or as a date */
	char content_type[128];
	struct buf wanted; /* the value of the header `want` */
	struct buf body;   /* decompressed */
};

/*
 * Send a request and wait for the response. Return 0 with any HTTP status; otherwise -ECONNREFUSED,
 * -ETIMEDOUT, -EFBIG, -ECANCELED, -EPROTO ... and an error that names the URL. Redirects are not
 * followed. Call http_client_answer_fini() in every case.
 */
MUST_USE int http_client_request(struct http_client *c, const struct http_client_request *request,
				 struct http_client_answer *answer, struct err *e);
void http_client_answer_fini(struct http_client_answer *answer);

/* Format a URL without user and password, for texts of errors and status. */
void url_without_credentials(const char *url, char *out, size_t n);

#endif
