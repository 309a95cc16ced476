/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A server for the tests with third-party clients: prints its port and serves until stdin ends.
 *
 *	echo_server [certificate key]
 *
 * /echo returns the body; /test.Echo/Echo returns the message; the messages "fail" and "later" are
 * answered with errors.
 */
#include <stdio.h>
#include <unistd.h>

#include "net/http/respond.h"
#include "net/rpc/rpc.h"
#include "net/rpc/rpc_reply.h"
#include "net/server.h"

static void echo(void *owner, struct http_exchange *x)
{
	struct http_response r = {
		.status = 200, .compress = true, .content_type = STR("application/octet-stream")};

	(void)owner;
	buf_put_str(&r.body, x->body);
	http_respond(x, &r);
}

static void call(void *owner, struct http_exchange *x)
{
	struct rpc_call *c = rpc_begin(x);
	struct buf reply = {0};

	(void)owner;
	if (!c)
		return;
	if (str_eq(c->message, STR("fail"))) {
		rpc_fail_text(c, RPC_INVALID_ARGUMENT, "bad \xc3\xa4 %%");
	} else if (str_eq(c->message, STR("later"))) {
		rpc_fail(c, &(struct rpc_error){.code = RPC_UNAVAILABLE,
						.message = STR("later"),
						.retry_after_ms = 2500});
	} else {
		buf_put_str(&reply, c->message);
		rpc_reply(c, &reply);
	}
}

static const struct http_route routes[] = {
	{METHOD_GET | METHOD_POST | METHOD_PUT, 0, STR_INIT("/echo"), echo},
	{METHOD_POST, HTTP_RPC, STR_INIT("/test.Echo/Echo"), call},
	{METHOD_POST, HTTP_RPC, STR_INIT(RPC_HEALTH_CHECK), rpc_health_check},
};
static const struct http_app app = {.routes = routes, .route_count = countof(routes)};

int main(int argc, char **argv)
{
	struct net_tls_files files = {.certificate = argv[1], .key = argc > 2 ? argv[2] : NULL};
	struct net_listener listener = {
		.address = "127.0.0.1:0", .app = &app, .tls = argc > 2 ? &files : NULL};
	struct net_server *server;
	struct err e = {0};
	char byte;

	if (net_server_start(&server, &listener, 1, NULL, NULL, &e)) {
		fprintf(stderr, "echo_server: %s\n", e.text);
		return 2;
	}
	printf("%u\n", net_server_port(server, 0));
	fflush(stdout);
	while (read(STDIN_FILENO, &byte, 1) > 0)
		;
	if (net_server_drain(server, 2000))
		fprintf(stderr, "echo_server: cut off\n");
	net_server_free(server);
	return 0;
}
