/* SPDX-License-Identifier: Apache-2.0 */
/* OTLP over HTTP/1.1 and gRPC: retries and the meaning of answers follow OTLP's specification. */
#include "sdk/export/sink_otlp.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "sdk/export/body_seal.h"
#include "sdk/export/export.h"
#include "sdk/export/http_client.h"
#include "sdk/grpc/grpc_client.h"
#include "wire/compress/deflate.h"
#include "wire/proto.h"

struct otlp_sink {
	struct sink sink; /* first */
	/* one per signal, as threads share none */
	struct post_client clients[EXPORT_SIGNALS];
	/* the URL of the signal has a path of its own, to which no path is appended */
	bool whole_path[EXPORT_SIGNALS];
	struct key_ring *keys; /* of encrypted bodies; NULL: in clear */
	bool grpc, no_compression;
};

#define PROTOBUF "application/x-protobuf"

/* The head of each gRPC message: a compression flag and the length. */
enum { GRPC_FRAME = 5 };

/* The path or method of each signal, and its word in environment variables. */
static const struct route {
	const char *path, *method, *word;
} routes[] = {
	[EXPORT_PROFILES] =
		{"/v1development/profiles",
		 "/opentelemetry.proto.collector.profiles.v1development.ProfilesService/Export",
		 "PROFILES"},
	[EXPORT_TRACES] = {"/v1/traces",
			   "/opentelemetry.proto.collector.trace.v1.TraceService/Export", "TRACES"},
	[EXPORT_METRICS] = {"/v1/metrics",
			    "/opentelemetry.proto.collector.metrics.v1.MetricsService/Export",
			    "METRICS"},
	[EXPORT_LOGS] = {"/v1/logs", "/opentelemetry.proto.collector.logs.v1.LogsService/Export",
			 "LOGS"},
};

/* Compress, encrypt and frame the message, in the first attempt only. */
static int pack_message(struct otlp_sink *s, struct export_item *item)
{
	bool compressed = !s->no_compression && !s->keys; /* as far as gRPC knows */
	struct buf *out = &item->packed;
	uint32_t n;
	int rc;

	if (out->n)
		return 0;
	if (s->grpc)
		buf_put(out, compressed ? "\1\0\0\0" : "\0\0\0\0", GRPC_FRAME);
	if (s->no_compression)
		buf_put_str(out, buf_str(&item->body));
	rc = s->no_compression ? 0 : deflate_bytes(out, COMPRESS_GZIP, 1, buf_str(&item->body));
	rc = rc ? rc : buf_error(out);
	if (!rc && s->keys)
		rc = body_seal(out, s->grpc ? GRPC_FRAME : 0, s->keys, NULL);
	if (rc) {
		buf_clear(out);
		return -ENOMEM;
	}
	if (s->grpc) {
		n = __builtin_bswap32((uint32_t)(out->n - GRPC_FRAME));
		memcpy(out->p + 1, &n, sizeof(n));
	}
	return 0;
}

/*
 * Read Export*ServiceResponse { partial_success = 1 { rejected = 1, error_message = 2 } }. Return
 * -ENODATA if items were rejected.
 */
static int read_partial_success(struct str answer, struct err *e)
{
	struct proto_reader r = proto_reader_of(answer), partial;
	uint64_t rejected = 0;
	struct str message = {0};

	while (proto_next(&r)) {
		if (r.tag != PROTO_TAG(1, PROTO_BYTES)) {
			proto_skip(&r);
			continue;
		}
		partial = proto_message(&r);
		while (proto_next(&partial)) {
			if (partial.tag == PROTO_TAG(1, PROTO_VARINT))
				rejected = proto_varint(&partial);
			else if (partial.tag == PROTO_TAG(2, PROTO_BYTES))
				message = proto_bytes(&partial);
			else
				proto_skip(&partial);
		}
	}
	if (!rejected)
		return 0;
	return err_set(e, -ENODATA, "%llu rejected: %.*s", (unsigned long long)rejected,
		       STR_ARG(str_head(message, 256)));
}

