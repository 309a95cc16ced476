/* SPDX-License-Identifier: Apache-2.0 */
/*
 * HTTP/2. nghttp2 implements frames, HPACK and flow control; this file maps streams to exchanges.
 *
 * Limits for hostile clients:
 * - concurrent streams: a setting;
 * - bytes: the memory budget, checked at each DATA frame;
 * - cancelled streams and control frames: two token buckets that refill with time. The second one
 *   also refills with each complete request, because gRPC clients send pings with their traffic,
 *   and with each piece of a response, for which clients send window updates;
 * - unread output: no more input is read, so that acknowledgements cannot pile up;
 * - header blocks: 431, and far beyond the limit the connection is closed.
 */
#include "net/http/http2.h"

#include <errno.h>
#include <malloc.h>
#include <nghttp2/nghttp2.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "net/address.h"
#include "net/http/admission.h"
#include "net/shed.h"

#define STREAM_WINDOW (1 * MIB)
#define CONNECTION_WINDOW (8 * MIB)
/* After this much of a refused body, when the response was sent, the stream is reset. */
#define SKIP_MAX (256 * KIB)
#define OUTPUT_PIECE (64 * KIB)	 /* collected for one write */
#define OUTPUT_PAUSE (256 * KIB) /* with this much unsent, no input is read */
enum { BURST_SECONDS = 10, TOKENS_PER_REQUEST = 10 };
/* Under memory pressure, a connection may have this many streams; a client may retry others. */
enum { STREAMS_UNDER_PRESSURE = 8 };
/* Go's client sends two window updates for each 4 KiB: for the stream and for the connection. */
enum { BYTES_PER_UPDATE = 2048 };
/* A header block of this many times max_header_bytes closes the connection. */
enum { HEADER_OVERRUN = 8 };

struct bucket {
	uint64_t tokens, full, rate;
	uint64_t refilled_ns;
};

struct http2 {
	nghttp2_session *session;
	struct bucket resets, control;
	bool going_away, flooded;
};

static void bucket_init(struct bucket *b, uint64_t rate, uint64_t now_ns)
{
	*b = (struct bucket){.tokens = rate * BURST_SECONDS,
			     .full = rate * BURST_SECONDS,
			     .rate = rate,
			     .refilled_ns = now_ns};
}

static void bucket_give(struct bucket *b, uint64_t n)
{
	b->tokens = min_size(b->full, b->tokens + n);
}

/* Refill the bucket and take a token. Return false if there is none. */
static bool bucket_take(struct bucket *b, uint64_t now_ns)
{
	uint64_t passed_ms = (now_ns - b->refilled_ns) / NS_PER_MS;
	uint64_t more = min_size(passed_ms, BURST_SECONDS * 1000) * b->rate / 1000;

	if (more) {
		bucket_give(b, more);
		b->refilled_ns = now_ns;
	}
	if (!b->tokens)
		return false;
	b->tokens--;
	return true;
}

static void close_flooded_conn(struct conn *c)
{
	char peer[NET_ADDRESS_TEXT];

	if (c->h2->flooded)
		return;
	c->h2->flooded = true;
	log_warn(c->loop->log,
		 "HTTP/2 connection closed: too many cancelled streams or control frames",
		 LOG_STR("peer", str_from(net_address_format(&c->peer, peer))));
	stat_add(&c->loop->stats.refused[NET_REFUSED_FLOOD], 1);
	nghttp2_session_terminate_session(c->h2->session, NGHTTP2_ENHANCE_YOUR_CALM);
}

static struct exchange *exchange_on(nghttp2_session *session, int32_t stream)
{
	return nghttp2_session_get_stream_user_data(session, stream);
}

