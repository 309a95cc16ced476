/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_NET_BODY_BUFFERS_H
#define VARVE_NET_BODY_BUFFERS_H

#include "base/buf.h"

/*
 * Private to src/net: body buffers that were used, kept for the next body, because fresh pages cost more
 * than the copy into them. The last one back is the first one out: it is warm. What is kept is not
 * charged to the budget. One thread.
 */
enum { POOL_BUFS = 64 };
#define POOL_BUF_MAX (1 * MIB) /* larger ones are rare; the system takes them back */

struct pool {
	struct buf bufs[POOL_BUFS];
	size_t count, bytes;
	size_t limit; /* of bytes */
};

void pool_fini(struct pool *p);

/* An empty buffer that charges `budget`, with memory if there is some and the budget allows it. */
void pool_get(struct pool *p, struct budget *budget, struct buf *out);

/* Take a buffer back; it is empty afterwards. */
void pool_put(struct pool *p, struct buf *b);

#endif
