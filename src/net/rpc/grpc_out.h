/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_NET_RPC_GRPC_OUT_H
#define VARVE_NET_RPC_GRPC_OUT_H

#include <openssl/types.h>

#include "base/buf.h"

/*
 * Private to src/net: the bytes that a gRPC client's connection has to write. Messages are written
 * from the caller's memory; only frame headers and control frames are copied, and what TLS
 * encrypts. One thread.
 */
enum { GRPC_OUT_PIECES = 256 };

struct grpc_out_piece {
	const char *p; /* NULL: in the buffer `control` */
	size_t at, n;  /* at: in `control` */
};

struct grpc_out {
	struct buf control;
	struct grpc_out_piece pieces[GRPC_OUT_PIECES];
	unsigned first, count; /* pieces[first .. count) are not written yet */
	struct buf record;     /* TLS: bytes gathered from pieces */
	size_t record_at;      /* written of them */
};

void grpc_out_fini(struct grpc_out *o);

/* Drop what is not written, after the connection was lost. */
void grpc_out_clear(struct grpc_out *o);

/* Return whether `pieces` more may be put. */
static inline bool grpc_out_has_room(const struct grpc_out *o, size_t pieces)
{
	return o->count + pieces <= GRPC_OUT_PIECES;
}

static inline bool grpc_out_is_empty(const struct grpc_out *o)
{
	return o->first == o->count && o->record_at == o->record.n;
}

/* Put a copy of `bytes`. Return 0 or -ENOMEM. There must be room for one piece. */
MUST_USE int grpc_out_copy(struct grpc_out *o, const void *bytes, size_t n);

/* Put bytes that stay valid until they are written or cleared. */
void grpc_out_put(struct grpc_out *o, struct str bytes);

/*
 * Write to the socket, or to `ssl` if it is not NULL. Return 0 when everything is written, -EAGAIN
 * if the socket is full, or another negative errno.
 */
MUST_USE int grpc_out_flush(struct grpc_out *o, int fd, SSL *ssl);

#endif