static int on_begin_headers(nghttp2_session *session, const nghttp2_frame *frame, void *user)
{
	struct conn *c = user;
	uint64_t max_requests = c->loop->options.max_requests_per_connection;
	struct exchange *x;

	if (c->closed)
		return NGHTTP2_ERR_CALLBACK_FAILURE;
	if (frame->hd.type != NGHTTP2_HEADERS || frame->headers.cat != NGHTTP2_HCAT_REQUEST)
		return 0;
	if (c->exchange_count >= STREAMS_UNDER_PRESSURE && loop_is_pressed(c->loop)) {
		stat_add(&c->loop->stats.refused[NET_REFUSED_BUDGET], 1);
		return nghttp2_submit_rst_stream(session, NGHTTP2_FLAG_NONE, frame->hd.stream_id,
						 NGHTTP2_REFUSED_STREAM);
	}
	x = exchange_new(c);
	if (!x)
		return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
	x->stream = frame->hd.stream_id;
	x->pub.protocol = HTTP_2;
	nghttp2_session_set_stream_user_data(session, x->stream, x);
	if (max_requests && c->requests >= max_requests)
		http2_drain(c);
	return 0;
}

static enum http_method method_of_name(struct str name)
{
	static const struct {
		struct str name;
		enum http_method method;
	} methods[] = {
		{STR_INIT("POST"), METHOD_POST},       {STR_INIT("GET"), METHOD_GET},
		{STR_INIT("HEAD"), METHOD_HEAD},       {STR_INIT("PUT"), METHOD_PUT},
		{STR_INIT("DELETE"), METHOD_DELETE},   {STR_INIT("PATCH"), METHOD_PATCH},
		{STR_INIT("OPTIONS"), METHOD_OPTIONS},
	};

	for (size_t i = 0; i < countof(methods); i++)
		if (str_eq(methods[i].name, name))
			return methods[i].method;
	return METHOD_OTHER;
}

static int add_request_header(struct exchange *x, struct str name, struct str value)
{
	int rc;

	if (str_eq(name, STR(":method"))) {
		x->pub.method = method_of_name(value);
		return 0;
	}
	if (str_eq(name, STR(":path")))
		return exchange_put_target(x, value.p, value.n);
	if (str_eq(name, STR(":authority")))
		name = STR("host");
	else if (name.n && name.p[0] == ':')
		return 0;
	/* nghttp2 has checked the length, and checks the body against it */
	if (str_eq(name, STR("content-length")) && str_to_u64(value, 10, &x->content_length))
		return -EINVAL;
	rc = exchange_put_name(x, name.p, name.n);
	if (!rc)
		rc = exchange_put_value(x, value.p, value.n);
	if (!rc)
		rc = exchange_end_header(x);
	return rc;
}

static void refuse_headers(struct exchange *x)
{
	const struct net_options *o = &x->loop->options;

	exchange_refuse(
		x, NET_REFUSED_TOO_LARGE, 431,
		"headers or trailers are over max_header_bytes (%llu) or max_headers (%llu)",
		(unsigned long long)o->max_header_bytes, (unsigned long long)o->max_headers);
}

/* Count a trailer, which is not stored; refuse the request over the limits of headers. */
static void count_trailer(const struct conn *c, struct exchange *x, size_t bytes)
{
	const struct net_options *o = &c->loop->options;

	x->trailer_bytes += bytes;
	x->trailers++;
	if (x->stage == EXCHANGE_BODY &&
	    (x->trailer_bytes > o->max_header_bytes || x->trailers > o->max_headers))
		refuse_headers(x);
}

/* NOLINTNEXTLINE(readability-function-size): nghttp2's parameters */
static int on_request_header(nghttp2_session *session, const nghttp2_frame *frame,
			     const uint8_t *name, size_t name_n, const uint8_t *value,
			     size_t value_n, uint8_t flags, void *user)
{
	struct conn *c = user;
	struct exchange *x = exchange_on(session, frame->hd.stream_id);

	(void)flags;
	if (c->closed)
		return NGHTTP2_ERR_CALLBACK_FAILURE;
	if (!x)
		return 0;
	x->header_bytes += name_n + value_n + 32; /* the size defined in RFC 9113 */
	if (x->header_bytes > HEADER_OVERRUN * c->loop->options.max_header_bytes) {
		close_flooded_conn(c);
		return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
	}
	if (x->stage != EXCHANGE_HEAD) {
		count_trailer(c, x, name_n + value_n + 32);
		return 0;
	}
	if (!x->fault)
		x->fault = add_request_header(x, str_of((const char *)name, name_n),
					      str_of((const char *)value, value_n));
	return 0;
}

