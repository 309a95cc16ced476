/* SPDX-License-Identifier: Apache-2.0 */
/* A running server changes its routes and listeners: what happens to connections and requests. */
#include "net/change.h"

#include <pthread.h>
#include <stdatomic.h>

#include "base/thread.h"
#include "net/http/respond.h"
#include "net/rpc/grpc_client.h"
#include "net/rpc/rpc_reply.h"
#include "test/net.h"

/* Responds with its generation; a request to /hold is answered by release(). */
struct generation {
	unsigned number;
	struct http_exchange *_Atomic held;
	_Atomic bool gone, admitted;
	/* Set before the owner is destroyed: no callback may be called any more. */
	_Atomic bool destroyed;
};

static void answer(void *owner, struct http_exchange *x)
{
	struct generation *g = owner;

	assert_false(g->destroyed);
	http_respond_text(x, 200, "%u %.*s", g->number, STR_ARG(x->body));
}

static void on_gone(void *arg)
{
	struct generation *g = arg;

	g->gone = true;
}

static void hold(void *owner, struct http_exchange *x)
{
	struct generation *g = owner;

	assert_false(g->destroyed);
	http_on_gone(x, on_gone, g);
	g->held = x;
}

static void call(void *owner, struct http_exchange *x)
{
	struct generation *g = owner;
	struct rpc_call *c = rpc_begin(x);
	struct buf reply = {0};

	assert_false(g->destroyed);
	if (!c)
		return;
	buf_printf(&reply, "%u", g->number);
	rpc_reply(c, &reply);
}

static bool admit(void *owner, struct http_exchange *x, struct http_refusal *why)
{
	struct generation *g = owner;

	(void)x;
	(void)why;
	assert_false(g->destroyed);
	g->admitted = true;
	return true;
}

enum { ROUTES = 4 };

struct served {
	struct generation generation;
	struct http_route routes[ROUTES];
	struct http_app app;
};

static void served_init(struct served *s, unsigned number)
{
	*s = (struct served){
		.generation.number = number,
		.routes = {{METHOD_POST, 0, STR_INIT("/a"), answer, &s->generation},
			   {METHOD_POST, 0, STR_INIT("/hold"), hold, &s->generation},
			   {METHOD_POST, HTTP_PERMANENT, STR_INIT("/stay"), hold, &s->generation},
			   {METHOD_POST, HTTP_RPC, STR_INIT("/call"), call, &s->generation}},
		.app = {s->routes, ROUTES, admit, &s->generation},
	};
}

#define A_REQUEST "POST /a HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\nhi"
#define HOLD_REQUEST "POST /hold HTTP/1.1\r\nHost: h\r\nContent-Length: 0\r\n\r\n"
#define STAY_REQUEST "POST /stay HTTP/1.1\r\nHost: h\r\nContent-Length: 0\r\n\r\n"

static struct net_change *prepare(struct test_server *t, const struct http_app *app)
{
	struct net_listener to = {.address = "127.0.0.1:0", .app = app};
	struct net_change *c = NULL;
	struct err e = {0};

	assert_ok_err(net_server_prepare(t->server, &c, &to, 1, &e), &e);
	return c;
}

static void change_to(struct test_server *t, const struct http_app *app)
{
	struct net_change *c = prepare(t, app);

	net_server_pause(t->server);
	assert_ok(net_server_wait_answered(t->server, TEST_WAIT_MS));
	net_server_resume(t->server, c);
}

static void expect(int fd, struct test_answer *a, const char *body)
{
	test_next_answer(fd, a);
	assert_int_equal(a->status, 200);
	assert_str_equal(a->body, str_from(body));
}

static struct http_exchange *wait_for_held(struct generation *g)
{
	while (!g->held)
		usleep(1000);
	return atomic_exchange(&g->held, NULL);
}

