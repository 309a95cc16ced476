/* SPDX-License-Identifier: Apache-2.0 */
/*
 * More connections than max_connections: which idle connection is closed for a new one, and when
 * the new one is refused.
 */
#include "test/net.h"

#include <pthread.h>

#include "base/thread.h"
#include "net/http/respond.h"

enum { HELD_MAX = 8 };

static pthread_mutex_t held_mu = PTHREAD_MUTEX_INITIALIZER;
static struct http_exchange *held[HELD_MAX]; /* guarded by held_mu */
static unsigned held_count;		     /* guarded by held_mu */

static void hello(void *owner, struct http_exchange *x)
{
	(void)owner;
	http_respond_text(x, 200, "hello");
}

/* Keep the exchange until release() responds to it. */
static void hold(void *owner, struct http_exchange *x)
{
	(void)owner;
	pthread_mutex_lock(&held_mu);
	held[held_count++] = x;
	pthread_mutex_unlock(&held_mu);
}

static const struct http_route routes[] = {
	{METHOD_GET | METHOD_POST, 0, STR_INIT("/hello"), hello},
	{METHOD_GET, 0, STR_INIT("/hold"), hold},
};
static const struct http_app app = {.routes = routes, .route_count = countof(routes)};
static const struct str get_hello = STR_INIT("GET /hello HTTP/1.1\r\nHost: h\r\n\r\n");
static const struct str get_hold = STR_INIT("GET /hold HTTP/1.1\r\nHost: h\r\n\r\n");

static struct test_server start(uint64_t threads, uint64_t connections)
{
	struct net_options o;

	net_options_init(&o);
	o.threads = threads;
	o.max_connections = connections;
	return test_server_start(&app, &o);
}

static struct net_stats stats_of(const struct test_server *t)
{
	struct net_stats stats;

	net_server_stats(t->server, &stats);
	return stats;
}

static void wait_until_idle(const struct test_server *t, uint64_t n)
{
	uint64_t until = clock_monotonic_ns() + TEST_WAIT_MS * NS_PER_MS;

	while (stats_of(t).connections_idle != n && clock_monotonic_ns() < until)
		usleep(500);
	assert_int_equal(stats_of(t).connections_idle, n);
}

static unsigned count_held(void)
{
	unsigned n;

	pthread_mutex_lock(&held_mu);
	n = held_count;
	pthread_mutex_unlock(&held_mu);
	return n;
}

static void wait_until_held(unsigned n)
{
	uint64_t until = clock_monotonic_ns() + TEST_WAIT_MS * NS_PER_MS;

	while (count_held() != n && clock_monotonic_ns() < until)
		usleep(500);
	assert_int_equal(count_held(), n);
}

static void release(void)
{
	pthread_mutex_lock(&held_mu);
	while (held_count)
		http_respond_text(held[--held_count], 200, "held");
	pthread_mutex_unlock(&held_mu);
}

/* Send a request and read one response. */
static void expect_status(int fd, struct str request, unsigned status)
{
	struct test_answer a = {0};

	test_send(fd, request);
	test_next_answer(fd, &a);
	assert_int_equal(a.status, status);
	if (status == 503)
		assert_true(str_find_str(a.body, STR("max_connections")) < a.body.n);
	test_answer_fini(&a);
}

static int connect_and_ask(uint16_t port)
{
	int fd = test_connect(port);

	expect_status(fd, get_hello, 200);
	return fd;
}

static void close_all(const int *fds, size_t n)
{
	for (size_t i = 0; i < n; i++)
		close(fds[i]);
}

/* Each loop has one connection; the closed one belongs to another loop than the accepting one. */
static void the_longest_idle_connection_is_closed(void **state)
{
	struct test_server t = start(3, 3);
	int fds[4];

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		fds[i] = connect_and_ask(t.port);
		wait_until_idle(&t, i + 1);
	}
	expect_status(fds[0], get_hello, 200);
	wait_until_idle(&t, 3);
	fds[3] = connect_and_ask(t.port);
	assert_true(test_is_closed(fds[1]));
	for (size_t i = 0; i < countof(fds); i++)
		if (i != 1)
			expect_status(fds[i], get_hello, 200);
	assert_int_equal(stats_of(&t).displaced, 1);
	assert_int_equal(stats_of(&t).refused[NET_REFUSED_CONNECTIONS], 0);
	assert_int_equal(stats_of(&t).connections_open, 3);
	close_all(fds, countof(fds));
	net_server_free(t.server);
}

static void new_connections_are_refused_if_none_is_idle(void **state)
{
	struct test_server t = start(2, 3);
	int fds[3], more, over;

	(void)state;
	fds[0] = connect_and_ask(t.port);
	wait_until_idle(&t, 1);
	fds[1] = test_connect(t.port);
	fds[2] = test_connect(t.port);
	test_send(fds[1], get_hold);
	test_send(fds[2], get_hold);
	wait_until_held(2);
	more = test_connect(t.port);
	test_send(more, get_hold);
	wait_until_held(3);
	assert_true(test_is_closed(fds[0]));
	over = test_connect(t.port);
	expect_status(over, STR(""), 503);
	assert_int_equal(stats_of(&t).displaced, 1);
	assert_int_equal(stats_of(&t).refused[NET_REFUSED_CONNECTIONS], 1);
	release();
	expect_status(fds[1], STR(""), 200);
	expect_status(fds[2], STR(""), 200);
	expect_status(more, STR(""), 200);
	close(more);
	close(over);
	close_all(fds, countof(fds));
	net_server_free(t.server);
}

