/* SPDX-License-Identifier: Apache-2.0 */
/* One memory budget for headers, bodies and unsent responses: accounting, eviction and refusals. */
#include "test/net.h"

#include <stdlib.h>

#include "net/http/respond.h"
#include "wire/compress/compress.h"

#define BIG (16 * MIB)

static void hello(void *owner, struct http_exchange *x)
{
	(void)owner;
	http_respond_text(x, 200, "hello");
}

static void big(void *owner, struct http_exchange *x)
{
	struct http_response r = {.status = 200};

	(void)owner;
	memset(buf_reserve(&r.body, BIG), 'x', BIG);
	r.body.n = BIG;
	http_respond(x, &r);
}

static void length(void *owner, struct http_exchange *x)
{
	(void)owner;
	http_respond_text(x, 200, "%zu", x->body.n);
}

static const struct http_route routes[] = {
	{METHOD_GET, 0, STR_INIT("/hello"), hello},
	{METHOD_GET, 0, STR_INIT("/big"), big},
	{METHOD_POST, 0, STR_INIT("/length"), length},
};
static const struct http_app app = {.routes = routes, .route_count = countof(routes)};

static struct test_server start(uint64_t max_memory)
{
	struct net_options o;

	net_options_init(&o);
	o.threads = 1;
	o.max_memory = max_memory;
	return test_server_start(&app, &o);
}

static uint64_t held(const struct test_server *t)
{
	struct net_stats stats;

	net_server_stats(t->server, &stats);
	return stats.memory_bytes;
}

/* Wait until the server holds between `least` and `most` bytes. */
static void wait_until_held(const struct test_server *t, uint64_t least, uint64_t most)
{
	uint64_t until = clock_monotonic_ns() + TEST_WAIT_MS * NS_PER_MS;

	while ((held(t) < least || held(t) > most) && clock_monotonic_ns() < until)
		usleep(1000);
	assert_in_range(held(t), least, most);
}

/* Send a body of `n` bytes without its last byte. */
static int send_all_but_one(uint16_t port, size_t n)
{
	int fd = test_connect(port);
	struct buf b = {0};

	buf_printf(&b, "POST /length HTTP/1.1\r\nHost: h\r\nContent-Length: %zu\r\n\r\n", n);
	memset(buf_reserve(&b, n), 'a', n);
	b.n += n - 1;
	assert_true(test_send(fd, buf_str(&b)));
	buf_fini(&b);
	return fd;
}

static void expect_ok(int fd, struct str rest)
{
	struct test_answer a = {0};

	assert_true(test_send(fd, rest));
	test_next_answer(fd, &a);
	assert_int_equal(a.status, 200);
	test_answer_fini(&a);
}

static void headers_bodies_and_unsent_responses_are_counted(void **state)
{
	struct test_server t = start(512 * MIB);
	struct str head = STR("GET /hello HTTP/1.1\r\nHost: h\r\nX: ");
	struct buf b = {0};
	int fd = test_connect(t.port);

	(void)state;
	buf_put_str(&b, head);
	memset(buf_reserve(&b, 60000), 'x', 60000);
	b.n += 60000;
	assert_true(test_send(fd, buf_str(&b)));
	wait_until_held(&t, 60000, 256 * KIB);
	close(fd);
	wait_until_held(&t, 0, 48 * KIB);
	fd = send_all_but_one(t.port, MIB);
	wait_until_held(&t, MIB, 2 * MIB);
	close(fd);
	wait_until_held(&t, 0, 48 * KIB);
	fd = test_connect(t.port);
	assert_true(test_send(fd, STR("GET /big HTTP/1.1\r\nHost: h\r\n\r\n")));
	wait_until_held(&t, BIG, 2 * BIG);
	close(fd);
	wait_until_held(&t, 0, 48 * KIB);
	net_server_free(t.server);
	buf_fini(&b);
}

/* Three stalled bodies fill three quarters: the oldest is closed, and all others are served. */
static void the_longest_stalled_large_request_is_closed_first(void **state)
{
	struct test_server t = start(4 * MIB);
	struct str head = STR("GET /hello HTTP/1.1\r\nHost: h\r\n");
	int small[8], large[3];
	struct net_stats stats;

	(void)state;
	for (size_t i = 0; i < countof(small); i++) { /* older, but they hold little memory */
		small[i] = test_connect(t.port);
		assert_true(test_send(small[i], head));
	}
	for (size_t i = 0; i < countof(large); i++) {
		large[i] = send_all_but_one(t.port, MIB);
		if (i + 1 < countof(large))
			wait_until_held(&t, (i + 1) * MIB, 4 * MIB);
		usleep(20000); /* the first body has stalled longer, in whole milliseconds */
	}
	assert_true(test_is_closed(large[0]));
	expect_ok(large[1], STR("a"));
	expect_ok(large[2], STR("a"));
	for (size_t i = 0; i < countof(small); i++)
		expect_ok(small[i], STR("\r\n"));
	net_server_stats(t.server, &stats);
	assert_int_equal(stats.refused[NET_REFUSED_BUDGET], 1);
	for (size_t i = 0; i < countof(small); i++)
		close(small[i]);
	for (size_t i = 0; i < countof(large); i++)
		close(large[i]);
	wait_until_held(&t, 0, 48 * KIB);
	net_server_free(t.server);
}

