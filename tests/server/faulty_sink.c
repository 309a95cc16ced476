/* SPDX-License-Identifier: Apache-2.0 */
/*
 * usage: faulty_sink OUTPUT [ADDRESS:PORT]
 *
 * A server of OTLP, gRPC and HTTP on one port, that misbehaves as its standard input says. It
 * prints its address, then one line for each command:
 *
 *	ok		accept messages from now on
 *	refuse C [MS]	refuse them with the code C of gRPC, and ask to wait MS milliseconds
 *	partial N	accept them, but report that N items were rejected
 *	slow MS		respond after MS milliseconds
 *	count		print: accepted refused early. Early are requests that came before the time
 *			that the last refusal asked for was over
 *
 * It writes accepted messages as the exporter `file` does (format: proto), for `items count`. End of
 * its input ends it.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "net/http/respond.h"
#include "net/rpc/rpc_reply.h"
#include "net/server.h"
#include "wire/proto.h"

#define SERVICE "/opentelemetry.proto.collector."

struct faulty_sink {
	int out;
	pthread_mutex_t mu; /* guards what follows */
	enum rpc_code refuse;
	uint64_t retry_after_ms, not_before_ns;
	uint64_t rejected, slow_ms;
	uint64_t accepted, refused, early;
};

/* What to respond to one request. */
struct verdict {
	struct faulty_sink *sink;
	struct http_exchange *x;
	struct rpc_call *call; /* NULL: HTTP */
	struct rpc_error error;
	uint64_t rejected, slow_ms;
};

static void put_message(int fd, struct str message)
{
	unsigned char prefix[4];
	struct buf record = {0};

	for (unsigned i = 0; i < sizeof(prefix); i++)
		prefix[i] = (unsigned char)(message.n >> (24 - 8 * i));
	buf_put(&record, prefix, sizeof(prefix));
	buf_put_str(&record, message);
	if (buf_error(&record) || write(fd, record.p, record.n) != (ssize_t)record.n) {
		perror("faulty_sink");
		exit(2);
	}
	buf_fini(&record);
}

/* Decide about a message, and keep it if it is accepted. */
static void decide(struct verdict *v, struct str message)
{
	struct faulty_sink *s = v->sink;
	uint64_t now = clock_monotonic_ns();

	pthread_mutex_lock(&s->mu);
	v->error = (struct rpc_error){
		.code = s->refuse, .message = STR("as told"), .retry_after_ms = s->retry_after_ms};
	v->rejected = s->rejected;
	v->slow_ms = s->slow_ms;
	s->early += now < s->not_before_ns;
	if (s->refuse != RPC_OK) {
		s->refused++;
		s->not_before_ns = now + s->retry_after_ms * NS_PER_MS;
	} else {
		s->accepted++;
		put_message(s->out, message);
	}
	pthread_mutex_unlock(&s->mu);
}

static void put_partial_success(struct buf *out, uint64_t rejected)
{
	struct proto_writer w;

	if (!rejected)
		return;
	proto_writer_init(&w, NULL);
	proto_put_bytes(&w, 2, STR("some are bad"));
	proto_put_uint(&w, 1, rejected);
	proto_put_header(&w, 1, 0);
	buf_put_str(out, proto_writer_str(&w));
	proto_writer_fini(&w);
}

static void respond(struct verdict *v)
{
	struct http_response r = {.status = 200, .content_type = STR("application/x-protobuf")};
	struct buf reply = {0};

	if (v->error.code != RPC_OK && v->call) {
		rpc_fail(v->call, &v->error);
		return;
	}
	if (v->call) {
		put_partial_success(&reply, v->rejected);
		rpc_reply(v->call, &reply);
		return;
	}
	if (v->error.code != RPC_OK) {
		r.status = rpc_code_http(v->error.code);
		r.retry_after_s = (unsigned)(v->error.retry_after_ms / 1000);
		rpc_status_encode(&r.body, &v->error);
	} else {
		put_partial_success(&r.body, v->rejected);
	}
	http_respond(v->x, &r);
}

static void *respond_later(void *arg)
{
	struct verdict *v = arg;
	struct timespec t = {.tv_sec = (time_t)(v->slow_ms / 1000),
			     .tv_nsec = (long)(v->slow_ms % 1000 * NS_PER_MS)};

	nanosleep(&t, NULL);
	respond(v);
	free(v);
	return NULL;
}

static void answer(struct faulty_sink *s, struct http_exchange *x, struct rpc_call *call,
		   struct str message)
{
	struct verdict v = {.sink = s, .x = x, .call = call}, *later;
	pthread_t thread;

	decide(&v, message);
	later = v.slow_ms ? malloc(sizeof(*later)) : NULL;
	if (!later) {
		respond(&v);
		return;
	}
	*later = v;
	if (pthread_create(&thread, NULL, respond_later, later)) {
		free(later);
		respond(&v);
		return;
	}
	pthread_detach(thread);
}

static void on_post(void *owner, struct http_exchange *x)
{
	answer(owner, x, NULL, x->body);
}

static void on_call(void *owner, struct http_exchange *x)
{
	struct rpc_call *call = rpc_begin(x);

	if (call)
		answer(owner, x, call, call->message);
}

static void obey(struct faulty_sink *s, const char *line)
{
	unsigned code = 0;
	uint64_t n = 0;

	pthread_mutex_lock(&s->mu);
	if (sscanf(line, "refuse %u %" SCNu64, &code, &n) >= 1) {
		s->refuse = code < RPC_CODE_COUNT ? (enum rpc_code)code : RPC_UNKNOWN;
		s->retry_after_ms = n;
	} else if (sscanf(line, "partial %" SCNu64, &n) == 1) {
		s->rejected = n;
	} else if (sscanf(line, "slow %" SCNu64, &n) == 1) {
		s->slow_ms = n;
	} else if (!strncmp(line, "ok", 2)) {
		s->refuse = RPC_OK;
		s->rejected = s->slow_ms = s->retry_after_ms = 0;
	}
	printf("%" PRIu64 " %" PRIu64 " %" PRIu64 "\n", s->accepted, s->refused, s->early);
	fflush(stdout);
	pthread_mutex_unlock(&s->mu);
}

int main(int argc, char **argv)
{
	static struct faulty_sink s = {.mu = PTHREAD_MUTEX_INITIALIZER};
	const struct http_route routes[] = {
		{METHOD_POST, 0, STR_INIT("/v1/traces"), on_post, &s, 0, NULL, NULL},
		{METHOD_POST, HTTP_RPC, STR_INIT(SERVICE "trace.v1.TraceService/Export"), on_call,
		 &s, 0, NULL, NULL},
	};
	const struct http_app app = {.routes = routes, .route_count = countof(routes)};
	struct net_listener l = {.address = argc > 2 ? argv[2] : "127.0.0.1:0", .app = &app};
	struct net_server *server;
	struct err e = {0};
	char line[100];

	if (argc < 2)
		return 2;
	s.out = open(argv[1], O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
	if (s.out < 0 || net_server_start(&server, &l, 1, NULL, NULL, &e)) {
		fprintf(stderr, "faulty_sink: %s\n", e.text[0] ? e.text : strerror(errno));
		return 2;
	}
	printf("127.0.0.1:%u\n", net_server_port(server, 0));
	fflush(stdout);
	while (fgets(line, sizeof(line), stdin))
		obey(&s, line);
	return 0;
}