static void connections_stay_and_new_requests_get_the_new_routes(void **state)
{
	struct served one, two;
	struct test_answer a = {0};
	struct test_server t;
	uint16_t port;
	int fd;

	(void)state;
	served_init(&one, 1);
	served_init(&two, 2);
	t = test_server_start(&one.app, NULL);
	fd = test_connect(t.port);
	test_send(fd, STR(A_REQUEST));
	expect(fd, &a, "1 hi\n");
	change_to(&t, &two.app);
	one.generation.destroyed = true;
	port = net_server_port(t.server, 0);
	assert_int_equal(port, t.port);
	test_send(fd, STR(A_REQUEST));
	expect(fd, &a, "2 hi\n");
	close(fd);
	test_answer_fini(&a);
	net_server_free(t.server);
}

static void a_request_that_is_incomplete_is_handled_by_the_new_routes(void **state)
{
	struct served one, two;
	struct test_answer a = {0}, b = {0};
	struct test_server t;
	int body, head;

	(void)state;
	served_init(&one, 1);
	served_init(&two, 2);
	t = test_server_start(&one.app, NULL);
	body = test_connect(t.port);
	head = test_connect(t.port);
	test_send(body, STR("POST /a HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\nh"));
	test_send(head, STR("POST /a HTTP/1.1\r\nHo"));
	while (!one.generation.admitted)
		usleep(1000);
	change_to(&t, &two.app);
	one.generation.destroyed = true;
	test_send(body, STR("i"));
	expect(body, &a, "2 hi\n");
	assert_true(two.generation.admitted);
	test_send(head, STR("st: h\r\nContent-Length: 2\r\n\r\nyo"));
	expect(head, &b, "2 yo\n");
	close(body);
	close(head);
	test_answer_fini(&a);
	test_answer_fini(&b);
	net_server_free(t.server);
}

static void input_waits_during_the_pause(void **state)
{
	struct served one, two;
	struct test_answer a = {0}, b = {0};
	struct net_change *c;
	struct test_server t;
	int old, new;

	(void)state;
	served_init(&one, 1);
	served_init(&two, 2);
	t = test_server_start(&one.app, NULL);
	old = test_connect(t.port);
	test_send(old, STR(HOLD_REQUEST));

	struct http_exchange *x = wait_for_held(&one.generation);

	c = prepare(&t, &two.app);
	net_server_pause(t.server);
	test_send(old, STR(A_REQUEST));
	new = test_connect(t.port);
	test_send(new, STR(A_REQUEST));
	assert_int_equal(net_server_wait_answered(t.server, 20), -ETIMEDOUT);
	http_respond_text(x, 200, "late");
	assert_ok(net_server_wait_answered(t.server, TEST_WAIT_MS));
	expect(old, &a, "late\n"); /* responses are sent during the pause */
	net_server_resume(t.server, c);
	one.generation.destroyed = true;
	expect(old, &a, "2 hi\n");
	expect(new, &b, "2 hi\n");
	close(old);
	close(new);
	test_answer_fini(&a);
	test_answer_fini(&b);
	net_server_free(t.server);
}

static void a_late_response_and_one_of_a_permanent_route_are_sent(void **state)
{
	struct served one, two;
	struct test_answer a = {0};
	struct net_change *c;
	struct test_server t;
	struct http_exchange *x;
	int fd;

	(void)state;
	served_init(&one, 1);
	served_init(&two, 2);
	t = test_server_start(&one.app, NULL);
	fd = test_connect(t.port);
	test_send(fd, STR(HOLD_REQUEST));
	x = wait_for_held(&one.generation);
	c = prepare(&t, &two.app);
	net_server_pause(t.server);
	assert_int_equal(net_server_wait_answered(t.server, 1), -ETIMEDOUT);
	http_respond_text(x, 200, "it was close"); /* cut_off() waits for a response in any case */
	net_server_cut_off(t.server);
	net_server_resume(t.server, c);
	close(fd);

	/* a permanent route is not waited for, and its response arrives */
	fd = test_connect(t.port);
	test_send(fd, STR(STAY_REQUEST));
	x = wait_for_held(&two.generation);
	change_to(&t, &one.app);
	http_respond_text(x, 200, "still");
	expect(fd, &a, "still\n");
	close(fd);
	test_answer_fini(&a);
	net_server_free(t.server);
}

