/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A server with one failing allocation on any of its threads, for each allocation in turn: the
 * client gets the response without faults, an error status or a closed connection, but never a
 * wrong response or a hang. The same server answers the next request, and all memory is freed at
 * the end (ASan).
 */
#include "test/net.h"

#include "api/api_test.h"
#include "api/endpoint.h"
#include "fault/inject.h"
#include "net/rpc/grpc_client.h"
#include "wire/compress/deflate.h"

enum { ROUTES_MAX = 192 };

struct site {
	struct store *store;
	struct api *api;
	struct http_route routes[ROUTES_MAX];
	struct http_app app;
	struct test_server server;
};

static int site_setup(void **state)
{
	struct site *site = calloc(1, sizeof(*site));
	struct api_options o = {.threads = 1, .version = "9.9"};
	struct err e = {0};

	assert_ok(memory_store_open(&site->store));
	fill_shop(site->store);
	o.store = site->store;
	assert_ok_err(api_new(&site->api, &o, &e), &e);
	site->app.routes = site->routes;
	site->app.route_count = api_routes(site->api, site->routes, ROUTES_MAX);
	assert_true(site->app.route_count <= ROUTES_MAX);
	site->server = test_server_start(&site->app, NULL);
	api_set_server(site->api, site->server.server);
	inject_exempt(true); /* allocations of the client do not fail */
	*state = site;
	return 0;
}

static int site_teardown(void **state)
{
	struct site *site = *state;

	inject_exempt(false);
	net_server_free(site->server.server);
	api_free(site->api);
	site->store->ops->close(site->store);
	free(site);
	return 0;
}

struct outcome {
	/* 0: closed without a response */
	unsigned status;
	struct buf body;
	/* neither a response nor a close */
	bool silent;
};

/* ---- HTTP/1.1 ---- */

struct request1 {
	const char *method, *target, *headers;
	struct str body;
};

static void ask_http1(struct site *site, const void *what, struct outcome *o)
{
	const struct request1 *r = what;
	struct test_answer a = {0};
	struct buf out = {0};
	int fd = test_connect(site->server.port);
	uint64_t started = clock_monotonic_ns();

	buf_printf(&out, "%s %s HTTP/1.1\r\nhost: localhost\r\ncontent-length: %zu\r\n%s\r\n",
		   r->method, r->target, r->body.n, r->headers);
	buf_put_str(&out, r->body);
	test_send(fd, buf_str(&out));
	while (!test_answer_parse(&a, 0, false) && test_read_some(fd, &a.bytes))
		;
	o->silent = !a.status && clock_monotonic_ns() - started > TEST_WAIT_MS * NS_PER_MS;
	if (a.status && test_answer_parse(&a, 0, false)) {
		o->status = a.status;
		buf_put_str(&o->body, a.body);
	}
	test_answer_fini(&a);
	buf_fini(&out);
	close(fd);
}

/* ---- gRPC over HTTP/2 ---- */

static void ask_grpc(struct site *site, const void *what, struct outcome *o)
{
	const struct grpc_client_request *r = what;
	struct grpc_client *c = NULL;
	struct grpc_client_answer a = {0};
	char address[64];
	struct err e = {0};
	int rc;

	snprintf(address, sizeof(address), "127.0.0.1:%u", site->server.port);
	assert_ok_err(grpc_client_new(&c, address, false, NULL, &e), &e);
	rc = grpc_client_call(c, r, &a, &e);
	o->silent = rc == -ETIMEDOUT;
	if (!rc) {
		o->status = a.code ? 500 : 200;
		buf_put_str(&o->body, buf_str(&a.message));
	}
	grpc_client_answer_fini(&a);
	grpc_client_free(c);
}

/* ---- sweeping ---- */

static void sweep(struct site *site,
		  void (*send_request)(struct site *, const void *, struct outcome *),
		  const void *what, enum inject_mode mode)
{
	struct inject_sweep s = inject_sweep(INJECT_MEMORY, mode);
	struct buf expected = {0};

	while (inject_next(&s)) {
		struct outcome o = {0};

		inject_arm(&s);
		send_request(site, what, &o);
		inject_disarm(&s);
		if (!s.round) {
			assert_int_equal(o.status, 200);
			buf_put_str(&expected, buf_str(&o.body));
		} else if (o.silent) {
			inject_report(&s, "no response, and the connection was not closed");
		} else if (o.status == 200 && !str_eq(buf_str(&o.body), buf_str(&expected))) {
			inject_report(&s, "the response is %.*s\ninstead of %.*s",
				      STR_ARG(buf_str(&o.body)), STR_ARG(buf_str(&expected)));
		} else if (o.status && o.status != 200 && o.status != 429 && o.status < 500) {
			inject_report(&s, "status %u blames the client: %.*s", o.status,
				      STR_ARG(buf_str(&o.body)));
		}
		buf_fini(&o.body);
		o = (struct outcome){0};
		send_request(site, what, &o);
		if (o.status != 200 || !str_eq(buf_str(&o.body), buf_str(&expected)))
			inject_report(&s, "afterwards status %u: %.*s", o.status,
				      STR_ARG(buf_str(&o.body)));
		buf_fini(&o.body);
	}
	buf_fini(&expected);
	inject_check();
}

#define JSON "content-type: application/json\r\n"
#define TYPES "/querier.v1.QuerierService/ProfileTypes"
#define RANGE "{\"start\": " T0_MS ", \"end\": " T1_MS "}"

static void http1_survives_failing_allocations(void **state)
{
	static const struct request1 requests[] = {
		{"GET", "/ready", "", STR_INIT("")},
		{"GET", "/api/v1/top?query=shop&from=1700000000&to=1700000060", "", STR_INIT("")},
		{"POST", TYPES, JSON, STR_INIT(RANGE)},
	};

	for (size_t i = 0; i < countof(requests); i++) {
		sweep(*state, ask_http1, &requests[i], INJECT_ONE);
		sweep(*state, ask_http1, &requests[i], INJECT_REST);
	}
}

static void compressed_bodies_survive_failing_allocations(void **state)
{
	struct buf packed = {0};
	struct request1 r = {"POST", TYPES, JSON "content-encoding: gzip\r\n", {0}};

	assert_ok(deflate_bytes(&packed, COMPRESS_GZIP, 1, STR(RANGE)));
	r.body = buf_str(&packed);
	sweep(*state, ask_http1, &r, INJECT_ONE);
	sweep(*state, ask_http1, &r, INJECT_REST);
	buf_fini(&packed);
}

static void grpc_survives_failing_allocations(void **state)
{
	struct grpc_client_request r = {.path = STR(TYPES), .timeout_ms = TEST_WAIT_MS};

	sweep(*state, ask_grpc, &r, INJECT_ONE);
	sweep(*state, ask_grpc, &r, INJECT_REST);
	r.compression = COMPRESS_GZIP;
	sweep(*state, ask_grpc, &r, INJECT_ONE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		test_with(site, http1_survives_failing_allocations),
		test_with(site, compressed_bodies_survive_failing_allocations),
		test_with(site, grpc_survives_failing_allocations),
	};

	inject_init();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