/* Handle the end of the headers. Return true if the body is to be read. */
static bool request_headers_done(struct exchange *x)
{
	if (!x->fault)
		return exchange_headers_done(x);
	if (x->fault == -EFBIG)
		refuse_headers(x);
	else
		exchange_refuse(x, NET_REFUSED_BUDGET, 503, "out of memory");
	return false;
}

static void request_complete(struct conn *c, struct exchange *x)
{
	if (x->stage != EXCHANGE_BODY)
		return;
	bucket_give(&c->h2->control, TOKENS_PER_REQUEST);
	exchange_dispatch(x);
}

/* Return whether the frame takes a token of the bucket `control`. */
static bool is_control_frame(const nghttp2_frame *frame)
{
	switch (frame->hd.type) {
	case NGHTTP2_PING:
	case NGHTTP2_SETTINGS:
		return !(frame->hd.flags & NGHTTP2_FLAG_ACK);
	case NGHTTP2_DATA:
		return !frame->hd.length && !(frame->hd.flags & NGHTTP2_FLAG_END_STREAM);
	case NGHTTP2_PRIORITY:
	case NGHTTP2_WINDOW_UPDATE:
		return true;
	default:
		return frame->hd.type > NGHTTP2_CONTINUATION; /* an unknown extension */
	}
}

/* Ignore frames of extensions, as the protocol requires; on_frame_recv() counts them. */
static int on_unpack_extension(nghttp2_session *session, void **payload,
			       const nghttp2_frame_hd *head, void *user)
{
	(void)session;
	(void)head;
	(void)user;
	*payload = NULL;
	return 0;
}

static int on_frame_recv(nghttp2_session *session, const nghttp2_frame *frame, void *user)
{
	struct conn *c = user;
	struct exchange *x = frame->hd.stream_id ? exchange_on(session, frame->hd.stream_id) : NULL;
	bool last = frame->hd.flags & NGHTTP2_FLAG_END_STREAM;

	if (c->closed)
		return NGHTTP2_ERR_CALLBACK_FAILURE;
	if (is_control_frame(frame) && !bucket_take(&c->h2->control, c->loop->now_ns))
		close_flooded_conn(c);
	if (frame->hd.type == NGHTTP2_RST_STREAM && !bucket_take(&c->h2->resets, c->loop->now_ns))
		close_flooded_conn(c);
	if (!x || (frame->hd.type != NGHTTP2_HEADERS && frame->hd.type != NGHTTP2_DATA))
		return 0;
	if (x->stage == EXCHANGE_HEAD && !request_headers_done(x))
		return 0;
	if (last)
		request_complete(c, x);
	return 0;
}

static int on_request_data(nghttp2_session *session, uint8_t flags, int32_t stream,
			   const uint8_t *p, size_t n, void *user)
{
	struct conn *c = user;
	struct exchange *x = exchange_on(session, stream);

	(void)flags;
	if (c->closed)
		return NGHTTP2_ERR_CALLBACK_FAILURE;
	if (!x)
		return 0;
	if (x->stage == EXCHANGE_BODY) {
		exchange_put_body(x, (const char *)p, n);
		return 0;
	}
	x->skipped += n;
	if (x->skipped > SKIP_MAX && x->stage == EXCHANGE_ANSWER && x->sent == x->answer.n)
		return nghttp2_submit_rst_stream(session, NGHTTP2_FLAG_NONE, stream,
						 NGHTTP2_NO_ERROR);
	return 0;
}

