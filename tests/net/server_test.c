/* SPDX-License-Identifier: Apache-2.0 */
/* The whole server: responses from other threads, disconnects, drain, limits, timeouts. */
#include "net/server.h"

#include <pthread.h>
#include <stdatomic.h>

#include "base/container/queue.h"
#include "base/thread.h"
#include "net/address.h"
#include "net/http/respond.h"
#include "net/rpc/grpc_client.h"
#include "test/net.h"
#include "wire/compress/compress.h"

enum { WORKERS = 3 };

/* A pool of threads that respond to the exchanges queued by handlers. */
struct workers {
	struct queue queue;
	struct thread threads[WORKERS];
	_Atomic unsigned begun, gone_seen, callbacks;
	_Atomic bool hold; /* respond only after the client disconnects or this is false */
};

static struct workers workers;

static void wait_while_held(struct http_exchange *x)
{
	uint64_t until = clock_monotonic_ns() + TEST_WAIT_MS * NS_PER_MS;

	while (workers.hold && !http_gone(x) && clock_monotonic_ns() < until)
		usleep(1000);
	if (http_gone(x))
		atomic_fetch_add(&workers.gone_seen, 1);
}

static void work(void *arg)
{
	void *item;

	(void)arg;
	while (!queue_pop(&workers.queue, &item, QUEUE_FOREVER)) {
		struct http_exchange *x = item;
		struct http_response r = {.status = 200};

		wait_while_held(x);
		buf_put_str(&r.body, x->body);
		http_respond(x, &r);
	}
}

static void on_gone(void *arg)
{
	(void)arg;
	atomic_fetch_add(&workers.callbacks, 1);
}

static void hand_over(void *owner, struct http_exchange *x)
{
	(void)owner;
	atomic_fetch_add(&workers.begun, 1);
	http_on_gone(x, on_gone, NULL);
	if (queue_push(&workers.queue, x, 0, QUEUE_NOW))
		http_respond_text(x, 503, "queue is full");
}

static void at_once(void *owner, struct http_exchange *x)
{
	struct http_response r = {.status = 200};

	(void)owner;
	buf_put_str(&r.body, x->body);
	http_respond(x, &r);
}

/* Keep the body after the response, and check that it is intact. */
static void detach(void *owner, struct http_exchange *x)
{
	struct http_body body;
	struct http_response r = {.status = 200};

	(void)owner;
	http_detach_body(x, &body);
	http_respond(x, &r);
	assert_true(str_eq(body.bytes, STR("keep me")));
	http_body_fini(&body);
}

static const struct http_route routes[] = {
	{METHOD_GET | METHOD_POST, 0, STR_INIT("/work"), hand_over},
	{METHOD_GET | METHOD_POST, 0, STR_INIT("/echo"), at_once},
	{METHOD_POST, 0, STR_INIT("/detach"), detach},
};
static const struct http_app app = {.routes = routes, .route_count = countof(routes)};

static int workers_setup(void **state)
{
	(void)state;
	workers.hold = false;
	workers.begun = workers.gone_seen = workers.callbacks = 0;
	assert_ok(queue_init(&workers.queue, 10000, 0));
	for (int i = 0; i < WORKERS; i++)
		assert_ok(thread_start(&workers.threads[i], "worker", work, NULL, NULL));
	return 0;
}

static int workers_teardown(void **state)
{
	(void)state;
	workers.hold = false;
	queue_close(&workers.queue);
	for (int i = 0; i < WORKERS; i++)
		thread_join(&workers.threads[i]);
	queue_fini(&workers.queue);
	return 0;
}

static bool wait_until(_Atomic unsigned *counter, unsigned value)
{
	uint64_t until = clock_monotonic_ns() + TEST_WAIT_MS * NS_PER_MS;

	while (atomic_load(counter) < value && clock_monotonic_ns() < until)
		usleep(1000);
	return atomic_load(counter) >= value;
}

/* Wait until the server has freed all connections and exchanges. Return false on a timeout. */
static bool wait_until_idle(struct net_server *s)
{
	uint64_t until = clock_monotonic_ns() + TEST_WAIT_MS * NS_PER_MS;
	struct net_stats stats;

	do {
		net_server_stats(s, &stats);
		if (!stats.connections_open && !stats.exchanges_open)
			return true;
		usleep(1000);
	} while (clock_monotonic_ns() < until);
	return false;
}