/* Responds when the client has left, as a handler of a long request does. */
static void respond_when_gone(void *arg)
{
	struct generation *g = arg;
	struct http_exchange *x = wait_for_held(g);

	while (!http_gone(x))
		usleep(1000);
	http_respond_text(x, 500, "gone");
}

static void a_cut_off_connection_is_closed_and_its_handler_notified(void **state)
{
	struct served one, two;
	struct net_change *c;
	struct test_server t;
	struct thread thread;
	int fd;

	(void)state;
	served_init(&one, 1);
	served_init(&two, 2);
	t = test_server_start(&one.app, NULL);
	fd = test_connect(t.port);
	test_send(fd, STR(HOLD_REQUEST));
	while (!one.generation.held)
		usleep(1000);
	assert_ok(thread_start(&thread, "gone", respond_when_gone, &one.generation, NULL));
	c = prepare(&t, &two.app);
	net_server_pause(t.server);
	net_server_cut_off(t.server);
	assert_true(one.generation.gone);
	net_server_resume(t.server, c);
	thread_join(&thread);
	assert_true(test_is_closed(fd));
	close(fd);
	net_server_free(t.server);
}

static void listeners_are_opened_and_closed(void **state)
{
	struct served one, two;
	struct net_listener to[2] = {{.address = "127.0.0.1:0", .app = &two.app},
				     {.address = "localhost:0", .app = &two.app}};
	struct net_change *c;
	struct test_answer a = {0};
	struct test_server t;
	struct err e = {0};
	uint16_t second;
	int idle, partial, fd;

	(void)state;
	served_init(&one, 1);
	served_init(&two, 2);
	t = test_server_start(&one.app, NULL);
	assert_ok_err(net_server_prepare(t.server, &c, to, 2, &e), &e);
	net_server_pause(t.server);
	net_server_resume(t.server, c);
	assert_int_equal(net_server_port(t.server, 0), t.port);
	second = net_server_port(t.server, 1);
	fd = test_connect(second);
	test_send(fd, STR(A_REQUEST));
	expect(fd, &a, "2 hi\n");

	/* the first listener goes; the second, now named by its port, stays */
	two.generation.admitted = false;
	idle = test_connect(t.port);
	partial = test_connect(t.port);
	test_send(partial, STR("POST /a HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\nh"));
	while (!two.generation.admitted)
		usleep(1000);

	char address[32];

	snprintf(address, sizeof(address), "127.0.0.1:%u", second);
	to[0] = (struct net_listener){.address = address, .app = &one.app};
	assert_ok_err(net_server_prepare(t.server, &c, to, 1, &e), &e);
	net_server_pause(t.server);
	net_server_resume(t.server, c);
	two.generation.destroyed = true;
	assert_int_equal(net_server_port(t.server, 0), second);
	assert_true(test_is_closed(idle));
	test_send(fd, STR(A_REQUEST));
	expect(fd, &a, "1 hi\n");
	test_answer_fini(&a);
	a = (struct test_answer){0};
	test_send(partial, STR("i"));
	test_next_answer(partial, &a);
	assert_int_equal(a.status, 503);
	assert_str_equal(test_answer_header(&a, "retry-after"), STR("1"));
	assert_true(test_is_closed(partial));
	test_answer_fini(&a);
	close(idle);
	close(partial);
	close(fd);
	net_server_free(t.server);
}

