/* SPDX-License-Identifier: Apache-2.0 */
/* HTTP/1.1 over real sockets: responses, rejected requests, and the connection afterwards. */
#include "test/net.h"

#include <pthread.h>

#include "base/thread.h"
#include "net/http/header.h"
#include "net/http/respond.h"
#include "wire/compress/compress.h"

static void say_hello(void *owner, struct http_exchange *x)
{
	(void)owner;
	http_respond_text(x, 200, "hello");
}

/* Return the body, and request properties as headers. */
static void echo(void *owner, struct http_exchange *x)
{
	struct http_header headers[] = {{STR("x-path"), x->path}, {STR("x-query"), x->query}};
	struct http_response r = {.status = 200,
				  .content_type = STR("application/octet-stream"),
				  .headers = headers,
				  .header_count = countof(headers)};

	(void)owner;
	buf_put_str(&r.body, x->body);
	http_respond(x, &r);
}

static void never(void *owner, struct http_exchange *x)
{
	(void)owner;
	http_respond_text(x, 500, "a handler ran that must not");
}

static void large(void *owner, struct http_exchange *x)
{
	struct http_response r = {.status = 200, .compress = true};

	(void)owner;
	for (int i = 0; i < 100000; i++)
		buf_put_str(&r.body, STR("the same again\n"));
	http_respond(x, &r);
}

static void split(void *owner, struct http_exchange *x)
{
	struct http_header bad = {STR("x-value"), STR("a\r\nx-forged: b")};
	struct http_response r = {.status = 200, .headers = &bad, .header_count = 1};

	(void)owner;
	http_respond(x, &r);
}

static bool admit(void *owner, struct http_exchange *x, struct http_refusal *why)
{
	(void)owner;
	assert_int_equal(x->body.n, 0);
	if (str_eq(http_header(x, STR("authorization")), STR("no"))) {
		why->status = 401;
		why->header = (struct http_header){STR("www-authenticate"), STR("Bearer")};
		strcpy(why->text, "who are you");
		return false;
	}
	if (http_header(x, STR("x-overload")).n) {
		why->status = 429;
		why->retry_after_s = 7;
		return false;
	}
	return true;
}

static const struct http_route routes[] = {
	{METHOD_GET, 0, STR_INIT("/hello"), say_hello},
	{METHOD_POST | METHOD_PUT, 0, STR_INIT("/echo"), echo},
	{METHOD_POST, HTTP_RAW_BODY, STR_INIT("/raw"), echo},
	{METHOD_POST, 0, STR_INIT("/small"), echo, NULL, 10},
	{METHOD_GET, HTTP_PREFIX, STR_INIT("/files/"), echo},
	{METHOD_GET, HTTP_PREFIX, STR_INIT("/files/deep/"), say_hello},
	{METHOD_POST, HTTP_RPC, STR_INIT("/rpc"), never},
	{METHOD_GET, 0, STR_INIT("/large"), large},
	{METHOD_GET, 0, STR_INIT("/split"), split},
};
static const struct http_app app = {routes, countof(routes), admit, NULL};

static struct test_server server;

static int setup(void **state)
{
	struct net_options options;

	(void)state;
	net_options_init(&options);
	options.max_header_bytes = 8192;
	options.max_headers = 50;
	options.max_body_bytes = MIB;
	server = test_server_start(&app, &options);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	net_server_free(server.server);
	return 0;
}

static void a_connection_stays_open_after_a_response(void **state)
{
	struct test_answer a = {0};
	int fd = test_connect(server.port);

	(void)state;
	for (int i = 0; i < 3; i++) {
		test_send(fd, STR("GET /hello HTTP/1.1\r\nHost: h\r\n\r\n"));
		test_next_answer(fd, &a);
		assert_int_equal(a.status, 200);
		assert_str_equal(a.body, STR("hello\n"));
		assert_str_equal(test_answer_header(&a, "content-type"),
				 STR("text/plain; charset=utf-8"));
		assert_int_equal(test_answer_header(&a, "date").n, 29);
	}
	test_answer_fini(&a);
	close(fd);
}

