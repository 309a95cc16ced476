/* SPDX-License-Identifier: Apache-2.0 */
#include "net/body_buffers.h"

void pool_fini(struct pool *p)
{
	while (p->count)
		buf_fini(&p->bufs[--p->count]);
	p->bytes = 0;
}

void pool_get(struct pool *p, struct budget *budget, struct buf *out)
{
	buf_init(out, budget);
	if (!p->count || !budget_take(budget, p->bufs[p->count - 1].cap))
		return;
	*out = p->bufs[--p->count];
	out->budget = budget;
	p->bytes -= out->cap;
}

void pool_put(struct pool *p, struct buf *b)
{
	if (!b->cap || b->cap > POOL_BUF_MAX || p->count == POOL_BUFS ||
	    p->bytes + b->cap > p->limit) {
		buf_fini(b);
		return;
	}
	budget_give(b->budget, b->cap);
	p->bytes += b->cap;
	p->bufs[p->count++] = (struct buf){.p = b->p, .cap = b->cap};
	*b = (struct buf){0};
}