static int on_stream_close(nghttp2_session *session, int32_t stream, uint32_t error, void *user)
{
	struct conn *c = user;
	struct exchange *x = exchange_on(session, stream);

	if (c->closed)
		return NGHTTP2_ERR_CALLBACK_FAILURE;
	if (!x)
		return 0;
	if (error == NGHTTP2_NO_ERROR)
		c->served_ns = c->loop->now_ns;
	nghttp2_session_set_stream_user_data(session, stream, NULL);
	exchange_abandon(x);
	c->progress_ns = c->loop->now_ns;
	return 0;
}

/* Count memory of nghttp2 for its connection. */
static void *count_memory(struct conn *c, void *p)
{
	c->h2_bytes += malloc_usable_size(p);
	return p;
}

static void *h2_malloc(size_t n, void *conn)
{
	return count_memory(conn, malloc(n));
}

static void h2_free(void *p, void *conn)
{
	((struct conn *)conn)->h2_bytes -= malloc_usable_size(p);
	free(p);
}

static void *h2_calloc(size_t count, size_t n, void *conn)
{
	return count_memory(conn, calloc(count, n));
}

static void *h2_realloc(void *p, size_t n, void *conn)
{
	size_t old = malloc_usable_size(p);
	void *moved = realloc(p, n);

	if (!moved)
		return NULL;
	((struct conn *)conn)->h2_bytes -= old;
	return count_memory(conn, moved);
}

static int new_server_session(struct conn *c, nghttp2_session_callbacks *callbacks,
			      nghttp2_option *option)
{
	nghttp2_mem mem = {c, h2_malloc, h2_free, h2_calloc, h2_realloc};

	nghttp2_session_callbacks_set_on_begin_headers_callback(callbacks, on_begin_headers);
	nghttp2_session_callbacks_set_on_header_callback(callbacks, on_request_header);
	nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, on_frame_recv);
	nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, on_request_data);
	nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, on_stream_close);
	nghttp2_session_callbacks_set_unpack_extension_callback(callbacks, on_unpack_extension);
	for (unsigned type = NGHTTP2_CONTINUATION + 1; type <= UINT8_MAX; type++)
		nghttp2_option_set_user_recv_extension_type(option, (uint8_t)type);
	nghttp2_option_set_no_closed_streams(option, 1); /* free closed streams at once */
	return nghttp2_session_server_new3(&c->h2->session, callbacks, c, option, &mem) ? -ENOMEM
											: 0;
}

int http2_init(struct conn *c)
{
	const struct net_options *o = &c->loop->options;
	nghttp2_settings_entry settings[] = {
		{NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, (uint32_t)o->max_concurrent_streams},
		{NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, STREAM_WINDOW},
		{NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE,
		 (uint32_t)min_size(o->max_header_bytes, UINT32_MAX)},
	};
	nghttp2_session_callbacks *callbacks = NULL;
	nghttp2_option *option = NULL;
	int rc = -ENOMEM;

	c->h2 = calloc(1, sizeof(*c->h2));
	if (!c->h2 || nghttp2_session_callbacks_new(&callbacks) || nghttp2_option_new(&option))
		goto out;
	bucket_init(&c->h2->resets, o->max_resets_per_second, c->loop->now_ns);
	bucket_init(&c->h2->control, o->max_control_frames_per_second, c->loop->now_ns);
	rc = new_server_session(c, callbacks, option);
	if (!rc && (nghttp2_submit_settings(c->h2->session, NGHTTP2_FLAG_NONE, settings,
					    countof(settings)) ||
		    nghttp2_session_set_local_window_size(c->h2->session, NGHTTP2_FLAG_NONE, 0,
							  CONNECTION_WINDOW)))
		rc = -ENOMEM;
out:
	nghttp2_session_callbacks_del(callbacks);
	nghttp2_option_del(option);
	return rc;
}

