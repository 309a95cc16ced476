/* SPDX-License-Identifier: Apache-2.0 */
/* HTTP/2 with hand-made frames: responses, protocol errors and floods. */
#include "net/http/respond.h"
#include "test/net.h"

enum {
	DATA,
	HEADERS,
	PRIORITY,
	RST_STREAM,
	SETTINGS,
	PUSH,
	PING,
	GOAWAY,
	WINDOW_UPDATE,
	CONTINUATION
};
enum { END_STREAM = 1, END_HEADERS = 4 };
enum { NO_ERROR = 0, PROTOCOL_ERROR = 1, REFUSED_STREAM = 7, CANCEL = 8, ENHANCE_YOUR_CALM = 11 };

static void hello(void *owner, struct http_exchange *x)
{
	(void)owner;
	http_respond_text(x, 200, "hello");
}

static void echo(void *owner, struct http_exchange *x)
{
	struct http_response r = {.status = 200};

	(void)owner;
	buf_put_str(&r.body, x->body);
	http_respond(x, &r);
}

#define BIG (64 * MIB)

static void big(void *owner, struct http_exchange *x)
{
	static char zeros[BIG];
	struct http_response r = {.status = 200, .static_body = str_of(zeros, sizeof(zeros))};

	(void)owner;
	http_respond(x, &r);
}

static const struct http_route routes[] = {
	{METHOD_GET, 0, STR_INIT("/big"), big},
	{METHOD_GET, 0, STR_INIT("/hello"), hello},
	{METHOD_POST, 0, STR_INIT("/echo"), echo},
	{METHOD_POST, 0, STR_INIT("/small"), echo, NULL, 10},
};
static const struct http_app app = {.routes = routes, .route_count = countof(routes)};

struct sender {
	struct test_server t;
	int fd;
	struct buf out, in;
	size_t at; /* read so far */
};

struct frame {
	unsigned type, flags;
	uint32_t stream;
	struct str payload;
};

static void put_frame(struct sender *s, unsigned type, unsigned flags, uint32_t stream,
		      struct str payload)
{
	unsigned char head[9] = {(unsigned char)(payload.n >> 16),
				 (unsigned char)(payload.n >> 8),
				 (unsigned char)payload.n,
				 (unsigned char)type,
				 (unsigned char)flags,
				 (unsigned char)(stream >> 24),
				 (unsigned char)(stream >> 16),
				 (unsigned char)(stream >> 8),
				 (unsigned char)stream};

	buf_put(&s->out, head, sizeof(head));
	buf_put_str(&s->out, payload);
}

/* Send the buffered frames. Return false if the server has closed the connection. */
static bool flush(struct sender *s)
{
	bool sent = test_send(s->fd, buf_str(&s->out));

	buf_clear(&s->out);
	return sent;
}

/* Append an HPACK literal, never indexed. */
static void put_literal(struct buf *b, struct str name, struct str value)
{
	buf_put_char(b, 0x10);
	buf_put_char(b, (char)name.n);
	buf_put_str(b, name);
	if (value.n < 127) {
		buf_put_char(b, (char)value.n);
	} else { /* a prefix of 7 bits, then 7 bits per byte */
		size_t n = value.n - 127;

		buf_put_char(b, 127);
		for (; n >= 128; n >>= 7)
			buf_put_char(b, (char)(n | 128));
		buf_put_char(b, (char)n);
	}
	buf_put_str(b, value);
}

static void request_block(struct buf *b, const char *method, const char *path)
{
	put_literal(b, STR(":method"), str_from(method));
	put_literal(b, STR(":scheme"), STR("http"));
	put_literal(b, STR(":path"), str_from(path));
	put_literal(b, STR(":authority"), STR("h"));
}

static void put_request(struct sender *s, uint32_t stream, const char *method, const char *path,
			unsigned flags)
{
	struct buf block = {0};

	request_block(&block, method, path);
	put_frame(s, HEADERS, END_HEADERS | flags, stream, buf_str(&block));
	buf_fini(&block);
}

static uint32_t load32(const char *p)
{
	const unsigned char *u = (const unsigned char *)p;

	return (uint32_t)u[0] << 24 | (uint32_t)u[1] << 16 | (uint32_t)u[2] << 8 | u[3];
}