struct sender {
	uint16_t port;
	unsigned requests;
	struct thread thread;
};

/* Send many requests on one connection, two at a time, and check each response. */
static void send_many(void *arg)
{
	struct sender *s = arg;
	struct test_answer a = {0};
	struct buf b = {0};
	int fd = test_connect(s->port);

	for (unsigned i = 0; i < s->requests; i++) {
		char body[2][16];

		buf_clear(&b);
		for (unsigned k = 0; k < 2; k++) {
			snprintf(body[k], sizeof(body[k]), "%08x", i * 2 + k);
			buf_printf(&b, "POST %s HTTP/1.1\r\nHost: h\r\nContent-Length: 8\r\n\r\n%s",
				   i % 3 ? "/work" : "/echo", body[k]);
		}
		test_send(fd, buf_str(&b));
		for (unsigned k = 0; k < 2; k++) {
			test_next_answer(fd, &a);
			assert_int_equal(a.status, 200);
			assert_str_equal(a.body, str_from(body[k]));
		}
		buf_clear(&a.bytes);
		a.end = 0;
	}
	test_answer_fini(&a);
	buf_fini(&b);
	close(fd);
}

static void call_many(void *arg)
{
	struct sender *s = arg;
	struct grpc_client *client;
	char address[32];

	snprintf(address, sizeof(address), "127.0.0.1:%u", s->port);
	assert_ok(grpc_client_new(&client, address, false, NULL, NULL));
	for (unsigned i = 0; i < s->requests; i++) {
		struct grpc_client_request request = {.path = STR("/nothing")};
		struct grpc_client_answer answer;
		struct err e = {0};

		assert_ok_err(grpc_client_call(client, &request, &answer, &e), &e);
		assert_int_equal(answer.code, RPC_UNIMPLEMENTED);
		grpc_client_answer_fini(&answer);
	}
	grpc_client_free(client);
}

static void responses_to_many_clients_from_many_threads_are_not_mixed_up(void **state)
{
	struct test_server t = test_server_start(&app, NULL);
	struct sender senders[8];

	(void)state;
	for (size_t i = 0; i < countof(senders); i++) {
		senders[i] = (struct sender){.port = t.port, .requests = 100};
		assert_ok(thread_start(&senders[i].thread, "sender", i < 6 ? send_many : call_many,
				       &senders[i], NULL));
	}
	for (size_t i = 0; i < countof(senders); i++)
		thread_join(&senders[i].thread);
	assert_true(wait_until_idle(t.server));
	net_server_free(t.server);
}

/* The response may wake a loop that is already ending; its descriptors must still be open. */
static void a_server_can_be_freed_during_a_response(void **state)
{
	(void)state;
	for (int i = 0; i < 200; i++) {
		struct test_server t = test_server_start(&app, NULL);
		int fd = test_connect(t.port);

		test_send(fd, STR("GET /work HTTP/1.1\r\nHost: h\r\n\r\n"));
		usleep((useconds_t)i);
		net_server_free(t.server);
		close(fd);
	}
}

/*
 * The last bytes and the end of the stream may arrive in one event: the end must be noticed, too.
 */
static void the_end_of_a_stream_with_data_closes_the_connection(void **state)
{
	static const struct str hello =
		STR_INIT("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0\0"); /* with SETTINGS */
	static const struct str last =
		STR_INIT("\0\0\4\10\0\0\0\0\0\0\0\0\1"); /* WINDOW_UPDATE: no response */
	struct test_server t = test_server_start(&app, NULL);
	char answer[256];
	int fds[16];

	(void)state;
	for (size_t i = 0; i < countof(fds); i++) {
		fds[i] = test_connect(t.port);
		test_send(fds[i], hello);
	}
	for (size_t i = 0; i < countof(fds); i++) {
		assert_true(read(fds[i], answer, sizeof(answer)) > 0);
		/* now the server waits for more */
		usleep(10000);
		assert_int_equal(send(fds[i], last.p, last.n, MSG_MORE), last.n);
		assert_ok(shutdown(fds[i], SHUT_WR)); /* in the same packet */
	}
	assert_true(wait_until_idle(t.server));
	for (size_t i = 0; i < countof(fds); i++)
		close(fds[i]);
	net_server_free(t.server);
}

