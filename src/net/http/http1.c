/* SPDX-License-Identifier: Apache-2.0 */
/*
 * HTTP/1.0 and 1.1. llhttp parses request lines, headers and chunks; a body of known length is read
 * from the socket into its buffer without the parser. The next pipelined request is parsed when the
 * response to the current one is written, so a client that does not read responses stops itself.
 *
 * A refused request is answered at once. If its body is short, the body is discarded and the
 * connection stays open; if it is long, or the client expects "100 Continue", the connection is
 * closed after the response.
 */
#include "net/http/http1.h"

#include <errno.h>
#include <sys/socket.h>

#include "base/clock.h"
#include "net/conn.h"
#include "net/http/admission.h"
#include "net/http/header.h"
#include "net/http/uri.h"
#include "net/tls.h"

#define SKIP_MAX (256 * KIB) /* discard at most this much of a refused body, else close */
/* Bytes to read while waiting for headers; body bytes among them are copied once more. */
#define HEAD_ROOM (16 * KIB)
#define LINGER_NS (1 * NS_PER_SECOND)
#define COPY_MAX (8 * KIB) /* a body up to this size is copied after its headers, for one write */

static enum http_method method_of_llhttp(const llhttp_t *p)
{
	switch (p->method) {
	case HTTP_GET:
		return METHOD_GET;
	case HTTP_HEAD:
		return METHOD_HEAD;
	case HTTP_POST:
		return METHOD_POST;
	case HTTP_PUT:
		return METHOD_PUT;
	case HTTP_DELETE:
		return METHOD_DELETE;
	case HTTP_PATCH:
		return METHOD_PATCH;
	case HTTP_OPTIONS:
		return METHOD_OPTIONS;
	default:
		return METHOD_OTHER;
	}
}

/* Return the result of a parser callback: 0 to continue, -1 to stop; store the reason. */
static int parser_result(struct http1 *h, int rc)
{
	h->fault = rc;
	return rc ? -1 : 0;
}

static int on_message_begin(llhttp_t *p)
{
	struct conn *c = p->data;

	c->h1.x = exchange_new(c);
	return parser_result(&c->h1, c->h1.x ? 0 : -ENOMEM);
}

static int on_url(llhttp_t *p, const char *at, size_t n)
{
	struct conn *c = p->data;

	return parser_result(&c->h1, exchange_put_target(c->h1.x, at, n));
}

static void begin_gap(struct http1 *h, const char *at)
{
	h->gap = at;
	h->gap_has_line_end = false;
}

/* Count a trailer, which is not stored; stop the parser over the limits of headers. */
static int check_trailers(struct conn *c, size_t bytes, size_t count)
{
	const struct net_options *o = &c->loop->options;

	c->h1.trailer_bytes += bytes;
	c->h1.trailers += count;
	return parser_result(&c->h1, c->h1.trailer_bytes > o->max_header_bytes ||
						     c->h1.trailers > o->max_headers
					     ? -EFBIG
					     : 0);
}

static int on_header_field(llhttp_t *p, const char *at, size_t n)
{
	struct conn *c = p->data;

	begin_gap(&c->h1, at + n);
	if (c->h1.input != HTTP1_HEAD)
		return check_trailers(c, n, 0);
	return parser_result(&c->h1, exchange_put_name(c->h1.x, at, n));
}

static int on_header_value(llhttp_t *p, const char *at, size_t n)
{
	struct conn *c = p->data;
	struct http1 *h = &c->h1;

	/* RFC 9112, 5.2: a proxy before us may read a folded line as two headers */
	if (h->gap_has_line_end || memchr(h->gap, '\n', (size_t)(at - h->gap)))
		return parser_result(h, -EBADMSG);
	begin_gap(h, at + n);
	if (h->input != HTTP1_HEAD)
		return check_trailers(c, n, 0);
	return parser_result(h, exchange_put_value(h->x, at, n));
}

static int on_header_value_complete(llhttp_t *p)
{
	struct conn *c = p->data;

	if (c->h1.input != HTTP1_HEAD)
		return check_trailers(c, 0, 1);
	return parser_result(&c->h1, exchange_end_header(c->h1.x));
}

