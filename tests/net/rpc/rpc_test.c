/* SPDX-License-Identifier: Apache-2.0 */
/* Remote calls in all protocols, by our gRPC client and by raw HTTP/1.1. */
#include "net/rpc/rpc.h"

#include "net/http/header.h"
#include "net/rpc/grpc_client.h"
#include "net/rpc/rpc_reply.h"
#include "test/net.h"
#include "wire/compress/compress.h"
#include "wire/text.h"

/* Return the message; "fail ..." and some others request errors. */
static void echo(void *owner, struct http_exchange *x)
{
	struct rpc_call *call = rpc_begin(x);
	struct buf reply = {0};

	(void)owner;
	if (!call)
		return;
	if (str_eq(call->message, STR("fail"))) {
		rpc_fail_text(call, RPC_INVALID_ARGUMENT, "100%% wrong: \xc3\xa4\n");
	} else if (str_eq(call->message, STR("later"))) {
		rpc_fail(call, &(struct rpc_error){.code = RPC_RESOURCE_EXHAUSTED,
						   .message = STR("not now"),
						   .retry_after_ms = 1500});
	} else if (str_eq(call->message, STR("deadline"))) {
		buf_put_u64(&reply, (call->deadline_ns - x->started_ns) / NS_PER_MS);
		rpc_reply(call, &reply);
	} else {
		buf_put_str(&reply, call->message);
		rpc_reply(call, &reply);
	}
}

static bool admit(void *owner, struct http_exchange *x, struct http_refusal *why)
{
	(void)owner;
	if (http_header(x, STR("x-busy")).n) {
		*why = (struct http_refusal){
			.status = 503, .retry_after_s = 2, .text = "memory is short"};
		return false;
	}
	if (str_eq(http_header(x, STR("authorization")), STR("Bearer wrong"))) {
		*why = (struct http_refusal){.status = 401, .text = "wrong token"};
		return false;
	}
	return true;
}

static const struct http_route routes[] = {
	{METHOD_POST, HTTP_RPC, STR_INIT("/test.Echo/Echo"), echo},
	{METHOD_POST, HTTP_RPC, STR_INIT("/test.Echo/Small"), echo, NULL, 100},
	{METHOD_POST, HTTP_RPC, STR_INIT(RPC_HEALTH_CHECK), rpc_health_check},
};
static const struct http_app app = {routes, countof(routes), admit, NULL};

static struct test_server server;
static struct grpc_client *client;

static int setup(void **state)
{
	char address[32];
	struct err e = {0};

	(void)state;
	server = test_server_start(&app, NULL);
	snprintf(address, sizeof(address), "127.0.0.1:%u", server.port);
	assert_ok_err(grpc_client_new(&client, address, false, NULL, &e), &e);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	grpc_client_free(client);
	net_server_free(server.server);
	return 0;
}

/* Make one gRPC call, which must get a response with any code. */
static struct grpc_client_answer call(struct grpc_client_request request)
{
	struct grpc_client_answer answer;
	struct err e = {0};

	if (!request.path.n)
		request.path = STR("/test.Echo/Echo");
	assert_ok_err(grpc_client_call(client, &request, &answer, &e), &e);
	return answer;
}

static void grpc_calls_share_one_connection(void **state)
{
	struct net_stats before, after;

	(void)state;
	net_server_stats(server.server, &before);
	for (int i = 0; i < 50; i++) {
		struct grpc_client_answer a =
			call((struct grpc_client_request){.message = STR("hello")});

		assert_int_equal(a.code, RPC_OK);
		assert_str_equal(buf_str(&a.message), STR("hello"));
		grpc_client_answer_fini(&a);
	}
	net_server_stats(server.server, &after);
	assert_true(after.connections_total - before.connections_total <= 1);
	assert_int_equal(after.requests[HTTP_2][2] - before.requests[HTTP_2][2], 50);
}

static void an_empty_message_is_valid(void **state)
{
	struct grpc_client_answer a = call((struct grpc_client_request){0});

	(void)state;
	assert_int_equal(a.code, RPC_OK);
	assert_int_equal(a.message.n, 0);
	grpc_client_answer_fini(&a);
}

static void large_messages_pass_with_and_without_gzip(void **state)
{
	struct buf message = {0};

	(void)state;
	for (int i = 0; i < 1000000; i++)
		buf_put_u64(&message, (uint64_t)i);
	for (int gzip = 0; gzip < 2; gzip++) {
		struct grpc_client_answer a = call((struct grpc_client_request){
			.message = buf_str(&message),
			.compression = gzip ? COMPRESS_GZIP : COMPRESS_NONE});

		assert_int_equal(a.code, RPC_OK);
		assert_true(str_eq(buf_str(&a.message), buf_str(&message)));
		grpc_client_answer_fini(&a);
	}
	buf_fini(&message);
}

