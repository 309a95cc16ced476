/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_NET_HTTP_EXCHANGE_H
#define VARVE_NET_HTTP_EXCHANGE_H

#include "base/container/vec.h"
#include "net/loop.h"

/*
 * Private to src/net: the inside of a http_exchange, from the first header byte to the last byte of
 * the answer. The loop thread owns it, except between dispatch and http_respond(), when the handler has
 * it; the loop then touches only `conn`, `stage`, the list links and `flags`.
 */
enum exchange_stage {
	EXCHANGE_HEAD, /* headers are coming */
	EXCHANGE_BODY, /* let in; the body is coming */
	EXCHANGE_HANDLER, /* a handler has it, or it is refused and its answer is on the way to the loop */
	EXCHANGE_ANSWER, /* the answer is being written */
};

enum { EXCHANGE_GONE = 1 }; /* flags */

struct header_span {
	uint32_t name_at, name_n, value_at, value_n; /* in `head` */
};

struct exchange {
	struct http_exchange pub; /* first */
	struct mail mail;
	struct exchange *next; /* in the loop's `ready` or `spare` */
	struct loop *loop;
	struct conn *conn; /* NULL once the connection or stream is closed */
	struct exchange *conn_prev, *conn_next;
	enum exchange_stage stage;
	int32_t stream;	       /* HTTP/2 */
	int fault;	       /* HTTP/2: headers over their limit, or no memory for them */
	size_t skipped;	       /* HTTP/2: of the body, after it was refused */
	uint64_t header_bytes; /* HTTP/2: of all headers and trailers, kept or not */
	uint64_t trailer_bytes, trailers; /* HTTP/2: these alone */
	bool refused;			  /* answered without its body being read */
	_Atomic int flags;

	/* request */
	struct sockaddr_storage
		peer;	 /* a copy: the handler may have it longer than the connection lives */
	struct buf head; /* the bytes of target and headers */
	VEC(struct header_span) spans;
	struct arena arena;
	struct header_span span;      /* that is being read */
	uint32_t target_at, target_n; /* in head */
	uint64_t content_length;      /* UINT64_MAX: not said */
	struct str content_encoding;  /* empty: none */
	uint64_t head_started_ns, body_started_ns;
	struct buf raw;		 /* the body as sent */
	struct arena body_arena; /* the body decompressed */
	/* Memory of all of it at the last exchange_account(); a part of conn->exchange_bytes. */
	size_t held;

	/* answer */
	struct http_response response;
	struct str answer; /* the body, whichever it is */
	size_t sent;	   /* of `answer` */
	uint64_t progress_ns;
	bool trailers_sent;
	void (*gone)(void *arg); /* guarded by loop->gone_mu once the handler has it */
	void *gone_arg;
	bool wants_gone; /* the handler's: there is a callback to wait for */
};

static inline struct exchange *exchange_of(const struct http_exchange *x)
{
	return (struct exchange *)x; /* its first member; an exchange is never const */
}

/* An empty exchange on that connection; NULL when memory is out. */
struct exchange *exchange_new(struct conn *c);

/* The end, on the loop thread: memory back to the pools. */
void exchange_free(struct exchange *x);

/* Count its memory anew for its connection. Not while a handler has it. */
void exchange_account(struct exchange *x);

/* From now on a handler has it, until http_respond(). */
void exchange_hand_over(struct exchange *x);

/* Free the exchanges that are kept for reuse. */
void exchange_free_spare(struct loop *l);

/* The connection or stream is closed. Free it, or leave it to the handler that has it. */
void exchange_abandon(struct exchange *x);

/* The sender has gone or will not listen: tell the handler, if one has it. */
void exchange_peer_left(struct exchange *x);

/* Bytes of the target, then of names (made lower case) and values. 0, -EFBIG over a limit, -ENOMEM. */
MUST_USE int exchange_put_target(struct exchange *x, const char *p, size_t n);
MUST_USE int exchange_put_name(struct exchange *x, const char *p, size_t n);
MUST_USE int exchange_put_value(struct exchange *x, const char *p, size_t n);
MUST_USE int exchange_end_header(struct exchange *x);

/*
 * The headers are complete: sort them, then decide. true: read the body, then exchange_dispatch().
 * false: it was refused and is answered.
 */
bool exchange_headers_done(struct exchange *x);

/* What the body may be at most: the route's limit or the server's. */
size_t exchange_body_limit(const struct exchange *x);

/*
 * Room for body bytes, at least one: where to put up to *room of them; exchange_body_added() says how many
 * came. NULL: the body is over its limit or there is no memory for it; it was refused.
 */
char *exchange_body_room(struct exchange *x, size_t *room);
void exchange_body_added(struct exchange *x, size_t n);

/* Both, with a copy. false: refused. */
bool exchange_put_body(struct exchange *x, const char *p, size_t n);

/* The body is whole: decode it, call the handler. */
void exchange_dispatch(struct exchange *x);

/* When a body this slow is too slow. */
uint64_t exchange_body_deadline(const struct exchange *x);

/* Refuse, count why, answer. `x` is with the loop still. */
void exchange_refuse(struct exchange *x, enum net_refused reason, unsigned status, const char *fmt,
		     ...) PRINTF_LIKE(4, 5);

/* The answer has arrived on the loop: count it, prepare `answer`. */
void exchange_answered(struct exchange *x);

#endif
