/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The output of a gRPC client's connection. Plaintext is written by sendmsg() from where it is; for
 * TLS the pieces are gathered to records of full size, because each SSL_write() makes a record.
 */
#include "net/rpc/grpc_out.h"

#include <errno.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include "net/tls.h"

enum { RECORD_BYTES = 64 << 10 };

void grpc_out_fini(struct grpc_out *o)
{
	buf_fini(&o->control);
	buf_fini(&o->record);
}

void grpc_out_clear(struct grpc_out *o)
{
	buf_clear(&o->control);
	buf_clear(&o->record);
	o->first = o->count = 0;
	o->record_at = 0;
}

int grpc_out_copy(struct grpc_out *o, const void *bytes, size_t n)
{
	struct grpc_out_piece *last = o->count > o->first ? &o->pieces[o->count - 1] : NULL;
	size_t at = o->control.n;

	if (!n)
		return 0;
	buf_put(&o->control, bytes, n);
	if (buf_error(&o->control))
		return -ENOMEM;
	if (last && !last->p && last->at + last->n == at)
		last->n += n;
	else
		o->pieces[o->count++] = (struct grpc_out_piece){.at = at, .n = n};
	return 0;
}

void grpc_out_put(struct grpc_out *o, struct str bytes)
{
	if (bytes.n)
		o->pieces[o->count++] = (struct grpc_out_piece){.p = bytes.p, .n = bytes.n};
}

static const char *piece_bytes(const struct grpc_out *o, const struct grpc_out_piece *p)
{
	return p->p ? p->p : o->control.p + p->at;
}

/* Remove `n` bytes, which were written, from the front. */
static void advance(struct grpc_out *o, size_t n)
{
	while (n) {
		struct grpc_out_piece *p = &o->pieces[o->first];
		size_t done = min_size(n, p->n);

		if (p->p)
			p->p += done;
		p->at += done;
		p->n -= done;
		n -= done;
		o->first += !p->n;
	}
}

static int flush_plain(struct grpc_out *o, int fd)
{
	struct iovec at[GRPC_OUT_PIECES];

	while (o->first < o->count) {
		struct msghdr m = {.msg_iov = at};
		ssize_t n;

		for (unsigned i = o->first; i < o->count; i++)
			at[m.msg_iovlen++] = (struct iovec){
				(void *)(uintptr_t)piece_bytes(o, &o->pieces[i]), o->pieces[i].n};
		n = sendmsg(fd, &m, MSG_NOSIGNAL);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		advance(o, (size_t)n);
	}
	return 0;
}

/* Move bytes of the pieces into the record. Return 0 or -ENOMEM. */
static int gather(struct grpc_out *o)
{
	buf_clear(&o->record);
	o->record_at = 0;
	if (!buf_reserve(&o->record, RECORD_BYTES))
		return -ENOMEM;
	while (o->first < o->count && o->record.n < RECORD_BYTES) {
		const struct grpc_out_piece *p = &o->pieces[o->first];
		size_t n = min_size(p->n, RECORD_BYTES - o->record.n);

		buf_put(&o->record, piece_bytes(o, p), n);
		advance(o, n);
	}
	return 0;
}

static int flush_tls(struct grpc_out *o, SSL *ssl)
{
	for (;;) {
		ssize_t n;

		if (o->record_at == o->record.n) {
			if (o->first == o->count) {
				buf_clear(&o->record);
				o->record_at = 0;
				return 0;
			}
			if (gather(o))
				return -ENOMEM;
		}
		n = tls_write(ssl, o->record.p + o->record_at, o->record.n - o->record_at);
		if (n < 0)
			return (int)n;
		o->record_at += (size_t)n;
	}
}

int grpc_out_flush(struct grpc_out *o, int fd, SSL *ssl)
{
	int rc = ssl ? flush_tls(o, ssl) : flush_plain(o, fd);

	if (!rc) {
		buf_clear(&o->control);
		o->first = o->count = 0;
	}
	return rc;
}
