/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_NET_CONN_H
#define VARVE_NET_CONN_H

#include <openssl/types.h>

#include "net/http/exchange.h"
#include "net/http/http1.h"

/*
 * Private to src/net: one connection. Bytes in and out, plain or TLS; which protocol they are; the
 * time-outs. What the bytes mean is http1.c's and http2.c's. Loop thread only.
 */
struct http2;

enum conn_protocol { CONN_TLS, CONN_SNIFF, CONN_HTTP1, CONN_HTTP2 };

struct conn {
	enum source source; /* first */
	struct mail mail;
	struct loop *loop;
	const struct http_app *app;
	struct conn *prev, *next;
	struct conn *again_next, *dead_next;
	int fd;
	SSL *ssl; /* NULL: plain */
	struct sockaddr_storage peer;
	enum conn_protocol protocol;
	bool readable, writable; /* as far as the last call told */
	bool left; /* an event said that the sender will send no more; what it sent may still be there */
	bool eof; /* and all of it was read */
	bool on_again, closed;
	bool closing; /* no new requests: draining, or the sender asked */
	/* See room.c: in the loop's idle list since idle_ns (0: not in the list). */
	struct lru_link idle;
	uint64_t idle_ns;
	/* Counted in the server's `over`; the number of times that a loop had no room for it. */
	bool over;
	size_t asked;

	struct http1 h1;
	struct http2 *h2;
	struct exchange *exchanges, *oldest; /* the newest first */
	size_t exchange_count;
	size_t answers; /* exchanges whose answer is not sent yet */
	/* Memory of the exchanges, and of those of them that handlers have. */
	size_t exchange_bytes, handler_bytes;
	/* Of nghttp2; of the connection itself, as charged to the budget. */
	size_t h2_bytes, charged;
	uint64_t requests;

	struct buf pending; /* read, and not yet parsed */
	struct buf out;	    /* to be written first */
	size_t out_at;
	struct str body;      /* to be written behind it; borrowed from the exchange */
	uint64_t progress_ns; /* the last time a byte moved in the direction we wait for */
	/* The last time a byte of an answer was sent; or, if none is due, one was read. */
	uint64_t moved_ns;
	uint64_t served_ns; /* the last time an answer was sent as a whole; 0: never */
	uint64_t deadline_ns;
};

/* For an accepted socket. `ssl` (may be NULL) and fd are taken over in every case. NULL: out of memory. */
struct conn *conn_new(struct loop *l, int fd, SSL *ssl, const struct http_app *app,
		      const struct sockaddr_storage *peer);

/* Join its loop; on the loop thread. */
void conn_start(struct conn *c);

/* Do all that can be done now: write, parse, read. May close it. */
void conn_run(struct conn *c);

/* Close; it is freed at the end of the round. */
void conn_close(struct conn *c);
void conn_free(struct conn *c);

/* An exchange on it was answered. */
void conn_answer(struct conn *c, struct exchange *x);

/* The sender has closed its side, or all of it. */
void conn_peer_left(struct conn *c);

/* Its deadline has passed. */
void conn_expired(struct conn *c);

/* No new requests; close when idle. */
void conn_drain(struct conn *c);

/* All memory that it holds, with its exchanges. */
static inline size_t conn_held(const struct conn *c)
{
	return c->charged + c->exchange_bytes;
}

/* Is no request in progress and no answer due? True during a TLS handshake, too. */
bool conn_is_idle(const struct conn *c);

/* Does it have no request, but unread bytes in its socket? */
bool conn_is_unheard(const struct conn *c);

/* Is anything waiting to be written? */
static inline bool conn_has_output(const struct conn *c)
{
	return c->out.n > c->out_at || c->body.n;
}

#endif
