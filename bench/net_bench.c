/* SPDX-License-Identifier: Apache-2.0 */
/*
 * CPU time of the server per request: an empty one, and one of 73 KB, the size of an average OTLP
 * profile, over HTTP/1.1, HTTP/2 and gRPC. h2load makes the load in a separate process, on the same
 * cores. `net_bench serve PORT` only serves, for manual tests.
 */
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "net/http/respond.h"
#include "net/rpc/rpc.h"
#include "net/rpc/rpc_reply.h"
#include "net/server.h"

enum { CONNECTIONS = 8, BODY = 73095 };

static void nothing(void *owner, struct http_exchange *x)
{
	struct http_response r = {.status = 200};

	(void)owner;
	http_respond(x, &r);
}

static void call(void *owner, struct http_exchange *x)
{
	struct rpc_call *c = rpc_begin(x);
	struct buf reply = {0};

	(void)owner;
	if (c)
		rpc_reply(c, &reply);
}

static const struct http_route routes[] = {
	{METHOD_GET | METHOD_POST, 0, STR_INIT("/nothing"), nothing},
	{METHOD_POST, HTTP_RPC, STR_INIT("/call"), call},
	{METHOD_POST, HTTP_RPC, STR_INIT(RPC_HEALTH_CHECK), rpc_health_check},
};
static const struct http_app app = {.routes = routes, .route_count = countof(routes)};

static char body_file[] = "/tmp/varve-net-bench-XXXXXX",
	    call_file[] = "/tmp/varve-net-bench-XXXXXX";

/* Write a body to a file, and the same body as a gRPC message to another. */
static int make_files(void)
{
	static char bytes[5 + BODY];
	int plain = mkstemp(body_file), framed = mkstemp(call_file);

	for (size_t i = 5; i < sizeof(bytes); i++)
		bytes[i] = (char)(i * 7);
	bytes[2] = (char)(BODY >> 16);
	bytes[3] = (char)(BODY >> 8 & 0xff);
	bytes[4] = (char)(BODY & 0xff);
	if (plain < 0 || framed < 0 || write(plain, bytes + 5, BODY) != BODY ||
	    write(framed, bytes, sizeof(bytes)) != (ssize_t)sizeof(bytes))
		return -1;
	close(plain);
	close(framed);
	return 0;
}

struct load {
	const char *name;
	const char *options;
	const char *path;
	const char *file; /* NULL: GET */
	unsigned requests;
};

static void run(uint16_t port, const struct load *load)
{
	char command[512], method[256];
	double cpu, seconds;
	uint64_t start;

	snprintf(command, sizeof(command),
		 "h2load -c %d -t 1 -n %u %s %s%s http://127.0.0.1:%u%s >/dev/null 2>&1",
		 CONNECTIONS, load->requests, load->options, load->file ? "-d " : "",
		 load->file ? load->file : "", port, load->path);
	if (system(command)) { /* also warms up */
		bench_skip(load->name, "h2load failed");
		return;
	}
	start = clock_monotonic_ns();
	cpu = bench_cpu_seconds();
	if (system(command))
		return;
	cpu = bench_cpu_seconds() - cpu;
	seconds = (double)(clock_monotonic_ns() - start) / 1e9;
	snprintf(method, sizeof(method),
		 "%u requests, h2load %s on %d connections; %.0f requests/s", load->requests,
		 load->options, CONNECTIONS, load->requests / seconds);
	bench_report(&(struct bench_result){.name = load->name,
					    .value = cpu / load->requests * 1e6,
					    .unit = "us/request",
					    .better = BENCH_LESS,
					    .method = method});
}

int main(int argc, char **argv)
{
	const struct load loads[] = {
		{"net: empty request, HTTP/1.1", "--h1", "/nothing", NULL, 200000},
		{"net: empty request, HTTP/2", "-m 1", "/nothing", NULL, 200000},
		{"net: empty request, HTTP/2, 10 streams", "-m 10", "/nothing", NULL, 200000},
		{"net: 73 KB, HTTP/1.1", "--h1", "/nothing", body_file, 50000},
		{"net: 73 KB, HTTP/2", "-m 1", "/nothing", body_file, 50000},
		{"net: 73 KB, gRPC", "-m 1 -H 'content-type: application/grpc' -H 'te: trailers'",
		 "/call", call_file, 50000},
	};
	char address[32] = "127.0.0.1:0";
	struct net_listener listener = {.address = address, .app = &app};
	struct net_options options;
	struct net_server *server;
	struct err e = {0};

	if (argc == 3)
		snprintf(address, sizeof(address), "127.0.0.1:%s", argv[2]);
	net_options_init(&options);
	options.threads = 1;
	if (net_server_start(&server, &listener, 1, &options, NULL, &e)) {
		fprintf(stderr, "net_bench: %s\n", e.text);
		return 2;
	}
	if (argc == 3)
		pause();
	if (system("command -v h2load >/dev/null"))
		bench_skip("net", "h2load is not installed (package nghttp2-client)");
	else if (!make_files())
		for (size_t i = 0; i < countof(loads); i++)
			run(net_server_port(server, 0), &loads[i]);
	unlink(body_file);
	unlink(call_file);
	net_server_free(server);
	return 0;
}
