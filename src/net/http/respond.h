/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_NET_HTTP_RESPOND_H
#define VARVE_NET_HTTP_RESPOND_H

#include "net/http/http.h"

/* What a handler does with its exchange. Functions may be called from any thread that owns it. */

/*
 * Send the response and give the exchange back; call it exactly once. r->body is empty afterwards.
 * When memory runs out the client gets 503 or a closed stream.
 */
void http_respond(struct http_exchange *x, struct http_response *r);

/* Respond with a line of text; a newline is added. */
void http_respond_text(struct http_exchange *x, unsigned status, const char *fmt, ...)
	PRINTF_LIKE(3, 4);

/* Respond with a refusal, in the format that struct http_route describes at `refuse`. */
void http_refuse(struct http_exchange *x, const struct http_refusal *why);

/* Return whether the client has disconnected. Long work should stop, and still respond. */
bool http_gone(const struct http_exchange *x);

/*
 * Set a function that the loop thread calls when the client disconnects before the response. It is
 * never called once http_respond() has begun; http_respond() waits for a call in progress. Set it
 * before handing the exchange to another thread.
 */
void http_on_gone(struct http_exchange *x, void (*gone)(void *arg), void *arg);

/* A body that outlives its exchange. */
struct http_body {
	struct str bytes;
	struct buf raw;
	struct arena arena;
};

/* Move the body out of the exchange, to use it after http_respond(). x->body stays readable. */
void http_detach_body(struct http_exchange *x, struct http_body *body);
void http_body_fini(struct http_body *body);

/* Private to src/net: prepare a response that has arrived on its loop for writing; count it. */
struct exchange;
void exchange_answered(struct exchange *x);

#endif