/* Discard the rest of the body of a refused request. */
static void skip_body(struct conn *c)
{
	struct http1 *h = &c->h1;

	if (h->input == HTTP1_LENGTH)
		h->input = HTTP1_SKIP_LENGTH;
	else if (h->input == HTTP1_CHUNKED)
		h->input = HTTP1_SKIP_CHUNKED;
	if (h->input == HTTP1_SKIP_LENGTH && h->left > SKIP_MAX)
		h->keep_alive = false;
}

/* HTTP/1.1 requires exactly one Host header. */
static bool has_valid_host(const struct exchange *x)
{
	size_t count = 0;

	for (uint32_t i = 0; i < x->spans.n; i++)
		count += str_eq(str_of(x->head.p + x->spans.at[i].name_at, x->spans.at[i].name_n),
				STR("host"));
	return count == 1 || (count == 0 && x->pub.protocol == HTTP_1_0);
}

/* Only the transfer coding "chunked" is supported, and HTTP/1.0 has none. */
static bool has_valid_transfer_coding(const struct exchange *x)
{
	size_t count = 0;

	for (uint32_t i = 0; i < x->spans.n; i++) {
		const struct header_span *s = &x->spans.at[i];
		struct str value = str_of(x->head.p + s->value_at, s->value_n);

		if (!str_eq(str_of(x->head.p + s->name_at, s->name_n), STR("transfer-encoding")))
			continue;
		count++;
		if (!str_eq_ignoring_case(str_trim(value), STR("chunked")))
			return false;
	}
	return count == 0 || (count == 1 && x->pub.protocol == HTTP_1_1);
}

static bool check_request(struct conn *c)
{
	struct exchange *x = c->h1.x;
	const llhttp_t *p = &c->h1.parser;

	if (p->http_major != 1 || p->http_minor > 1) {
		exchange_refuse(x, NET_REFUSED_BAD_REQUEST, 505, "expected HTTP/1.1 or HTTP/2");
		return false;
	}
	if (!has_valid_host(x)) {
		exchange_refuse(x, NET_REFUSED_BAD_REQUEST, 400, "expected one Host header");
		return false;
	}
	if (!has_valid_transfer_coding(x)) {
		c->h1.keep_alive = false; /* the end of the body is unknown */
		exchange_refuse(x, NET_REFUSED_BAD_REQUEST, 501,
				"unsupported Transfer-Encoding; expected chunked, over HTTP/1.1");
		return false;
	}
	return exchange_headers_done(x);
}

static int on_headers_complete(llhttp_t *p)
{
	struct conn *c = p->data;
	struct http1 *h = &c->h1;
	struct exchange *x = h->x;
	bool expects;

	p->upgrade = 0; /* not supported; the request is answered as it is */
	h->keep_alive = llhttp_should_keep_alive(p);
	x->pub.method = method_of_llhttp(p);
	x->pub.protocol = p->http_minor == 0 ? HTTP_1_0 : HTTP_1_1;
	h->skipped = 0;
	h->trailers = h->trailer_bytes = 0;
	h->left = p->flags & F_CONTENT_LENGTH && !(p->flags & F_CHUNKED) ? p->content_length : 0;
	if (p->flags & F_CONTENT_LENGTH)
		x->content_length = p->content_length;
	if (p->flags & F_CHUNKED)
		h->input = HTTP1_CHUNKED;
	else if (h->left)
		h->input = HTTP1_LENGTH;
	if (!check_request(c)) {
		expects = http_header(&x->pub, STR("expect")).n;
		h->keep_alive &= !expects; /* the client may or may not send the body */
		skip_body(c);
	} else if (h->input != HTTP1_HEAD &&
		   http_header_lists(http_header(&x->pub, STR("expect")), STR("100-continue"))) {
		buf_put_str(&c->out, STR("HTTP/1.1 100 Continue\r\n\r\n"));
	}
	return h->left ? 1 : 0; /* 1: the parser expects no body */
}

