/* SPDX-License-Identifier: Apache-2.0 */
/* OTLP messages as slices of reference-counted memory. */
#include "signal/otlp/payload.h"

#include <stdatomic.h>
#include <stdlib.h>

/* The bytes follow the block in the same allocation, or were taken over from a buffer. */
static bool is_inline(const struct payload_block *b)
{
	return b->p == (const char *)(b + 1);
}

static void block_release(struct payload_block *b)
{
	if (!b || atomic_fetch_sub_explicit(&b->refs, 1, memory_order_acq_rel) != 1)
		return;
	budget_give(b->budget, b->charged);
	if (!is_inline(b))
		free(b->p);
	free(b);
}

static struct payload *payload_new(enum signal_kind signal, uint32_t items, uint32_t slice_count)
{
	struct payload *p = malloc(sizeof(*p) + (size_t)slice_count * sizeof(struct payload_slice));

	if (!p)
		return NULL;
	*p = (struct payload){.signal = signal,
			      .items = items,
			      .slice_count = slice_count,
			      .slices = (struct payload_slice *)(p + 1),
			      .refs = 1};
	return p;
}

/* Return a payload of one block with room for `n` bytes. */
static struct payload *payload_alloc(enum signal_kind signal, uint32_t items, size_t n,
				     struct budget *budget)
{
	struct payload *p = payload_new(signal, items, 1);
	size_t size = sizeof(struct payload_block) + n;
	struct payload_block *b = NULL;

	if (p && budget_take(budget, size)) {
		b = malloc(size);
		if (!b)
			budget_give(budget, size);
	}
	if (!b) {
		free(p);
		return NULL;
	}
	*b = (struct payload_block){
		.refs = 1, .budget = budget, .charged = size, .p = (char *)(b + 1)};
	p->bytes = n;
	p->slices[0] = (struct payload_slice){str_of(b->p, n), b};
	return p;
}

void payload_borrow(struct payload *p, struct payload_slice *slice, enum signal_kind signal,
		    uint32_t items, struct str message)
{
	*slice = (struct payload_slice){message, NULL};
	*p = (struct payload){.signal = signal,
			      .items = items,
			      .bytes = message.n,
			      .slice_count = 1,
			      .slices = slice};
}

struct payload *payload_copy(enum signal_kind signal, uint32_t items, struct str message,
			     struct budget *budget)
{
	struct payload *p = payload_alloc(signal, items, message.n, budget);

	if (p && message.n)
		memcpy(p->slices[0].block->p, message.p, message.n);
	return p;
}

/* Return a payload of `message`, which lies in the memory that `owner` describes. */
static struct payload *adopt(enum signal_kind signal, uint32_t items,
			     const struct payload_block *owner, struct str message)
{
	struct payload *p = payload_new(signal, items, 1);
	struct payload_block *b = p ? malloc(sizeof(*b)) : NULL;

	if (!b) {
		free(p);
		return NULL;
	}
	*b = *owner;
	p->bytes = message.n;
	p->slices[0] = (struct payload_slice){message, b};
	return p;
}

struct payload *payload_take(enum signal_kind signal, uint32_t items, struct buf *message)
{
	struct payload_block owner = {
		.refs = 1, .budget = message->budget, .charged = message->cap, .p = message->p};
	struct payload *p = message->failed ? NULL : adopt(signal, items, &owner, buf_str(message));

	if (p)
		*message = (struct buf){.budget = message->budget};
	return p;
}

static bool is_most_of(const struct buf *b, struct str part)
{
	uintptr_t at = (uintptr_t)part.p, from = (uintptr_t)b->p;

	return at >= from && at - from < b->n && part.n >= b->cap / 2;
}

struct payload *payload_take_part(enum signal_kind signal, uint32_t items, struct buf *buffer,
				  struct str message, struct budget *budget)
{
	struct payload_block owner = {
		.refs = 1, .budget = budget, .charged = buffer->cap, .p = buffer->p};
	struct payload *p;

	if (!is_most_of(buffer, message))
		return payload_copy(signal, items, message, budget);
	if (!budget_take(budget, buffer->cap))
		return NULL;
	p = adopt(signal, items, &owner, message);
	if (!p) {
		budget_give(budget, buffer->cap);
		return NULL;
	}
	budget_give(buffer->budget, buffer->cap);
	*buffer = (struct buf){.budget = buffer->budget};
	return p;
}

struct payload *payload_take_written(enum signal_kind signal, uint32_t items,
				     struct proto_writer *message)
{
	struct payload_block owner = {.refs = 1,
				      .budget = message->budget,
				      .charged = message->cap,
				      .p = (char *)message->p};
	struct payload *p =
		message->failed ? NULL : adopt(signal, items, &owner, proto_writer_str(message));

	if (p)
		*message = (struct proto_writer){.budget = message->budget};
	return p;
}

static struct payload *copy_slices(const struct payload *from, struct budget *budget)
{
	struct payload *p = payload_alloc(from->signal, from->items, from->bytes, budget);
	char *at = p ? p->slices[0].block->p : NULL;

	for (uint32_t i = 0; p && i < from->slice_count; i++) {
		struct str s = from->slices[i].bytes;

		if (s.n)
			memcpy(at, s.p, s.n);
		at += s.n;
	}
	return p;
}

struct payload *payload_keep(const struct payload *p, struct budget *budget)
{
	struct payload *counted = (struct payload *)p;

	if (!atomic_load_explicit(&p->refs, memory_order_relaxed))
		return copy_slices(p, budget);
	atomic_fetch_add_explicit(&counted->refs, 1, memory_order_relaxed);
	return counted;
}

void payload_release(struct payload *p)
{
	if (!p || atomic_fetch_sub_explicit(&p->refs, 1, memory_order_acq_rel) != 1)
		return;
	for (uint32_t i = 0; i < p->slice_count; i++)
		block_release(p->slices[i].block);
	free(p);
}

struct payload *payload_concat(struct payload *const *parts, uint32_t count)
{
	uint32_t slices = 0, items = 0;
	struct payload *p;

	for (uint32_t i = 0; i < count; i++) {
		slices += parts[i]->slice_count;
		items += parts[i]->items;
	}
	p = count ? payload_new(parts[0]->signal, items, slices) : NULL;
	if (!p)
		return NULL;
	slices = 0;
	for (uint32_t i = 0; i < count; i++) {
		p->bytes += parts[i]->bytes;
		for (uint32_t k = 0; k < parts[i]->slice_count; k++) {
			p->slices[slices] = parts[i]->slices[k];
			atomic_fetch_add_explicit(&p->slices[slices++].block->refs, 1,
						  memory_order_relaxed);
		}
	}
	return p;
}

struct payload *payload_of_slices(enum signal_kind signal, uint32_t items,
				  const struct payload_slice *slices, uint32_t count)
{
	struct payload *p = payload_new(signal, items, count);

	for (uint32_t i = 0; p && i < count; i++) {
		p->slices[i] = slices[i];
		p->bytes += slices[i].bytes.n;
		atomic_fetch_add_explicit(&slices[i].block->refs, 1, memory_order_relaxed);
	}
	return p;
}

struct str payload_str(const struct payload *p, struct buf *scratch)
{
	if (p->slice_count == 1)
		return p->slices[0].bytes;
	buf_clear(scratch);
	if (!buf_reserve(scratch, p->bytes))
		return STR("");
	for (uint32_t i = 0; i < p->slice_count; i++)
		buf_put_str(scratch, p->slices[i].bytes);
	return buf_str(scratch);
}
