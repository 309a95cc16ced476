/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The otlp receiver. Each of its ports serves both gRPC and HTTP, whichever it is configured for,
 * because senders confuse 4317 and 4318.
 *
 * Metrics and logs without a pipeline are answered with success and a partial_success that says
 * they are not stored, so that an SDK that sends all signals to one address keeps sending the
 * others.
 */
#include "pipeline/receivers/otlp/otlp_receiver.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "format/otlp/otlp.h"
#include "format/otlp/traces.h"
#include "net/http/admission.h"
#include "net/http/cors.h"
#include "net/http/respond.h"
#include "net/rpc/rpc_reply.h"
#include "pipeline/receivers/otlp/otlp_response.h"
#include "pipeline/receivers/receive.h"
#include "wire/proto.h"

struct cors_settings {
	struct setting_list origins, headers;
	int64_t max_age_s;
};

struct protocol_settings {
	struct str endpoint;
	uint64_t max_bytes;
	int64_t max_mib; /* gRPC: limits messages in MiB instead of max_bytes */
	struct receive_tls tls;
	struct cors_settings cors; /* HTTP only */
};

struct otlp_settings {
	struct {
		struct protocol_settings grpc, http;
		bool has_grpc, has_http;
	} protocols;
};

enum { ROUTES_MAX = 16 };

struct otlp_receiver {
	struct host *host;
	struct consumer *next[4]; /* by signal; NULL: no pipeline */
	struct http_route grpc[ROUTES_MAX], http[ROUTES_MAX];
	struct receive_tls grpc_tls, http_tls;
	struct http_cors cors;
};

#define SERVICE "/opentelemetry.proto.collector."

/* The state of a request until it is answered. In the exchange's arena. */
struct export
{
	struct otlp_receiver *receiver;
	struct http_exchange *x;
	struct rpc_call *call; /* gRPC; NULL: HTTP */
	enum otlp_encoding encoding;
	enum signal_kind signal;
	char warning[200];
};

/* ---- paths ---- */

static const struct {
	const char *path;
	enum signal_kind signal;
	bool grpc;
} paths[] = {
	{SERVICE "profiles.v1development.ProfilesService/Export", SIGNAL_PROFILES, true},
	{SERVICE "profiles.v1experimental.ProfilesService/Export", SIGNAL_PROFILES, true},
	{SERVICE "trace.v1.TraceService/Export", SIGNAL_TRACES, true},
	{SERVICE "metrics.v1.MetricsService/Export", SIGNAL_METRICS, true},
	{SERVICE "logs.v1.LogsService/Export", SIGNAL_LOGS, true},
	{"/v1development/profiles", SIGNAL_PROFILES, false},
	{"/v1/traces", SIGNAL_TRACES, false},
	{"/v1/metrics", SIGNAL_METRICS, false},
	{"/v1/logs", SIGNAL_LOGS, false},
};

static enum signal_kind signal_of(struct str path)
{
	for (size_t i = 0; i < countof(paths); i++)
		if (str_eq(path, str_from(paths[i].path)))
			return paths[i].signal;
	return SIGNAL_PROFILES;
}

/* ---- responses ---- */

static void export_fail(struct export *ex, int rc, uint32_t retry_ms, const char *reason)
{
	struct rpc_error error = {
		.code = receive_code(rc), .message = str_from(reason), .retry_after_ms = retry_ms};

	if (ex->call)
		rpc_fail(ex->call, &error);
	else
		otlp_http_fail(ex->x, rc == -EFBIG ? 413 : otlp_http_status(error.code), &error);
}

static void export_succeed(struct export *ex, const struct delivery_result *result)
{
	struct http_response r = {.status = 200};
	struct str reason = str_from(result->rejected ? result->reason : ex->warning);

	otlp_response(&r.body, ex->encoding, ex->signal, result->rejected, reason);
	if (ex->call) {
		rpc_reply(ex->call, &r.body);
		return;
	}
	r.content_type = ex->encoding == OTLP_ENCODING_JSON ? STR("application/json")
							    : STR("application/x-protobuf");
	http_respond(ex->x, &r);
}

static void export_done(struct intake *in, const struct delivery_result *result)
{
	struct export *ex = in->owner;
	struct receipt receipt = {0};

	receipt_add(&receipt, in, result);
	receive_note(ex->receiver->host, ex->x, &receipt);
	intake_put(&ex->receiver->host->intakes, in);
	if (result->rc)
		export_fail(ex, result->rc, result->retry_after_ms,
			    result->reason[0] ? result->reason : "the data could not be stored");
	else
		export_succeed(ex, result);
}