/* Connections without a request are charged, too: there may be many of them. */
static void idle_connections_are_closed_to_free_memory_for_requests(void **state)
{
	struct test_server t = start(256 * KIB);
	int fds[400];
	uint64_t before;
	struct net_stats stats;

	(void)state;
	for (size_t i = 0; i < countof(fds); i++)
		fds[i] = test_connect(t.port);
	for (int i = 0; i < 20; i++)
		assert_int_equal(test_status(t.port, STR("GET /hello HTTP/1.1\r\nHost: h\r\n\r\n")),
				 200);
	before = held(&t);
	assert_in_range(before, 1, 256 * KIB);
	net_server_stats(t.server, &stats);
	assert_in_range(stats.connections_open, 1, countof(fds) - 1);
	for (size_t i = 0; i < countof(fds); i++)
		close(fds[i]);
	net_server_free(t.server);
}

static void one_connection_has_its_own_limit(void **state)
{
	struct net_options o;
	struct test_server t;
	struct test_answer a = {0};
	int fd;

	(void)state;
	net_options_init(&o);
	o.max_connection_memory = 512 * KIB;
	t = test_server_start(&app, &o);
	fd = send_all_but_one(t.port, 600 * KIB);
	test_next_answer(fd, &a);
	assert_int_equal(a.status, 503);
	assert_true(str_find_str(a.body, STR("max_connection_memory")) < a.body.n);
	test_answer_fini(&a);
	close(fd);
	fd = send_all_but_one(t.port, 400 * KIB);
	expect_ok(fd, STR("a"));
	close(fd);
	net_server_free(t.server);
}

/* A body is limited to half of the memory, even if max_body_bytes is larger. */
static void a_body_that_can_never_fit_is_413(void **state)
{
	struct test_server t = start(4 * MIB);
	struct test_answer a = {0};
	int fd = send_all_but_one(t.port, 2 * MIB + 1);

	(void)state;
	test_next_answer(fd, &a);
	assert_int_equal(a.status, 413);
	assert_true(str_find_str(a.body, STR("half of max_memory")) < a.body.n);
	test_answer_fini(&a);
	close(fd);
	fd = send_all_but_one(t.port, 2 * MIB);
	expect_ok(fd, STR("a"));
	close(fd);
	net_server_free(t.server);
}

/* For each content coding: the body would not fit an idle server, so a retryable error is wrong. */
static void a_decompression_bomb_is_413(void **state)
{
	static const struct {
		const char *name;
		enum compress_kind kind;
	} codings[] = {{"gzip", COMPRESS_GZIP},
		       {"zstd", COMPRESS_ZSTD},
		       {"deflate", COMPRESS_ZLIB},
		       {"lz4", COMPRESS_LZ4}};
	struct test_server t = start(8 * MIB);
	char *zeros = calloc(1, 32 * MIB);

	(void)state;
	assert_non_null(zeros);
	for (size_t i = 0; i < countof(codings); i++) {
		struct buf packed = {0}, b = {0};

		assert_ok(
			compress_bytes(&packed, codings[i].kind, 1, str_of(zeros, 32 * MIB), NULL));
		buf_printf(&b,
			   "POST /length HTTP/1.1\r\nHost: h\r\nContent-Encoding: %s\r\n"
			   "Content-Length: %zu\r\n\r\n",
			   codings[i].name, packed.n);
		buf_put_str(&b, buf_str(&packed));
		assert_int_equal(test_status(t.port, buf_str(&b)), 413);
		buf_fini(&packed);
		buf_fini(&b);
	}
	free(zeros);
	net_server_free(t.server);
}

TEST_MAIN(test(headers_bodies_and_unsent_responses_are_counted),
	  test(the_longest_stalled_large_request_is_closed_first),
	  test(idle_connections_are_closed_to_free_memory_for_requests),
	  test(one_connection_has_its_own_limit), test(a_body_that_can_never_fit_is_413),
	  test(a_decompression_bomb_is_413))