void http2_fini(struct conn *c)
{
	if (!c->h2)
		return;
	nghttp2_session_del(c->h2->session);
	free(take_ptr(&c->h2));
}

bool http2_wants_input(const struct conn *c)
{
	return !c->h2->flooded && nghttp2_session_want_read(c->h2->session) &&
	       c->out.n - c->out_at < OUTPUT_PAUSE;
}

bool http2_wants_output(const struct conn *c)
{
	return nghttp2_session_want_write(c->h2->session);
}

bool http2_finished(const struct conn *c)
{
	return !nghttp2_session_want_write(c->h2->session) &&
	       (c->h2->flooded || !nghttp2_session_want_read(c->h2->session));
}

size_t http2_input(struct conn *c, const char *p, size_t n)
{
	ssize_t used;

	if (!c->exchanges)
		c->progress_ns = c->loop->now_ns;
	used = nghttp2_session_mem_recv(c->h2->session, (const uint8_t *)p, n);
	if (used < 0) { /* no preface, flooded, or out of memory: no error frame can be sent */
		stat_add(&c->loop->stats
				  .refused[used == NGHTTP2_ERR_FLOODED ? NET_REFUSED_FLOOD
								       : NET_REFUSED_BAD_REQUEST],
			 1);
		conn_close(c);
	}
	return n;
}

void http2_output(struct conn *c)
{
	while (c->out.n - c->out_at < OUTPUT_PIECE) {
		const uint8_t *p;
		ssize_t n = nghttp2_session_mem_send(c->h2->session, &p);

		if (!n)
			return;
		if (n > 0)
			buf_put(&c->out, p, (size_t)n);
		if (n < 0 || buf_error(&c->out)) {
			conn_close(c);
			return;
		}
	}
}

static nghttp2_nv response_nv(struct str name, struct str value)
{
	return (nghttp2_nv){(uint8_t *)name.p, (uint8_t *)value.p, name.n, value.n,
			    NGHTTP2_NV_FLAG_NONE};
}

static ssize_t read_answer(nghttp2_session *session, int32_t stream, uint8_t *to, size_t n,
			   uint32_t *flags, nghttp2_data_source *source, void *user)
{
	struct exchange *x = source->ptr;
	const struct http_response *r = &x->response;
	struct conn *c = user;

	n = min_size(n, x->answer.n - x->sent);
	if (n)
		memcpy(to, x->answer.p + x->sent, n);
	x->sent += n;
	x->progress_ns = c->moved_ns = x->loop->now_ns;
	bucket_give(&c->h2->control, n / BYTES_PER_UPDATE + 1);
	if (x->sent < x->answer.n)
		return (ssize_t)n;
	*flags |= NGHTTP2_DATA_FLAG_EOF;
	if (r->trailer_count) {
		nghttp2_nv *trailers = arena_alloc(&x->arena, r->trailer_count, sizeof(*trailers));

		if (!trailers)
			return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
		for (size_t i = 0; i < r->trailer_count; i++)
			trailers[i] = response_nv(r->trailers[i].name, r->trailers[i].value);
		*flags |= NGHTTP2_DATA_FLAG_NO_END_STREAM;
		if (nghttp2_submit_trailer(session, stream, trailers, r->trailer_count))
			return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
	}
	return (ssize_t)n;
}

/* Reset the stream; close the connection if there is no memory for that. */
static void fail_stream(struct conn *c, const struct exchange *x)
{
	if (nghttp2_submit_rst_stream(c->h2->session, NGHTTP2_FLAG_NONE, x->stream,
				      NGHTTP2_INTERNAL_ERROR))
		conn_close(c);
}