/* Read the next frame other than SETTINGS, PING and WINDOW_UPDATE. Return false at the end. */
static bool next_frame(struct sender *s, struct frame *f)
{
	for (;;) {
		struct str rest = str_from_at(buf_str(&s->in), s->at);
		size_t n = rest.n >= 9 ? load32(rest.p) >> 8 : 0;

		if (rest.n < 9 || rest.n < 9 + n) {
			if (!test_read_some(s->fd, &s->in))
				return false;
			continue;
		}
		*f = (struct frame){.type = (unsigned char)rest.p[3],
				    .flags = (unsigned char)rest.p[4],
				    .stream = load32(rest.p + 5),
				    .payload = str_of(rest.p + 9, n)};
		s->at += 9 + n;
		if (f->type != SETTINGS && f->type != WINDOW_UPDATE && f->type != PING)
			return true;
	}
}

/* Return the status of a response: the first header, indexed or a literal with an indexed name. */
static unsigned status_of(struct frame *f)
{
	static const unsigned indexed[] = {200, 204, 206, 304, 400, 404, 500};
	unsigned first = (unsigned char)f->payload.p[0];

	if (first >= 0x88 && first <= 0x8e)
		return indexed[first - 0x88];
	/* 0x48 (literal, name 8), length 3 raw, or Huffman of three digits in two bytes */
	if ((unsigned char)f->payload.p[1] == 3)
		return (unsigned)atoi(f->payload.p + 2);
	/* Huffman code: decoded by the tests that need it */
	return 1000 + (unsigned char)f->payload.p[2];
}

static int sender_start(struct sender *s, const struct net_options *options)
{
	*s = (struct sender){.t = test_server_start(&app, options)};
	s->fd = test_connect(s->t.port);
	buf_put_str(&s->out, STR("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"));
	put_frame(s, SETTINGS, 0, 0, STR(""));
	flush(s);
	return 0;
}

static void sender_end(struct sender *s)
{
	uint64_t until = clock_monotonic_ns() + TEST_WAIT_MS * NS_PER_MS;
	struct net_stats stats;

	close(s->fd);
	do { /* everything must be freed */
		net_server_stats(s->t.server, &stats);
		usleep(500);
	} while ((stats.connections_open || stats.exchanges_open) && clock_monotonic_ns() < until);
	assert_int_equal(stats.connections_open, 0);
	assert_int_equal(stats.exchanges_open, 0);
	net_server_free(s->t.server);
	buf_fini(&s->out);
	buf_fini(&s->in);
}

static int sender_setup(void **state)
{
	struct sender *s = calloc(1, sizeof(*s));

	*state = s;
	return sender_start(s, NULL);
}

static int sender_teardown(void **state)
{
	sender_end(*state);
	free(*state);
	return 0;
}

static void expect_answer(struct sender *s, uint32_t stream, unsigned status, const char *body)
{
	struct frame f;

	assert_true(next_frame(s, &f));
	assert_int_equal(f.type, HEADERS);
	assert_int_equal(f.stream, stream);
	assert_int_equal(status_of(&f), status);
	if (!body)
		return;
	assert_true(next_frame(s, &f));
	assert_int_equal(f.type, DATA);
	assert_int_equal(f.flags & END_STREAM, END_STREAM);
	assert_str_equal(f.payload, str_from(body));
}

/* Read to the end. Return the error code of the GOAWAY, or -1 if there was none. */
static int goaway_code(struct sender *s)
{
	struct frame f;
	int code = -1;

	while (next_frame(s, &f))
		if (f.type == GOAWAY)
			code = (int)load32(f.payload.p + 4);
	return code;
}

static void responses_are_sent_on_the_streams_of_their_requests(void **state)
{
	struct sender *s = *state;

	put_request(s, 1, "GET", "/hello", END_STREAM);
	flush(s);
	expect_answer(s, 1, 200, "hello\n");
	put_request(s, 3, "POST", "/echo", 0);
	put_request(s, 5, "POST", "/echo", 0);
	put_frame(s, DATA, 0, 5, STR("fi"));
	put_frame(s, DATA, END_STREAM, 3, STR("three"));
	flush(s);
	expect_answer(s, 3, 200, "three");
	put_frame(s, DATA, END_STREAM, 5, STR("ve"));
	flush(s);
	expect_answer(s, 5, 200, "five");
}

