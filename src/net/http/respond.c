/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Responses. http_respond() runs in the handler's thread: it copies the headers, compresses the
 * body if requested, and posts the exchange to its loop. An uncompressed body is not copied.
 */
#include "net/http/respond.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

#include "net/conn.h"
#include "net/http/header.h"
#include "net/rpc/rpc_reply.h"
#include "wire/compress/compress.h"

enum { COMPRESS_MIN = 1024, COMPRESS_LEVEL = 1 };
enum { MORE_HEADERS = 3 }; /* content-encoding, vary, retry-after */

static void post_answer(struct exchange *x)
{
	struct loop *l = x->loop;

	if (loop_is_self(l)) {
		x->next = NULL;
		*l->ready_tail = x;
		l->ready_tail = &x->next;
	} else {
		x->mail.kind = MAIL_ANSWER;
		loop_mail(l, &x->mail);
	}
}

/* Clear the http_on_gone() callback. It does not run after this returns. */
static void clear_gone_callback(struct exchange *x)
{
	struct loop *l = x->loop;

	if (!x->wants_gone)
		return;
	pthread_mutex_lock(&l->gone_mu);
	x->gone = NULL;
	pthread_mutex_unlock(&l->gone_mu);
}

/* Compress the body if the handler and the client want it and it becomes smaller. */
static bool compress_answer(struct exchange *x, struct http_response *r)
{
	struct str plain = r->static_body.n ? r->static_body : buf_str(&r->body);
	struct buf packed = {0};

	if (!r->compress || plain.n <= COMPRESS_MIN ||
	    !http_header_lists(http_header(&x->pub, STR("accept-encoding")), STR("gzip")))
		return false;
	for (size_t i = 0; i < r->header_count; i++)
		if (str_eq(r->headers[i].name, STR("content-encoding")))
			return false;
	if (compress_bytes(&packed, COMPRESS_GZIP, COMPRESS_LEVEL, plain, NULL) ||
	    packed.n >= plain.n) {
		buf_fini(&packed);
		return false;
	}
	buf_fini(&r->body);
	r->static_body = (struct str){0};
	r->body = packed;
	return true;
}

/* Copy a value; replace control characters, so that text from a request cannot begin a new line. */
static int copy_value(struct arena *a, struct str from, struct str *to)
{
	char *p = arena_alloc(a, max_size(from.n, 1), 1);

	if (!p)
		return -ENOMEM;
	for (size_t i = 0; i < from.n; i++) {
		unsigned char c = (unsigned char)from.p[i];

		p[i] = c < 0x20 || c == 0x7f ? ' ' : (char)c;
	}
	*to = str_of(p, from.n);
	return 0;
}

static int copy_headers(struct arena *a, const struct http_header *from, size_t count,
			struct http_header *to)
{
	int rc = 0;

	for (size_t i = 0; i < count && !rc; i++) {
		rc = copy_value(a, from[i].name, &to[i].name);
		if (!rc)
			rc = copy_value(a, from[i].value, &to[i].value);
	}
	return rc;
}

/* Copy headers, trailers and content type of the response. Return 0 or -ENOMEM. */
static int copy_response_head(struct exchange *x, const struct http_response *r, bool compressed)
{
	struct http_response *kept = &x->response;
	struct http_header *headers =
		arena_alloc(&x->arena, r->header_count + x->pub.answer_header_count + MORE_HEADERS,
			    sizeof(*headers));
	struct http_header *trailers =
		arena_alloc(&x->arena, r->trailer_count + 1, sizeof(*trailers));
	struct str seconds;
	int rc;

	if (!headers || !trailers)
		return -ENOMEM;
	rc = copy_headers(&x->arena, r->headers, r->header_count, headers);
	if (!rc)
		rc = copy_headers(&x->arena, r->trailers, r->trailer_count, trailers);
	if (!rc)
		rc = copy_value(&x->arena, r->content_type, &kept->content_type);
	if (rc)
		return rc;
	kept->headers = headers;
	kept->header_count = r->header_count;
	kept->trailers = trailers;
	kept->trailer_count = r->trailer_count;
	for (size_t i = 0; i < x->pub.answer_header_count; i++)
		headers[kept->header_count++] = x->pub.answer_headers[i];
	if (compressed)
		headers[kept->header_count++] =
			(struct http_header){STR("content-encoding"), STR("gzip")};
	if (r->compress)
		headers[kept->header_count++] =
			(struct http_header){STR("vary"), STR("accept-encoding")};
	if (r->retry_after_s) {
		rc = arena_printf(&x->arena, &seconds, "%u", r->retry_after_s);
		if (!rc)
			headers[kept->header_count++] =
				(struct http_header){STR("retry-after"), seconds};
	}
	return rc;
}

