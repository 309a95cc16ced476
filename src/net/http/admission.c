/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Admission of a request: it is refused when its headers are complete, refused while or after its
 * body is read, or passed to its route's handler.
 *
 * The buffer of a body grows with the bytes received, never by the announced length, so that a
 * false Content-Length reserves no memory. The announced length is only used to refuse early.
 */
#include "net/http/admission.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/clock.h"
#include "net/conn.h"
#include "net/http/header.h"
#include "net/http/respond.h"
#include "net/http/uri.h"
#include "net/listener.h"
#include "net/rpc/rpc.h"
#include "wire/compress/compress.h"

#define NO_CONNECTION_ROOM "the connection uses too much memory: max_connection_memory (%llu)"
#define NO_ROOM "requests and responses in flight use too much memory: max_memory (%llu)"
#define BODY_LIMIT "max_body_bytes, or half of max_memory (%zu)"
#define BODY_STEP (64 * KIB) /* grow the body's buffer by at least this much */

/* Fill a refusal and return false, for `return fill_refusal(...)`. */
static bool fill_refusal(struct http_refusal *why, unsigned status, const char *fmt, ...)
	PRINTF_LIKE(3, 4);

static bool fill_refusal(struct http_refusal *why, unsigned status, const char *fmt, ...)
{
	va_list args;

	why->status = status;
	va_start(args, fmt);
	vsnprintf(why->text, sizeof(why->text), fmt, args);
	va_end(args);
	return false;
}

static void answer_refusal(struct exchange *x, enum net_refused reason,
			   const struct http_refusal *why)
{
	stat_add(&x->loop->stats.refused[reason], 1);
	log_debug(x->loop->log, "request refused", LOG_U64("status", why->status),
		  LOG_STR("path", x->pub.path), LOG_STR("why", str_from(why->text)));
	x->refused = true;
	exchange_hand_over(x);
	http_refuse(&x->pub, why);
}

void exchange_refuse(struct exchange *x, enum net_refused reason, unsigned status, const char *fmt,
		     ...)
{
	struct http_refusal why = {.status = status};
	va_list args;

	va_start(args, fmt);
	vsnprintf(why.text, sizeof(why.text), fmt, args);
	va_end(args);
	if (status == 503 || status == 429)
		why.retry_after_s = 1;
	answer_refusal(x, reason, &why);
}

/* Make slices of the spans; set the members that come from headers. */
static int resolve_headers(struct exchange *x)
{
	struct http_header *headers =
		arena_alloc(&x->arena, max_size(1, x->spans.n), sizeof(*headers));
	const char *base = x->head.p;

	if (!headers)
		return -ENOMEM;
	for (uint32_t i = 0; i < x->spans.n; i++) {
		const struct header_span *s = &x->spans.at[i];

		headers[i] = (struct http_header){
			.name = str_of(base + s->name_at, s->name_n),
			.value = str_trim(str_of(base + s->value_at, s->value_n)),
		};
	}
	x->pub.headers = headers;
	x->pub.header_count = x->spans.n;
	if (!x->pub.host.p)
		x->pub.host = http_header(&x->pub, STR("host"));
	x->content_encoding = http_header(&x->pub, STR("content-encoding"));
	if (str_eq(x->content_encoding, STR("identity")))
		x->content_encoding = (struct str){0};
	return 0;
}

static bool route_allows(const struct http_route *r, enum http_method method)
{
	unsigned methods = r->methods | (r->methods & METHOD_GET ? METHOD_HEAD : 0);

	return methods & method;
}

/*
 * Find the route of the path: an exact match, else the longest prefix. Several routes may share a
 * path and differ by method. *allowed is the methods of all of them.
 */
static bool find_route(struct exchange *x, unsigned *allowed)
{
	const struct http_app *app = x->conn->app;
	const struct http_route *best = NULL;
	size_t best_n = 0;

	*allowed = 0;
	for (size_t i = 0; i < app->route_count; i++) {
		const struct http_route *r = &app->routes[i];
		bool exact = str_eq(r->path, x->pub.path);
		size_t n = exact ? SIZE_MAX : r->path.n;

		if (!exact && !(r->flags & HTTP_PREFIX && str_starts(x->pub.path, r->path)))
			continue;
		if (n < best_n || (r->flags & HTTP_FALLBACK && !route_allows(r, x->pub.method)))
			continue;
		if (n > best_n) {
			*allowed = 0;
			best = NULL;
		}
		best_n = n;
		*allowed |= r->methods;
		if (!best || (!route_allows(best, x->pub.method) && route_allows(r, x->pub.method)))
			best = r;
	}
	x->pub.route = best;
	return best && route_allows(best, x->pub.method);
}

