/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_NET_HTTP_ADMISSION_H
#define VARVE_NET_HTTP_ADMISSION_H

#include "net/http/exchange.h"

/*
 * Check a request, receive its body and call its handler, or refuse it. Private to src/net and
 * loop thread only, except http_decode_body().
 */

/*
 * Check the complete headers. Return true if the body is to be read, followed by
 * exchange_dispatch(). Return false if the request was refused; the response is on its way.
 */
bool exchange_headers_done(struct exchange *x);

/* Return the largest body allowed: the limit of the route or the server, or half of max_memory. */
size_t exchange_body_limit(const struct exchange *x);

/*
 * Return where to put up to *room (at least one) bytes of the body; exchange_body_added() reports
 * how many were received. Return NULL if the body is over its limit or memory has run out; the
 * request was refused.
 */
char *exchange_body_room(struct exchange *x, size_t *room);
void exchange_body_added(struct exchange *x, size_t n);

/* Append a copy of body bytes. Return false if the request was refused. */
bool exchange_put_body(struct exchange *x, const char *p, size_t n);

/* Decode the complete body and call the handler. */
void exchange_dispatch(struct exchange *x);

/* Return when the body times out, given the bytes received so far. */
uint64_t exchange_body_deadline(const struct exchange *x);

/* Count the reason and refuse the request. No handler may own `x`. */
void exchange_refuse(struct exchange *x, enum net_refused reason, unsigned status, const char *fmt,
		     ...) PRINTF_LIKE(4, 5);

/*
 * Decode the Content-Encoding of an HTTP_RAW_BODY request in the calling thread; x->body is the
 * result. Return 0, -ENOTSUP for an unknown coding (415), -EBADMSG (400), -EFBIG over the limit
 * (413), or -ENOMEM (503).
 */
MUST_USE int http_decode_body(struct http_exchange *x, struct err *e);

#endif