static void pipelined_requests_get_responses_in_order(void **state)
{
	struct test_answer a = {0};
	struct buf b = {0};
	int fd = test_connect(server.port);

	(void)state;
	for (int i = 0; i < 1000; i++)
		buf_printf(&b, "POST /echo HTTP/1.1\r\nHost: h\r\nContent-Length: 4\r\n\r\n%04d",
			   i);
	test_send(fd, buf_str(&b));
	for (int i = 0; i < 1000; i++) {
		char text[16];

		test_next_answer(fd, &a);
		snprintf(text, sizeof(text), "%04d", i);
		assert_str_equal(a.body, str_from(text));
	}
	test_answer_fini(&a);
	buf_fini(&b);
	close(fd);
}

static void a_request_can_be_split_at_any_byte(void **state)
{
	static const struct str requests[] = {
		STR_INIT("POST /echo?a=b HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\nabcde"),
		STR_INIT("POST /echo?a=b HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n"
			 "2\r\nab\r\n3;x=y\r\ncde\r\n0\r\nTrailer: t\r\n\r\n"),
	};
	struct test_answer a = {0};
	int fd = test_connect(server.port), on = 1;

	(void)state;
	setsockopt(fd, IPPROTO_TCP, 1 /* TCP_NODELAY */, &on, sizeof(on));
	for (size_t r = 0; r < countof(requests); r++) {
		for (size_t cut = 1; cut < requests[r].n; cut++) {
			test_send(fd, str_head(requests[r], cut));
			if (cut % 8 == 0)
				usleep(500); /* sometimes, to force two reads */
			test_send(fd, str_from_at(requests[r], cut));
			test_next_answer(fd, &a);
			assert_int_equal(a.status, 200);
			assert_str_equal(a.body, STR("abcde"));
			assert_str_equal(test_answer_header(&a, "x-query"), STR("a=b"));
		}
	}
	test_answer_fini(&a);
	close(fd);
}

static void large_bodies_are_received_and_sent(void **state)
{
	struct test_answer a = {0};
	struct buf b = {0};
	int fd = test_connect(server.port);

	(void)state;
	buf_printf(&b, "POST /echo HTTP/1.1\r\nHost: h\r\nContent-Length: %zu\r\n\r\n", 1000000ul);
	for (int i = 0; i < 250000; i++)
		buf_printf(&b, "%04d", i % 10000);
	for (int i = 0; i < 3; i++) {
		test_send(fd, buf_str(&b));
		test_next_answer(fd, &a);
		assert_int_equal(a.status, 200);
		assert_str_equal(a.body, str_from_at(buf_str(&b), b.n - 1000000));
	}
	test_answer_fini(&a);
	buf_fini(&b);
	close(fd);
}

static void head_has_the_length_and_no_body(void **state)
{
	struct test_answer a = {0};
	int fd = test_connect(server.port);

	(void)state;
	test_send(fd, STR("HEAD /hello HTTP/1.1\r\nHost: h\r\n\r\nGET /hello HTTP/1.1\r\nHost: "
			  "h\r\n\r\n"));
	while (!test_answer_parse(&a, 0, true))
		assert_true(test_read_some(fd, &a.bytes) > 0);
	assert_str_equal(test_answer_header(&a, "content-length"), STR("6"));
	test_next_answer(fd, &a);
	assert_str_equal(a.body, STR("hello\n"));
	test_answer_fini(&a);
	close(fd);
}

static void expect_100_gets_its_response_before_the_body(void **state)
{
	struct test_answer a = {0};
	int fd = test_connect(server.port);

	(void)state;
	test_send(fd, STR("POST /echo HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n"
			  "Expect: 100-continue\r\n\r\n"));
	test_next_answer(fd, &a);
	assert_int_equal(a.status, 100);
	test_send(fd, STR("abc"));
	test_next_answer(fd, &a);
	assert_int_equal(a.status, 200);
	assert_str_equal(a.body, STR("abc"));

	/*
	 * Refused: no 100, and the connection is closed, because the client may or may not send the
	 * body.
	 */
	test_send(fd, STR("POST /nowhere HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n"
			  "Expect: 100-continue\r\n\r\n"));
	test_next_answer(fd, &a);
	assert_int_equal(a.status, 404);
	assert_str_equal(test_answer_header(&a, "connection"), STR("close"));
	assert_true(test_is_closed(fd));
	test_answer_fini(&a);
	close(fd);
}

