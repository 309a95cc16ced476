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
	listeners_init(&l);
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

/* Components with port 0 share a port unless their routes conflict. */
static void port_0_is_shared_unless_routes_conflict(void **state)
{
	struct listeners l;
	struct err e = {0};

	(void)state;
	listeners_init(&l);
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
	listeners_init(&l);
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

TEST_MAIN(test(two_components_cannot_register_the_same_route),
	  test(port_0_is_shared_unless_routes_conflict),
	  test(every_port_answers_readiness_and_health_checks))
