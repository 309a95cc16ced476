/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_NET_HTTP_HTTP1_H
#define VARVE_NET_HTTP_HTTP1_H

#include <llhttp.h>

#include "base/base.h"

/* Private to src/net: HTTP/1.0 and 1.1 on a connection, one request at a time. Loop thread only. */
struct conn;
struct exchange;

/* Where the input stands. The answer goes its own way: a refused request is answered while its body is skipped. */
enum http1_input {
	HTTP1_HEAD,	   /* between requests, or in the headers of one */
	HTTP1_LENGTH,	   /* a body of known length: past the parser, straight into its buffer */
	HTTP1_CHUNKED,	   /* a chunked body: through the parser */
	HTTP1_SKIP_LENGTH, /* the same two of a request that was refused: read away */
	HTTP1_SKIP_CHUNKED,
	HTTP1_DONE, /* the request is whole; what follows waits until it is answered */
	HTTP1_LINGER, /* all is said; read away for a moment, else a reset could overtake the answer */
};

struct http1 {
	llhttp_t parser;
	enum http1_input input;
	struct exchange *x;
	uint64_t left;	   /* of the body, for HTTP1_LENGTH and HTTP1_SKIP_LENGTH */
	uint64_t skipped;  /* of a refused body */
	uint64_t begun_ns; /* when the first byte of the request came; 0: not yet */
	uint64_t linger_until_ns;
	/* Of the headers: where the bytes after the last name or value begin, and whether a line ended in those
	 * of them that came before. A value that begins after that is on a folded line. */
	const char *gap;
	bool gap_has_line_end;
	uint64_t trailers, trailer_bytes;
	bool keep_alive;
	bool broken;	/* what follows cannot be parsed */
	bool answering; /* the answer is in the output */
	int fault;	/* why a callback stopped the parser */
};

void http1_init(struct conn *c);

/* Can it take bytes now? */
bool http1_wants_input(const struct conn *c);

/* Where to read to, and how much (`room` has the size of the scratch); NULL: into the scratch. */
char *http1_input_room(struct conn *c, size_t *room);

/* Bytes at http1_input_room() have come. */
void http1_room_filled(struct conn *c, size_t n);

/* Bytes; returns how many were used. Fewer than n: the rest has to wait. */
size_t http1_input(struct conn *c, const char *p, size_t n);

/* The sender has closed its side. */
void http1_eof(struct conn *c);

/* Put the answer into the output. */
void http1_answer(struct conn *c, struct exchange *x);

/* All output was written. */
void http1_written(struct conn *c);

uint64_t http1_deadline(const struct conn *c);
void http1_expired(struct conn *c);

/* Nothing begun, nothing owed? */
bool http1_idle(const struct conn *c);

#endif
