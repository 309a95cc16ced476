/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_SDK_DEBUG_ENDPOINT_H
#define VARVE_SDK_DEBUG_ENDPOINT_H

#include "base/buf.h"
#include "base/err.h"
#include "base/str.h"

/*
 * A small HTTP/1.1 server for /debug/pprof: one thread accepts, one a connection answers, at most eight at a time, and each
 * connection is for one request ("Connection: close"): a profile takes as long as it was asked for, and `go tool pprof` opens a second
 * connection meanwhile. Requests are bounded; the library's threads are invisible to the profilers.
 *
 * Pages in a browser are kept out (wire/origin.h): Host has to be a loopback name, the address that is listened on or one of the
 * configured names, and requests of other origins are refused, except links to the index of /debug/pprof.
 */
struct endpoint_request {
	struct str method, path, query; /* path still encoded: none of ours has such characters */
	struct str head;		/* the header lines behind the request line */
	struct str body;
};

struct endpoint_answer {
	unsigned status;	  /* 200 */
	const char *content_type; /* "text/plain; charset=utf-8" */
	const char *file_name;	  /* of an attachment; NULL: none */
	bool delta;		  /* of what came in some time: the file's name says so */
	bool gzip;		  /* the body is: Content-Encoding is not set, it is a file */
	struct buf body;
};

/* Fill the answer. A status other than 200 with text says why. Any of the connections' threads. */
typedef void endpoint_handler(void *arg, const struct endpoint_request *request,
			      struct endpoint_answer *answer);

struct endpoint;

/*
 * Listen at "host:port" (loopback only unless the address says otherwise). `hosts`: more names for Host, with commas between them
 * (NULL: none). -EADDRINUSE and so on, with the reason; -EINVAL for a bad name.
 */
MUST_USE int endpoint_start(struct endpoint **out, const char *address, const char *hosts,
			    endpoint_handler *handler, void *arg, struct err *e);

/* Stop listening and wait for those who are answered. Takes NULL. */
void endpoint_stop(struct endpoint *x);

/* The port, for addresses that said 0. */
unsigned endpoint_port(const struct endpoint *x);

/* In a forked child: the sockets are closed, the threads are not there. */
void endpoint_forked(struct endpoint *x);

/* The value of a parameter of the query; false when it is not there. Values of ours need no decoding but %2B and the like never matter. */
bool endpoint_parameter(struct str query, struct str name, struct str *value);

/* sdk/debug/debug_pprof.c: the handler of /debug/pprof/ and /debug/profiling; `arg` is not used. */
endpoint_handler debug_pprof_answer;

#endif