struct refused {
	const char *request;
	unsigned status;
};

/* The response is sent before the body arrives; a short body is discarded. */
static void a_refused_request_leaves_the_connection_usable(void **state)
{
	static const struct refused cases[] = {
		{"POST /nowhere HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\nabcde", 404},
		{"POST /nowhere HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n"
		 "3\r\nabc\r\n0\r\n\r\n",
		 404},
		{"DELETE /echo HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\n\r\na", 405},
		{"POST /small HTTP/1.1\r\nHost: h\r\nContent-Length: 11\r\n\r\nabcdefghijk", 413},
		{"POST /small HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n"
		 "b\r\nabcdefghijk\r\n1\r\na\r\n0\r\n\r\n",
		 413},
		{"POST /echo HTTP/1.1\r\nHost: h\r\nContent-Encoding: br\r\nContent-Length: "
		 "1\r\n\r\na",
		 415},
		{"POST /rpc HTTP/1.1\r\nHost: h\r\nContent-Type: text/plain\r\nContent-Length: "
		 "1\r\n\r\na",
		 415},
		{"POST /echo HTTP/1.1\r\nHost: h\r\nAuthorization: no\r\nContent-Length: "
		 "1\r\n\r\na",
		 401},
		{"POST /echo HTTP/1.1\r\nHost: h\r\nX-Overload: y\r\nContent-Length: 1\r\n\r\na",
		 429},
		{"POST /echo HTTP/1.1\r\nHost: h\r\nContent-Encoding: gzip\r\nContent-Length: "
		 "4\r\n\r\nabcd",
		 400},
		{"GET /a/../hello HTTP/1.1\r\nHost: h\r\n\r\n", 400},
		{"GET /a/%2e%2e/hello HTTP/1.1\r\nHost: h\r\n\r\n", 400},
		{"GET /./hello HTTP/1.1\r\nHost: h\r\n\r\n", 400},
		{"GET /hello%00 HTTP/1.1\r\nHost: h\r\n\r\n", 400},
		{"GET /hello%2fworld HTTP/1.1\r\nHost: h\r\n\r\n", 400},
		{"GET /hello%5cworld HTTP/1.1\r\nHost: h\r\n\r\n", 400},
		{"GET /hello%zz HTTP/1.1\r\nHost: h\r\n\r\n", 400},
		{"GET /hello% HTTP/1.1\r\nHost: h\r\n\r\n", 400},
		{"GET /hello%0a HTTP/1.1\r\nHost: h\r\n\r\n", 400},
		{"GET ftp://h/hello HTTP/1.1\r\nHost: h\r\n\r\n", 400},
		{"OPTIONS * HTTP/1.1\r\nHost: h\r\n\r\n", 400},
		{"GET /hello HTTP/1.1\r\n\r\n", 400},
		{"GET /hello HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", 400},
		{"GET /files HTTP/1.1\r\nHost: h\r\n\r\n", 404},
	};
	struct test_answer a = {0};
	int fd = test_connect(server.port);

	(void)state;
	for (size_t i = 0; i < countof(cases); i++) {
		test_send(fd, str_from(cases[i].request));
		test_next_answer(fd, &a);
		if (a.status != cases[i].status)
			fail_msg("%u instead of %u for %s", a.status, cases[i].status,
				 cases[i].request);
		assert_true(a.body.n > 1);
		test_send(fd, STR("GET /hello HTTP/1.1\r\nHost: h\r\n\r\n"));
		test_next_answer(fd, &a);
		if (a.status != 200)
			fail_msg("connection is not usable after %s", cases[i].request);
	}
	test_answer_fini(&a);
	close(fd);
}

