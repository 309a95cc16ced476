/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SHOP_SHOP_H
#define SHOP_SHOP_H

#include <stdbool.h>
#include <stddef.h>

/*
 * What the programs of the shop have in common: a small HTTP server on loopback whose worker threads answer one request a
 * connection, a client, and the start of libvarve. Nothing here is special to profiling but shop_profile() and the
 * traceparent header, which carries the caller's span.
 */

struct shop_request {
	char method[8], path[256];
	char traceparent[64]; /* "": none */
	char body[4096];
};

struct shop_answer {
	int status;
	char traceparent[64]; /* of the span that answered; goes back as a header */
	char body[32768];
};

/* A function that keeps its name and shape, so that it can be found by it. */
#ifdef __clang__
#define SHOP_FUNCTION __attribute__((noinline)) static
#else
#define SHOP_FUNCTION __attribute__((noipa)) static
#endif

typedef void shop_handler(const struct shop_request *request, struct shop_answer *answer);

/* Listen at 127.0.0.1:port and answer with `workers` threads until SIGTERM or SIGINT. 0, or 1 after a message. */
int shop_serve(const char *name, int port, int workers, shop_handler *handler);

/* One request; the answer's body and traceparent are filled in. The status, or -1. */
int shop_call(int port, const char *method, const char *path, const char *traceparent,
	      const char *body, struct shop_answer *out);

/* Start the profilers as a service of that name and version; all else is said by the environment. */
void shop_profile(const char *service, const char *version);

#endif
