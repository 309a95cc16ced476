/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "sdk/export.h"
#include "sdk/http_client.h"
#include "wire/compress.h"
#include "wire/proto.h"

/* OTLP over HTTP/1.1 and over gRPC: what may be tried again, and what an answer says, by OTLP's specification. */
struct otlp_sink {
	struct sink sink; /* first: a struct sink * is one of these */
	struct post_client client;
	bool grpc;
};

/* Where each signal goes. */
static const struct route {
	const char *path, *method;
} routes[] = {
	[EXPORT_PROFILES] =
		{"/v1development/profiles",
		 "/opentelemetry.proto.collector.profiles.v1development.ProfilesService/Export"},
	[EXPORT_TRACES] = {"/v1/traces",
			   "/opentelemetry.proto.collector.trace.v1.TraceService/Export"},
	[EXPORT_METRICS] = {"/v1/metrics",
			    "/opentelemetry.proto.collector.metrics.v1.MetricsService/Export"},
};

/* Compress at the first try. gRPC has a frame of five bytes before it: compressed or not, and the length. */
static int pack(struct otlp_sink *s, struct export_item *item)
{
	struct buf *out = &item->packed;
	uint32_t n;
	int rc;

	if (out->n)
		return 0;
	if (s->grpc)
		buf_put(out, "\1\0\0\0", 5);
	rc = deflate_bytes(out, COMPRESS_GZIP, 1, buf_str(&item->body));
	if (rc || buf_error(out)) {
		buf_clear(out);
		return -ENOMEM;
	}
	if (s->grpc) {
		n = __builtin_bswap32((uint32_t)(out->n - 5));
		memcpy(out->p + 1, &n, sizeof(n));
	}
	return 0;
}

/* Export*ServiceResponse { partial_success = 1 { rejected = 1, error_message = 2 } }. */
static int read_partial(struct str answer, struct err *e)
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
	return err_set(e, -EREMOTEIO, "%llu rejected: %.*s", (unsigned long long)rejected,
		       STR_ARG(str_head(message, 256)));
}

/* google.rpc.Status { code = 1, message = 2 }: its message, or nothing when the body is something else. */
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

static int judge_http(const struct post_answer *a, struct err *e)
{
	bool again = a->status == 429 || (a->status >= 502 && a->status <= 504);

	if (a->status >= 200 && a->status < 300)
		return read_partial(buf_str(&a->body), e);
	return err_set(e,
		       again				      ? -EAGAIN
		       : a->status == 404 || a->status == 501 ? -EOPNOTSUPP
							      : -EREMOTEIO,
		       "HTTP %u %.*s", a->status, STR_ARG(status_message(buf_str(&a->body))));
}

static int judge_grpc(const struct post_answer *a, struct err *e)
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
		/* resource exhausted: only if the server says when */
		bool may = (again >> a->grpc_status & 1) || (a->grpc_status == 8 && a->retry_told);

		return err_set(e,
			       may		      ? -EAGAIN
			       : a->grpc_status == 12 ? -EOPNOTSUPP /* unimplemented */
						      : -EREMOTEIO,
			       "gRPC status %d %s", a->grpc_status, a->grpc_message);
	}
	/* an answer that is compressed is one that we did not ask for: it is not read */
	return body.n > 5 && !body.p[0] ? read_partial(str_from_at(body, 5), e) : 0;
}

/* Nobody there, or gone in the middle: try again. */
static bool is_passing(int rc)
{
	switch (rc) {
	case -ECONNREFUSED:
	case -ECONNRESET:
	case -ECONNABORTED:
	case -EHOSTUNREACH:
	case -ENETUNREACH:
	case -ETIMEDOUT:
	case -EPIPE:
	case -EPROTO: /* closed without an answer, or nonsense from a half-started server */
	case -ENOMEM:
		return true;
	default:
		return false;
	}
}

static int deliver(struct sink *sink, struct export_item *item, uint64_t timeout_ms,
		   uint64_t *retry_after_ms, struct err *e)
{
	struct otlp_sink *s = (struct otlp_sink *)sink;
	const struct route *route = &routes[item->signal];
	struct post_answer a = {.grpc_status = -1};
	char cost[SINK_COST_MAX];
	struct post_request r = {.method = "POST",
				 .path = s->grpc ? route->method : route->path,
				 .content_type =
					 s->grpc ? "application/grpc" : "application/x-protobuf",
				 .header = sink_cost(cost),
				 .gzip = true,
				 .timeout_ms = timeout_ms,
				 .stop = sink->stop};
	int rc = pack(s, item);

	if (rc)
		return err_errno(e, -EAGAIN, "compress");
	r.body = buf_str(&item->packed);
	rc = s->grpc ? post_by_curl(&s->client, &r, true, &a, e) : post_send(&s->client, &r, &a, e);
	item->sent_bytes = a.sent;
	if (!rc) {
		*retry_after_ms = a.retry_after_ms;
		rc = s->grpc ? judge_grpc(&a, e) : judge_http(&a, e);
	} else if (is_passing(rc)) {
		rc = -EAGAIN;
	}
	post_answer_fini(&a);
	return rc;
}

int sink_check_ready(const struct post_client *client, uint64_t timeout_ms, struct err *e)
{
	struct post_client own = {.url = client->url, .headers = client->headers, .fd = -1};
	struct post_request r = {.method = "GET", .path = "/ready", .timeout_ms = timeout_ms};
	struct post_answer a = {0};
	int rc;

	memcpy(own.ca_file, client->ca_file, sizeof(own.ca_file));
	rc = post_send(&own, &r, &a, e);
	if (!rc && (a.status < 200 || a.status >= 300))
		rc = err_set(e, -EAGAIN, "%s:%s: GET /ready says %u", own.url.host, own.url.port,
			     a.status);
	own.headers = (struct buf){0}; /* borrowed */
	post_client_fini(&own);
	post_answer_fini(&a);
	return rc;
}

static int check(struct sink *sink, uint64_t timeout_ms, struct err *e)
{
	return sink_check_ready(&((struct otlp_sink *)sink)->client, timeout_ms, e);
}

static void forked(struct sink *sink, bool busy)
{
	post_client_forked(&((struct otlp_sink *)sink)->client, busy);
}

static void otlp_free(struct sink *sink)
{
	struct otlp_sink *s = (struct otlp_sink *)sink;

	if (s)
		post_client_fini(&s->client);
	free(s);
}

static int make(struct sink **out, const char *endpoint, const char *headers, bool grpc,
		struct err *e)
{
	struct otlp_sink *s = calloc(1, sizeof(*s));
	int rc;

	if (!s)
		return err_errno(e, -ENOMEM, "make a sink");
	s->sink = (struct sink){.name = grpc ? "OTLP over gRPC" : "OTLP over HTTP",
				.deliver = deliver,
				.check = check,
				.forked = forked,
				.free = otlp_free};
	s->grpc = grpc;
	rc = post_client_init(&s->client, endpoint, headers, grpc ? "4317" : "4318", e);
	if (rc) {
		otlp_free(&s->sink);
		return rc;
	}
	*out = &s->sink;
	return 0;
}

int sink_otlp_http(struct sink **out, const char *endpoint, const char *headers, struct err *e)
{
	return make(out, endpoint, headers, false, e);
}

int sink_otlp_grpc(struct sink **out, const char *endpoint, const char *headers, struct err *e)
{
	return make(out, endpoint, headers, true, e);
}