static int on_body(llhttp_t *p, const char *at, size_t n)
{
	struct conn *c = p->data;
	struct http1 *h = &c->h1;

	if (h->input == HTTP1_CHUNKED && !exchange_put_body(h->x, at, n))
		skip_body(c);
	if (h->input == HTTP1_SKIP_CHUNKED) {
		h->skipped += n;
		h->keep_alive &= h->skipped <= SKIP_MAX;
	}
	return 0;
}

static int on_message_complete(llhttp_t *p)
{
	struct conn *c = p->data;
	struct http1 *h = &c->h1;

	if (h->input != HTTP1_LENGTH && h->input != HTTP1_SKIP_LENGTH)
		h->input = HTTP1_DONE;
	return HPE_PAUSED;
}

static const llhttp_settings_t settings = {
	.on_message_begin = on_message_begin,
	.on_url = on_url,
	.on_header_field = on_header_field,
	.on_header_value = on_header_value,
	.on_header_value_complete = on_header_value_complete,
	.on_headers_complete = on_headers_complete,
	.on_body = on_body,
	.on_message_complete = on_message_complete,
};

void http1_init(struct conn *c)
{
	llhttp_init(&c->h1.parser, HTTP_REQUEST, &settings);
	c->h1.parser.data = c;
	c->h1.input = HTTP1_HEAD;
}

bool http1_wants_input(const struct conn *c)
{
	return c->h1.input != HTTP1_DONE && !c->eof;
}

bool http1_idle(const struct conn *c)
{
	return c->h1.input == HTTP1_HEAD && !c->h1.started_ns && !c->pending.n;
}

/* Handle the end of the body, which was received or discarded. */
static void request_done(struct conn *c)
{
	struct http1 *h = &c->h1;

	h->input = HTTP1_DONE;
	if (!h->x->refused)
		exchange_dispatch(h->x);
}

/* Refuse input that cannot be parsed, unless the request was refused already; then close. */
static void parse_failed(struct conn *c)
{
	struct http1 *h = &c->h1;
	const struct net_options *o = &c->loop->options;

	h->broken = true;
	h->keep_alive = false;
	if (!h->x)
		h->x = exchange_new(c);
	if (!h->x) {
		conn_close(c);
		return;
	}
	h->input = HTTP1_DONE;
	if (h->x->refused)
		return;
	if (h->fault == -EFBIG)
		exchange_refuse(h->x, NET_REFUSED_TOO_LARGE, 431,
				"headers are over max_header_bytes (%llu) or max_headers (%llu)",
				(unsigned long long)o->max_header_bytes,
				(unsigned long long)o->max_headers);
	else if (h->fault == -EBADMSG)
		exchange_refuse(h->x, NET_REFUSED_BAD_REQUEST, 400,
				"bad request: a header is folded over two lines");
	else if (h->fault)
		exchange_refuse(h->x, NET_REFUSED_BUDGET, 503, "out of memory");
	else
		exchange_refuse(h->x, NET_REFUSED_BAD_REQUEST, 400, "bad request: %s",
				h->parser.reason ? h->parser.reason : "not HTTP/1.1");
}

/* Pass bytes to the parser. Return how many it used. */
static size_t input_parser(struct conn *c, const char *p, size_t n)
{
	struct http1 *h = &c->h1;
	llhttp_errno_t error;
	size_t used;

	if (!h->started_ns)
		h->started_ns = c->loop->now_ns;
	h->gap = p;
	error = llhttp_execute(&h->parser, p, n);
	if (error == HPE_OK) {
		h->gap_has_line_end |= memchr(h->gap, '\n', (size_t)(p + n - h->gap)) != NULL;
		return n;
	}
	if (error != HPE_PAUSED) {
		parse_failed(c);
		return n; /* the rest is meaningless */
	}
	used = (size_t)(llhttp_get_error_pos(&h->parser) - p);
	llhttp_resume(&h->parser);
	if (h->input == HTTP1_DONE)
		request_done(c);
	return used;
}

/* Add body bytes that were read together with the headers. Return how many were used. */
static size_t input_body(struct conn *c, const char *p, size_t n)
{
	struct http1 *h = &c->h1;

	n = min_size(n, h->left);
	if (h->input == HTTP1_LENGTH && !exchange_put_body(h->x, p, n))
		skip_body(c);
	h->left -= n;
	if (!h->left)
		request_done(c);
	return n;
}