static void the_handler_is_notified_when_a_client_disconnects(void **state)
{
	struct test_server t = test_server_start(&app, NULL);
	int fd = test_connect(t.port);

	(void)state;
	workers.hold = true;
	test_send(fd, STR("GET /work HTTP/1.1\r\nHost: h\r\n\r\n"));
	usleep(20000); /* usually enough for the handler to run; the test is valid either way */
	close(fd);
	assert_true(wait_until(&workers.gone_seen, 1));
	assert_true(wait_until(&workers.callbacks, 1));
	workers.hold = false;
	assert_true(wait_until_idle(t.server));
	net_server_free(t.server);
	assert_int_equal(workers.callbacks, 1);
}

/* Over HTTP/2, a reset stream and a closed connection are reported, too. */
static void the_handler_is_notified_when_a_stream_is_cancelled(void **state)
{
	struct test_server t = test_server_start(&app, NULL);
	struct grpc_client_request request = {.path = STR("/work"), .timeout_ms = 50};
	struct grpc_client_answer answer = {0};
	struct grpc_client *client;
	char address[32];

	(void)state;
	workers.hold = true;
	snprintf(address, sizeof(address), "127.0.0.1:%u", t.port);
	assert_ok(grpc_client_new(&client, address, false, NULL, NULL));
	/*
	 * On a busy machine the call may time out before it reaches the server: retry with more
	 * time.
	 */
	while (!workers.begun && request.timeout_ms < TEST_WAIT_MS) {
		request.timeout_ms *= 2;
		grpc_client_answer_fini(&answer);
		assert_int_equal(grpc_client_call(client, &request, &answer, NULL), -ETIMEDOUT);
	}
	assert_true(wait_until(&workers.gone_seen, 1));
	assert_true(wait_until(&workers.callbacks, 1));
	workers.hold = false;
	grpc_client_answer_fini(&answer);
	grpc_client_free(client);
	assert_true(wait_until_idle(t.server));
	net_server_free(t.server);
}

static void a_connection_is_limited_to_a_number_of_requests(void **state)
{
	struct net_options o;
	struct test_server t;
	struct test_answer a = {0};
	struct sender calls;
	struct net_stats stats;
	int fd;

	(void)state;
	net_options_init(&o);
	o.max_requests_per_connection = 2;
	t = test_server_start(&app, &o);
	fd = test_connect(t.port);
	for (int i = 0; i < 2; i++) {
		test_send(fd, STR("GET /echo HTTP/1.1\r\nHost: h\r\n\r\n"));
		test_next_answer(fd, &a);
		assert_int_equal(a.status, 200);
		assert_int_equal(test_answer_header(&a, "connection").n, i ? 5 : 0);
	}
	assert_true(test_is_closed(fd));
	calls = (struct sender){.port = t.port, .requests = 10};
	call_many(&calls); /* the client gets GOAWAY and reconnects */
	net_server_stats(t.server, &stats);
	assert_int_equal(stats.connections_total, 1 + 5);
	test_answer_fini(&a);
	close(fd);
	net_server_free(t.server);
}

static void freeing_the_server_waits_for_exchanges_of_handlers(void **state)
{
	struct test_server t = test_server_start(&app, NULL);
	int fds[5];

	(void)state;
	workers.hold = true;
	for (size_t i = 0; i < countof(fds); i++) {
		fds[i] = test_connect(t.port);
		test_send(fds[i], STR("GET /work HTTP/1.1\r\nHost: h\r\n\r\n"));
	}
	usleep(20000);
	net_server_free(t.server); /* closes the connections, which ends the workers' waits */
	for (size_t i = 0; i < countof(fds); i++)
		close(fds[i]);
}

static void a_detached_body_outlives_its_exchange(void **state)
{
	struct test_server t = test_server_start(&app, NULL);

	(void)state;
	assert_int_equal(test_status(t.port, STR("POST /detach HTTP/1.1\r\nHost: h\r\n"
						 "Content-Length: 7\r\n\r\nkeep me")),
			 200);
	net_server_free(t.server);
}

