/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_NET_CONN_H
#define VARVE_NET_CONN_H

#include <openssl/types.h>

#include "net/http/exchange.h"
#include "net/http/http1.h"

/*
 * Private to src/net: one connection. It reads and writes bytes, plaintext or TLS, detects the
 * protocol and keeps the timeouts; http1.c and http2.c interpret the bytes. Loop thread only.
 */
struct http2;

enum conn_protocol { CONN_TLS, CONN_SNIFF, CONN_HTTP1, CONN_HTTP2 };

struct conn {
	enum source source; /* first */
	struct mail mail;
	struct loop *loop;
	const struct http_app *app;
	/* NULL in tests; `app` follows its changes. */
	struct listener *listener;
	struct conn *prev, *next;
	struct conn *again_next, *dead_next;
	int fd;
	SSL *ssl; /* NULL: plaintext */
	struct sockaddr_storage peer;
	enum conn_protocol protocol;
	bool readable, writable; /* according to the last event or call */
	bool left; /* an event reported that the peer closed; unread bytes may remain */
	bool eof;  /* the peer closed and all bytes were read */
	bool on_again, closed;
	bool closing; /* no new requests: the server drains, or the client asked for it */
	/* See room.c: in the loop's idle list since idle_ns (0: not in the list). */
	struct lru_link idle;
	uint64_t idle_ns;
	/* Counted in the server's `over`; the number of loops that had no room for it. */
	bool over;
	size_t loops_tried;

	struct http1 h1;
	struct http2 *h2;
	struct exchange *exchanges, *oldest; /* newest first */
	size_t exchange_count;
	size_t answers; /* exchanges whose response is not completely sent */
	/* Memory of all exchanges, and of those that handlers own. */
	size_t exchange_bytes, handler_bytes;
	/* Memory of nghttp2; of the connection without exchanges, as charged to the budget. */
	size_t h2_bytes, charged;
	uint64_t requests;

	struct buf pending; /* read, but not parsed yet */
	struct buf out;	    /* to be written first */
	size_t out_at;
	struct str body;      /* to be written after `out`; borrowed from the exchange */
	uint64_t progress_ns; /* the last time a byte moved in the direction we wait for */
	/* The last time a byte of a response was sent or, if none is due, a byte was read. */
	uint64_t moved_ns;
	uint64_t served_ns; /* the last time a response was completely sent; 0: never */
	uint64_t deadline_ns;
};

/*
 * Make a connection for an accepted socket. It takes ownership of fd and `ssl` (may be NULL) in
 * every case. Return NULL when out of memory.
 */
struct conn *conn_new(struct loop *l, int fd, SSL *ssl, const struct http_app *app,
		      const struct sockaddr_storage *peer);

/* Add the connection to its loop. Called on the loop thread. */
void conn_start(struct conn *c);

/* Write, parse and read as far as possible without waiting. May close the connection. */
void conn_run(struct conn *c);

/* Close the connection; the loop frees it at the end of the round. */
void conn_close(struct conn *c);
void conn_free(struct conn *c);

/* Send the response of one of its exchanges. */
void conn_answer(struct conn *c, struct exchange *x);

/* Note that the peer has closed its side of the connection, or both sides. */
void conn_peer_left(struct conn *c);

/* Handle an expired deadline. */
void conn_expired(struct conn *c);

/* Accept no new requests; close when idle. */
void conn_drain(struct conn *c);

/* Use the present routes of the listener, or drain if it was removed, and go on. See change.h. */
void conn_resume(struct conn *c);

/* Return the memory that the connection and its exchanges hold. */
static inline size_t conn_held(const struct conn *c)
{
	return c->charged + c->exchange_bytes;
}

/* Return whether no request is in progress and no response is due. True during a TLS handshake. */
bool conn_is_idle(const struct conn *c);

/* Return whether it has no request, but its socket has unread bytes. */
bool conn_has_unread_bytes(const struct conn *c);

/* Return whether bytes are waiting to be written. */
static inline bool conn_has_output(const struct conn *c)
{
	return c->out.n > c->out_at || c->body.n;
}

#endif