static void grpc_errors_carry_code_text_and_details(void **state)
{
	struct grpc_client_answer a = call((struct grpc_client_request){.message = STR("fail")});

	(void)state;
	assert_int_equal(a.code, RPC_INVALID_ARGUMENT);
	assert_str_equal(buf_str(&a.text), STR("100% wrong: \xc3\xa4\n"));
	assert_int_equal(a.details.n, 0);
	grpc_client_answer_fini(&a);
	a = call((struct grpc_client_request){.message = STR("later")});
	assert_int_equal(a.code, RPC_RESOURCE_EXHAUSTED);
	assert_int_equal(a.retry_after_ms, 1500);
	grpc_client_answer_fini(&a);
}

static void the_deadline_is_passed_to_the_handler(void **state)
{
	struct grpc_client_answer a =
		call((struct grpc_client_request){.message = STR("deadline"), .timeout_ms = 12345});

	(void)state;
	assert_str_equal(buf_str(&a.message), STR("12345"));
	grpc_client_answer_fini(&a);
}

static void errors_of_the_server_are_grpc_errors(void **state)
{
	struct http_header busy = {STR("x-busy"), STR("1")};
	struct http_header wrong = {STR("authorization"), STR("Bearer wrong")};
	char long_text[200] = "";
	struct grpc_client_answer a;

	(void)state;
	a = call((struct grpc_client_request){.path = STR("/test.Echo/Nothing")});
	assert_int_equal(a.code, RPC_UNIMPLEMENTED);
	grpc_client_answer_fini(&a);
	a = call((struct grpc_client_request){.headers = &busy, .header_count = 1});
	assert_int_equal(a.code, RPC_UNAVAILABLE);
	assert_int_equal(a.retry_after_ms, 2000);
	assert_str_equal(buf_str(&a.text), STR("memory is short"));
	grpc_client_answer_fini(&a);
	a = call((struct grpc_client_request){.headers = &wrong, .header_count = 1});
	assert_int_equal(a.code, RPC_UNAUTHENTICATED);
	grpc_client_answer_fini(&a);
	a = call((struct grpc_client_request){.path = STR("/test.Echo/Small"),
					      .message = str_of(long_text, sizeof(long_text))});
	assert_int_equal(a.code, RPC_RESOURCE_EXHAUSTED);
	assert_int_equal(a.retry_after_ms, 0);
	grpc_client_answer_fini(&a);
	/* Small when compressed, too large when decompressed. */
	a = call((struct grpc_client_request){.path = STR("/test.Echo/Small"),
					      .message = str_of(long_text, sizeof(long_text)),
					      .compression = COMPRESS_GZIP});
	assert_int_equal(a.code, RPC_RESOURCE_EXHAUSTED);
	grpc_client_answer_fini(&a);
}

/* The client is told to stop sending, and still gets the response. */
static void a_large_refused_message_leaves_the_connection_open(void **state)
{
	struct buf message = {0};
	struct net_stats before, after;

	(void)state;
	memset(buf_reserve(&message, 5 * MIB), 'a', 5 * MIB);
	message.n = 5 * MIB;
	net_server_stats(server.server, &before);
	for (int i = 0; i < 10; i++) {
		struct grpc_client_answer a = call((struct grpc_client_request){
			.path = STR("/no.Such/Method"), .message = buf_str(&message)});

		assert_int_equal(a.code, RPC_UNIMPLEMENTED);
		grpc_client_answer_fini(&a);
	}
	net_server_stats(server.server, &after);
	assert_true(after.connections_total - before.connections_total <= 1);
	assert_true(after.bytes_in - before.bytes_in < 40 * MIB);
	buf_fini(&message);
}

static void health_is_serving(void **state)
{
	struct grpc_client_answer a =
		call((struct grpc_client_request){.path = STR(RPC_HEALTH_CHECK)});

	(void)state;
	assert_int_equal(a.code, RPC_OK);
	assert_str_equal(buf_str(&a.message), STR("\x08\x01"));
	grpc_client_answer_fini(&a);
}

/* Send a POST over HTTP/1.1. */
static struct test_answer post(const char *content_type, const char *more, struct str body)
{
	struct test_answer a = {0};
	struct buf b = {0};
	int fd = test_connect(server.port);

	buf_printf(&b,
		   "POST /test.Echo/Echo HTTP/1.1\r\nHost: h\r\nContent-Type: %s\r\n%s"
		   "Content-Length: %zu\r\n\r\n",
		   content_type, more, body.n);
	buf_put_str(&b, body);
	test_send(fd, buf_str(&b));
	test_next_answer(fd, &a);
	buf_fini(&b);
	close(fd);
	return a;
}

