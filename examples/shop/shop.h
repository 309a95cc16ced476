/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SHOP_SHOP_H
#define SHOP_SHOP_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Shared by the programs of the shop: a small HTTP server on loopback, whose worker threads serve
 * one request per connection, a client, and the start of libvarve. Only shop_profile() and the
 * traceparent header, which contains the caller's span, have to do with profiling.
 */

struct shop_request {
	char method[8], path[256];
	char traceparent[64]; /* "": none */
	char body[4096];
};

struct shop_answer {
	int status;
	char traceparent[64]; /* of the span of the handler; returned as a header */
	char body[32768];
};

/* A function that the compiler neither inlines nor clones, so profiles show it by its name. */
#ifdef __clang__
#define SHOP_FUNCTION __attribute__((noinline)) static
#else
#define SHOP_FUNCTION __attribute__((noipa)) static
#endif

typedef void shop_handler(const struct shop_request *request, struct shop_answer *answer);

/*
 * Listen at 127.0.0.1:port and serve requests with `workers` threads until SIGTERM or SIGINT.
 * Return 0, or 1 after printing an error.
 */
int shop_serve(const char *name, int port, int workers, shop_handler *handler);

/*
 * Send a request and fill in the body and traceparent of *out. Return the status, or -1 on failure.
 */
int shop_call(int port, const char *method, const char *path, const char *traceparent,
	      const char *body, struct shop_answer *out);

/* Start libvarve for the named service and version; other settings come from the environment. */
void shop_profile(const char *service, const char *version);

#endif