void http2_answer(struct conn *c, struct exchange *x)
{
	const struct http_response *r = &x->response;
	nghttp2_nv *headers = arena_alloc(&x->arena, r->header_count + 4, sizeof(*headers));
	nghttp2_data_provider body = {.source.ptr = x, .read_callback = read_answer};
	char status[8], length[24];
	size_t n = 0;
	bool has_body = x->answer.n && x->pub.method != METHOD_HEAD;

	if (!headers) {
		fail_stream(c, x);
		return;
	}
	snprintf(status, sizeof(status), "%u", r->status % 1000);
	snprintf(length, sizeof(length), "%zu", x->answer.n);
	headers[n++] = response_nv(STR(":status"), str_from(status));
	headers[n++] = response_nv(STR("date"), str_from(loop_date(c->loop)));
	if (r->content_type.n)
		headers[n++] = response_nv(STR("content-type"), r->content_type);
	if (!r->trailer_count && r->status != 204 && r->status != 304)
		headers[n++] = response_nv(STR("content-length"), str_from(length));
	for (size_t i = 0; i < r->header_count; i++)
		headers[n++] = response_nv(r->headers[i].name, r->headers[i].value);
	if (nghttp2_submit_response(c->h2->session, x->stream, headers, n,
				    has_body || r->trailer_count ? &body : NULL))
		fail_stream(c, x);
}

static uint64_t exchange_deadline(const struct exchange *x)
{
	const struct net_options *o = &x->loop->options;

	switch (x->stage) {
	case EXCHANGE_HEAD:
		return x->head_started_ns + o->header_timeout_ms * NS_PER_MS;
	case EXCHANGE_BODY:
		return exchange_body_deadline(x);
	case EXCHANGE_ANSWER:
		return x->progress_ns + o->write_timeout_ms * NS_PER_MS;
	case EXCHANGE_HANDLER:
		break;
	}
	return UINT64_MAX;
}

uint64_t http2_deadline(const struct conn *c)
{
	uint64_t first = UINT64_MAX;

	if (!c->exchanges)
		return c->progress_ns + c->loop->options.idle_timeout_ms * NS_PER_MS;
	for (const struct exchange *x = c->exchanges; x; x = x->conn_next)
		first = min_size(first, exchange_deadline(x));
	return first;
}

static void exchange_expired(struct conn *c, struct exchange *x)
{
	const struct net_options *o = &c->loop->options;

	if (x->stage == EXCHANGE_BODY) {
		exchange_refuse(x, NET_REFUSED_SLOW, 408,
				"body is slower than body_timeout_ms (%llu) and min_body_rate "
				"(%llu bytes/s) allow",
				(unsigned long long)o->body_timeout_ms,
				(unsigned long long)o->min_body_rate);
		return;
	}
	stat_add(&c->loop->stats.refused[NET_REFUSED_SLOW], 1);
	if (x->stage == EXCHANGE_HEAD) /* no other frame may be sent inside a header block */
		conn_close(c);
	else
		nghttp2_submit_rst_stream(c->h2->session, NGHTTP2_FLAG_NONE, x->stream,
					  NGHTTP2_CANCEL);
	if (!c->closed)
		x->progress_ns = c->loop->now_ns; /* do not expire again before the reset is sent */
}

void http2_expired(struct conn *c)
{
	struct exchange *next;

	if (!c->exchanges) {
		if (c->h2->going_away)
			conn_close(c);
		else
			http2_drain(c);
		return;
	}
	for (struct exchange *x = c->exchanges; x && !c->closed; x = next) {
		next = x->conn_next;
		if (exchange_deadline(x) <= c->loop->now_ns)
			exchange_expired(c, x);
	}
}

void http2_drain(struct conn *c)
{
	nghttp2_session *session = c->h2->session;

	if (c->h2->going_away)
		return;
	c->h2->going_away = true;
	if (nghttp2_submit_goaway(session, NGHTTP2_FLAG_NONE,
				  nghttp2_session_get_last_proc_stream_id(session),
				  NGHTTP2_NO_ERROR, NULL, 0))
		conn_close(c);
}