static void trailers_can_end_a_request(void **state)
{
	struct sender *s = *state;
	struct buf trailer = {0};

	put_literal(&trailer, STR("x-sum"), STR("5"));
	put_request(s, 1, "POST", "/echo", 0);
	put_frame(s, DATA, 0, 1, STR("body"));
	put_frame(s, HEADERS, END_HEADERS | END_STREAM, 1, buf_str(&trailer));
	flush(s);
	expect_answer(s, 1, 200, "body");
	buf_fini(&trailer);
}

/* The response is sent before the body arrives; the body is discarded. */
static void a_refused_request_leaves_the_connection_usable(void **state)
{
	struct sender *s = *state;
	struct frame f;

	put_request(s, 1, "POST", "/nowhere", 0);
	flush(s);
	expect_answer(s, 1, 404, "/nowhere: no such path\n");
	put_frame(s, DATA, END_STREAM, 1, STR("too late"));
	put_request(s, 3, "GET", "/hello", END_STREAM);
	flush(s);
	expect_answer(s, 3, 200, "hello\n");
	put_request(s, 5, "POST", "/small", 0);
	put_frame(s, DATA, 0, 5, STR("much more than ten"));
	flush(s);
	assert_true(next_frame(s, &f));
	assert_int_equal(f.stream, 5);
	assert_true(status_of(&f) != 200);
	while (!(f.flags & END_STREAM))
		assert_true(next_frame(s, &f));
	put_request(s, 7, "GET", "/hello", END_STREAM);
	flush(s);
	expect_answer(s, 7, 200, "hello\n");
}

static void head_has_no_body(void **state)
{
	struct sender *s = *state;
	struct frame f;

	put_request(s, 1, "HEAD", "/hello", END_STREAM);
	flush(s);
	assert_true(next_frame(s, &f));
	assert_int_equal(f.type, HEADERS);
	assert_int_equal(f.flags & END_STREAM, END_STREAM);
}

static void headers_over_the_limit_are_431(void **state)
{
	struct sender *s = *state;
	struct buf block = {0}, value = {0};
	struct frame f;

	memset(buf_reserve(&value, 15000), 'v', 15000);
	value.n = 15000;
	request_block(&block, "GET", "/hello");
	put_frame(s, HEADERS, END_STREAM, 1, buf_str(&block));
	for (int i = 0; i < 6; i++) { /* 90,000 bytes; the limit is 64 KiB */
		buf_clear(&block);
		put_literal(&block, STR("x-long"), buf_str(&value));
		put_frame(s, CONTINUATION, i == 5 ? END_HEADERS : 0, 1, buf_str(&block));
	}
	flush(s);
	assert_true(next_frame(s, &f));
	assert_int_equal(f.type, HEADERS);
	assert_true(status_of(&f) != 200);
	while (!(f.flags & END_STREAM))
		assert_true(next_frame(s, &f));
	assert_true(str_find_str(f.payload, STR("max_header_bytes")) < f.payload.n);
	put_request(s, 3, "GET", "/hello", END_STREAM);
	flush(s);
	expect_answer(s, 3, 200, "hello\n");
	buf_fini(&block);
	buf_fini(&value);
}

/* One large entry in the dynamic table is referenced thousands of times: bytes become megabytes. */
static void a_header_bomb_ends_the_connection(void **state)
{
	struct sender *s = *state;
	struct buf block = {0}, value = {0};

	memset(buf_reserve(&value, 3000), 'v', 3000);
	value.n = 3000;
	request_block(&block, "GET", "/hello");
	put_literal(&block, STR("x"), buf_str(&value));
	block.p[block.n - 3006] = 0x40; /* now with indexing */
	assert_int_equal((unsigned char)block.p[block.n - 3005], 1);
	while (block.n < 16000)
		buf_put_char(&block, (char)(0x80 | 62));
	put_frame(s, HEADERS, END_HEADERS | END_STREAM, 1, buf_str(&block));
	flush(s);
	assert_int_equal(goaway_code(s), ENHANCE_YOUR_CALM);
	buf_fini(&block);
	buf_fini(&value);
}