/* Return the message of google.rpc.Status { code = 1, message = 2 }; empty for any other body. */
static struct str status_message(struct str body)
{
	struct proto_reader r = proto_reader_of(body);
	struct str message = {0};

	while (proto_next(&r)) {
		if (r.tag == PROTO_TAG(2, PROTO_BYTES))
			message = proto_bytes(&r);
		else
			proto_skip(&r);
	}
	return r.error ? (struct str){0} : str_head(message, 256);
}

static int check_http_answer(const struct post_answer *a, struct err *e)
{
	bool again = a->status == 429 || (a->status >= 502 && a->status <= 504);

	if (a->status >= 200 && a->status < 300)
		return read_partial_success(buf_str(&a->body), e);
	return err_set(e,
		       again				      ? -EAGAIN
		       : a->status == 404 || a->status == 501 ? -EOPNOTSUPP
							      : -EREMOTEIO,
		       "HTTP %u %.*s", a->status, STR_ARG(status_message(buf_str(&a->body))));
}

static int check_grpc_answer(const struct post_answer *a, struct err *e)
{
	/* cancelled, deadline exceeded, aborted, out of range, unavailable, data loss */
	const unsigned again = 1u << 1 | 1u << 4 | 1u << 10 | 1u << 11 | 1u << 14 | 1u << 15;
	struct str body = buf_str(&a->body);

	if (a->status != 200 || a->grpc_status < 0) {
		bool busy = a->status == 429 || (a->status >= 502 && a->status <= 504);

		return err_set(e, busy ? -EAGAIN : -EREMOTEIO, "HTTP %u without a gRPC status",
			       a->status);
	}
	if (a->grpc_status) {
		/* resource exhausted: only with a RetryInfo */
		bool may =
			(again >> a->grpc_status & 1) || (a->grpc_status == 8 && a->has_retry_info);

		return err_set(e,
			       may		      ? -EAGAIN
			       : a->grpc_status == 12 ? -EOPNOTSUPP /* unimplemented */
						      : -EREMOTEIO,
			       "gRPC status %d %s", a->grpc_status, a->grpc_message);
	}
	/* a compressed answer, which was not requested, is ignored */
	return body.n > GRPC_FRAME && !body.p[0]
		       ? read_partial_success(str_from_at(body, GRPC_FRAME), e)
		       : 0;
}

/* Return whether the error is transient: the server is unreachable or closed the connection. */
static bool is_transient(int rc)
{
	switch (rc) {
	case -ECONNREFUSED:
	case -ECONNRESET:
	case -ECONNABORTED:
	case -EHOSTUNREACH:
	case -ENETUNREACH:
	case -ETIMEDOUT:
	case -EPIPE:
	case -EPROTO: /* closed without an answer, or garbage while the server starts */
	case -ENOMEM:
		return true;
	default:
		return false;
	}
}

static int otlp_sink_deliver(struct sink *sink, struct export_item *item, uint64_t timeout_ms,
			     uint64_t *retry_after_ms, struct err *e)
{
	struct otlp_sink *s = (struct otlp_sink *)sink;
	struct post_client *client = &s->clients[item->signal];
	const struct route *route = &routes[item->signal];
	struct post_answer a = {.grpc_status = -1};
	char cost[SINK_COST_MAX];
	struct post_request r = {.method = "POST",
				 .path = s->grpc		       ? route->method
					 : s->whole_path[item->signal] ? ""
								       : route->path,
				 .content_type = s->grpc ? "application/grpc" : PROTOBUF,
				 .header = sink_cost(cost),
				 .gzip = !s->no_compression && !(s->grpc && s->keys),
				 .timeout_ms = timeout_ms,
				 .stop = sink->stop};
	int rc = pack_message(s, item);

	if (rc)
		return err_errno(e, -EAGAIN, "compressing a message");
	r.body = buf_str(&item->packed);
	rc = s->grpc ? post_by_grpc(client, &r, &a, e) : post_send(client, &r, &a, e);
	item->sent_bytes = a.sent;
	if (!rc) {
		*retry_after_ms = a.retry_after_ms;
		rc = s->grpc ? check_grpc_answer(&a, e) : check_http_answer(&a, e);
	} else if (is_transient(rc)) {
		rc = -EAGAIN;
	}
	post_answer_fini(&a);
	return rc;
}

