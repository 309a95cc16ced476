/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_NET_HTTP_HTTP1_H
#define VARVE_NET_HTTP_HTTP1_H

#include <llhttp.h>

#include "base/base.h"

/* Private to src/net: HTTP/1.0 and 1.1 on a connection, one request at a time. Loop thread only. */
struct conn;
struct exchange;

/* The state of the input. It is independent of the output: a refused request is answered while its
 * body is discarded. */
enum http1_input {
	HTTP1_HEAD,	   /* between requests, or in the headers of one */
	HTTP1_LENGTH,	   /* a body of known length: read into its buffer without the parser */
	HTTP1_CHUNKED,	   /* a chunked body: through the parser */
	HTTP1_SKIP_LENGTH, /* discard the body of a refused request */
	HTTP1_SKIP_CHUNKED,
	HTTP1_DONE, /* the request is complete; further input waits until it is answered */
	/* The last response was sent; discard input for a moment, because a reset could destroy the
	 * response before the client reads it. */
	HTTP1_LINGER,
};

struct http1 {
	llhttp_t parser;
	enum http1_input input;
	struct exchange *x;
	uint64_t left;	     /* body bytes to come, for HTTP1_LENGTH and HTTP1_SKIP_LENGTH */
	uint64_t skipped;    /* bytes of a refused body */
	uint64_t started_ns; /* when the first byte of the request was read; 0: not yet */
	uint64_t linger_until_ns;
	/*
	 * To detect folded headers: where the bytes after the last name or value begin, and whether
	 * a line ended in the part of them that earlier reads returned. A value that begins after a
	 * line end is on a folded line.
	 */
	const char *gap;
	bool gap_has_line_end;
	uint64_t trailers, trailer_bytes;
	bool keep_alive;
	bool broken;	/* further input cannot be parsed */
	bool answering; /* the response is in the output */
	int fault;	/* why a callback stopped the parser */
};

void http1_init(struct conn *c);

/* Return whether it can process input now. */
bool http1_wants_input(const struct conn *c);

/*
 * Return where to read to, or NULL for the scratch buffer. Lower *room, the size of the scratch
 * buffer, to the number of bytes to read. May refuse the request.
 */
char *http1_input_room(struct conn *c, size_t *room);

/* Process `n` bytes that were read to http1_input_room(). */
void http1_room_filled(struct conn *c, size_t n);

/* Process input. Return how many bytes were used; the rest has to wait. */
size_t http1_input(struct conn *c, const char *p, size_t n);

/* Handle the end of the input. */
void http1_eof(struct conn *c);

/* Put the response of an exchange into the output. */
void http1_answer(struct conn *c, struct exchange *x);

/* Handle that all output was written. */
void http1_written(struct conn *c);

uint64_t http1_deadline(const struct conn *c);
void http1_expired(struct conn *c);

/* Return whether no byte of a request was read and no response is due. */
bool http1_idle(const struct conn *c);

#endif