/* Move the body into the exchange, and its charge from the handler's budget to the server's. */
static void move_body(struct exchange *x, struct buf *body)
{
	struct budget *memory = x->loop->memory;

	x->response.body = *body;
	x->response.body.budget = memory;
	if (body->cap) {
		budget_charge(memory, body->cap);
		budget_give(body->budget, body->cap);
	}
	*body = (struct buf){0};
}

void http_respond(struct http_exchange *x, struct http_response *r)
{
	struct exchange *full = exchange_of(x);
	bool compressed = compress_answer(full, r);

	clear_gone_callback(full);
	full->response = (struct http_response){.status = r->status};
	if (buf_error(&r->body) || copy_response_head(full, r, compressed)) {
		buf_fini(&r->body);
		full->response = (struct http_response){.status = 503}; /* out of memory */
	} else {
		move_body(full, &r->body);
		full->response.static_body = r->static_body;
	}
	post_answer(full);
}

void http_respond_text(struct http_exchange *x, unsigned status, const char *fmt, ...)
{
	struct http_response r = {.status = status,
				  .content_type = STR("text/plain; charset=utf-8")};
	char text[1024];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	buf_put_str(&r.body, str_from(text));
	buf_put_char(&r.body, '\n');
	http_respond(x, &r);
}

static void refuse_as_text(struct http_exchange *x, const struct http_refusal *why)
{
	struct http_response r = {
		.status = why->status,
		.retry_after_s = why->retry_after_s,
		.content_type = STR("text/plain; charset=utf-8"),
		.headers = &why->header,
		.header_count = why->header.name.n ? 1 : 0,
	};

	buf_put_str(&r.body, str_from(why->text[0] ? why->text : http_status_text(why->status)));
	buf_put_char(&r.body, '\n');
	http_respond(x, &r);
}

void http_refuse(struct http_exchange *x, const struct http_refusal *why)
{
	bool json;
	enum rpc_protocol protocol = rpc_protocol_of(x, &json);
	bool route_is_rpc = x->route && x->route->flags & HTTP_RPC;

	if (x->route && x->route->refuse)
		x->route->refuse(x->route->owner, x, why);
	else if ((protocol != RPC_NONE && protocol != RPC_CONNECT) || route_is_rpc)
		rpc_refuse(x, protocol, why);
	else
		refuse_as_text(x, why);
}

bool http_gone(const struct http_exchange *x)
{
	return atomic_load_explicit(&exchange_of(x)->flags, memory_order_relaxed) & EXCHANGE_GONE;
}

void http_on_gone(struct http_exchange *x, void (*gone)(void *arg), void *arg)
{
	struct exchange *full = exchange_of(x);

	pthread_mutex_lock(&full->loop->gone_mu);
	full->gone = gone;
	full->gone_arg = arg;
	full->wants_gone = true;
	pthread_mutex_unlock(&full->loop->gone_mu);
}

void http_detach_body(struct http_exchange *x, struct http_body *body)
{
	struct exchange *full = exchange_of(x);

	*body = (struct http_body){.bytes = x->body, .raw = full->raw, .arena = full->body_arena};
	full->raw = (struct buf){0};
	arena_init(&full->body_arena, full->loop->memory);
}

void http_body_fini(struct http_body *body)
{
	buf_fini(&body->raw);
	arena_fini(&body->arena);
	body->bytes = (struct str){0};
}

void exchange_answered(struct exchange *x)
{
	unsigned hundreds = x->response.status / 100;

	stat_add(&x->loop->stats.requests[x->pub.protocol][hundreds <= 5 ? hundreds : 5], 1);
	x->answer =
		x->response.static_body.n ? x->response.static_body : buf_str(&x->response.body);
	if (x->conn) {
		x->conn->handler_bytes -= x->held;
		x->conn->answers++;
	}
	exchange_account(x);
	x->stage = EXCHANGE_ANSWER;
	x->progress_ns = x->loop->now_ns;
}
