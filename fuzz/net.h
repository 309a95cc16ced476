/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_FUZZ_NET_H
#define VARVE_FUZZ_NET_H

/*
 * A connection of the real server without its threads: one end of a socket pair is the client, and
 * the loop is run step by step. After each input no connection and no exchange may remain, and no
 * memory except what the loop keeps for reuse.
 */
#include "fuzz.h"

#include <errno.h>
#include <sys/socket.h>
#include <unistd.h>

#include "net/conn.h"
#include "net/http/multipart.h"
#include "net/http/respond.h"
#include "net/http/uri.h"
#include "net/rpc/rpc.h"
#include "net/rpc/rpc_reply.h"

static struct loop fuzz_loop;
static struct budget fuzz_bodies = {.limit = 4 * MIB};
/* gets its response a round later, as from another thread */
static struct http_exchange *fuzz_later;

static inline void fuzz_echo(void *owner, struct http_exchange *x)
{
	struct http_response r = {.status = 200, .compress = true};
	struct str value;

	(void)owner;
	FUZZ_CHECK(x->path.n && x->path.p[0] == '/');
	FUZZ_CHECK(x->body.n <= MIB);
	for (size_t i = 0; i < x->header_count; i++)
		for (size_t k = 0; k < x->headers[i].name.n; k++)
			FUZZ_CHECK(x->headers[i].name.p[k] < 'A' || x->headers[i].name.p[k] > 'Z');
	if (!http_param(x, STR("a"), 0, &value))
		buf_put_str(&r.body, value);
	buf_put_str(&r.body, x->body);
	http_respond(x, &r);
}

static inline void fuzz_call(void *owner, struct http_exchange *x)
{
	struct rpc_call *call = rpc_begin(x);
	struct buf reply = {0};

	(void)owner;
	if (!call)
		return;
	buf_put_str(&reply, call->message);
	rpc_reply(call, &reply);
}

static inline void fuzz_keep(void *owner, struct http_exchange *x)
{
	(void)owner;
	if (fuzz_later)
		http_respond_text(fuzz_later, 200, "late");
	fuzz_later = x;
}

static const struct http_route fuzz_routes[] = {
	{METHOD_GET | METHOD_POST, 0, STR_INIT("/e"), fuzz_echo},
	{METHOD_POST, HTTP_RAW_BODY, STR_INIT("/r"), fuzz_echo, NULL, 100},
	{METHOD_POST, HTTP_RPC, STR_INIT("/c"), fuzz_call},
	{METHOD_GET, 0, STR_INIT("/l"), fuzz_keep},
	{METHOD_GET, HTTP_PREFIX, STR_INIT("/p/"), fuzz_echo},
};
static const struct http_app fuzz_app = {.routes = fuzz_routes,
					 .route_count = countof(fuzz_routes)};

static inline void fuzz_respond_late(void)
{
	if (fuzz_later)
		http_respond_text(take_ptr(&fuzz_later), 200, "late");
}

static inline void fuzz_net_start(void)
{
	struct net_options o;

	if (fuzz_loop.scratch)
		return;
	net_options_init(&o);
	o.max_header_bytes = 4096;
	o.max_headers = 20;
	o.max_body_bytes = MIB;
	o.max_connection_memory = 2 * MIB;
	o.max_memory = fuzz_bodies.limit;
	o.max_concurrent_streams = 10;
	FUZZ_CHECK(loop_init(&fuzz_loop, NULL, &o, &fuzz_bodies, NULL) == 0);
}

/* Discard the server's output. */
static inline void fuzz_drain_output(int fd)
{
	char bytes[65536];

	while (recv(fd, bytes, sizeof(bytes), MSG_DONTWAIT) > 0)
		;
}

/*
 * Send `in` in pieces of about `piece` bytes, run a round of the loop after each, then disconnect.
 */
static inline void fuzz_connection(struct str in, size_t piece)
{
	struct sockaddr_storage peer = {.ss_family = AF_INET};
	struct conn *c;
	int pair[2];

	fuzz_net_start();
	FUZZ_CHECK(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair) == 0);
	c = conn_new(&fuzz_loop, pair[0], NULL, &fuzz_app, &peer);
	FUZZ_CHECK(c);
	atomic_fetch_add(&fuzz_loop.stats.connections_open, 1);
	conn_start(c);
	while (in.n) {
		struct str now = str_head(in, max_size(piece, 1));

		if (send(pair[1], now.p, now.n, MSG_NOSIGNAL) != (ssize_t)now.n)
			break;
		in = str_from_at(in, now.n);
		loop_round(&fuzz_loop, 0);
		fuzz_drain_output(pair[1]);
	}
	loop_round(&fuzz_loop, 0);
	fuzz_respond_late();
	loop_round(&fuzz_loop, 0);
	fuzz_drain_output(pair[1]);
	close(pair[1]);
	for (int i = 0; i < 1000 && (fuzz_loop.conns || fuzz_loop.held); i++) {
		loop_round(&fuzz_loop, 0);
		fuzz_respond_late();
	}
	FUZZ_CHECK(!fuzz_loop.conns && !fuzz_loop.held && !fuzz_loop.ready);
	FUZZ_CHECK(atomic_load(&fuzz_loop.stats.connections_open) == 0);
	FUZZ_CHECK(atomic_load(&fuzz_loop.stats.exchanges_open) == 0);
	FUZZ_CHECK(fuzz_bodies.used <= 2 * MIB);
}

#endif