static struct str allow_header(struct arena *a, unsigned methods)
{
	static const char *const names[] = {"GET",    "HEAD",  "POST",	 "PUT",
					    "DELETE", "PATCH", "OPTIONS"};
	struct str out = {0};

	if (methods & METHOD_GET)
		methods |= METHOD_HEAD;
	for (unsigned i = 0; i < countof(names); i++) {
		struct str more;

		if (methods & 1u << i &&
		    !arena_printf(a, &more, "%.*s%s%s", STR_ARG(out), out.n ? ", " : "", names[i]))
			out = more;
	}
	return out;
}

static bool check_route(struct exchange *x, struct http_refusal *why)
{
	unsigned allowed;
	bool json;

	if (find_route(x, &allowed)) {
		if (x->pub.route->flags & HTTP_RPC && rpc_protocol_of(&x->pub, &json) == RPC_NONE)
			return fill_refusal(
				why, 415,
				"unsupported content type; expected application/grpc, "
				"application/grpc-web, application/proto or application/json");
		return true;
	}
	if (x->conn->listener && x->conn->listener->removed) {
		why->retry_after_s = 1;
		return fill_refusal(why, 503, "this port was closed by a new configuration");
	}
	if (!x->pub.route)
		return fill_refusal(why, 404, "%.*s: no such path",
				    STR_ARG(str_head(x->pub.path, 128)));
	why->header = (struct http_header){STR("allow"), allow_header(&x->arena, allowed)};
	return fill_refusal(why, 405, "method not allowed, supported: [%.*s]",
			    STR_ARG(why->header.value));
}

static bool is_known_coding(struct str coding)
{
	static const struct str known[] = {STR_INIT("gzip"),   STR_INIT("x-gzip"),
					   STR_INIT("zstd"),   STR_INIT("deflate"),
					   STR_INIT("zlib"),   STR_INIT("lz4"),
					   STR_INIT("snappy"), STR_INIT("x-snappy-framed")};

	for (size_t i = 0; i < countof(known); i++)
		if (str_eq_ignoring_case(coding, known[i]))
			return true;
	return !coding.n;
}

/* A body may use half of max_memory, so that it fits as sent and decompressed. */
size_t exchange_body_limit(const struct exchange *x)
{
	const struct net_options *o = &x->loop->options;
	size_t limit =
		x->pub.route && x->pub.route->max_body ? x->pub.route->max_body : o->max_body_bytes;

	return min_size(limit, o->max_memory / 2);
}

/* Return how many more bytes a connection may hold. */
static size_t connection_room(const struct conn *c)
{
	size_t most = c->loop->options.max_connection_memory;

	return most - min_size(most, conn_held(c));
}

static bool check_body(struct exchange *x, struct http_refusal *why, enum net_refused *reason)
{
	const struct net_options *o = &x->loop->options;
	size_t limit = exchange_body_limit(x);
	uint64_t n = x->content_length == UINT64_MAX ? 0 : x->content_length;
	bool raw = x->pub.route && x->pub.route->flags & HTTP_RAW_BODY;
	size_t used = atomic_load_explicit(&x->loop->memory->used, memory_order_relaxed);

	*reason = NET_REFUSED_NO_ROUTE;
	if (!raw && !is_known_coding(x->content_encoding))
		return fill_refusal(why, 415,
				    "unsupported Content-Encoding \"%.*s\"; expected gzip, zstd, "
				    "deflate, zlib, lz4, snappy or x-snappy-framed",
				    STR_ARG(str_head(x->content_encoding, 32)));
	*reason = NET_REFUSED_TOO_LARGE;
	if (n > limit)
		return fill_refusal(why, 413, "body of %llu bytes is over " BODY_LIMIT,
				    (unsigned long long)n, limit);
	*reason = NET_REFUSED_BUDGET;
	why->retry_after_s = 1;
	if (n > connection_room(x->conn))
		return fill_refusal(why, 503, NO_CONNECTION_ROOM,
				    (unsigned long long)o->max_connection_memory);
	if (used >= o->max_memory || n > o->max_memory - used)
		return fill_refusal(why, 503, NO_ROOM, (unsigned long long)o->max_memory);
	why->retry_after_s = 0;
	return true;
}

