/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_SDK_DEBUG_ENDPOINT_H
#define VARVE_SDK_DEBUG_ENDPOINT_H

#include "base/buf.h"
#include "base/err.h"
#include "base/str.h"

/*
 * A small HTTP/1.1 server for /debug/pprof. One thread accepts; each connection has a thread of its
 * own, at most eight at a time, and serves one request ("Connection: close"): a profile takes as
 * long as requested, and `go tool pprof` opens a second connection meanwhile. Requests are bounded;
 * the library's threads are not profiled.
 *
 * Web pages of other origins are rejected (wire/origin.h): Host must be a loopback name, the
 * listening address or a configured name; cross-origin requests are refused, except links to the
 * index of /debug/pprof.
 */
struct endpoint_request {
	struct str method, path, query; /* percent-encoded, which no known path needs */
	struct str head;		/* the header lines after the request line */
	struct str body;
	bool from_loopback; /* the client is on this machine, or not on a network */
};

struct endpoint_answer {
	unsigned status;	  /* default: 200 */
	const char *content_type; /* default: "text/plain; charset=utf-8" */
	const char *file_name;	  /* of an attachment; NULL: none */
	bool delta;		  /* covers a duration: the file name gets "-delta" */
	bool gzip;		  /* the body is a gzip file; Content-Encoding is not set */
	struct buf body;
};

/* Fill the answer; a status other than 200 gets the reason as text. Any connection's thread. */
typedef void endpoint_handler(void *arg, const struct endpoint_request *request,
			      struct endpoint_answer *answer);

struct endpoint;

/*
 * Listen on "host:port" (without a host, on loopback). `hosts` adds names for Host, separated by
 * commas; NULL: none. Return 0, -EINVAL for an invalid name, or -EADDRINUSE and others with the
 * reason.
 */
MUST_USE int endpoint_start(struct endpoint **out, const char *address, const char *hosts,
			    endpoint_handler *handler, void *arg, struct err *e);

/* Stop listening and wait for running requests. Takes NULL. */
void endpoint_stop(struct endpoint *x);

/* In a forked child: close the sockets and free; the threads do not exist. */
void endpoint_forked(struct endpoint *x);

/* Return a header of the request, or an empty string. The name is in lower case. */
struct str endpoint_header(const struct endpoint_request *request, struct str name);

/* Find a parameter of the query; its value is not decoded. Return false when it is missing. */
bool endpoint_parameter(struct str query, struct str name, struct str *value);

#endif