/* Make a client with the settings of `of`, which are borrowed; end with borrow_end(). */
static struct post_client borrow_client(const struct post_client *of)
{
	struct post_client own = {.url = of->url, .headers = of->headers, .fd = -1};

	memcpy(own.ca_file, of->ca_file, sizeof(own.ca_file));
	return own;
}

static void borrow_end(struct post_client *own)
{
	own->headers = (struct buf){0}; /* borrowed */
	post_client_fini(own);
}

int sink_check_ready(const struct post_client *client, uint64_t timeout_ms, struct err *e)
{
	struct post_client own = borrow_client(client);
	struct post_request r = {.method = "GET", .path = "/ready", .timeout_ms = timeout_ms};
	struct post_answer a = {0};
	int rc;

	rc = post_send(&own, &r, &a, e);
	if (!rc && (a.status < 200 || a.status >= 300))
		rc = err_set(e, -EAGAIN, "%s:%s: GET /ready answers %u", own.url.host, own.url.port,
			     a.status);
	borrow_end(&own);
	post_answer_fini(&a);
	return rc;
}

/*
 * Check an OTLP/HTTP server. OTLP has no health check, and servers for OTLP alone have no /ready
 * (404); an empty message to the path of profiles or traces is accepted by working servers.
 */
static int check_paths(const struct post_client *client, uint64_t timeout_ms, struct err *e)
{
	static const struct post_request probes[] = {
		{.method = "GET", .path = "/ready"},
		{.method = "POST", .path = "/v1development/profiles", .content_type = PROTOBUF},
		{.method = "POST", .path = "/v1/traces", .content_type = PROTOBUF}};
	struct post_client own = borrow_client(client);
	struct post_answer a = {.status = 404};
	int rc = 0;

	for (size_t i = 0; !rc && a.status == 404 && i < countof(probes); i++) {
		struct post_request r = probes[i];

		r.timeout_ms = timeout_ms;
		post_answer_fini(&a);
		a = (struct post_answer){0};
		rc = post_send(&own, &r, &a, e);
		if (!rc && a.status != 404 && (a.status < 200 || a.status >= 300))
			rc = err_set(e, -EAGAIN, "%s:%s: %s %s answers %u", own.url.host,
				     own.url.port, r.method, r.path, a.status);
	}
	if (!rc && a.status == 404)
		rc = err_set(e, -EAGAIN, "%s:%s: no OTLP server at this address: 404", own.url.host,
			     own.url.port);
	borrow_end(&own);
	post_answer_fini(&a);
	return rc;
}

/* Read HealthCheckResponse { status = 1 }: 1 is SERVING. */
static bool is_serving(struct str answer)
{
	struct proto_reader r = proto_reader_of(str_from_at(answer, GRPC_FRAME));
	uint64_t status = 0;

	while (proto_next(&r)) {
		if (r.tag == PROTO_TAG(1, PROTO_VARINT))
			status = proto_varint(&r);
		else
			proto_skip(&r);
	}
	return !r.error && status == 1;
}

/*
 * Call gRPC's health service. A server without that service answers UNIMPLEMENTED and is healthy.
 */
static int check_health(const struct post_client *client, uint64_t timeout_ms, struct err *e)
{
	enum { UNIMPLEMENTED = 12 };
	struct post_client own = borrow_client(client);
	struct post_request r = {.method = "POST",
				 .path = "/grpc.health.v1.Health/Check",
				 .body = str_of("\0\0\0\0", GRPC_FRAME),
				 .timeout_ms = timeout_ms};
	struct post_answer a = {.grpc_status = -1};
	int rc = post_by_grpc(&own, &r, &a, e);

	if (!rc && a.status != 200)
		rc = err_set(e, -EAGAIN, "%s:%s: HTTP %u without a gRPC status", own.url.host,
			     own.url.port, a.status);
	else if (!rc && a.grpc_status != UNIMPLEMENTED &&
		 (a.grpc_status || !is_serving(buf_str(&a.body))))
		rc = err_set(e, -EAGAIN, "%s:%s: the server is not ready: gRPC status %d %s",
			     own.url.host, own.url.port, a.grpc_status, a.grpc_message);
	borrow_end(&own);
	post_answer_fini(&a);
	return rc;
}

