/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_TEST_OTLP_SINK_H
#define VARVE_TEST_OTLP_SINK_H

/*
 * A server of OTLP, gRPC and HTTP on one port of loopback, that records the messages and answers as
 * a test says.
 */

#include <pthread.h>

#include "net/http/header.h"
#include "net/http/respond.h"
#include "net/rpc/rpc_reply.h"
#include "signal/signal_kind.h"
#include "test/identity.h"
#include "test/net.h"
#include "wire/proto.h"

struct otlp_sink {
	struct net_server *server;
	struct http_route routes[2 * SIGNALS];
	struct http_app app;
	uint16_t port;
	pthread_mutex_t mu; /* guards what follows */
	/* The error of each response if its code is not RPC_OK. */
	struct rpc_error error;
	unsigned refusals; /* how many responses are this error; 0: all */
	/* Otherwise, the partial success. */
	uint64_t rejected;
	struct str reason;
	unsigned requests, calls; /* calls: gRPC */
	struct buf bytes[SIGNALS];
	char header[64]; /* x-team of the last request */
	char coding[16]; /* grpc-encoding or content-encoding */
	char agent[64], authority[64];
};

#define OTLP_SINK_SERVICE "/opentelemetry.proto.collector."

static const struct str otlp_sink_paths[SIGNALS][2] = {
	{STR_INIT("/v1development/profiles"),
	 STR_INIT(OTLP_SINK_SERVICE "profiles.v1development.ProfilesService/Export")},
	{STR_INIT("/v1/traces"), STR_INIT(OTLP_SINK_SERVICE "trace.v1.TraceService/Export")},
	{STR_INIT("/v1/metrics"), STR_INIT(OTLP_SINK_SERVICE "metrics.v1.MetricsService/Export")},
	{STR_INIT("/v1/logs"), STR_INIT(OTLP_SINK_SERVICE "logs.v1.LogsService/Export")},
};

/* Record a message. Return whether it is accepted; else set *error. */
static bool otlp_sink_take(struct otlp_sink *s, struct http_exchange *x, struct str message,
			   struct rpc_error *error)
{
	struct str coding = http_header(x, STR("grpc-encoding"));

	if (!coding.n)
		coding = http_header(x, STR("content-encoding"));
	s->requests++;
	snprintf(s->header, sizeof(s->header), "%.*s", STR_ARG(http_header(x, STR("x-team"))));
	snprintf(s->agent, sizeof(s->agent), "%.*s", STR_ARG(http_header(x, STR("user-agent"))));
	snprintf(s->authority, sizeof(s->authority), "%.*s", STR_ARG(x->host));
	snprintf(s->coding, sizeof(s->coding), "%.*s", STR_ARG(coding));
	*error = s->error;
	if (s->error.code != RPC_OK) {
		if (s->refusals && !--s->refusals)
			s->error.code = RPC_OK;
		return false;
	}
	for (unsigned i = 0; i < SIGNALS; i++)
		if (str_eq(x->path, otlp_sink_paths[i][0]) ||
		    str_eq(x->path, otlp_sink_paths[i][1]))
			buf_put_str(&s->bytes[i], message);
	return true;
}

static void otlp_sink_reply(struct otlp_sink *s, struct buf *out)
{
	struct proto_writer w;

	if (!s->rejected && !s->reason.n)
		return;
	proto_writer_init(&w, NULL);
	proto_put_bytes(&w, 2, s->reason);
	proto_put_uint(&w, 1, s->rejected);
	proto_put_header(&w, 1, 0);
	buf_put_str(out, proto_writer_str(&w));
	proto_writer_fini(&w);
}

static void otlp_sink_on_call(void *owner, struct http_exchange *x)
{
	struct rpc_call *call = rpc_begin(x);
	struct otlp_sink *s = owner;
	struct rpc_error error;
	struct buf reply = {0};
	bool accepted;

	if (!call)
		return;
	pthread_mutex_lock(&s->mu);
	s->calls++;
	accepted = otlp_sink_take(s, x, call->message, &error);
	if (accepted)
		otlp_sink_reply(s, &reply);
	pthread_mutex_unlock(&s->mu);
	if (accepted)
		rpc_reply(call, &reply);
	else
		rpc_fail(call, &error);
}

static void otlp_sink_on_post(void *owner, struct http_exchange *x)
{
	struct http_response r = {.status = 200, .content_type = STR("application/x-protobuf")};
	struct otlp_sink *s = owner;
	struct rpc_error error;

	pthread_mutex_lock(&s->mu);
	if (otlp_sink_take(s, x, x->body, &error)) {
		otlp_sink_reply(s, &r.body);
	} else {
		r.status = rpc_code_http(error.code);
		r.retry_after_s = (unsigned)(error.retry_after_ms / 1000);
		rpc_status_encode(&r.body, &error);
	}
	pthread_mutex_unlock(&s->mu);
	http_respond(x, &r);
}

/* Start the server; `id` NULL: in plaintext. */
static inline void otlp_sink_start(struct otlp_sink *s, const struct test_identity *id)
{
	struct net_tls_files files = {0};
	struct net_listener l = {.address = "127.0.0.1:0", .app = &s->app};
	struct err e = {0};

	*s = (struct otlp_sink){.app = {.routes = s->routes, .route_count = 2 * SIGNALS}};
	pthread_mutex_init(&s->mu, NULL);
	for (unsigned i = 0; i < SIGNALS; i++) {
		s->routes[i] = (struct http_route){
			METHOD_POST, 0, otlp_sink_paths[i][0], otlp_sink_on_post, s, 0, NULL, NULL};
		s->routes[SIGNALS + i] = (struct http_route){
			METHOD_POST, HTTP_RPC, otlp_sink_paths[i][1], otlp_sink_on_call, s, 0,
			NULL,	     NULL};
	}
	if (id) {
		files = (struct net_tls_files){id->certificate, id->key, NULL};
		l.tls = &files;
	}
	assert_ok_err(net_server_start(&s->server, &l, 1, NULL, NULL, &e), &e);
	s->port = net_server_port(s->server, 0);
}

static inline void otlp_sink_stop(struct otlp_sink *s)
{
	net_server_free(s->server);
	for (unsigned i = 0; i < SIGNALS; i++)
		buf_fini(&s->bytes[i]);
	pthread_mutex_destroy(&s->mu);
}

#endif