static void rapid_resets_end_the_connection(void **state)
{
	struct sender *s = *state;
	struct net_stats stats;

	for (uint32_t i = 0; i < 20000; i++) {
		put_request(s, 2 * i + 1, "POST", "/echo", 0);
		put_frame(s, RST_STREAM, 0, 2 * i + 1, STR("\0\0\0\x08"));
		if (s->out.n > 30000 && !flush(s))
			break;
	}
	flush(s);
	goaway_code(s); /* GOAWAY may be lost if the flooded connection is reset */
	net_server_stats(s->t.server, &stats);
	assert_int_equal(stats.refused[NET_REFUSED_FLOOD], 1);
}

/* Send `bytes` repeatedly until the server closes the connection. */
static void flood(struct sender *s, struct str bytes)
{
	struct net_stats stats;
	size_t sent = 0;

	while (sent < 64 * MIB && test_send(s->fd, bytes)) {
		sent += bytes.n;
		net_server_stats(s->t.server, &stats);
		if (stats.refused[NET_REFUSED_FLOOD])
			break;
	}
	goaway_code(s);
	net_server_stats(s->t.server, &stats);
	assert_int_equal(stats.refused[NET_REFUSED_FLOOD], 1);
}

static void floods_of_empty_frames_end_the_connection(void **state)
{
	static const struct str frames[] = {
		STR_INIT("\0\0\x08\6\0\0\0\0\0"
			 "12345678"),			  /* PING */
		STR_INIT("\0\0\0\4\0\0\0\0\0"),		  /* SETTINGS */
		STR_INIT("\0\0\5\2\0\0\0\0\3\0\0\0\0\0"), /* PRIORITY */
		STR_INIT("\0\0\0\0\0\0\0\0\1"),		  /* DATA, empty, not the last */
		STR_INIT("\0\0\4\x08\0\0\0\0\1\0\0\0\1"), /* WINDOW_UPDATE */
		STR_INIT("\0\0\3\x0c\0\0\0\0\0"
			 "abc"), /* ORIGIN */
		STR_INIT("\0\0\3\xee\0\0\0\0\1"
			 "abc"), /* of an unknown type */
	};

	(void)state;
	for (size_t i = 0; i < countof(frames); i++) {
		struct sender s;
		struct buf many = {0};

		sender_start(&s, NULL);
		put_request(&s, 1, "POST", "/echo", 0);
		flush(&s);
		for (int k = 0; k < 1000; k++)
			buf_put_str(&many, frames[i]);
		flood(&s, buf_str(&many));
		buf_fini(&many);
		sender_end(&s);
	}
}