size_t http1_input(struct conn *c, const char *p, size_t n)
{
	struct http1 *h = &c->h1;
	size_t used = 0;

	while (used < n && !c->closed) {
		switch (h->input) {
		case HTTP1_HEAD:
		case HTTP1_CHUNKED:
		case HTTP1_SKIP_CHUNKED:
			used += input_parser(c, p + used, n - used);
			break;
		case HTTP1_LENGTH:
		case HTTP1_SKIP_LENGTH:
			used += input_body(c, p + used, n - used);
			break;
		case HTTP1_DONE:
			return used;
		case HTTP1_LINGER:
			return n;
		}
	}
	return used;
}

char *http1_input_room(struct conn *c, size_t *room)
{
	struct http1 *h = &c->h1;
	size_t body_room;
	char *at;

	if (h->input == HTTP1_HEAD)
		*room = HEAD_ROOM;
	if (h->input != HTTP1_LENGTH || c->pending.n)
		return NULL;
	at = exchange_body_room(h->x, &body_room);
	if (!at) {
		skip_body(c);
		return NULL;
	}
	*room = min_size(body_room, h->left);
	return at;
}

void http1_room_filled(struct conn *c, size_t n)
{
	struct http1 *h = &c->h1;

	exchange_body_added(h->x, n);
	h->left -= n;
	if (!h->left)
		request_done(c);
}

void http1_eof(struct conn *c)
{
	struct http1 *h = &c->h1;

	/* Close after an incomplete request, unless its refusal is yet to be sent. */
	if (h->input != HTTP1_DONE && !(h->x && h->x->refused && !h->answering))
		conn_close(c);
	h->keep_alive = false;
}

static void put_header_line(struct buf *out, struct str name, struct str value)
{
	buf_put_str(out, name);
	buf_put_str(out, STR(": "));
	buf_put_str(out, value);
	buf_put_str(out, STR("\r\n"));
}

static bool has_no_body(unsigned status)
{
	return status == 204 || status == 304;
}

/* Trailers require chunked coding. HTTP/1.0 has neither, so they are not sent. */
static bool has_trailers(const struct exchange *x)
{
	return x->response.trailer_count && x->pub.protocol == HTTP_1_1;
}

static void put_trailer_names(struct buf *out, const struct http_response *r)
{
	buf_put_str(out, STR("transfer-encoding: chunked\r\ntrailer: "));
	for (size_t i = 0; i < r->trailer_count; i++) {
		if (i)
			buf_put_str(out, STR(", "));
		buf_put_str(out, r->trailers[i].name);
	}
	buf_put_str(out, STR("\r\n"));
}

/* Copy the body as one chunk; this is rare (gRPC over HTTP/1.1). */
static void put_chunk_and_trailers(struct buf *out, const struct exchange *x)
{
	const struct http_response *r = &x->response;

	if (x->answer.n) {
		buf_printf(out, "%zx\r\n", x->answer.n);
		buf_put_str(out, x->answer);
		buf_put_str(out, STR("\r\n"));
	}
	buf_put_str(out, STR("0\r\n"));
	for (size_t i = 0; i < r->trailer_count; i++)
		put_header_line(out, r->trailers[i].name, r->trailers[i].value);
	buf_put_str(out, STR("\r\n"));
}

static void put_response_head(struct conn *c, const struct exchange *x)
{
	const struct http_response *r = &x->response;
	struct buf *out = &c->out;

	buf_printf(out, "HTTP/1.1 %u %s\r\n", r->status, http_status_text(r->status));
	put_header_line(out, STR("date"), str_from(loop_date(c->loop)));
	if (r->content_type.n)
		put_header_line(out, STR("content-type"), r->content_type);
	for (size_t i = 0; i < r->header_count; i++)
		put_header_line(out, r->headers[i].name, r->headers[i].value);
	if (has_trailers(x)) {
		put_trailer_names(out, r);
	} else if (!has_no_body(r->status)) {
		buf_put_str(out, STR("content-length: "));
		buf_put_u64(out, x->answer.n);
		buf_put_str(out, STR("\r\n"));
	}
	if (!c->h1.keep_alive)
		buf_put_str(out, STR("connection: close\r\n"));
	else if (x->pub.protocol == HTTP_1_0)
		buf_put_str(out, STR("connection: keep-alive\r\n"));
	buf_put_str(out, STR("\r\n"));
}