static int otlp_sink_check(struct sink *sink, uint64_t timeout_ms, struct err *e)
{
	const struct otlp_sink *s = (const struct otlp_sink *)sink;

	return s->grpc ? check_health(&s->clients[0], timeout_ms, e)
		       : check_paths(&s->clients[0], timeout_ms, e);
}

static void otlp_sink_forked(struct sink *sink, unsigned busy)
{
	struct otlp_sink *s = (struct otlp_sink *)sink;

	for (unsigned i = 0; i < EXPORT_SIGNALS; i++)
		post_client_forked(&s->clients[i], busy >> i & 1);
}

static void otlp_free(struct sink *sink)
{
	struct otlp_sink *s = (struct otlp_sink *)sink;

	for (unsigned i = 0; s && i < EXPORT_SIGNALS; i++)
		post_client_fini(&s->clients[i]);
	if (s)
		key_ring_unref(s->keys);
	free(s);
}

/* Return the variable OTEL_EXPORTER_OTLP_<signal>_<what>, or NULL. */
static const char *signal_variable(const struct otlp_sink_options *o, enum export_signal signal,
				   const char *what)
{
	char name[64];
	const char *text;

	if (!o->environment)
		return NULL;
	snprintf(name, sizeof(name), "OTEL_EXPORTER_OTLP_%s_%s", routes[signal].word, what);
	text = getenv(name);
	return text && *text ? text : NULL;
}

static int init_signal(struct otlp_sink *s, enum export_signal signal, const char *endpoint,
		       const struct otlp_sink_options *o, struct err *e)
{
	const char *own = signal_variable(o, signal, "ENDPOINT");
	const char *headers = signal_variable(o, signal, "HEADERS");
	struct post_client *client = &s->clients[signal];
	int rc = post_client_init(client, own ? own : endpoint, headers ? headers : o->headers,
				  s->grpc ? "4317" : "4318", e);

	if (rc || !own || s->grpc)
		return rc;
	s->whole_path[signal] = true;
	if (!client->url.path[0])
		memcpy(client->url.path, "/", 2);
	return 0;
}

static int sink_otlp_new(struct sink **out, const char *endpoint, const struct otlp_sink_options *o,
			 bool grpc, struct err *e)
{
	struct otlp_sink *s = calloc(1, sizeof(*s));
	int rc = 0;

	if (!s)
		return err_errno(e, -ENOMEM, "making a sink");
	s->sink = (struct sink){.name = grpc ? "OTLP over gRPC" : "OTLP over HTTP",
				.deliver = otlp_sink_deliver,
				.check = otlp_sink_check,
				.forked = otlp_sink_forked,
				.free = otlp_free};
	s->grpc = grpc;
	s->no_compression = o->no_compression;
	for (unsigned i = 0; i < EXPORT_SIGNALS; i++) {
		int failed = init_signal(s, i, endpoint, o, e);

		rc = rc ? rc : failed;
	}
	if (!rc)
		rc = body_seal_mark(o->keys, s->clients, EXPORT_SIGNALS);
	s->keys = key_ring_ref(o->keys);
	if (rc) {
		otlp_free(&s->sink);
		return rc;
	}
	*out = &s->sink;
	return 0;
}

int sink_otlp_http(struct sink **out, const char *endpoint, const struct otlp_sink_options *o,
		   struct err *e)
{
	return sink_otlp_new(out, endpoint, o, false, e);
}

int sink_otlp_grpc(struct sink **out, const char *endpoint, const struct otlp_sink_options *o,
		   struct err *e)
{
	return sink_otlp_new(out, endpoint, o, true, e);
}
