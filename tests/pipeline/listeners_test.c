/* SPDX-License-Identifier: Apache-2.0 */
/* Listeners: which components may share an address, and the responses that every port gives. */
#include "net/http/respond.h"
#include "net/rpc/grpc_client.h"
#include "net/rpc/rpc_reply.h"
#include "pipeline/listeners.h"
#include "test/net.h"

static void hello(void *owner, struct http_exchange *x)
{
	(void)owner;
	http_respond_text(x, 200, "hello");
}

static const struct http_route first[] = {
	{METHOD_POST, 0, STR_INIT("/a"), hello},
	{METHOD_POST, 0, STR_INIT("/b"), hello},
};
static const struct http_route other_method[] = {{METHOD_GET, 0, STR_INIT("/b"), hello}};
static const struct http_route other_path[] = {{METHOD_POST, 0, STR_INIT("/c"), hello}};
/* the first route is free, the second is taken */
static const struct http_route second_taken[] = {
	{METHOD_POST, 0, STR_INIT("/d"), hello},
	{METHOD_POST | METHOD_PUT, 0, STR_INIT("/b"), hello},
};
/* the first route is taken, the second is free */
static const struct http_route first_taken[] = {
	{METHOD_POST, 0, STR_INIT("/a"), hello},
	{METHOD_POST, 0, STR_INIT("/e"), hello},
};

#define ROUTES(address_, routes_)                                                                  \
	(&(struct listener_routes){                                                                \
		.address = STR(address_), .routes = routes_, .count = countof(routes_)})

static void two_components_cannot_register_the_same_route(void **state)
{
	struct listeners l;
	struct err e = {0};

	(void)state;
	assert_ok(listeners_init(&l));
	assert_ok_err(listeners_add(&l, ROUTES("127.0.0.1:1", first), &e), &e);
	assert_ok_err(listeners_add(&l, ROUTES("127.0.0.1:1", other_method), &e), &e);
	assert_ok_err(listeners_add(&l, ROUTES("127.0.0.1:1", other_path), &e), &e);
	assert_int_equal(listeners_count(&l), 1);
	assert_int_equal(listeners_add(&l, ROUTES("127.0.0.1:1", second_taken), &e), -EINVAL);
	assert_err_says(&e, "127.0.0.1:1: two components register the path /b");
	e = (struct err){0};
	assert_int_equal(listeners_add(&l, ROUTES("127.0.0.1:1", first_taken), &e), -EINVAL);
	assert_err_says(&e, "127.0.0.1:1: two components register the path /a");
	assert_ok(listeners_add(&l, ROUTES("127.0.0.1:2", second_taken), NULL));
	assert_int_equal(listeners_count(&l), 2);
	listeners_fini(&l);
}

static const struct http_route below[] = {
	{METHOD_POST, 0, STR_INIT("/x/a"), hello},
	{METHOD_GET, 0, STR_INIT("/x"), hello},
	{METHOD_GET, 0, STR_INIT("/xy/b"), hello},
};

static void a_part_of_the_paths_has_its_own_address(void **state)
{
	struct listeners l;
	struct err e = {0};

	(void)state;
	assert_ok(listeners_init(&l));
	assert_ok(listeners_add(&l, ROUTES("127.0.0.1:1", below), &e));
	assert_ok_err(
		listeners_add_below(&l, STR("127.0.0.1:1"), STR("/x"), STR("127.0.0.1:2"), &e), &e);
	assert_int_equal(listeners_count(&l), 2);
	/* /a is taken, and nothing else */
	assert_int_equal(listeners_add(&l, ROUTES("127.0.0.1:2", first), &e), -EINVAL);
	assert_err_says(&e, "127.0.0.1:2: two components register the path /a");
	assert_ok(listeners_add(&l, ROUTES("127.0.0.1:2", other_method), &e));
	assert_int_equal(
		listeners_add_below(&l, STR("127.0.0.1:1"), STR("/x"), STR("127.0.0.1:2"), &e),
		-EINVAL);
	listeners_fini(&l);
}

/* Components with port 0 share a port unless their routes conflict. */
static void port_0_is_shared_unless_routes_conflict(void **state)
{
	struct listeners l;
	struct err e = {0};

	(void)state;
	assert_ok(listeners_init(&l));
	assert_ok_err(listeners_add(&l, ROUTES("127.0.0.1:0", first), &e), &e);
	assert_ok_err(listeners_add(&l, ROUTES("127.0.0.1:0", other_path), &e), &e);
	assert_int_equal(listeners_count(&l), 1);
	assert_ok_err(listeners_add(&l, ROUTES("127.0.0.1:0", second_taken), &e), &e);
	assert_int_equal(listeners_count(&l), 2);
	assert_ok_err(listeners_add(&l, ROUTES("127.0.0.1:0", first_taken), &e), &e);
	assert_int_equal(listeners_count(&l), 2); /* the second listener has these routes free */
	listeners_fini(&l);
}

