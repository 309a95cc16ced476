/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The gRPC client: HTTP/2 frames without sockets, and calls to our server and to misbehaving ones.
 */
#include <errno.h>
#include <pthread.h>

#include "net/rpc/rpc.h"
#include "net/rpc/rpc_reply.h"
#include "sdk/grpc/grpc_client.h"
#include "sdk/grpc/h2.h"
#include "test/net.h"

enum { DATA, HEADERS, RST_STREAM = 3, SETTINGS, PING = 6, GOAWAY, WINDOW_UPDATE, CONTINUATION };
enum { END_STREAM = 1, END_HEADERS = 4, PADDED = 8 };

/* -- frames ------------------------------------------------------------------------------------ */

static void put_frame(struct buf *out, unsigned type, unsigned flags, unsigned stream,
		      struct str payload)
{
	const unsigned char head[] = {(unsigned char)(payload.n >> 16),
				      (unsigned char)(payload.n >> 8),
				      (unsigned char)payload.n,
				      (unsigned char)type,
				      (unsigned char)flags,
				      0,
				      0,
				      0,
				      (unsigned char)stream};

	buf_put(out, head, sizeof(head));
	buf_put_str(out, payload);
}

static struct buf block_of(const char *name, const char *value, const char *name2,
			   const char *value2)
{
	struct buf block = {0};

	hpack_put(&block, str_from(name), str_from(value));
	if (name2)
		hpack_put(&block, str_from(name2), str_from(value2));
	return block;
}

struct engine {
	struct post_client client;
	struct h2 h2;
	struct post_answer answer;
};

/* Begin a call with `body` on a new connection, and discard the frames sent first. */
static void begin(struct engine *x, struct str body)
{
	struct post_request r = {.path = "/s/m", .body = body, .gzip = true, .timeout_ms = 1000};
	struct h2_request request = {&x->client, &r};

	*x = (struct engine){.answer.grpc_status = -1};
	assert_ok(post_client_init(&x->client, "http://h:1", "X-Tenant=a,Connection=close", "1",
				   NULL));
	h2_init(&x->h2);
	assert_ok(h2_begin(&x->h2, &request, &x->answer));
}

static void end(struct engine *x)
{
	h2_fini(&x->h2);
	post_client_fini(&x->client);
	post_answer_fini(&x->answer);
}

static int feed(struct engine *x, unsigned type, unsigned flags, unsigned stream,
		struct str payload)
{
	struct buf bytes = {0};
	int rc;

	put_frame(&bytes, type, flags, stream, payload);
	rc = h2_feed(&x->h2, buf_str(&bytes));
	buf_fini(&bytes);
	return rc;
}

static void put_header(void *arg, struct str name, struct str value)
{
	buf_printf(arg, "%.*s: %.*s\n", STR_ARG(name), STR_ARG(value));
}

static void a_call_is_valid_http2(void **state)
{
	struct engine x;
	struct buf headers = {0};
	struct hpack table;
	struct str out;
	size_t n;

	(void)state;
	begin(&x, STR("12345body"));
	out = buf_str(&x.h2.out);
	assert_true(str_starts(out, STR("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\6\4\0\0\0\0\0\0\2")));
	out = str_from_at(out, 24 + 9 + 6);
	n = (size_t)(unsigned char)out.p[1] << 8 | (unsigned char)out.p[2];
	assert_int_equal(out.p[3], HEADERS);
	assert_int_equal(out.p[4], END_HEADERS);
	assert_int_equal(out.p[8], 1);
	assert_int_equal(out.n, n + 9);
	hpack_init(&table);
	assert_ok(hpack_decode(&table, str_from_at(out, 9), put_header, &headers));
	assert_true(str_starts(buf_str(&headers),
			       STR(":method: POST\n:scheme: http\n:path: /s/m\n:authority: h:1\n"
				   "te: trailers\ncontent-type: application/grpc\n")));
	assert_true(str_ends(buf_str(&headers),
			     STR("grpc-timeout: 1000m\ngrpc-encoding: gzip\nx-tenant: a\n")));
	buf_clear(&x.h2.out);
	h2_fill(&x.h2);
	assert_str_equal(buf_str(&x.h2.out), STR("\0\0\11\0\1\0\0\0\1"
						 "12345body"));
	buf_fini(&headers);
	end(&x);
}

