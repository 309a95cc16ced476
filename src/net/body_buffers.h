/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_NET_BODY_BUFFERS_H
#define VARVE_NET_BODY_BUFFERS_H

#include "base/buf.h"

/*
 * Private to src/net: a stack of used body buffers, kept for reuse because faulting in fresh pages
 * costs more than copying a body into them. The most recently used buffer is reused first. Buffers
 * in the stack are not charged to the budget. One thread.
 */
enum { BODY_BUFFERS_MAX = 64 };
#define BODY_BUFFER_BYTES_MAX (1 * MIB) /* larger ones are rare and are freed */

struct body_buffers {
	struct buf bufs[BODY_BUFFERS_MAX];
	size_t count, bytes;
	size_t limit; /* of bytes */
	size_t usual; /* size of the largest of the last bodies; decreases with each smaller one */
};

void body_buffers_fini(struct body_buffers *p);

/* Initialize *out to charge `budget`, with the memory of a kept buffer if the budget allows it. */
void body_buffers_get(struct body_buffers *p, struct budget *budget, struct buf *out);

/* Note the size of a complete body. */
void body_buffers_note(struct body_buffers *p, size_t n);

/*
 * Reserve the usual size and a little more in an empty buffer, but not more than `max`, so that a
 * body of about usual size is not moved while it grows. Lack of memory is not an error.
 */
void body_buffers_reserve(const struct body_buffers *p, struct buf *b, size_t max);

/* Keep or free the memory of a buffer, and empty the buffer. */
void body_buffers_put(struct body_buffers *p, struct buf *b);

#endif