/* Like the guard of the server, accept requests to open routes. */
static bool guard(void *owner, struct http_exchange *x, struct http_refusal *why)
{
	(void)owner;
	if (x->route->flags & HTTP_OPEN)
		return true;
	why->status = 401;
	return false;
}

static void every_port_answers_readiness_and_health_checks(void **state)
{
	static const char *const addresses[] = {"127.0.0.1:0", "localhost:0"};
	static const struct http_route ready[] = {{METHOD_GET, 0, STR_INIT("/ready"), hello}};
	struct listeners l;
	struct err e = {0};

	(void)state;
	assert_ok(listeners_init(&l));
	l.guard = guard;
	assert_ok_err(listeners_add(&l, ROUTES("127.0.0.1:0", first), &e), &e);
	/* registers its own /ready */
	assert_ok_err(listeners_add(&l, ROUTES("localhost:0", ready), &e), &e);
	assert_ok_err(listeners_start(&l, NULL, NULL, &e), &e);
	for (size_t i = 0; i < countof(addresses); i++) {
		uint16_t port = listeners_port(&l, str_from(addresses[i]));
		struct grpc_client_request request = {.path = STR(RPC_HEALTH_CHECK)};
		struct grpc_client_answer answer;
		struct grpc_client *c;
		char to[32];

		snprintf(to, sizeof(to), "127.0.0.1:%u", port);
		assert_int_equal(test_status(port, STR("GET /ready HTTP/1.1\r\nHost: h\r\n\r\n")),
				 i ? 401 : 200);
		assert_ok_err(grpc_client_new(&c, to, false, NULL, &e), &e);
		assert_ok_err(grpc_client_call(c, &request, &answer, &e), &e);
		assert_int_equal(answer.code, RPC_OK);
		assert_str_equal(buf_str(&answer.message), STR("\x08\x01")); /* SERVING */
		grpc_client_answer_fini(&answer);
		grpc_client_free(c);
	}
	listeners_fini(&l);
}

/* The owner of routes of one configuration. */
struct receiver {
	const char *name;
	_Atomic bool admitted, destroyed;
	struct http_exchange *_Atomic held;
};

static bool admit(void *owner, struct http_exchange *x, struct http_refusal *why)
{
	struct receiver *r = owner;

	(void)x;
	(void)why;
	assert_false(r->destroyed);
	r->admitted = true;
	return true;
}

static void say_name(void *owner, struct http_exchange *x)
{
	struct receiver *r = owner;

	assert_false(r->destroyed);
	http_respond_text(x, 200, "%s", r->name);
}

static void hold(void *owner, struct http_exchange *x)
{
	struct receiver *r = owner;

	r->held = x;
}

/* Register /name and /hold of a receiver. */
static void add_receiver(struct listeners *l, const char *address, struct receiver *r,
			 struct http_route routes[2], bool permanent)
{
	struct err e = {0};
	struct listener_routes all = {.address = str_from(address),
				      .routes = routes,
				      .count = 2,
				      .admit = admit,
				      .owner = r,
				      .permanent = permanent};

	routes[0] = (struct http_route){METHOD_GET, 0, permanent ? STR("/own") : STR("/name"),
					say_name, r};
	routes[1] = (struct http_route){METHOD_GET, 0, permanent ? STR("/long") : STR("/hold"),
					hold, r};
	assert_ok_err(listeners_add(l, &all, &e), &e);
}

static void expect_name(int fd, struct test_answer *a, const char *path, const char *name)
{
	char request[128];

	snprintf(request, sizeof(request), "GET %s HTTP/1.1\r\nHost: h\r\n\r\n", path);
	test_send(fd, str_from(request));
	test_next_answer(fd, a);
	assert_int_equal(a->status, 200);
	assert_str_equal(str_trim(a->body), str_from(name));
}