static void connect_responds_in_proto_and_json(void **state)
{
	struct test_answer a =
		post("application/proto", "Connect-Protocol-Version: 1\r\n", STR("abc"));

	(void)state;
	assert_int_equal(a.status, 200);
	assert_str_equal(a.body, STR("abc"));
	assert_str_equal(test_answer_header(&a, "content-type"), STR("application/proto"));
	test_answer_fini(&a);
	a = post("application/json; charset=utf-8", "", STR("{}"));
	assert_str_equal(a.body, STR("{}"));
	assert_str_equal(test_answer_header(&a, "content-type"), STR("application/json"));
	test_answer_fini(&a);
	a = post("application/proto", "Connect-Timeout-Ms: 777\r\n", STR("deadline"));
	assert_str_equal(a.body, STR("777"));
	test_answer_fini(&a);
}

static void connect_errors_are_json_with_a_status(void **state)
{
	struct test_answer a = post("application/proto", "", STR("fail"));

	(void)state;
	assert_int_equal(a.status, 400);
	assert_str_equal(test_answer_header(&a, "content-type"), STR("application/json"));
	assert_str_equal(
		a.body,
		STR("{\"code\":\"invalid_argument\",\"message\":\"100% wrong: \xc3\xa4\\n\"}"));
	test_answer_fini(&a);
	a = post("application/proto", "", STR("later"));
	assert_int_equal(a.status, 429);
	assert_str_equal(test_answer_header(&a, "retry-after"), STR("2"));
	test_answer_fini(&a);
	a = post("application/json", "X-Busy: 1\r\n", STR("{}"));
	assert_int_equal(a.status, 503);
	assert_str_equal(a.body, STR("{\"code\":\"unavailable\",\"message\":\"memory is short\"}"));
	test_answer_fini(&a);
	a = post("text/plain", "", STR("{}"));
	assert_int_equal(a.status, 415);
	test_answer_fini(&a);
	a = post("application/grpc+json", "", STR("{}"));
	assert_int_equal(a.status, 415);
	test_answer_fini(&a);
}

/* profilecli, for example, uses HTTP/1.1 without TLS. */
static void grpc_over_http_1_1_has_trailers_after_the_last_chunk(void **state)
{
	static const char request[] = "POST /test.Echo/Echo HTTP/1.1\r\nHost: h\r\n"
				      "Content-Type: application/grpc+proto\r\nTE: trailers\r\n"
				      "Transfer-Encoding: chunked\r\n\r\n"
				      "8\r\n\0\0\0\0\3abc\r\n0\r\n\r\n";
	struct buf got = {0};
	struct test_answer a;
	int fd = test_connect(server.port);

	(void)state;
	/* twice, to check that the connection stays open */
	for (unsigned i = 0; i < 2; i++) {
		buf_clear(&got);
		test_send(fd, str_of(request, sizeof(request) - 1));
		while (!str_ends(buf_str(&got), STR("\r\n0\r\ngrpc-status: 0\r\n\r\n")))
			assert_true(test_read_some(fd, &got));
		assert_true(str_starts(buf_str(&got), STR("HTTP/1.1 200 OK\r\n")));
		assert_true(str_find_str(buf_str(&got), STR("\r\ntransfer-encoding: chunked\r\n"
							    "trailer: grpc-status\r\n")) < got.n);
		assert_true(str_find_str(buf_str(&got),
					 STR("\r\n\r\n8\r\n\0\0\0\0\3abc\r\n0\r\n")) < got.n);
	}
	buf_fini(&got);
	close(fd);
	/* no message: the status is in the headers */
	a = post("application/grpc", "", STR("\0\0\0\0\4fail"));
	assert_int_equal(a.status, 200);
	assert_str_equal(test_answer_header(&a, "grpc-status"), STR("3"));
	test_answer_fini(&a);
	assert_int_equal(
		test_status(server.port, STR("POST /test.Echo/Echo HTTP/1.0\r\nContent-Type: "
					     "application/grpc\r\nContent-Length: 5\r\n\r\n"
					     "\0\0\0\0\0")),
		505);
}

static void grpc_web_has_its_trailers_in_the_body(void **state)
{
	struct test_answer a = post("application/grpc-web+proto", "", STR("\0\0\0\0\3abc"));

	(void)state;
	assert_int_equal(a.status, 200);
	assert_str_equal(a.body, STR("\0\0\0\0\3abc\x80\0\0\0\x10grpc-status: 0\r\n"));
	test_answer_fini(&a);
	a = post("application/grpc-web", "", STR("\0\0\0\0\4fail"));
	assert_int_equal(a.status, 200);
	assert_true(str_starts(a.body, STR("\x80\0\0\0")));
	assert_true(str_find_str(a.body, STR("grpc-message: 100%25 wrong: %C3%A4%0A\r\n")) <
		    a.body.n);
	test_answer_fini(&a);
}