static void drain_closes_connections_after_its_timeout(void **state)
{
	struct test_server t = test_server_start(&app, NULL);
	struct test_answer a = {0};
	int idle = test_connect(t.port), busy = test_connect(t.port);

	(void)state;
	test_send(idle, STR("GET /echo HTTP/1.1\r\nHost: h\r\n\r\n"));
	test_next_answer(idle, &a);
	workers.hold = true;
	/* The second half is never sent. */
	test_send(busy, STR("POST /work HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\nab"));
	usleep(20000);
	assert_int_equal(net_server_drain(t.server, 1), -ETIMEDOUT);
	assert_true(test_is_closed(idle));
	test_answer_fini(&a);
	close(idle);
	close(busy);
	net_server_free(t.server);
}

struct draining {
	struct net_server *server;
	int rc;
	struct thread thread;
};

static void drain(void *arg)
{
	struct draining *d = arg;

	d->rc = net_server_drain(d->server, TEST_WAIT_MS);
}

static void a_response_during_drain_is_sent_and_ends_its_connection(void **state)
{
	struct net_options one_loop; /* so that both connections drain at the same time */
	struct test_server t;
	struct draining d = {0};
	struct test_answer a = {0};
	struct net_stats stats;
	int idle, busy;

	(void)state;
	net_options_init(&one_loop);
	one_loop.threads = 1;
	t = test_server_start(&app, &one_loop);
	d.server = t.server;
	idle = test_connect(t.port);
	busy = test_connect(t.port);
	workers.hold = true;
	test_send(busy, STR("POST /work HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\nab"));
	do
		net_server_stats(t.server, &stats);
	while (!stats.exchanges_open);
	assert_ok(thread_start(&d.thread, "drain", drain, &d, NULL));
	assert_true(test_is_closed(idle));
	workers.hold = false;
	test_next_answer(busy, &a);
	assert_int_equal(a.status, 200);
	assert_str_equal(a.body, STR("ab"));
	assert_str_equal(test_answer_header(&a, "connection"), STR("close"));
	assert_true(test_is_closed(busy));
	thread_join(&d.thread);
	assert_ok(d.rc);
	test_answer_fini(&a);
	close(idle);
	close(busy);
	net_server_free(t.server);
}

static struct net_options small_options(void)
{
	struct net_options o;

	net_options_init(&o);
	o.header_timeout_ms = 200;
	o.body_timeout_ms = 200;
	o.min_body_rate = 1 << 20;
	o.write_timeout_ms = 300;
	o.idle_timeout_ms = 300;
	return o;
}

static void slow_requests_get_408(void **state)
{
	static const char *const beginnings[] = {
		"GET /echo HTTP/1.1\r\nHos",
		"POST /echo HTTP/1.1\r\nHost: h\r\nContent-Length: 100\r\n\r\nabc",
		"POST /echo HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab",
	};
	struct net_options o = small_options();
	struct test_server t = test_server_start(&app, &o);
	struct net_stats stats;

	(void)state;
	for (size_t i = 0; i < countof(beginnings); i++) {
		struct test_answer a = {0};
		int fd = test_connect(t.port);

		test_send(fd, str_from(beginnings[i]));
		test_next_answer(fd, &a);
		assert_int_equal(a.status, 408);
		assert_true(str_find_str(a.body, STR("timeout_ms")) < a.body.n);
		assert_true(test_is_closed(fd));
		test_answer_fini(&a);
		close(fd);
	}
	net_server_stats(t.server, &stats);
	assert_int_equal(stats.refused[NET_REFUSED_SLOW], countof(beginnings));
	net_server_free(t.server);
}

static void occasional_bytes_do_not_extend_the_request_timeout(void **state)
{
	struct net_options o = small_options();
	struct test_server t = test_server_start(&app, &o);
	struct test_answer a = {0};
	int fd = test_connect(t.port);
	unsigned sent = 0;

	(void)state;
	test_send(fd, STR("POST /echo HTTP/1.1\r\nHost: h\r\nContent-Length: 100000\r\n\r\n"));
	while (sent < 1000 && !test_answer_parse(&a, 0, false)) {
		struct pollfd p = {.fd = fd, .events = POLLIN};

		if (poll(&p, 1, 20) > 0)
			test_read_some(fd, &a.bytes);
		else
			test_send(fd, STR("x"));
		sent++;
	}
	assert_int_equal(a.status, 408);
	test_answer_fini(&a);
	close(fd);
	net_server_free(t.server);
}