/* Check the route and the admit hook. */
static bool check_access(struct exchange *x, struct http_refusal *why, enum net_refused *reason)
{
	const struct http_app *app = x->conn->app;

	*reason = NET_REFUSED_NO_ROUTE;
	if (!check_route(x, why))
		return false;
	*reason = NET_REFUSED_ADMIT;
	why->status = 403;
	if (!app->admit || app->admit(app->owner, &x->pub, why))
		return true;

	bool later = why->status == 429 || why->status == 503;

	/* "try again later" is wrong for a body that is always too large: send 413 */
	if (!later || x->content_length == UINT64_MAX ||
	    x->content_length <= exchange_body_limit(x))
		return false;
	*why = (struct http_refusal){0};
	return true;
}

static bool check_request_head(struct exchange *x, struct http_refusal *why,
			       enum net_refused *reason)
{
	int rc = resolve_headers(x);

	*reason = NET_REFUSED_BUDGET;
	if (rc)
		return fill_refusal(why, 503, "out of memory");
	*reason = NET_REFUSED_BAD_REQUEST;
	rc = uri_parse(&x->arena, str_of(x->head.p + x->target_at, x->target_n), &x->pub.path,
		       &x->pub.query, &x->pub.host);
	if (rc)
		return fill_refusal(why, 400, "bad request target");
	return check_access(x, why, reason) && check_body(x, why, reason);
}

bool exchange_headers_done(struct exchange *x)
{
	const struct net_options *o = &x->loop->options;
	struct http_refusal why = {0};
	enum net_refused reason;

	x->pub.started_ns = x->body_started_ns = x->loop->now_ns;
	if (o->request_timeout_ms)
		x->pub.deadline_ns = x->pub.started_ns + o->request_timeout_ms * NS_PER_MS;
	if (check_request_head(x, &why, &reason)) {
		exchange_account(x);
		x->stage = EXCHANGE_BODY;
		return true;
	}
	answer_refusal(x, reason, &why);
	return false;
}

char *exchange_body_room(struct exchange *x, size_t *room)
{
	const struct net_options *o = &x->loop->options;
	size_t limit = exchange_body_limit(x), left = limit - min_size(limit, x->raw.n);
	char *at;

	if (!left) {
		exchange_refuse(x, NET_REFUSED_TOO_LARGE, 413, "body is over " BODY_LIMIT, limit);
		return NULL;
	}
	if (!x->raw.cap) {
		body_buffers_get(&x->loop->buffers, x->loop->memory, &x->raw);
		body_buffers_reserve(&x->loop->buffers, &x->raw, min_size(left, x->content_length));
		exchange_account(x);
	}
	if (x->raw.n == x->raw.cap) {
		size_t announced = x->content_length - x->raw.n; /* huge if unknown */

		if (!connection_room(x->conn)) {
			exchange_refuse(x, NET_REFUSED_BUDGET, 503, NO_CONNECTION_ROOM,
					(unsigned long long)o->max_connection_memory);
			return NULL;
		}
		buf_reserve(&x->raw, min_size(min_size(left, BODY_STEP), announced));
		exchange_account(x);
	}
	at = x->raw.p + x->raw.n;
	*room = min_size(left, x->raw.cap - x->raw.n);
	if (x->raw.failed || !*room) {
		exchange_refuse(x, NET_REFUSED_BUDGET, 503, NO_ROOM,
				(unsigned long long)o->max_memory);
		return NULL;
	}
	return at;
}

void exchange_body_added(struct exchange *x, size_t n)
{
	x->raw.n += n;
}

bool exchange_put_body(struct exchange *x, const char *p, size_t n)
{
	while (n) {
		size_t room;
		char *at = exchange_body_room(x, &room);

		if (!at)
			return false;
		room = min_size(room, n);
		memcpy(at, p, room);
		exchange_body_added(x, room);
		p += room;
		n -= room;
	}
	return true;
}