static void routes_are_replaced_while_connections_stay(void **state)
{
	struct receiver all[4] = {{"first"}, {"second"}, {"third"}, {"api"}};
	struct http_route routes[4][2];
	struct listeners l;
	struct test_answer a = {0}, b = {0};
	struct err e = {0};
	uint16_t port;
	int fd, query;

	(void)state;
	assert_ok(listeners_init(&l));
	add_receiver(&l, "127.0.0.1:0", &all[0], routes[0], false);
	add_receiver(&l, "127.0.0.1:0", &all[3], routes[3], true);
	assert_ok_err(listeners_start(&l, NULL, NULL, &e), &e);
	port = listeners_port(&l, STR("127.0.0.1:0"));
	fd = test_connect(port);
	query = test_connect(port);
	expect_name(fd, &a, "/name", "first");
	test_send(query, STR("GET /long HTTP/1.1\r\nHost: h\r\n\r\n"));
	while (!all[3].held)
		usleep(1000);

	/* the request to the permanent route goes on over two replacements */
	for (size_t i = 1; i < 3; i++) {
		assert_ok(listeners_begin_next(&l));
		add_receiver(&l, "127.0.0.1:0", &all[i], routes[i], false);
		add_receiver(&l, "127.0.0.1:0", &all[3], routes[3], true);
		assert_int_equal(listeners_count(&l), 1);
		assert_ok_err(listeners_prepare_next(&l, &e), &e);
		listeners_pause(&l, TEST_WAIT_MS);
		listeners_cut_off(&l);
		assert_ok_err(listeners_resume(&l, NULL, NULL, &e), &e);
		all[i - 1].destroyed = true;
		memset(routes[i - 1], 0, sizeof(routes[i - 1]));
		assert_int_equal(listeners_port(&l, STR("127.0.0.1:0")), port);
		expect_name(fd, &a, "/name", all[i].name);
		expect_name(fd, &a, "/own", "api");
		assert_true(all[i].admitted);
	}
	http_respond_text(all[3].held, 200, "%.*s", STR_ARG(all[3].held->route->path));
	test_next_answer(query, &b);
	assert_str_equal(b.body, STR("/long\n"));
	close(fd);
	close(query);
	test_answer_fini(&a);
	test_answer_fini(&b);
	listeners_fini(&l);
}

static void a_replacement_can_be_dropped(void **state)
{
	struct receiver all[2] = {{"first"}, {"second"}};
	struct http_route routes[2][2], more[2];
	struct listeners l, other;
	struct test_answer a = {0};
	struct err e = {0};
	char taken[32];
	int fd;

	(void)state;
	assert_ok(listeners_init(&l));
	assert_ok(listeners_init(&other));
	add_receiver(&l, "127.0.0.1:0", &all[0], routes[0], false);
	add_receiver(&other, "127.0.0.1:0", &all[1], routes[1], false);
	assert_ok_err(listeners_start(&l, NULL, NULL, &e), &e);
	assert_ok_err(listeners_start(&other, NULL, NULL, &e), &e);
	snprintf(taken, sizeof(taken), "127.0.0.1:%u", listeners_port(&other, STR("127.0.0.1:0")));
	fd = test_connect(listeners_port(&l, STR("127.0.0.1:0")));

	assert_ok(listeners_begin_next(&l));
	add_receiver(&l, "127.0.0.1:0", &all[1], routes[1], false);
	add_receiver(&l, taken, &all[1], more, false);
	assert_int_equal(listeners_prepare_next(&l, &e), -EADDRINUSE);
	assert_err_says(&e, taken);
	listeners_drop_next(&l);
	assert_str_equal(listeners_address(&l, 0), STR("127.0.0.1:0"));
	assert_int_equal(listeners_count(&l), 1);
	expect_name(fd, &a, "/name", "first");

	/* during the pause too */
	assert_ok(listeners_begin_next(&l));
	add_receiver(&l, "127.0.0.1:0", &all[1], routes[1], false);
	e = (struct err){0};
	assert_ok_err(listeners_prepare_next(&l, &e), &e);
	listeners_pause(&l, 0);
	listeners_drop_next(&l);
	assert_ok_err(listeners_resume(&l, NULL, NULL, &e), &e);
	expect_name(fd, &a, "/name", "first");
	close(fd);
	test_answer_fini(&a);
	listeners_fini(&l);
	listeners_fini(&other);
}

static void the_first_address_can_be_added_later(void **state)
{
	struct receiver r = {"late"};
	struct http_route routes[2];
	struct listeners l;
	struct test_answer a = {0};
	struct err e = {0};
	int fd;

	(void)state;
	assert_ok(listeners_init(&l));
	assert_ok_err(listeners_start(&l, NULL, NULL, &e), &e);
	assert_ok(listeners_begin_next(&l));
	add_receiver(&l, "127.0.0.1:0", &r, routes, false);
	assert_ok_err(listeners_prepare_next(&l, &e), &e);
	listeners_pause(&l, TEST_WAIT_MS);
	listeners_cut_off(&l);
	assert_ok_err(listeners_resume(&l, NULL, NULL, &e), &e);
	fd = test_connect(listeners_port(&l, STR("127.0.0.1:0")));
	expect_name(fd, &a, "/name", "late");

	/* and the last one removed */
	assert_ok(listeners_begin_next(&l));
	assert_ok_err(listeners_prepare_next(&l, &e), &e);
	listeners_pause(&l, TEST_WAIT_MS);
	assert_ok_err(listeners_resume(&l, NULL, NULL, &e), &e);
	assert_true(test_is_closed(fd));
	close(fd);
	test_answer_fini(&a);
	listeners_fini(&l);
}

TEST_MAIN(test(two_components_cannot_register_the_same_route),
	  test(a_part_of_the_paths_has_its_own_address),
	  test(port_0_is_shared_unless_routes_conflict),
	  test(every_port_answers_readiness_and_health_checks),
	  test(routes_are_replaced_while_connections_stay), test(a_replacement_can_be_dropped),
	  test(the_first_address_can_be_added_later))
