/* SPDX-License-Identifier: Apache-2.0 */
/* A stack of buffers. Memory is charged to a budget only while a buffer is in use. */
#include "net/body_buffers.h"

void body_buffers_fini(struct body_buffers *p)
{
	while (p->count)
		buf_fini(&p->bufs[--p->count]);
	p->bytes = p->usual = 0;
}

void body_buffers_get(struct body_buffers *p, struct budget *budget, struct buf *out)
{
	buf_init(out, budget);
	if (!p->count || !budget_take(budget, p->bufs[p->count - 1].cap))
		return;
	*out = p->bufs[--p->count];
	out->budget = budget;
	p->bytes -= out->cap;
}

void body_buffers_note(struct body_buffers *p, size_t n)
{
	enum { FORGET = 16 }; /* a 16th with each body */

	p->usual = max_size(n, p->usual - p->usual / FORGET);
}

void body_buffers_reserve(const struct body_buffers *p, struct buf *b, size_t max)
{
	enum { SLACK = 16 }; /* a 16th more: bodies of similar size do not double the buffer */
	size_t n = min_size(min_size(p->usual + p->usual / SLACK, BODY_BUFFER_BYTES_MAX), max);

	if (n && !b->cap && !buf_reserve(b, n))
		buf_clear(b);
}

void body_buffers_put(struct body_buffers *p, struct buf *b)
{
	if (!b->cap || b->cap > BODY_BUFFER_BYTES_MAX || p->count == BODY_BUFFERS_MAX ||
	    p->bytes + b->cap > p->limit) {
		buf_fini(b);
		return;
	}
	budget_give(b->budget, b->cap);
	p->bytes += b->cap;
	p->bufs[p->count++] = (struct buf){.p = b->p, .cap = b->cap};
	*b = (struct buf){0};
}