/* ---- decoding ---- */

/* Keep the decoder's first warning; it is reported to the sender with the success. */
static void note_warning(void *arg, const char *text)
{
	struct export *ex = arg;

	if (!ex->warning[0])
		snprintf(ex->warning, sizeof(ex->warning), "%s", text);
}

static int decode_export(struct export *ex, struct intake *in, struct str message, struct err *e)
{
	struct decode_options options = {.warn = note_warning, .warn_arg = ex};

	if (!message.n)
		return 0; /* an empty message is valid */
	if (ex->signal == SIGNAL_TRACES)
		return ex->encoding == OTLP_ENCODING_JSON
			       ? otlp_traces_decode_json(&in->work->spans, message, e)
			       : otlp_traces_decode(&in->work->spans, message, e);
	if (ex->encoding == OTLP_ENCODING_JSON)
		return format_otlp_json.decode(&in->work->batch, message, &options, e);
	return otlp_decode(&in->work->batch, message, &options, e);
}

static int deliver_export(struct export *ex, struct intake *in)
{
	struct consumer *next = ex->receiver->next[signal_index(ex->signal)];

	in->done = export_done;
	in->owner = ex;
	in->account = ex->x->account;
	if (ex->signal != SIGNAL_TRACES)
		return intake_deliver(in, next, ex->x->tenant, NULL);
	intake_deliver_spans(in, next, ex->x->tenant);
	return 0;
}

/* Count nested messages: `path` has a bit mask of the fields to enter for each level, then 0. */
static uint64_t count_nested(struct str message, const uint32_t *path)
{
	struct proto_reader r = proto_reader_of(message);
	uint64_t n = 0;

	while (proto_next(&r)) {
		uint32_t field = proto_field(&r);

		struct str inner;

		if ((r.tag & 7) != PROTO_BYTES || field > 31 || !(path[0] & 1u << field)) {
			proto_skip(&r);
			continue;
		}
		inner = proto_bytes(&r);
		n += path[1] ? count_nested(inner, path + 1) : 1;
	}
	return n;
}

/* Count data points of metrics, or log records. JSON is not counted: 0. */
static uint64_t count_items(const struct export *ex, struct str message)
{
	/* resource_metrics, scope_metrics, metrics, gauge to summary, data_points */
	static const uint32_t points[] = {
		1 << 1, 1 << 2, 1 << 2, 1 << 5 | 1 << 7 | 1 << 9 | 1 << 10 | 1 << 11, 1 << 1, 0};
	/* resource_logs, scope_logs, log_records */
	static const uint32_t records[] = {1 << 1, 1 << 2, 1 << 2, 0};

	if (ex->encoding != OTLP_ENCODING_PROTOBUF)
		return 0;
	return count_nested(message, ex->signal == SIGNAL_METRICS ? points : records);
}

/*
 * Acknowledge metrics or logs without a pipeline; log a warning for the first message of a signal.
 */
static void discard_message(struct export *ex, struct str message)
{
	struct host *host = ex->receiver->host;
	const char *name = signal_names[signal_index(ex->signal)];
	struct delivery_result result = {.rejected = (uint32_t)count_items(ex, message)};

	snprintf(ex->warning, sizeof(ex->warning),
		 "%s are discarded: this server stores profiles and traces", name);
	snprintf(result.reason, sizeof(result.reason), "%s", ex->warning);
	if (!(atomic_fetch_or(&host->discarded, ex->signal) & ex->signal))
		log_warn(host->log, "discarding a signal without a pipeline",
			 LOG_STR("signal", str_from(name)));
	export_succeed(ex, &result);
}

static void export_message(struct export *ex, struct str message)
{
	struct otlp_receiver *o = ex->receiver;

	if (!o->next[signal_index(ex->signal)]) {
		discard_message(ex, message);
		return;
	}

	struct intake *in = intake_get(&o->host->intakes);
	struct receipt receipt = {0};
	struct err e = {0};
	int rc = in ? decode_export(ex, in, message, &e) : -ENOMEM;

	if (!rc) {
		rc = deliver_export(ex, in);
		if (!rc)
			return;
	}
	rc = intake_explain(in, rc, &e);
	intake_put(&o->host->intakes, in);
	receive_count(o->host, rc);
	receipt_refuse(&receipt, rc, e.text);
	receive_note(o->host, ex->x, &receipt);
	export_fail(ex, rc == -EOVERFLOW ? -EBADMSG : rc, rc == -ENOMEM ? 1000 : 0, e.text);
}