static void grpc_web_text_is_base64_in_both_directions(void **state)
{
	struct buf body = {0};
	struct test_answer a;

	(void)state;
	/* Two padded pieces, as sent by clients that flush. */
	base64_encode(&body, STR("\0\0\0\0\3"));
	base64_encode(&body, STR("abc"));
	a = post("application/grpc-web-text", "", buf_str(&body));
	assert_int_equal(a.status, 200);
	buf_clear(&body);
	base64_encode(&body, STR("\0\0\0\0\3abc\x80\0\0\0\x10grpc-status: 0\r\n"));
	assert_str_equal(a.body, buf_str(&body));
	test_answer_fini(&a);
	buf_fini(&body);
	a = post("application/grpc-web-text", "", STR("%%%%"));
	assert_int_equal(a.status, 200);
	test_answer_fini(&a);
}

/*
 * A timeout of more than 2^64 ns means no deadline: 5124096 hours are 2^64 ns and 1526 s, and must
 * not become 1526 s.
 */
static void a_huge_timeout_does_not_wrap(void **state)
{
	struct test_answer a = post("application/grpc-web", "Grpc-Timeout: 5124096H\r\n",
				    STR("\0\0\0\0\10deadline"));
	uint64_t ms = 0;

	(void)state;
	assert_int_equal(a.status, 200);
	for (size_t k = 5; k < a.body.n && a.body.p[k] >= '0' && a.body.p[k] <= '9'; k++)
		ms = ms * 10 + (uint64_t)(a.body.p[k] - '0');
	assert_true(ms > 1000ull * 3600 * 24 * 365);
	test_answer_fini(&a);
}

/* Return the status in the trailer frame of a gRPC-web response. */
static unsigned web_status(struct str body, const char *more)
{
	struct test_answer a = post("application/grpc-web", more, body);
	size_t at = str_find_str(a.body, STR("grpc-status: "));
	unsigned status = 99;

	assert_int_equal(a.status, 200);
	if (at < a.body.n)
		status = (unsigned)atoi(a.body.p + at + 13);
	test_answer_fini(&a);
	return status;
}

static void malformed_frames_are_rejected(void **state)
{
	struct buf gz = {0};

	(void)state;
	assert_int_equal(web_status(STR(""), ""), RPC_UNIMPLEMENTED);
	assert_int_equal(web_status(STR("\0\0\0"), ""), RPC_INTERNAL);
	assert_int_equal(web_status(STR("\0\0\0\0\4abc"), ""), RPC_INTERNAL);
	assert_int_equal(web_status(STR("\0\xff\xff\xff\xff"), ""), RPC_INTERNAL);
	assert_int_equal(web_status(STR("\0\0\0\0\2abc"), ""), RPC_UNIMPLEMENTED);
	assert_int_equal(web_status(STR("\2\0\0\0\0"), ""), RPC_INTERNAL);
	assert_int_equal(web_status(STR("\1\0\0\0\1a"), ""), RPC_UNIMPLEMENTED);
	assert_int_equal(web_status(STR("\1\0\0\0\1a"), "grpc-encoding: br\r\n"),
			 RPC_UNIMPLEMENTED);
	assert_int_equal(web_status(STR("\1\0\0\0\1a"), "grpc-encoding: gzip\r\n"), RPC_INTERNAL);
	buf_put_str(&gz, STR("\1\0\0\0"));
	buf_put_char(&gz, 0);
	assert_ok(compress_bytes(&gz, COMPRESS_GZIP, 0, STR("fine"), NULL));
	gz.p[4] = (char)(gz.n - 5);
	assert_int_equal(web_status(buf_str(&gz), "grpc-encoding: gzip\r\n"), RPC_OK);
	buf_fini(&gz);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		test(grpc_calls_share_one_connection),
		test(an_empty_message_is_valid),
		test(large_messages_pass_with_and_without_gzip),
		test(grpc_errors_carry_code_text_and_details),
		test(the_deadline_is_passed_to_the_handler),
		test(a_huge_timeout_does_not_wrap),
		test(errors_of_the_server_are_grpc_errors),
		test(a_large_refused_message_leaves_the_connection_open),
		test(health_is_serving),
		test(connect_responds_in_proto_and_json),
		test(connect_errors_are_json_with_a_status),
		test(grpc_over_http_1_1_has_trailers_after_the_last_chunk),
		test(grpc_web_has_its_trailers_in_the_body),
		test(grpc_web_text_is_base64_in_both_directions),
		test(malformed_frames_are_rejected),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