static void a_response_with_trailers_is_decoded_in_pieces(void **state)
{
	struct buf first = block_of(":status", "200", "content-type", "application/grpc"),
		   trailer = block_of("grpc-status", "8", "grpc-message", "no%20room%2"),
		   bytes = {0};
	struct engine x;

	(void)state;
	begin(&x, STR("b"));
	put_frame(&bytes, SETTINGS, 0, 0, STR("\0\4\0\1\0\0\0\5\0\0\200\0"));
	put_frame(&bytes, HEADERS, 0, 1, str_head(buf_str(&first), 5));
	put_frame(&bytes, CONTINUATION, END_HEADERS, 1, str_from_at(buf_str(&first), 5));
	put_frame(&bytes, DATA, PADDED, 1, STR("\2hello\0\0"));
	put_frame(&bytes, 0x55, 0xff, 1, STR("a frame that nobody knows"));
	put_frame(&bytes, HEADERS, END_HEADERS | END_STREAM, 1, buf_str(&trailer));
	for (size_t i = 0; i < bytes.n; i++) {
		assert_false(x.h2.call.done);
		assert_ok(h2_feed(&x.h2, str_of(bytes.p + i, 1)));
	}
	assert_true(x.h2.call.done);
	assert_int_equal(x.answer.status, 200);
	assert_int_equal(x.answer.grpc_status, 8);
	assert_string_equal(x.answer.grpc_message, "no room%2");
	assert_str_equal(buf_str(&x.answer.body), STR("hello"));
	assert_int_equal(x.h2.initial_window, 65536);
	assert_int_equal(x.h2.max_frame, 32768);
	buf_fini(&first);
	buf_fini(&trailer);
	buf_fini(&bytes);
	end(&x);
}

static void a_body_respects_flow_control(void **state)
{
	static char body[200000];
	struct engine x;
	size_t before;

	(void)state;
	begin(&x, str_of(body, sizeof(body)));
	for (int i = 0; i < 10; i++) { /* sent bytes are removed from the buffer */
		buf_clear(&x.h2.out);
		h2_fill(&x.h2);
	}
	assert_int_equal(x.h2.call.sent, 65535); /* both windows are used up */
	assert_ok(feed(&x, WINDOW_UPDATE, 0, 0, STR("\0\0\0\144")));
	h2_fill(&x.h2);
	assert_int_equal(x.h2.call.sent, 65535); /* the stream's window is still closed */
	assert_ok(feed(&x, WINDOW_UPDATE, 0, 1, STR("\0\0\0\62")));
	h2_fill(&x.h2);
	assert_int_equal(x.h2.call.sent, 65585);
	/* a smaller initial window: nothing is sent until the window is positive again */
	assert_ok(feed(&x, SETTINGS, 0, 0, STR("\0\4\0\0\0\0")));
	assert_ok(feed(&x, WINDOW_UPDATE, 0, 0, STR("\0\20\0\0")));
	before = x.h2.call.sent;
	h2_fill(&x.h2);
	assert_int_equal(x.h2.call.sent, before);
	assert_ok(feed(&x, WINDOW_UPDATE, 0, 1, STR("\0\20\0\0")));
	for (int i = 0; i < 10; i++) {
		buf_clear(&x.h2.out);
		h2_fill(&x.h2);
	}
	assert_int_equal(x.h2.call.sent, sizeof(body));
	end(&x);
}

static void settings_and_pings_are_acknowledged(void **state)
{
	struct engine x;

	(void)state;
	begin(&x, STR("b"));
	buf_clear(&x.h2.out);
	assert_ok(feed(&x, PING, 0, 0, STR("12345678")));
	assert_ok(feed(&x, SETTINGS, 0, 0, STR("")));
	assert_ok(feed(&x, DATA, 0, 1, STR("abc")));
	assert_str_equal(buf_str(&x.h2.out), STR("\0\0\10\6\1\0\0\0\0"
						 "12345678"
						 "\0\0\0\4\1\0\0\0\0"
						 "\0\0\4\10\0\0\0\0\0\0\0\0\3"
						 "\0\0\4\10\0\0\0\0\1\0\0\0\3"));
	end(&x);
}

static void goaway_fails_only_streams_above_its_last(void **state)
{
	struct engine x;

	(void)state;
	begin(&x, STR("b"));
	assert_ok(feed(&x, GOAWAY, 0, 0, STR("\0\0\0\1\0\0\0\0")));
	assert_false(x.h2.call.done); /* our call is within its last stream */
	assert_true(x.h2.last);
	assert_ok(feed(&x, GOAWAY, 0, 0, STR("\0\0\0\0\0\0\0\0")));
	assert_true(x.h2.call.done && x.h2.call.refused);
	end(&x);
	begin(&x, STR("b"));
	assert_ok(feed(&x, RST_STREAM, 0, 1, STR("\0\0\0\2")));
	assert_true(x.h2.call.done && !x.h2.call.refused);
	assert_int_equal(x.h2.call.reset, 2);
	end(&x);
}