/* Return the protocol of a request. A content type of OTLP/HTTP decides, whatever the path. */
static enum receive_protocol request_protocol(const struct http_exchange *x)
{
	bool json;

	return rpc_protocol_of(x, &json) != RPC_NONE && otlp_encoding_of(x) == OTLP_ENCODING_NONE
		       ? RECEIVE_OTLP_GRPC
		       : RECEIVE_OTLP_HTTP;
}

static void run_export(struct receive_job *job)
{
	struct http_exchange *x = job->x;
	struct export *ex = arena_zalloc(x->arena, 1, sizeof(*ex));
	struct receipt receipt = {0};
	struct err e = {0};
	int rc;

	if (!ex) {
		http_respond_text(x, 503, "out of memory");
		return;
	}
	*ex = (struct export){
		.receiver = job->receiver, .x = x, .signal = signal_of(x->route->path)};
	if (job->protocol == RECEIVE_OTLP_GRPC) {
		ex->encoding = OTLP_ENCODING_PROTOBUF;
		ex->call = rpc_begin(x);
		if (ex->call)
			export_message(ex, ex->call->message);
		return;
	}
	ex->encoding = otlp_encoding_of(x);
	rc = http_decode_body(x, &e);
	if (rc == -ENOTSUP)
		rc = -EBADMSG;
	if (rc) {
		receipt_refuse(&receipt, rc, e.text);
		receive_note(job->host, x, &receipt);
		export_fail(ex, rc, rc == -ENOMEM ? 1000 : 0, e.text);
	} else {
		export_message(ex, x->body);
	}
}

static void handle_export(void *owner, struct http_exchange *x)
{
	struct otlp_receiver *o = owner;

	if (x->method == METHOD_OPTIONS)
		cors_preflight(x);
	else
		receive_run(o->host, o, x, request_protocol(x), run_export);
}

/* ---- routes ---- */

/* Check signal, encoding and capacity before the body is read. */
static bool admit_export(void *owner, struct http_exchange *x, struct http_refusal *why)
{
	struct otlp_receiver *o = owner;
	enum signal_kind signal = signal_of(x->route->path);
	struct consumer *next = o->next[signal_index(signal)];
	bool json;

	if (x->method == METHOD_OPTIONS)
		return true;
	if (!next && signal & (SIGNAL_PROFILES | SIGNAL_TRACES)) {
		why->status = 404;
		snprintf(why->text, sizeof(why->text), "no pipeline accepts %s",
			 signal_names[signal_index(signal)]);
		return false;
	}
	if (otlp_encoding_of(x) == OTLP_ENCODING_NONE && rpc_protocol_of(x, &json) == RPC_NONE) {
		why->status = 415;
		snprintf(why->text, sizeof(why->text),
			 "415 unsupported media type, supported: [application/json, "
			 "application/x-protobuf]");
		return false;
	}
	return !next || receive_admit(o->host, next, x, request_protocol(x), 503, why);
}

enum { PATHS_GRPC = 1, PATHS_HTTP = 2 };

static size_t fill_routes(struct otlp_receiver *o, struct http_route *routes, unsigned kinds,
			  size_t max_body)
{
	size_t n = 0;

	for (size_t i = 0; i < countof(paths); i++) {
		bool grpc = paths[i].grpc;
		const struct http_cors *cors = !grpc && o->cors.origin_count ? &o->cors : NULL;

		if (kinds & (grpc ? PATHS_GRPC : PATHS_HTTP))
			routes[n++] = (struct http_route){
				.methods = METHOD_POST | (cors ? METHOD_OPTIONS : 0u),
				.flags = HTTP_RAW_BODY,
				.path = str_from(paths[i].path),
				.handler = handle_export,
				.owner = o,
				.max_body = max_body,
				.refuse = otlp_refuse,
				.cors = cors,
			};
	}
	return n;
}

/*
 * Listen on the endpoint of gRPC or of HTTP. Each endpoint serves the paths of both protocols; if
 * both are the same address, each registers its own paths.
 */
static int otlp_listen(struct otlp_receiver *o, const struct otlp_settings *s, bool grpc,
		       struct err *e)
{
	const struct protocol_settings *p = grpc ? &s->protocols.grpc : &s->protocols.http;
	bool shared = s->protocols.has_grpc && s->protocols.has_http &&
		      str_eq(s->protocols.grpc.endpoint, s->protocols.http.endpoint);
	unsigned kinds = !shared ? PATHS_GRPC | PATHS_HTTP : grpc ? PATHS_GRPC : PATHS_HTTP;
	struct http_route *routes = grpc ? o->grpc : o->http;
	struct receive_tls *tls = grpc ? &o->grpc_tls : &o->http_tls;
	size_t max = grpc ? (size_t)p->max_mib * MIB : p->max_bytes;
	struct listener_routes l = {.address = p->endpoint,
				    .routes = routes,
				    .count = fill_routes(o, routes, kinds, max),
				    .admit = admit_export,
				    .owner = o};