static void idle_connections_are_closed(void **state)
{
	struct net_options o = small_options();
	struct test_server t = test_server_start(&app, &o);
	int fresh = test_connect(t.port), used = test_connect(t.port), h2 = test_connect(t.port);
	struct test_answer a = {0};
	struct buf b = {0};

	(void)state;
	test_send(used, STR("GET /echo HTTP/1.1\r\nHost: h\r\n\r\n"));
	test_next_answer(used, &a);
	test_send(h2, STR("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0\0"));
	assert_true(test_is_closed(fresh));
	assert_true(test_is_closed(used));
	while (test_read_some(h2, &b)) /* SETTINGS, then GOAWAY, then the end */
		;
	assert_true(str_find_str(buf_str(&b), STR("\0\0\x08\7")) < b.n);
	assert_true(wait_until_idle(t.server));
	test_answer_fini(&a);
	buf_fini(&b);
	close(fresh);
	close(used);
	close(h2);
	net_server_free(t.server);
}

static void big(void *owner, struct http_exchange *x)
{
	struct http_response r = {.status = 200};

	(void)owner;
	memset(buf_reserve(&r.body, 64 * MIB), 'a', 64 * MIB);
	r.body.n = 64 * MIB;
	http_respond(x, &r);
}

static void a_client_that_does_not_read_is_disconnected(void **state)
{
	static const struct http_route big_routes[] = {{METHOD_GET, 0, STR_INIT("/big"), big}};
	static const struct http_app big_app = {.routes = big_routes, .route_count = 1};
	struct net_options o = small_options();
	struct test_server t = test_server_start(&big_app, &o);
	int fd = test_connect(t.port);

	(void)state;
	test_send(fd, STR("GET /big HTTP/1.1\r\nHost: h\r\n\r\n"));
	assert_true(wait_until_idle(t.server));
	close(fd);
	net_server_free(t.server);
}

/* Bodies of held requests fill the budget: the next one gets a retryable error until they end. */
static void bodies_over_the_budget_get_a_retryable_error(void **state)
{
	struct net_options o;
	struct test_server t;
	struct test_answer a = {0};
	struct buf b = {0};
	struct net_stats stats;
	int fds[3];

	(void)state;
	net_options_init(&o);
	o.max_memory = 3 * MIB;
	t = test_server_start(&app, &o);
	workers.hold = true;
	buf_printf(&b, "POST /work HTTP/1.1\r\nHost: h\r\nContent-Length: %zu\r\n\r\n", MIB);
	memset(buf_reserve(&b, MIB), 'a', MIB);
	b.n += MIB;
	for (size_t i = 0; i < 2; i++) {
		fds[i] = test_connect(t.port);
		test_send(fds[i], buf_str(&b));
		do
			net_server_stats(t.server, &stats);
		while (stats.memory_bytes < (i + 1) * MIB);
	}
	fds[2] = test_connect(t.port);
	test_send(fds[2], buf_str(&b));
	test_next_answer(fds[2], &a);
	assert_int_equal(a.status, 503);
	assert_str_equal(test_answer_header(&a, "retry-after"), STR("1"));
	assert_true(str_find_str(a.body, STR("max_memory")) < a.body.n);
	workers.hold = false;
	for (size_t i = 0; i < 2; i++) {
		test_answer_fini(&a);
		a = (struct test_answer){0};
		test_next_answer(fds[i], &a);
		assert_int_equal(a.status, 200);
	}
	assert_int_equal(test_status(t.port, buf_str(&b)), 200);
	for (size_t i = 0; i < 3; i++)
		close(fds[i]);
	assert_true(wait_until_idle(t.server));
	net_server_stats(t.server, &stats);
	assert_true(stats.memory_bytes < MIB); /* only spare exchanges */
	test_answer_fini(&a);
	buf_fini(&b);
	net_server_free(t.server);
}