static void invalid_http2_is_rejected(void **state)
{
	static const struct {
		unsigned type, flags, stream;
		struct str payload;
	} bad[] = {
		{DATA, PADDED, 1, STR_INIT("\5abc")},
		{DATA, 0, 2, STR_INIT("x")},
		{HEADERS, END_HEADERS, 1, STR_INIT("\x80")},
		{RST_STREAM, 0, 1, STR_INIT("abc")},
		{SETTINGS, 0, 0, STR_INIT("abc")},
		{SETTINGS, 0, 0, STR_INIT("\0\4\377\377\377\377")},
		{5 /* PUSH_PROMISE */, 0, 1, STR_INIT("abcd")},
		{PING, 0, 0, STR_INIT("abc")},
		{GOAWAY, 0, 0, STR_INIT("abc")},
		{WINDOW_UPDATE, 0, 0, STR_INIT("\0\0\0\0")},
		{WINDOW_UPDATE, 0, 0, STR_INIT("\177\377\377\377")},
		{CONTINUATION, END_HEADERS, 1, STR_INIT("")},
	};
	static char large[20000];
	struct engine x;

	(void)state;
	for (size_t i = 0; i < countof(bad); i++) {
		begin(&x, STR("b"));
		assert_int_equal(feed(&x, bad[i].type, bad[i].flags, bad[i].stream, bad[i].payload),
				 -EPROTO);
		end(&x);
	}
	begin(&x, STR("b"));
	assert_int_equal(feed(&x, DATA, 0, 1, str_of(large, sizeof(large))), -EPROTO);
	end(&x);
	begin(&x, STR("b"));
	assert_int_equal(h2_feed(&x.h2, STR("HTTP/1.1 400 Bad Request\r\n\r\n")), -EPROTO);
	end(&x);
	/* a header block without an end */
	begin(&x, STR("b"));
	assert_ok(feed(&x, HEADERS, 0, 1, STR("")));
	for (int i = 0; i < 4; i++)
		assert_ok(feed(&x, CONTINUATION, 0, 1, str_of(large, 16384)));
	assert_int_equal(feed(&x, CONTINUATION, 0, 1, STR("x")), -EFBIG);
	end(&x);
	/* pings while responses are never read */
	begin(&x, STR("b"));
	for (int i = 0; i < 100000; i++)
		if (feed(&x, PING, 0, 0, STR("12345678")))
			break;
	assert_true(x.h2.out.n < 300000);
	end(&x);
}

/* -- calls ------------------------------------------------------------------------------------- */

static _Atomic size_t received;

static void take(void *owner, struct http_exchange *x)
{
	struct rpc_call *c = rpc_begin(x);
	struct buf reply = {0};

	(void)owner;
	if (!c)
		return;
	received = c->message.n;
	buf_put_str(&reply, STR("taken"));
	rpc_reply(c, &reply);
}

static const struct http_route routes[] = {{METHOD_POST, HTTP_RPC, STR_INIT("/s/take"), take}};
static const struct http_app app = {.routes = routes, .route_count = countof(routes)};

/* Return a gRPC message with its prefix. */
static struct buf message_of(size_t n)
{
	struct buf b = {0};
	unsigned char head[] = {0, (unsigned char)(n >> 24), (unsigned char)(n >> 16),
				(unsigned char)(n >> 8), (unsigned char)n};

	buf_put(&b, head, sizeof(head));
	for (size_t i = 0; i < n; i++)
		buf_put_char(&b, (char)i);
	return b;
}

static void connect_client(struct post_client *c, uint16_t port)
{
	char url[64];

	snprintf(url, sizeof(url), "http://127.0.0.1:%u", port);
	assert_ok(post_client_init(c, url, NULL, "1", NULL));
}

static int call(struct post_client *c, const char *path, size_t n, uint64_t timeout_ms,
		struct post_answer *a)
{
	struct buf body = message_of(n);
	struct post_request r = {.path = path, .body = buf_str(&body), .timeout_ms = timeout_ms};
	struct err e = {0};
	int rc;

	*a = (struct post_answer){0};
	rc = post_by_grpc(c, &r, a, &e);
	buf_fini(&body);
	return rc;
}

static void messages_of_all_sizes_over_one_connection(void **state)
{
	struct test_server server = test_server_start(&app, NULL);
	static const size_t sizes[] = {0, 1, 16000, 65535, 70000, 3000000, 5};
	struct post_client c;
	struct post_answer a;

	(void)state;
	connect_client(&c, server.port);
	for (size_t i = 0; i < countof(sizes); i++) {
		int fd = c.fd;

		assert_ok(call(&c, "/s/take", sizes[i], TEST_WAIT_MS, &a));
		assert_int_equal(a.status, 200);
		assert_int_equal(a.grpc_status, 0);
		assert_int_equal(received, sizes[i]);
		assert_str_equal(str_from_at(buf_str(&a.body), 5), STR("taken"));
		if (i)
			assert_int_equal(c.fd, fd); /* the same connection */
		post_answer_fini(&a);
	}
	post_client_fini(&c);
	net_server_free(server.server);
}