	*tls = p->tls;
	l.tls = receive_tls_files(tls);
	return listeners_add(&o->host->listeners, &l, e);
}

/* ---- the component ---- */

static int otlp_check(const void *settings, struct err *e)
{
	const struct otlp_settings *s = settings;

	if (!s->protocols.has_grpc && !s->protocols.has_http)
		return err_set(e, -EINVAL,
			       "\"protocols\" has to name at least one of grpc and http");
	return 0;
}

static int otlp_create(void **instance, const struct component_env *env, const void *settings,
		       struct err *e)
{
	const struct otlp_settings *s = settings;
	struct otlp_receiver *o = calloc(1, sizeof(*o));
	int rc = 0;

	if (!o)
		return -ENOMEM;
	o->host = env->host;
	o->cors = (struct http_cors){
		.origins = s->protocols.http.cors.origins.at,
		.origin_count = s->protocols.http.cors.origins.n,
		.headers = s->protocols.http.cors.headers.at,
		.header_count = s->protocols.http.cors.headers.n,
		.max_age_s = (uint64_t)s->protocols.http.cors.max_age_s,
	};
	memcpy(o->next, env->next, sizeof(o->next));
	if (s->protocols.has_grpc)
		rc = otlp_listen(o, s, true, e);
	if (!rc && s->protocols.has_http)
		rc = otlp_listen(o, s, false, e);
	if (rc)
		free(o);
	else
		*instance = o;
	return rc;
}

static const struct setting grpc_settings[] = {
	SET_STRING(struct protocol_settings, endpoint, "endpoint", "127.0.0.1:4317",
		   "Address to listen on."),
	SET_INT(struct protocol_settings, max_mib, "max_recv_msg_size_mib", "64", 1, 2047, "MiB",
		"Maximum size of a message; larger messages are refused."),
	SET_GROUP_ALWAYS(struct protocol_settings, tls, "tls", receive_tls_settings, "TLS."),
	SET_END,
};

static const struct setting cors_settings[] = {
	SET_LIST(struct cors_settings, origins, "allowed_origins", NULL,
		 "Origins of web pages that may send: https://shop.example, https://*.example, * "
		 "for all."),
	SET_LIST(struct cors_settings, headers, "allowed_headers", NULL,
		 "Headers that web pages may set besides Accept and Content-Type; * for all."),
	SET_INT(struct cors_settings, max_age_s, "max_age", "0", 0, 86400, "s",
		"How long a browser may cache the CORS preflight; 0: browser default."),
	SET_END,
};

static const struct setting http_settings[] = {
	SET_STRING(struct protocol_settings, endpoint, "endpoint", "127.0.0.1:4318",
		   "Address to listen on."),
	SET_BYTES(struct protocol_settings, max_bytes, "max_request_body_size", "64MiB",
		  "Maximum size of a body; larger bodies are refused."),
	SET_GROUP_ALWAYS(struct protocol_settings, tls, "tls", receive_tls_settings, "TLS."),
	SET_GROUP_ALWAYS(struct protocol_settings, cors, "cors", cors_settings,
			 "CORS, for web pages that send from a browser."),
	SET_END,
};

static const struct setting protocols_settings[] = {
	SET_GROUP(__typeof__(((struct otlp_settings *)0)->protocols), grpc, "grpc", grpc_settings,
		  has_grpc, "OTLP/gRPC."),
	SET_GROUP(__typeof__(((struct otlp_settings *)0)->protocols), http, "http", http_settings,
		  has_http, "OTLP/HTTP, protobuf and JSON."),
	SET_END,
};

static const struct setting otlp_settings[] = {
	SET_GROUP_ALWAYS(struct otlp_settings, protocols, "protocols", protocols_settings,
			 "Protocols to serve; at least one."),
	SET_END,
};

const struct component otlp_receiver = {
	.name = "otlp",
	.kind = COMPONENT_RECEIVER,
	.signals = SIGNAL_PROFILES | SIGNAL_TRACES,
	.form = FORM_ANY,
	.help = "Receives OTLP over gRPC and HTTP.",
	.settings = otlp_settings,
	.settings_size = sizeof(struct otlp_settings),
	.check = otlp_check,
	.create = otlp_create,
	.destroy = free,
};
