/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_NET_HTTP_EXCHANGE_H
#define VARVE_NET_HTTP_EXCHANGE_H

#include "base/container/vec.h"
#include "net/http/http.h"
#include "net/loop.h"

/*
 * Private to src/net: the state of an http_exchange, from the first header byte to the last byte of
 * the response. The loop thread owns it, except between dispatch and http_respond(), when the
 * handler owns it; the loop then touches only `conn`, `stage`, the list links and `flags`.
 */
enum exchange_stage {
	EXCHANGE_HEAD, /* headers are being received */
	EXCHANGE_BODY, /* admitted; the body is being received */
	/* A handler owns it, or it was refused and the response is on its way to the loop. */
	EXCHANGE_HANDLER,
	EXCHANGE_ANSWER, /* the response is being written */
};

enum { EXCHANGE_GONE = 1 }; /* flags */

/* Offsets and lengths in `head`, which may still be reallocated. */
struct header_span {
	uint32_t name_at, name_n, value_at, value_n;
};

struct exchange {
	struct http_exchange pub; /* first */
	struct mail mail;
	struct exchange *next; /* in the loop's `ready` or `spare` */
	struct loop *loop;
	struct conn *conn; /* NULL once the connection or stream is closed */
	struct exchange *conn_prev, *conn_next;
	enum exchange_stage stage;
	int32_t stream; /* HTTP/2 */
	/* HTTP/2: -EFBIG if the headers are over a limit, -ENOMEM. */
	int fault;
	size_t skipped;			  /* HTTP/2: body bytes received after a refusal */
	uint64_t header_bytes;		  /* HTTP/2: of all headers and trailers, stored or not */
	uint64_t trailer_bytes, trailers; /* HTTP/2: of trailers only */
	bool refused;			  /* answered without the handler */
	/* The routes changed while the body was received: admit it again before dispatch. */
	bool rerouted;
	bool permanent; /* since a handler owns it: the route is HTTP_PERMANENT */
	_Atomic int flags;

	/* request */
	struct sockaddr_storage peer; /* a copy: the handler may outlive the connection */
	struct buf head;	      /* the bytes of target and headers */
	VEC(struct header_span) spans;
	struct arena arena;
	struct header_span span;      /* of the header that is being received */
	uint32_t target_at, target_n; /* in head */
	uint64_t content_length;      /* UINT64_MAX: unknown */
	struct str content_encoding;  /* empty: none */
	uint64_t head_started_ns, body_started_ns;
	struct buf raw;		 /* the body as sent */
	struct arena body_arena; /* the decompressed body */
	/* All its memory at the last exchange_account(); included in conn->exchange_bytes. */
	size_t held;

	/* response */
	struct http_response response;
	struct str answer; /* the body: `body` or `static_body` of the response */
	size_t sent;	   /* of `answer` */
	uint64_t progress_ns;
	void (*gone)(void *arg); /* guarded by loop->gone_mu once a handler owns the exchange */
	void *gone_arg;
	bool wants_gone; /* owned by the handler: `gone` was set */
};

/* Return the exchange of its public part, its first member. An exchange is never const. */
static inline struct exchange *exchange_of(const struct http_exchange *x)
{
	return (struct exchange *)x;
}

/* Return an empty exchange on that connection, or NULL when out of memory. */
struct exchange *exchange_new(struct conn *c);

/* Recycle the exchange and its buffers. Loop thread. */
void exchange_free(struct exchange *x);

/* Update the memory that its connection accounts for it. Not while a handler owns it. */
void exchange_account(struct exchange *x);

/* Pass ownership to a handler, until http_respond(). */
void exchange_hand_over(struct exchange *x);

/* Find the route again after the listener's routes changed. The body is not complete yet. */
void exchange_reroute(struct exchange *x);

/* Free the exchanges that are kept for reuse. */
void exchange_free_spare(struct loop *l);

/* Detach from a closed connection or stream; free the exchange unless a handler owns it. */
void exchange_abandon(struct exchange *x);

/* Tell the handler, if one owns the exchange, that the client has disconnected. */
void exchange_peer_left(struct exchange *x);

/*
 * Append bytes of the target, or of a header's name (converted to lower case) or value. Return 0,
 * -EFBIG over a limit, or -ENOMEM.
 */
MUST_USE int exchange_put_target(struct exchange *x, const char *p, size_t n);
MUST_USE int exchange_put_name(struct exchange *x, const char *p, size_t n);
MUST_USE int exchange_put_value(struct exchange *x, const char *p, size_t n);
MUST_USE int exchange_end_header(struct exchange *x);

#endif