/* A client that pings and never reads: the acknowledgements must not accumulate. */
static void unread_output_pauses_input(void **state)
{
	struct net_options o;
	struct sender s;
	struct buf many = {0};
	struct timeval patience = {.tv_usec = 300000};
	size_t sent = 0;

	(void)state;
	net_options_init(&o);
	o.max_control_frames_per_second = 100000000;
	sender_start(&s, &o);
	setsockopt(s.fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
	for (int k = 0; k < 1000; k++)
		buf_put_str(&many, STR("\0\0\x08\6\0\0\0\0\0"
				       "12345678"));
	while (sent < 256 * MIB && test_send(s.fd, buf_str(&many)))
		sent += many.n;
	assert_true(sent < 256 * MIB);
	buf_fini(&many);
	sender_end(&s);
}

static void an_endless_continuation_ends_the_connection(void **state)
{
	struct sender *s = *state;
	struct buf block = {0};

	request_block(&block, "GET", "/hello");
	put_frame(s, HEADERS, 0, 1, buf_str(&block));
	for (int i = 0; i < 100000; i++) {
		put_frame(s, CONTINUATION, 0, 1, STR(""));
		if (s->out.n > 30000 && !flush(s))
			break;
	}
	flush(s);
	goaway_code(s);
	buf_fini(&block);
}

static void protocol_errors_end_the_connection(void **state)
{
	static const struct str cases[] = {
		STR_INIT("\0\0\4\0\0\0\0\0\0data"),	  /* DATA on stream 0 */
		STR_INIT("\0\0\1\1\4\0\0\0\2\x82"),	  /* a stream id of the server */
		STR_INIT("\xff\xff\xff\0\0\0\0\0\1"),	  /* a frame far over the size limit */
		STR_INIT("\0\0\1\6\0\0\0\0\0x"),	  /* PING of one byte */
		STR_INIT("\0\0\5\4\0\0\0\0\0abcde"),	  /* SETTINGS not of six bytes */
		STR_INIT("\0\0\4\x08\0\0\0\0\0\0\0\0\0"), /* WINDOW_UPDATE by 0 */
		STR_INIT("\0\0\4\x08\0\0\0\0\0\x7f\xff\xff\xff"), /* a window over 2^31 */
		STR_INIT("\0\0\4\3\0\0\0\0\x63\0\0\0\0"),	  /* RST_STREAM of an idle stream */
		STR_INIT("\0\0\1\x09\4\0\0\0\1\x82"),		  /* CONTINUATION without HEADERS */
		STR_INIT("\0\0\2\1\4\0\0\0\1\xff\xff"),		  /* truncated HPACK */
		STR_INIT("\0\0\1\1\4\0\0\0\1\xfe"),		  /* nonexistent HPACK index */
		STR_INIT("\0\0\4\5\4\0\0\0\1\0\0\0\2"),		  /* PUSH_PROMISE from a client */
	};

	(void)state;
	for (size_t i = 0; i < countof(cases); i++) {
		struct sender s;

		sender_start(&s, NULL);
		buf_put_str(&s.out, cases[i]);
		flush(&s);
		if (goaway_code(&s) <= 0)
			fail_msg("case %zu: no GOAWAY with an error", i);
		sender_end(&s);
	}
}

/* Malformed requests are reset or rejected without affecting other streams. */
static void a_malformed_request_resets_its_stream_only(void **state)
{
	static const struct {
		struct str name, value;
	} bad[] = {
		{STR_INIT("Upper"), STR_INIT("case")},
		{STR_INIT("connection"), STR_INIT("close")},
		{STR_INIT(":path"), STR_INIT("/again")},
		{STR_INIT(":unknown"), STR_INIT("x")},
		{STR_INIT("content-length"), STR_INIT("x")},
		{STR_INIT("te"), STR_INIT("gzip")},
		{STR_INIT("a"), STR_INIT("b\nc")},
	};
	struct sender *s = *state;
	struct buf block = {0};
	struct frame f;
	uint32_t stream = 1;

	for (size_t i = 0; i < countof(bad); i++, stream += 2) {
		buf_clear(&block);
		request_block(&block, "GET", "/hello");
		put_literal(&block, bad[i].name, bad[i].value);
		put_frame(s, HEADERS, END_HEADERS | END_STREAM, stream, buf_str(&block));
		flush(s);
		assert_true(next_frame(s, &f));
		if (f.type != RST_STREAM && !(i == 6 && f.type == HEADERS))
			fail_msg("case %zu: frame %u", i, f.type);
		while (f.type != RST_STREAM && !(f.flags & END_STREAM))
			assert_true(next_frame(s, &f));
	}
	/* The content length is wrong. */
	buf_clear(&block);
	request_block(&block, "POST", "/echo");
	put_literal(&block, STR("content-length"), STR("3"));
	put_frame(s, HEADERS, END_HEADERS, stream, buf_str(&block));
	put_frame(s, DATA, END_STREAM, stream, STR("four"));
	flush(s);
	assert_true(next_frame(s, &f));
	assert_int_equal(f.type, RST_STREAM);
	put_request(s, stream + 2, "GET", "/hello", END_STREAM);
	flush(s);
	expect_answer(s, stream + 2, 200, "hello\n");
	buf_fini(&block);
}

static void streams_over_the_limit_are_refused(void **state)
{
	struct net_options o;
	struct sender s;
	struct frame f;

	(void)state;
	net_options_init(&o);
	o.max_concurrent_streams = 2;
	sender_start(&s, &o);
	/*
	 * The client has not acknowledged our settings; one that has and still exceeds the limit
	 * loses its connection.
	 */
	put_request(&s, 1, "POST", "/echo", 0);
	put_request(&s, 3, "POST", "/echo", 0);
	put_request(&s, 5, "POST", "/echo", 0);
	flush(&s);
	assert_true(next_frame(&s, &f));
	assert_int_equal(f.type, RST_STREAM);
	assert_int_equal(f.stream, 5);
	assert_int_equal(load32(f.payload.p), REFUSED_STREAM);
	sender_end(&s);
}

static struct net_options short_timeouts(void)
{
	struct net_options o;

	net_options_init(&o);
	o.header_timeout_ms = o.body_timeout_ms = o.write_timeout_ms = 200;
	o.min_body_rate = 1 << 20;
	return o;
}

static void a_slow_body_fails_its_stream_only(void **state)
{
	struct net_options o = short_timeouts();
	struct sender s;
	struct frame f;

	(void)state;
	sender_start(&s, &o);
	put_request(&s, 1, "POST", "/echo", 0);
	put_frame(&s, DATA, 0, 1, STR("x"));
	flush(&s);
	assert_true(next_frame(&s, &f));
	assert_int_equal(f.type, HEADERS);
	assert_true(next_frame(&s, &f));
	assert_true(str_find_str(f.payload, STR("body_timeout_ms")) < f.payload.n);
	put_request(&s, 3, "GET", "/hello", END_STREAM);
	flush(&s);
	expect_answer(&s, 3, 200, "hello\n");
	sender_end(&s);
}

static void slow_headers_end_the_connection(void **state)
{
	struct net_options o = short_timeouts();
	struct sender s;
	struct buf block = {0};

	(void)state;
	sender_start(&s, &o);
	request_block(&block, "GET", "/hello");
	put_frame(&s, HEADERS, END_STREAM, 1, buf_str(&block));
	flush(&s);
	goaway_code(&s); /* read until the end */
	buf_fini(&block);
	sender_end(&s);
}

static void an_unread_response_is_dropped_after_a_timeout(void **state)
{
	struct net_options o = short_timeouts();
	struct sender s;
	struct frame f;

	(void)state;
	sender_start(&s, &o);
	put_frame(&s, SETTINGS, 0, 0, STR("\0\4\0\0\0\0")); /* the initial window is 0 */
	put_request(&s, 1, "GET", "/hello", END_STREAM);
	flush(&s);
	expect_answer(&s, 1, 200, NULL);
	assert_true(next_frame(&s, &f));
	assert_int_equal(f.type, RST_STREAM);
	assert_int_equal(load32(f.payload.p), CANCEL);
	sender_end(&s);
}

static void drain_sends_goaway_and_finishes_streams(void **state)
{
	struct sender s;
	struct frame f;

	(void)state;
	sender_start(&s, NULL);
	put_request(&s, 1, "GET", "/hello", END_STREAM);
	flush(&s);
	expect_answer(&s, 1, 200, "hello\n");
	assert_ok(net_server_drain(s.t.server, TEST_WAIT_MS));
	assert_true(next_frame(&s, &f));
	assert_int_equal(f.type, GOAWAY);
	assert_int_equal(load32(f.payload.p), 1);
	assert_int_equal(load32(f.payload.p + 4), NO_ERROR);
	assert_false(next_frame(&s, &f));
	sender_end(&s);
}

/* Over max_connections, a connection without streams is closed; one with a stream is not. */
static void an_idle_connection_gets_goaway_and_is_replaced(void **state)
{
	static const struct str request = STR_INIT("GET /hello HTTP/1.1\r\nHost: h\r\n\r\n");
	uint64_t until = clock_monotonic_ns() + TEST_WAIT_MS * NS_PER_MS;
	struct net_options o;
	struct net_stats stats;
	struct sender s;
	struct frame f;

	(void)state;
	net_options_init(&o);
	o.max_connections = 1;
	sender_start(&s, &o);
	put_request(&s, 1, "POST", "/echo", 0);
	flush(&s);
	do
		net_server_stats(s.t.server, &stats);
	while (!stats.exchanges_open && clock_monotonic_ns() < until);
	assert_int_equal(test_status(s.t.port, request), 503);
	put_frame(&s, DATA, END_STREAM, 1, STR("one"));
	flush(&s);
	expect_answer(&s, 1, 200, "one");
	do
		net_server_stats(s.t.server, &stats);
	while (!stats.connections_idle && clock_monotonic_ns() < until);
	assert_int_equal(test_status(s.t.port, request), 200);
	assert_true(next_frame(&s, &f));
	assert_int_equal(f.type, GOAWAY);
	assert_int_equal(load32(f.payload.p), 1);
	assert_int_equal(load32(f.payload.p + 4), NO_ERROR);
	assert_false(next_frame(&s, &f));
	sender_end(&s);
}

static void trailers_over_the_limits_of_headers_are_431(void **state)
{
	struct net_options o;
	struct sender s = {0};

	(void)state;
	net_options_init(&o);
	o.max_headers = 20;
	assert_ok(sender_start(&s, &o));
	for (uint32_t i = 0; i < 2; i++) {
		struct buf trailers = {0};

		for (uint32_t k = 0; k < 20 + i; k++)
			put_literal(&trailers, STR("t"), STR("x"));
		put_request(&s, 2 * i + 1, "POST", "/echo", 0);
		put_frame(&s, DATA, 0, 2 * i + 1, STR("body"));
		put_frame(&s, HEADERS, END_HEADERS | END_STREAM, 2 * i + 1, buf_str(&trailers));
		flush(&s);
		expect_answer(&s, 2 * i + 1, i ? 431 : 200, i ? NULL : "body");
		buf_fini(&trailers);
	}
	sender_end(&s);
}

static void put_window_update(struct sender *s, uint32_t stream, uint32_t n)
{
	char bytes[4] = {(char)(n >> 24), (char)(n >> 16), (char)(n >> 8), (char)n};

	put_frame(s, WINDOW_UPDATE, 0, stream, str_of(bytes, sizeof(bytes)));
}

/* As Go's client: two updates per 4 KiB, more than a client without data is allowed to send. */
static void window_updates_of_a_reading_client_are_not_a_flood(void **state)
{
	struct sender s = {0};
	struct frame f;
	size_t got = 0;

	(void)state;
	assert_ok(sender_start(&s, NULL));
	put_request(&s, 1, "GET", "/big", END_STREAM);
	flush(&s);
	while (got < BIG) {
		assert_true(next_frame(&s, &f));
		if (f.type != DATA) {
			assert_int_equal(f.type, HEADERS);
			continue;
		}
		got += f.payload.n;
		for (size_t n = f.payload.n; n; n -= min_size(n, 4096)) {
			put_window_update(&s, 0, (uint32_t)min_size(n, 4096));
			put_window_update(&s, 1, (uint32_t)min_size(n, 4096));
		}
		flush(&s);
		if (s.at == s.in.n) { /* all frames are read */
			s.at = 0;
			buf_clear(&s.in);
		}
	}
	sender_end(&s);
}

/* Streams use up the memory of a small server: from the ninth on they are refused as retryable. */
static void a_busy_connection_gets_no_new_streams_under_memory_pressure(void **state)
{
	struct net_options o;
	struct sender s = {0};
	struct frame f;
	unsigned refused = 0;

	(void)state;
	net_options_init(&o);
	o.max_memory = 96 * KIB;
	assert_ok(sender_start(&s, &o));
	/* after its SETTINGS the connection's memory is charged */
	assert_true(test_read_some(s.fd, &s.in));
	for (uint32_t i = 0; i < 20; i++)
		put_request(&s, 2 * i + 1, "POST", "/echo", 0); /* the bodies are never sent */
	assert_true(flush(&s));
	/* until the connection is closed, as it holds the most memory */
	while (next_frame(&s, &f)) {
		assert_int_equal(f.type, RST_STREAM);
		assert_int_equal(load32(f.payload.p), REFUSED_STREAM);
		assert_in_range(f.stream, 17, 39);
		refused++;
	}
	assert_in_range(refused, 8, 12);
	sender_end(&s);
}

TEST_MAIN(test_with(sender, responses_are_sent_on_the_streams_of_their_requests),
	  test_with(sender, trailers_can_end_a_request),
	  test_with(sender, a_refused_request_leaves_the_connection_usable),
	  test_with(sender, head_has_no_body), test_with(sender, headers_over_the_limit_are_431),
	  test_with(sender, a_header_bomb_ends_the_connection),
	  test_with(sender, rapid_resets_end_the_connection),
	  test(floods_of_empty_frames_end_the_connection), test(unread_output_pauses_input),
	  test_with(sender, an_endless_continuation_ends_the_connection),
	  test(protocol_errors_end_the_connection),
	  test_with(sender, a_malformed_request_resets_its_stream_only),
	  test(streams_over_the_limit_are_refused), test(a_slow_body_fails_its_stream_only),
	  test(slow_headers_end_the_connection),
	  test(an_unread_response_is_dropped_after_a_timeout),
	  test(drain_sends_goaway_and_finishes_streams),
	  test(an_idle_connection_gets_goaway_and_is_replaced),
	  test(trailers_over_the_limits_of_headers_are_431),
	  test(window_updates_of_a_reading_client_are_not_a_flood),
	  test(a_busy_connection_gets_no_new_streams_under_memory_pressure))