void http1_answer(struct conn *c, struct exchange *x)
{
	struct http1 *h = &c->h1;
	uint64_t max_requests = c->loop->options.max_requests_per_connection;

	if (c->closing || c->eof || (max_requests && c->requests >= max_requests))
		h->keep_alive = false;
	h->answering = true;
	put_response_head(c, x);
	if (x->pub.method != METHOD_HEAD && !has_no_body(x->response.status)) {
		if (has_trailers(x))
			put_chunk_and_trailers(&c->out, x);
		else if (x->answer.n <= COPY_MAX)
			buf_put_str(&c->out, x->answer);
		else
			c->body = x->answer;
	}
	if (buf_error(&c->out))
		conn_close(c);
	c->progress_ns = c->loop->now_ns;
}

/* End the output, but keep reading: a close while bytes arrive would reset the connection. */
static void linger(struct conn *c)
{
	struct http1 *h = &c->h1;

	if (c->eof) {
		conn_close(c);
		return;
	}
	tls_shutdown(c->ssl);
	shutdown(c->fd, SHUT_WR);
	h->input = HTTP1_LINGER;
	h->linger_until_ns = c->loop->now_ns + LINGER_NS;
}

void http1_written(struct conn *c)
{
	struct http1 *h = &c->h1;

	if (!h->answering)
		return;
	c->served_ns = c->loop->now_ns;
	if (!h->keep_alive) {
		bool whole = h->input == HTTP1_DONE && !h->broken && !c->pending.n;

		exchange_free(take_ptr(&h->x));
		h->answering = false;
		if (whole)
			conn_close(c);
		else
			linger(c);
		return;
	}
	if (h->input != HTTP1_DONE)
		return; /* a refused body is still being discarded */
	exchange_free(take_ptr(&h->x));
	h->answering = false;
	h->input = HTTP1_HEAD;
	h->started_ns = 0;
	c->progress_ns = c->loop->now_ns;
}

uint64_t http1_deadline(const struct conn *c)
{
	const struct net_options *o = &c->loop->options;
	const struct http1 *h = &c->h1;

	switch (h->input) {
	case HTTP1_HEAD:
		return h->started_ns ? h->started_ns + o->header_timeout_ms * NS_PER_MS
				     : c->progress_ns + o->idle_timeout_ms * NS_PER_MS;
	case HTTP1_LENGTH:
	case HTTP1_CHUNKED:
		return exchange_body_deadline(h->x);
	case HTTP1_SKIP_LENGTH:
	case HTTP1_SKIP_CHUNKED:
		return o->body_timeout_ms ? h->x->body_started_ns + o->body_timeout_ms * NS_PER_MS
					  : UINT64_MAX;
	case HTTP1_LINGER:
		return h->linger_until_ns;
	case HTTP1_DONE:
		break;
	}
	return UINT64_MAX;
}

void http1_expired(struct conn *c)
{
	struct http1 *h = &c->h1;
	const struct net_options *o = &c->loop->options;

	if (h->x && !h->x->refused && h->input != HTTP1_DONE) {
		h->keep_alive = false;
		if (h->input == HTTP1_HEAD)
			exchange_refuse(h->x, NET_REFUSED_SLOW, 408,
					"headers took longer than header_timeout_ms (%llu)",
					(unsigned long long)o->header_timeout_ms);
		else
			exchange_refuse(h->x, NET_REFUSED_SLOW, 408,
					"body is slower than body_timeout_ms (%llu) and "
					"min_body_rate (%llu bytes/s) allow",
					(unsigned long long)o->body_timeout_ms,
					(unsigned long long)o->min_body_rate);
		h->input = HTTP1_DONE;
		h->broken = true;
		return;
	}
	if (h->started_ns && h->input != HTTP1_LINGER)
		stat_add(&c->loop->stats.refused[NET_REFUSED_SLOW], 1);
	conn_close(c);
}