uint64_t exchange_body_deadline(const struct exchange *x)
{
	const struct net_options *o = &x->loop->options;

	if (!o->body_timeout_ms)
		return UINT64_MAX;
	return x->body_started_ns + o->body_timeout_ms * NS_PER_MS +
	       (o->min_body_rate ? x->raw.n * NS_PER_SECOND / o->min_body_rate : 0);
}

static enum compress_kind coding_kind(struct str coding)
{
	if (str_eq_ignoring_case(coding, STR("zstd")))
		return COMPRESS_ZSTD;
	if (str_eq_ignoring_case(coding, STR("lz4")))
		return COMPRESS_LZ4;
	if (str_eq_ignoring_case(coding, STR("snappy")))
		return COMPRESS_SNAPPY;
	if (str_eq_ignoring_case(coding, STR("x-snappy-framed")))
		return COMPRESS_SNAPPY_FRAMED;
	/* the OpenTelemetry Collector's name for deflate with a zlib header */
	if (str_eq_ignoring_case(coding, STR("zlib")))
		return COMPRESS_ZLIB;
	return COMPRESS_GZIP;
}

int http_decode_body(struct http_exchange *x, struct err *e)
{
	struct exchange *full = exchange_of(x);
	struct decompress_limits limits = {.output = exchange_body_limit(full)};
	struct str out;
	int rc;

	if (!full->content_encoding.n)
		return 0;
	if (!is_known_coding(full->content_encoding))
		return err_set(e, -ENOTSUP, "unsupported Content-Encoding");
	if (str_eq_ignoring_case(full->content_encoding, STR("deflate")))
		rc = decompress_http_deflate(x->body, &full->body_arena, &limits, &out, e);
	else
		rc = decompress_bytes(coding_kind(full->content_encoding), x->body,
				      &full->body_arena, &limits, &out, e);
	if (rc)
		return rc;
	x->body = out;
	full->content_encoding = (struct str){0};
	return 0;
}

static void refuse_coding(struct exchange *x, int rc, const struct err *e)
{
	if (rc == -EFBIG)
		exchange_refuse(x, NET_REFUSED_TOO_LARGE, 413, "%s: max_body_bytes", e->text);
	else if (rc == -ENOMEM)
		exchange_refuse(x, NET_REFUSED_BUDGET, 503, NO_ROOM,
				(unsigned long long)x->loop->options.max_memory);
	else
		exchange_refuse(x, NET_REFUSED_BAD_REQUEST, 400, "Content-Encoding: %s", e->text);
}

void exchange_reroute(struct exchange *x)
{
	unsigned allowed;

	(void)find_route(x, &allowed); /* checked by admit_again() */
	x->rerouted = true;
}

/* Admit a request with its complete body by the routes that replaced those of its beginning. */
static bool admit_again(struct exchange *x)
{
	struct http_refusal why = {0};
	enum net_refused reason;

	x->pub.answer_headers = NULL;
	x->pub.answer_header_count = 0;
	x->pub.tenant = (struct str){0};
	x->pub.account = NULL;
	x->pub.caller = NULL;
	x->pub.user = NULL;
	if (!check_access(x, &why, &reason)) {
		answer_refusal(x, reason, &why);
		return false;
	}
	if (x->raw.n > exchange_body_limit(x)) {
		exchange_refuse(x, NET_REFUSED_TOO_LARGE, 413, "body is over " BODY_LIMIT,
				exchange_body_limit(x));
		return false;
	}
	return x->pub.route; /* check_access() has refused a request without a route */
}

void exchange_dispatch(struct exchange *x)
{
	const struct http_route *r;
	struct err e = {0};
	int rc = 0;

	if (unlikely(x->rerouted) && !admit_again(x))
		return;
	r = x->pub.route;
	x->pub.body = buf_str(&x->raw);
	body_buffers_note(&x->loop->buffers, x->raw.n);
	if (!(r->flags & HTTP_RAW_BODY) && x->raw.n)
		rc = http_decode_body(&x->pub, &e);
	if (rc) {
		refuse_coding(x, rc, &e);
		return;
	}
	exchange_hand_over(x);
	r->handler(r->owner, &x->pub);
}
