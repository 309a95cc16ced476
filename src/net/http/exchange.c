/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The life of an exchange: allocation and reuse, accounting of its memory, ownership, and
 * collecting the headers, for both protocols. Target and headers are appended to one buffer, and
 * recorded as offsets (spans) because the buffer may be reallocated; admission.c makes slices of
 * them.
 */
#include "net/http/exchange.h"

#include <errno.h>
#include <stdlib.h>

#include "net/conn.h"

enum { SPARE_MAX = 128 };
/* Buffers and arenas that are larger than this are not kept for reuse. */
#define KEEP_BYTES (16 * KIB)

void exchange_account(struct exchange *x)
{
	size_t now = sizeof(*x) + x->head.cap + x->raw.cap + x->response.body.cap +
		     arena_bytes(&x->arena) + arena_bytes(&x->body_arena);

	if (x->conn)
		x->conn->exchange_bytes += now - x->held;
	x->held = now;
}

void exchange_hand_over(struct exchange *x)
{
	exchange_account(x);
	x->conn->handler_bytes += x->held;
	x->stage = EXCHANGE_HANDLER;
	x->loop->held++;
	x->permanent = x->pub.route && x->pub.route->flags & HTTP_PERMANENT;
	held_add(x->loop, x->permanent, 1);
}

struct exchange *exchange_new(struct conn *c)
{
	struct loop *l = c->loop;
	struct exchange *x = l->spare;

	if (x) {
		l->spare = x->next;
		l->spare_count--;
	} else {
		x = calloc(1, sizeof(*x));
		if (!x)
			return NULL;
		budget_charge(l->memory, sizeof(*x));
		arena_init(&x->arena, l->memory);
		arena_init(&x->body_arena, l->memory);
	}
	x->loop = l;
	x->conn = c;
	x->conn_prev = NULL;
	x->conn_next = c->exchanges;
	if (c->exchanges)
		c->exchanges->conn_prev = x;
	else
		c->oldest = x;
	c->exchanges = x;
	c->exchange_count++;
	c->requests++;
	x->content_length = UINT64_MAX;
	x->head_started_ns = l->now_ns;
	x->peer = c->peer;
	x->pub.peer = &x->peer;
	x->pub.tls = c->ssl != NULL;
	x->pub.arena = &x->arena;
	x->pub.deadline_ns = UINT64_MAX;
	exchange_account(x);
	stat_add(&l->stats.exchanges_open, 1);
	return x;
}

/* Remove the exchange from its connection. */
static void detach_from_conn(struct exchange *x)
{
	struct conn *c = x->conn;

	if (!c)
		return;
	if (x->conn_prev)
		x->conn_prev->conn_next = x->conn_next;
	else
		c->exchanges = x->conn_next;
	if (x->conn_next)
		x->conn_next->conn_prev = x->conn_prev;
	else
		c->oldest = x->conn_prev;
	c->exchange_count--;
	c->answers -= x->stage == EXCHANGE_ANSWER;
	c->handler_bytes -= x->stage == EXCHANGE_HANDLER ? x->held : 0;
	c->exchange_bytes -= x->held;
	x->conn = NULL;
}

/* Empty the arena; keep its memory unless it is large. */
static void recycle_arena(struct arena *a, struct budget *budget)
{
	if (arena_bytes(a) > KEEP_BYTES) {
		arena_fini(a);
		arena_init(a, budget);
	} else {
		arena_reset(a);
	}
}

static void free_exchange_memory(struct exchange *x)
{
	budget_give(x->arena.budget, sizeof(*x) + x->head.cap);
	buf_fini(&x->head);
	arena_fini(&x->arena);
	arena_fini(&x->body_arena);
	free(x);
}

void exchange_free_spare(struct loop *l)
{
	while (l->spare) {
		struct exchange *x = l->spare;

		l->spare = x->next;
		free_exchange_memory(x);
	}
	l->spare_count = 0;
}

void exchange_free(struct exchange *x)
{
	struct loop *l = x->loop;
	struct buf head;
	struct arena arena, body_arena;

	detach_from_conn(x);
	stat_add(&l->stats.exchanges_open, (uint64_t)-1);
	body_buffers_put(&l->buffers, &x->raw);
	body_buffers_put(&l->buffers, &x->response.body);
	recycle_arena(&x->arena, l->memory);
	recycle_arena(&x->body_arena, l->memory);
	buf_clear(&x->head);
	if (x->head.cap > KEEP_BYTES) {
		budget_give(l->memory, x->head.cap);
		buf_fini(&x->head);
	}
	if (l->spare_count == SPARE_MAX || l->pressed_ns) {
		free_exchange_memory(x);
		return;
	}
	head = x->head;
	arena = x->arena;
	body_arena = x->body_arena;
	*x = (struct exchange){
		.head = head, .arena = arena, .body_arena = body_arena, .next = l->spare};
	l->spare = x;
	l->spare_count++;
}

void exchange_abandon(struct exchange *x)
{
	detach_from_conn(x);
	if (x->stage == EXCHANGE_HANDLER)
		exchange_peer_left(x);
	else
		exchange_free(x);
}

void exchange_peer_left(struct exchange *x)
{
	struct loop *l = x->loop;

	if (x->stage != EXCHANGE_HANDLER || x->flags & EXCHANGE_GONE)
		return;
	/* with gone_mu held: a handler that sees the flag and responds does not prevent the callback */
	pthread_mutex_lock(&l->gone_mu);
	atomic_fetch_or(&x->flags, EXCHANGE_GONE);
	if (x->gone)
		x->gone(x->gone_arg);
	x->gone = NULL;
	pthread_mutex_unlock(&l->gone_mu);
}

static int append_head(struct exchange *x, const char *p, size_t n, bool lower)
{
	size_t cap = x->head.cap;
	char *at;

	if (x->head.n + n > x->loop->options.max_header_bytes)
		return -EFBIG;
	at = buf_reserve(&x->head, n + 1);
	if (!at)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		at[i] = lower && p[i] >= 'A' && p[i] <= 'Z' ? (char)(p[i] | 0x20) : p[i];
	x->head.n += n;
	/* headers are small: memory is checked when they are complete and a refusal can be sent */
	if (x->head.cap != cap) {
		budget_charge(x->loop->memory, x->head.cap - cap);
		exchange_account(x);
	}
	return 0;
}

int exchange_put_target(struct exchange *x, const char *p, size_t n)
{
	if (!x->target_n)
		x->target_at = (uint32_t)x->head.n;
	x->target_n += (uint32_t)n;
	return append_head(x, p, n, false);
}

int exchange_put_name(struct exchange *x, const char *p, size_t n)
{
	if (!x->span.name_n)
		x->span.name_at = (uint32_t)x->head.n;
	x->span.name_n += (uint32_t)n;
	return append_head(x, p, n, true);
}

int exchange_put_value(struct exchange *x, const char *p, size_t n)
{
	if (!x->span.value_n)
		x->span.value_at = (uint32_t)x->head.n;
	x->span.value_n += (uint32_t)n;
	return append_head(x, p, n, false);
}

int exchange_end_header(struct exchange *x)
{
	struct header_span span = x->span;

	x->span = (struct header_span){0};
	if (x->spans.n >= x->loop->options.max_headers)
		return -EFBIG;
	return vec_push(&x->arena, &x->spans, span);
}