/* An unparsable request gets an error response, and the connection is closed. */
static void malformed_requests_get_an_error_and_are_closed(void **state)
{
	static const struct refused cases[] = {
		{"hello\r\n\r\n", 400},
		{"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", 400},
		{"GET\r\n\r\n", 400},
		{"GET /hello\r\n\r\n", 505},
		{"GET /hello HTTP/9.9\r\nHost: h\r\n\r\n", 400},
		{"GET /hello HTTP/1.1\nHost: h\n\n", 400},
		{"G\x01T /hello HTTP/1.1\r\nHost: h\r\n\r\n", 400},
		{"GET /hel\x01lo HTTP/1.1\r\nHost: h\r\n\r\n", 400},
		{"GET /hello HTTP/1.1\r\nHost h\r\n\r\n", 400},
		{"GET /hello HTTP/1.1\r\nHost: h\r\nA\x01: b\r\n\r\n", 400},
		{"GET /hello HTTP/1.1\r\nHost: h\r\nA : b\r\n\r\n", 400},
		{"GET /hello HTTP/1.1\r\nHost: h\r\nA: b\x01\r\n\r\n", 400},
		{"POST /echo HTTP/1.1\r\nHost: h\r\nContent-Length: abc\r\n\r\n", 400},
		{"POST /echo HTTP/1.1\r\nHost: h\r\nContent-Length: -1\r\n\r\n", 400},
		{"POST /echo HTTP/1.1\r\nHost: h\r\nContent-Length: 99999999999999999999\r\n\r\n",
		 400},
		{"POST /echo HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\nContent-Length: "
		 "2\r\n\r\nab",
		 400},
		{"POST /echo HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\n"
		 "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
		 400},
		{"POST /echo HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: gzip\r\n\r\nab", 501},
		{"POST /echo HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked, gzip\r\n\r\nab",
		 400},
		{"POST /echo HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n",
		 400},
		{"POST /echo HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nabc\r\n",
		 400},
		{"POST /echo HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n"
		 "fffffffffffffffff\r\n",
		 400},
		{"POST /echo HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: gzip, chunked\r\n\r\n"
		 "1\r\na\r\n0\r\n\r\n",
		 501},
		{"POST /echo HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n"
		 "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
		 400},
		{"POST /echo HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 501},
		{"PRI * HTTP/2.0\r\n\r\nXX\r\n\r\n", 400},
	};

	(void)state;
	for (size_t i = 0; i < countof(cases); i++) {
		struct test_answer a = {0};
		int fd = test_connect(server.port);

		test_send(fd, str_from(cases[i].request));
		test_next_answer(fd, &a);
		if (a.status != cases[i].status)
			fail_msg("%u instead of %u for %s", a.status, cases[i].status,
				 cases[i].request);
		assert_str_equal(test_answer_header(&a, "connection"), STR("close"));
		assert_true(test_is_closed(fd));
		test_answer_fini(&a);
		close(fd);
	}
}

/* At each split into two reads. */
static void a_folded_header_is_400(void **state)
{
	static const struct str requests[] = {
		STR_INIT("GET /hello HTTP/1.1\r\nHost: h\r\nA: b\r\n c\r\nD: e\r\n\r\n"),
		STR_INIT("GET /hello HTTP/1.1\r\nHost: h\r\nA:\r\n\tc\r\n\r\n"),
	};

	(void)state;
	for (size_t r = 0; r < countof(requests); r++) {
		for (size_t cut = 1; cut < requests[r].n; cut++) {
			struct test_answer a = {0};
			int fd = test_connect(server.port), on = 1;

			setsockopt(fd, IPPROTO_TCP, 1 /* TCP_NODELAY */, &on, sizeof(on));
			test_send(fd, str_head(requests[r], cut));
			usleep(500); /* to force two reads */
			test_send(fd, str_from_at(requests[r], cut));
			test_next_answer(fd, &a);
			assert_int_equal(a.status, 400);
			assert_true(str_find_str(a.body, STR("folded")) < a.body.n);
			test_answer_fini(&a);
			close(fd);
		}
	}
}

static unsigned status_with_trailers(size_t count, size_t bytes)
{
	struct buf b = {0};
	unsigned status;

	buf_put_str(&b, STR("POST /echo HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n"
			    "1\r\na\r\n0\r\n"));
	for (size_t i = 0; i < count; i++) {
		buf_put_str(&b, STR("T: "));
		for (size_t k = 0; k < bytes; k++)
			buf_put_char(&b, 't');
		buf_put_str(&b, STR("\r\n"));
	}
	buf_put_str(&b, STR("\r\n"));
	status = test_status(server.port, buf_str(&b));
	buf_fini(&b);
	return status;
}

static void trailers_over_the_limits_of_headers_are_431(void **state)
{
	(void)state;
	assert_int_equal(status_with_trailers(50, 1), 200);
	assert_int_equal(status_with_trailers(51, 1), 431);
	assert_int_equal(status_with_trailers(1, 8191), 200); /* 8,192 including its name */
	assert_int_equal(status_with_trailers(1, 8192), 431);
}

static void headers_over_their_limit_are_431(void **state)
{
	struct buf b = {0};

	(void)state;
	buf_put_str(&b, STR("GET /hello HTTP/1.1\r\nHost: h\r\nA: "));
	for (int i = 0; i < 9000; i++)
		buf_put_char(&b, 'a');
	buf_put_str(&b, STR("\r\n\r\n"));
	assert_int_equal(test_status(server.port, buf_str(&b)), 431);
	buf_clear(&b);
	buf_put_str(&b, STR("GET /"));
	for (int i = 0; i < 9000; i++)
		buf_put_char(&b, 'a');
	buf_put_str(&b, STR(" HTTP/1.1\r\nHost: h\r\n\r\n"));
	assert_int_equal(test_status(server.port, buf_str(&b)), 431);
	buf_clear(&b);
	buf_put_str(&b, STR("GET /hello HTTP/1.1\r\nHost: h\r\n"));
	for (int i = 0; i < 60; i++)
		buf_printf(&b, "h%d: a\r\n", i);
	buf_put_str(&b, STR("\r\n"));
	assert_int_equal(test_status(server.port, buf_str(&b)), 431);
	buf_fini(&b);
}

/* 413 while the client still sends: it gets the response, not a reset. */
static void a_long_refused_body_closes_the_connection_after_the_response(void **state)
{
	struct test_answer a = {0};
	struct buf b = {0};
	int fd = test_connect(server.port);

	(void)state;
	buf_printf(&b, "POST /echo HTTP/1.1\r\nHost: h\r\nContent-Length: 500000000\r\n\r\n");
	for (int i = 0; i < 100000; i++)
		buf_put_str(&b, STR("0123456789"));
	test_send(fd, buf_str(&b));
	test_next_answer(fd, &a);
	assert_int_equal(a.status, 413);
	assert_true(str_find_str(a.body, STR("max_body_bytes")) < a.body.n);
	assert_str_equal(test_answer_header(&a, "connection"), STR("close"));
	assert_true(test_is_closed(fd));
	test_answer_fini(&a);
	buf_fini(&b);
	close(fd);
}

static void routes_are_exact_or_the_longest_prefix(void **state)
{
	struct test_answer a = {0};
	int fd = test_connect(server.port);

	(void)state;
	test_send(fd, STR("GET /files/a%20b/c HTTP/1.1\r\nHost: h\r\n\r\n"));
	test_next_answer(fd, &a);
	assert_str_equal(test_answer_header(&a, "x-path"), STR("/files/a b/c"));
	test_send(fd, STR("GET /files/deep/x HTTP/1.1\r\nHost: h\r\n\r\n"));
	test_next_answer(fd, &a);
	assert_str_equal(a.body, STR("hello\n"));
	test_send(fd, STR("GET http://example.com/files/?q=1#f HTTP/1.1\r\nHost: h\r\n\r\n"));
	test_next_answer(fd, &a);
	assert_str_equal(test_answer_header(&a, "x-path"), STR("/files/"));
	assert_str_equal(test_answer_header(&a, "x-query"), STR("q=1"));
	test_send(fd, STR("GET /echo HTTP/1.1\r\nHost: h\r\n\r\n"));
	test_next_answer(fd, &a);
	assert_int_equal(a.status, 405);
	assert_str_equal(test_answer_header(&a, "allow"), STR("POST, PUT"));
	test_answer_fini(&a);
	close(fd);
}

static void bodies_are_decoded_unless_the_route_wants_them_raw(void **state)
{
	static const struct {
		const char *name;
		enum compress_kind kind;
	} codings[] = {{"gzip", COMPRESS_GZIP},	      {"GZIP", COMPRESS_GZIP},
		       {"zstd", COMPRESS_ZSTD},	      {"deflate", COMPRESS_ZLIB},
		       {"deflate", COMPRESS_DEFLATE}, {"lz4", COMPRESS_LZ4},
		       {"zlib", COMPRESS_ZLIB},	      {"snappy", COMPRESS_SNAPPY}};
	struct test_answer a = {0};
	int fd = test_connect(server.port);

	(void)state;
	for (size_t i = 0; i < countof(codings); i++) {
		struct buf packed = {0}, b = {0};

		assert_ok(compress_bytes(&packed, codings[i].kind, 0, STR("some text"), NULL));
		for (int raw = 0; raw < 2; raw++) {
			buf_clear(&b);
			buf_printf(&b,
				   "POST %s HTTP/1.1\r\nHost: h\r\nContent-Encoding: %s\r\n"
				   "Content-Length: %zu\r\n\r\n",
				   raw ? "/raw" : "/echo", codings[i].name, packed.n);
			buf_put_str(&b, buf_str(&packed));
			test_send(fd, buf_str(&b));
			test_next_answer(fd, &a);
			assert_int_equal(a.status, 200);
			assert_str_equal(a.body, raw ? buf_str(&packed) : STR("some text"));
		}
		buf_fini(&packed);
		buf_fini(&b);
	}
	test_answer_fini(&a);
	close(fd);
}

static void a_decompression_bomb_is_413(void **state)
{
	struct buf zeros = {0}, packed = {0}, b = {0};

	(void)state;
	memset(buf_reserve(&zeros, 2 * MIB), 0, 2 * MIB);
	zeros.n = 2 * MIB;
	assert_ok(compress_bytes(&packed, COMPRESS_GZIP, 0, buf_str(&zeros), NULL));
	buf_printf(&b,
		   "POST /echo HTTP/1.1\r\nHost: h\r\nContent-Encoding: gzip\r\n"
		   "Content-Length: %zu\r\n\r\n",
		   packed.n);
	buf_put_str(&b, buf_str(&packed));
	assert_int_equal(test_status(server.port, buf_str(&b)), 413);
	buf_fini(&zeros);
	buf_fini(&packed);
	buf_fini(&b);
}

static void responses_are_compressed_if_the_client_accepts_it(void **state)
{
	struct test_answer a = {0};
	struct arena arena;
	struct str plain;
	int fd = test_connect(server.port);

	(void)state;
	arena_init(&arena, NULL);
	test_send(fd, STR("GET /large HTTP/1.1\r\nHost: h\r\nAccept-Encoding: br, gzip\r\n\r\n"));
	test_next_answer(fd, &a);
	assert_str_equal(test_answer_header(&a, "content-encoding"), STR("gzip"));
	assert_true(a.body.n < 100000);
	assert_ok(decompress_bytes(COMPRESS_GZIP, a.body, &arena, NULL, &plain, NULL));
	assert_int_equal(plain.n, 1500000);
	test_send(fd, STR("GET /large HTTP/1.1\r\nHost: h\r\nAccept-Encoding: gzip;q=0\r\n\r\n"));
	test_next_answer(fd, &a);
	assert_int_equal(test_answer_header(&a, "content-encoding").n, 0);
	assert_int_equal(a.body.n, 1500000);
	arena_fini(&arena);
	test_answer_fini(&a);
	close(fd);
}

/* A line break in a header value set by a handler must not start another header. */
static void a_header_value_cannot_inject_a_header(void **state)
{
	struct test_answer a = {0};
	int fd = test_connect(server.port);

	(void)state;
	test_send(fd, STR("GET /split HTTP/1.1\r\nHost: h\r\n\r\n"));
	test_next_answer(fd, &a);
	assert_str_equal(test_answer_header(&a, "x-value"), STR("a  x-forged: b"));
	assert_null(test_answer_header(&a, "x-forged").p);
	test_answer_fini(&a);
	close(fd);
}

static void http_1_0_closes_unless_keep_alive_is_requested(void **state)
{
	struct test_answer a = {0};
	int fd = test_connect(server.port);

	(void)state;
	test_send(fd, STR("GET /hello HTTP/1.0\r\nConnection: keep-alive\r\n\r\n"));
	test_next_answer(fd, &a);
	assert_str_equal(test_answer_header(&a, "connection"), STR("keep-alive"));
	test_send(fd, STR("GET /hello HTTP/1.0\r\n\r\n"));
	test_next_answer(fd, &a);
	assert_int_equal(a.status, 200);
	assert_true(test_is_closed(fd));
	test_answer_fini(&a);
	close(fd);
}

static void an_upgrade_offer_is_ignored(void **state)
{
	struct test_answer a = {0};
	int fd = test_connect(server.port);

	(void)state;
	test_send(fd,
		  STR("GET /hello HTTP/1.1\r\nHost: h\r\nConnection: Upgrade, HTTP2-Settings\r\n"
		      "Upgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n\r\n"));
	test_next_answer(fd, &a);
	assert_int_equal(a.status, 200);
	test_answer_fini(&a);
	close(fd);
}

static void counters_are_consistent(void **state)
{
	struct net_stats before, after;

	(void)state;
	net_server_stats(server.server, &before);
	assert_int_equal(test_status(server.port, STR("GET /hello HTTP/1.1\r\nHost: h\r\n\r\n")),
			 200);
	assert_int_equal(test_status(server.port, STR("GET /nowhere HTTP/1.1\r\nHost: h\r\n\r\n")),
			 404);
	net_server_stats(server.server, &after);
	assert_int_equal(after.requests[HTTP_1_1][2] - before.requests[HTTP_1_1][2], 1);
	assert_int_equal(after.requests[HTTP_1_1][4] - before.requests[HTTP_1_1][4], 1);
	assert_int_equal(after.refused[NET_REFUSED_NO_ROUTE] - before.refused[NET_REFUSED_NO_ROUTE],
			 1);
	assert_int_equal(after.connections_total - before.connections_total, 2);
	assert_int_equal(after.bytes_in - before.bytes_in, 32 + 34);
	assert_true(after.bytes_out > before.bytes_out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		test(a_connection_stays_open_after_a_response),
		test(pipelined_requests_get_responses_in_order),
		test(a_request_can_be_split_at_any_byte),
		test(large_bodies_are_received_and_sent),
		test(head_has_the_length_and_no_body),
		test(expect_100_gets_its_response_before_the_body),
		test(a_refused_request_leaves_the_connection_usable),
		test(malformed_requests_get_an_error_and_are_closed),
		test(a_folded_header_is_400),
		test(trailers_over_the_limits_of_headers_are_431),
		test(headers_over_their_limit_are_431),
		test(a_long_refused_body_closes_the_connection_after_the_response),
		test(routes_are_exact_or_the_longest_prefix),
		test(bodies_are_decoded_unless_the_route_wants_them_raw),
		test(a_decompression_bomb_is_413),
		test(responses_are_compressed_if_the_client_accepts_it),
		test(a_header_value_cannot_inject_a_header),
		test(http_1_0_closes_unless_keep_alive_is_requested),
		test(an_upgrade_offer_is_ignored),
		test(counters_are_consistent),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