/* Incomplete headers, bodies and pipelined requests count as requests without a handler, too. */
static void a_connection_with_a_partial_request_is_not_idle(void **state)
{
	static const struct str halves[][2] = {
		{STR_INIT("GET /hello HT"), STR_INIT("TP/1.1\r\nHost: h\r\n\r\n")},
		{STR_INIT("POST /hello HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\na"),
		 STR_INIT("b")},
		{STR_INIT("GET /hello HTTP/1.1\r\nHost: h\r\n\r\nGET"),
		 STR_INIT(" /hello HTTP/1.1\r\nHost: h\r\n\r\n")},
	};
	struct test_server t = start(2, countof(halves));
	int fds[countof(halves)], over;

	(void)state;
	for (size_t i = 0; i < countof(halves); i++) {
		fds[i] = test_connect(t.port);
		test_send(fds[i], halves[i][0]);
		if (i == 2)
			expect_status(fds[i], STR(""), 200);
	}
	wait_until_idle(&t, 0);
	over = test_connect(t.port);
	expect_status(over, STR(""), 503);
	close(over);
	for (size_t i = 0; i < countof(halves); i++)
		expect_status(fds[i], halves[i][1], 200);
	assert_int_equal(stats_of(&t).displaced, 0);
	close_all(fds, countof(fds));
	net_server_free(t.server);
}

/* New connections are protected for a short time, then they are closed like others. */
static void connections_without_requests_are_closed(void **state)
{
	struct test_server t = start(2, 4);
	uint64_t until = clock_monotonic_ns() + TEST_WAIT_MS * NS_PER_MS;
	int fds[4];

	(void)state;
	for (size_t i = 0; i < countof(fds); i++)
		fds[i] = test_connect(t.port);
	wait_until_idle(&t, countof(fds));
	while (test_status(t.port, get_hello) != 200 && clock_monotonic_ns() < until)
		usleep(1000);
	assert_int_equal(stats_of(&t).displaced, 1);
	close_all(fds, countof(fds));
	net_server_free(t.server);
}

/* A client over its own limit does not cause connections of others to be closed. */
static void the_limit_per_address_is_applied_first(void **state)
{
	struct net_options o;
	struct test_server t;
	int fds[2], over;

	(void)state;
	net_options_init(&o);
	o.max_connections = 3;
	o.max_connections_per_address = countof(fds);
	t = test_server_start(&app, &o);
	for (size_t i = 0; i < countof(fds); i++)
		fds[i] = connect_and_ask(t.port);
	wait_until_idle(&t, countof(fds));
	over = test_connect(t.port);
	expect_status(over, STR(""), 429);
	close(over);
	for (size_t i = 0; i < countof(fds); i++)
		expect_status(fds[i], get_hello, 200);
	assert_int_equal(stats_of(&t).displaced, 0);
	close_all(fds, countof(fds));
	net_server_free(t.server);
}

enum { SENDERS = 4, OF_EACH = 60, AT_A_TIME = 16 };

struct sender {
	struct thread thread;
	uint16_t port;
	int fds[OF_EACH];
	unsigned answered, refused;
};

/* Send requests on connections that stay open; reopen those closed before the response. */
static void ask_on_many(void *arg)
{
	struct sender *s = arg;

	for (unsigned i = 0; i < OF_EACH; i++) {
		for (unsigned tries = 0; tries < 100; tries++) {
			struct buf b = {0};
			size_t n;

			s->fds[i] = test_connect(s->port);
			test_send(s->fds[i], get_hello);
			n = test_read_some(s->fds[i], &b);
			s->answered += str_starts(buf_str(&b), STR("HTTP/1.1 200"));
			s->refused += str_starts(buf_str(&b), STR("HTTP/1.1 503"));
			buf_fini(&b);
			if (n)
				break;
			close(s->fds[i]);
		}
	}
}

static void many_concurrent_clients_are_all_served(void **state)
{
	static struct sender senders[SENDERS];
	struct test_server t = start(4, AT_A_TIME);

	(void)state;
	for (size_t i = 0; i < SENDERS; i++) {
		senders[i] = (struct sender){.port = t.port};
		assert_ok(
			thread_start(&senders[i].thread, "sender", ask_on_many, &senders[i], NULL));
	}
	for (size_t i = 0; i < SENDERS; i++)
		thread_join(&senders[i].thread);
	for (size_t i = 0; i < SENDERS; i++) {
		assert_int_equal(senders[i].refused, 0);
		assert_int_equal(senders[i].answered, OF_EACH);
	}
	wait_until_idle(&t, AT_A_TIME);
	assert_int_equal(stats_of(&t).connections_open, AT_A_TIME);
	assert_true(stats_of(&t).displaced >= SENDERS * OF_EACH - AT_A_TIME);
	for (size_t i = 0; i < SENDERS; i++)
		close_all(senders[i].fds, OF_EACH);
	net_server_free(t.server);
}

/* Connections in transit between ending loops are freed; the leak sanitizer checks it. */
static void servers_can_end_while_connections_are_replaced(void **state)
{
	(void)state;
	for (int round = 0; round < 50; round++) {
		struct test_server t = start(3, 2);
		int fds[12];

		for (size_t i = 0; i < countof(fds); i++) {
			fds[i] = test_connect(t.port);
			test_send(fds[i], get_hello);
		}
		net_server_free(t.server);
		close_all(fds, countof(fds));
	}
}

TEST_MAIN(test(the_longest_idle_connection_is_closed),
	  test(new_connections_are_refused_if_none_is_idle),
	  test(a_connection_with_a_partial_request_is_not_idle),
	  test(connections_without_requests_are_closed),
	  test(the_limit_per_address_is_applied_first),
	  test(many_concurrent_clients_are_all_served),
	  test(servers_can_end_while_connections_are_replaced))