/* A case in which libcurl waits for its timeout. */
static void a_response_before_the_whole_request_is_accepted(void **state)
{
	struct test_server server = test_server_start(&app, NULL);
	struct post_client c;
	struct post_answer a;

	(void)state;
	connect_client(&c, server.port);
	for (int i = 0; i < 50; i++) {
		assert_ok(call(&c, "/s/nobody", i % 2 ? 3000000 : 100, TEST_WAIT_MS, &a));
		assert_int_equal(a.grpc_status, 12); /* unimplemented */
		post_answer_fini(&a);
	}
	post_client_fini(&c);
	net_server_free(server.server);
}

/* A server that accepts connections, sends `says`, and then stays silent. */
struct bad_server {
	int listener;
	uint16_t port;
	struct str says;
	pthread_t thread;
	int fds[8];
	unsigned count;
};

static void *serve_badly(void *arg)
{
	struct bad_server *s = arg;

	while (s->count < countof(s->fds)) {
		int fd = accept(s->listener, NULL, NULL);

		if (fd < 0)
			break;
		s->fds[s->count++] = fd;
		test_send(fd, s->says);
	}
	return NULL;
}

static void bad_server_start(struct bad_server *s, struct str says)
{
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
	socklen_t size = sizeof(at);

	*s = (struct bad_server){.listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0),
				 .says = says};
	assert_ok(bind(s->listener, (struct sockaddr *)&at, size));
	assert_ok(listen(s->listener, 8));
	assert_ok(getsockname(s->listener, (struct sockaddr *)&at, &size));
	s->port = ntohs(at.sin_port);
	assert_ok(pthread_create(&s->thread, NULL, serve_badly, s));
}

static void bad_server_stop(struct bad_server *s)
{
	shutdown(s->listener, SHUT_RDWR);
	pthread_join(s->thread, NULL);
	for (unsigned i = 0; i < s->count; i++)
		close(s->fds[i]);
	close(s->listener);
}

static void a_silent_server_costs_one_timeout(void **state)
{
	struct bad_server server;
	struct post_client c;
	struct post_answer a;
	_Atomic bool stop = true;
	struct post_request r = {
		.path = "/s/m", .body = STR("\0\0\0\0\0"), .timeout_ms = 60000, .stop = &stop};

	(void)state;
	bad_server_start(&server, STR(""));
	connect_client(&c, server.port);
	assert_int_equal(call(&c, "/s/take", 1000000, 100, &a), -ETIMEDOUT);
	assert_int_equal(c.fd, -1);
	post_answer_fini(&a);
	assert_int_equal(post_by_grpc(&c, &r, &a, NULL), -ECANCELED);
	post_answer_fini(&a);
	post_client_fini(&c);
	bad_server_stop(&server);
}

static void a_server_of_another_protocol_is_reported(void **state)
{
	struct bad_server server;
	struct post_client c;
	struct post_answer a = {0};
	struct post_request r = {
		.path = "/s/m", .body = STR("\0\0\0\0\0"), .timeout_ms = TEST_WAIT_MS};
	struct err e = {0};

	(void)state;
	bad_server_start(&server, STR("HTTP/1.1 400 Bad Request\r\n\r\n"));
	connect_client(&c, server.port);
	assert_int_equal(post_by_grpc(&c, &r, &a, &e), -EPROTO);
	assert_err_says(&e, "not a gRPC answer");
	post_answer_fini(&a);
	post_client_fini(&c);
	bad_server_stop(&server);
}

static void a_lost_connection_is_reopened_between_calls(void **state)
{
	struct test_server server = test_server_start(&app, NULL);
	struct post_client c;
	struct post_answer a;

	(void)state;
	connect_client(&c, server.port);
	assert_ok(call(&c, "/s/take", 3, TEST_WAIT_MS, &a));
	post_answer_fini(&a);
	shutdown(c.fd, SHUT_RDWR); /* as if the connection had been lost */
	assert_ok(call(&c, "/s/take", 3, TEST_WAIT_MS, &a));
	assert_int_equal(a.grpc_status, 0);
	post_answer_fini(&a);
	net_server_free(server.server);
	assert_true(call(&c, "/s/take", 3, TEST_WAIT_MS, &a) < 0);
	post_answer_fini(&a);
	post_client_fini(&c);
}

TEST_MAIN(test(a_call_is_valid_http2), test(a_response_with_trailers_is_decoded_in_pieces),
	  test(a_body_respects_flow_control), test(settings_and_pings_are_acknowledged),
	  test(goaway_fails_only_streams_above_its_last), test(invalid_http2_is_rejected),
	  test(messages_of_all_sizes_over_one_connection),
	  test(a_response_before_the_whole_request_is_accepted),
	  test(a_silent_server_costs_one_timeout), test(a_server_of_another_protocol_is_reported),
	  test(a_lost_connection_is_reopened_between_calls))