/* Each charged allocation fails once: requests are accepted or refused, and nothing leaks. */
static void every_allocation_failure_is_an_error_response(void **state)
{
	struct buf body = {0}, packed = {0}, b = {0};

	(void)state;
	for (int i = 0; i < 20000; i++)
		buf_put_u64(&body, (uint64_t)i * 7919);
	assert_ok(compress_bytes(&packed, COMPRESS_GZIP, 0, buf_str(&body), NULL));
	buf_printf(&b,
		   "GET /echo?%%61=b HTTP/1.1\r\nHost: h\r\n\r\n"
		   "POST /echo HTTP/1.1\r\nHost: h\r\nContent-Encoding: gzip\r\nContent-Length: "
		   "%zu\r\n\r\n",
		   packed.n);
	buf_put_str(&b, buf_str(&packed));
	for (size_t limit = 0; limit < 800 * KIB;
	     limit = limit < 64 * KIB ? limit + 4 * KIB : limit * 5 / 4) {
		struct net_options o;
		struct test_server t;
		struct test_answer a = {0};
		struct net_stats stats;
		int fd;

		net_options_init(&o);
		o.max_memory = limit;
		t = test_server_start(&app, &o);
		fd = test_connect(t.port);
		test_send(fd, buf_str(&b));
		for (int k = 0; k < 2; k++) {
			size_t from = a.end;
			bool closed = false; /* connections close if there is almost no memory */

			while (!closed && !test_answer_parse(&a, from, false))
				closed = !test_read_some(fd, &a.bytes);
			if (closed) {
				assert_true(limit < 64 * KIB);
				break;
			}
			assert_true(a.status == 200 || a.status == 503 || a.status == 500 ||
				    a.status == 413);
			if (a.status == 200 && k == 1)
				assert_true(str_eq(a.body, buf_str(&body)));
			if (test_answer_header(&a, "connection").n)
				break;
		}
		net_server_stats(t.server, &stats);
		assert_true(stats.memory_bytes <= limit + limit / 8 + 16 * KIB);
		test_answer_fini(&a);
		close(fd);
		assert_true(wait_until_idle(t.server));
		net_server_free(t.server);
	}
	buf_fini(&body);
	buf_fini(&packed);
	buf_fini(&b);
}

static void an_address_in_use_or_invalid_is_reported(void **state)
{
	struct test_server t = test_server_start(&app, NULL);
	struct net_listener listener = {.app = &app};
	char taken[32];
	struct net_server *s;
	bool loopback;

	(void)state;
	snprintf(taken, sizeof(taken), "127.0.0.1:%u", t.port);
	static const struct {
		const char *address, *says;
	} cases[] = {
		{"127.0.0.1", "expected host:port"},
		{"127.0.0.1:x", "expected a port"},
		{"127.0.0.1:70000", "expected a port"},
		{"::1:80", "brackets"},
		{"no such host.invalid:80", "no such host.invalid:80"},
	};
	for (size_t i = 0; i < countof(cases); i++) {
		struct err e = {0};

		listener.address = cases[i].address;
		assert_true(net_server_start(&s, &listener, 1, NULL, NULL, &e) < 0);
		assert_err_says(&e, cases[i].says);
	}
	struct err e = {0};

	listener.address = taken;
	assert_int_equal(net_server_start(&s, &listener, 1, NULL, NULL, &e), -EADDRINUSE);
	assert_err_says(&e, taken);
	assert_ok(net_address_is_loopback("localhost:1", &loopback, NULL));
	assert_true(loopback);
	assert_ok(net_address_is_loopback("[::1]:1", &loopback, NULL));
	assert_true(loopback);
	assert_ok(net_address_is_loopback(":1", &loopback, NULL));
	assert_false(loopback);
	assert_ok(net_address_is_loopback("192.0.2.1:1", &loopback, NULL));
	assert_false(loopback);
	net_server_free(t.server);
}

TEST_MAIN(test_with(workers, responses_to_many_clients_from_many_threads_are_not_mixed_up),
	  test_with(workers, a_server_can_be_freed_during_a_response),
	  test(the_end_of_a_stream_with_data_closes_the_connection),
	  test_with(workers, the_handler_is_notified_when_a_client_disconnects),
	  test_with(workers, the_handler_is_notified_when_a_stream_is_cancelled),
	  test(a_connection_is_limited_to_a_number_of_requests),
	  test_with(workers, freeing_the_server_waits_for_exchanges_of_handlers),
	  test(a_detached_body_outlives_its_exchange),
	  test_with(workers, drain_closes_connections_after_its_timeout),
	  test_with(workers, a_response_during_drain_is_sent_and_ends_its_connection),
	  test(slow_requests_get_408), test(occasional_bytes_do_not_extend_the_request_timeout),
	  test(idle_connections_are_closed), test(a_client_that_does_not_read_is_disconnected),
	  test_with(workers, bodies_over_the_budget_get_a_retryable_error),
	  test(every_allocation_failure_is_an_error_response),
	  test(an_address_in_use_or_invalid_is_reported))