static void a_change_that_cannot_be_prepared_has_no_effect(void **state)
{
	struct served one;
	struct net_listener to[2] = {{.address = "127.0.0.1:0", .app = &one.app},
				     {.app = &one.app}};
	struct net_change *c = NULL;
	struct test_server t, other;
	struct test_answer a = {0};
	struct err e = {0};
	char taken[32];
	int fd;

	(void)state;
	served_init(&one, 1);
	t = test_server_start(&one.app, NULL);
	other = test_server_start(&one.app, NULL);
	snprintf(taken, sizeof(taken), "127.0.0.1:%u", other.port);
	to[1].address = taken;
	fd = test_connect(t.port);
	assert_int_equal(net_server_prepare(t.server, &c, to, 2, &e), -EADDRINUSE);
	assert_err_says(&e, taken);
	assert_null(c);
	to[1].address = "127.0.0.1:0";
	assert_ok_err(net_server_prepare(t.server, &c, to, 2, &e), &e);
	net_server_pause(t.server);
	net_change_free(c);
	net_server_resume(t.server, NULL);
	test_send(fd, STR(A_REQUEST));
	expect(fd, &a, "1 hi\n");
	test_answer_fini(&a);
	close(fd);
	net_server_free(t.server);
	net_server_free(other.server);
}

struct caller {
	char address[32];
	struct thread thread;
	_Atomic bool end;
	_Atomic unsigned calls;
};

static void call_often(void *arg)
{
	struct caller *c = arg;
	struct grpc_client *client;
	struct err e = {0};

	assert_ok_err(grpc_client_new(&client, c->address, false, NULL, &e), &e);
	while (!c->end) {
		struct grpc_client_request request = {.path = STR("/call"), .message = STR("x")};
		struct grpc_client_answer reply;

		assert_ok_err(grpc_client_call(client, &request, &reply, &e), &e);
		assert_int_equal(reply.code, RPC_OK);
		grpc_client_answer_fini(&reply);
		c->calls++;
	}
	grpc_client_free(client);
}

static void post_often(void *arg)
{
	struct caller *c = arg;
	int fd = test_connect((uint16_t)atoi(strchr(c->address, ':') + 1));

	while (!c->end) {
		struct test_answer a = {0};

		test_send(fd, STR(A_REQUEST));
		test_next_answer(fd, &a);
		assert_int_equal(a.status, 200);
		test_answer_fini(&a);
		c->calls++;
	}
	close(fd);
}

/* Clients keep their connections over many changes, and no request fails. */
static void no_request_fails_over_many_changes(void **state)
{
	enum { CALLERS = 4, CHANGES = 50 };
	struct served *all = calloc(CHANGES + 1, sizeof(*all));
	struct caller callers[CALLERS] = {0};
	struct net_stats stats;
	struct test_server t;

	(void)state;
	served_init(&all[0], 0);
	t = test_server_start(&all[0].app, NULL);
	for (size_t i = 0; i < CALLERS; i++) {
		snprintf(callers[i].address, sizeof(callers[i].address), "127.0.0.1:%u", t.port);
		assert_ok(thread_start(&callers[i].thread, "caller",
				       i % 2 ? call_often : post_often, &callers[i], NULL));
	}
	for (unsigned i = 1; i <= CHANGES; i++) {
		unsigned before = callers[0].calls, calls = callers[1].calls;

		served_init(&all[i], i);
		change_to(&t, &all[i].app);
		all[i - 1].generation.destroyed = true;
		while (callers[0].calls == before || callers[1].calls == calls)
			usleep(100);
	}
	for (size_t i = 0; i < CALLERS; i++) {
		callers[i].end = true;
		thread_join(&callers[i].thread);
	}
	net_server_stats(t.server, &stats);
	assert_int_equal(stats.connections_total, CALLERS);
	net_server_free(t.server);
	free(all);
}

TEST_MAIN(test(connections_stay_and_new_requests_get_the_new_routes),
	  test(a_request_that_is_incomplete_is_handled_by_the_new_routes),
	  test(input_waits_during_the_pause),
	  test(a_late_response_and_one_of_a_permanent_route_are_sent),
	  test(a_cut_off_connection_is_closed_and_its_handler_notified),
	  test(listeners_are_opened_and_closed),
	  test(a_change_that_cannot_be_prepared_has_no_effect),
	  test(no_request_fails_over_many_changes))
