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

#include "net/http/cors.h"
#include "net/http/header.h"
#include "pipeline/extensions/authenticator.h"
#include "pipeline/receivers/otlp/otlp_export.h"
#include "pipeline/receivers/otlp/otlp_response.h"

struct cors_settings {
	struct setting_list origins, headers;
	int64_t max_age_s;
};

struct auth_settings {
	struct str authenticator; /* the id of an extension; empty: none */
};

struct protocol_settings {
	struct str endpoint;
	uint64_t max_bytes;
	int64_t max_mib; /* gRPC: limits messages in MiB instead of max_bytes */
	struct receive_tls tls;
	struct cors_settings cors; /* HTTP only */
	struct auth_settings auth;
	bool enabled, include_metadata;
	struct str transport;
};

struct otlp_settings {
	struct {
		struct protocol_settings grpc, http;
		bool has_grpc, has_http;
	} protocols;
};

enum { ROUTES_MAX = 16, DEFAULT_MIB = 64 };

/* An endpoint, with the settings of its protocol. */
struct otlp_port {
	struct otlp_target target;    /* first: the receiver of its jobs */
	const struct extension *auth; /* NULL: none */
	struct http_route routes[ROUTES_MAX];
	struct receive_tls tls;
};

struct otlp_receiver {
	struct otlp_port grpc, http;
	struct http_cors cors;
};

static bool serves_grpc(const struct otlp_settings *s)
{
	return s->protocols.has_grpc && s->protocols.grpc.enabled;
}

static bool serves_http(const struct otlp_settings *s)
{
	return s->protocols.has_http && s->protocols.http.enabled;
}

/* ---- requests ---- */

/* Return the protocol of a request. A content type of OTLP/HTTP decides, whatever the path. */
static enum receive_protocol request_protocol(const struct http_exchange *x)
{
	bool json;

	return rpc_protocol_of(x, &json) != RPC_NONE && otlp_encoding_of(x) == OTLP_ENCODING_NONE
		       ? RECEIVE_OTLP_GRPC
		       : RECEIVE_OTLP_HTTP;
}

static void handle_export(void *owner, struct http_exchange *x)
{
	struct otlp_port *port = owner;

	if (x->method == METHOD_OPTIONS)
		cors_preflight(x);
	else
		receive_run(port->target.host, &port->target, x, request_protocol(x), otlp_export);
}

/* ---- routes ---- */

/* Check signal, encoding and capacity before the body is read. */
static bool admit_export(void *owner, struct http_exchange *x, struct http_refusal *why)
{
	struct otlp_port *port = owner;
	enum signal_kind signal = otlp_signal_of(x->route->path);
	struct consumer *next = port->target.next[signal_index(signal)];
	bool json;

	if (x->method == METHOD_OPTIONS)
		return true;
	if (port->auth && !port->auth->type->auth->admit(port->auth->instance, x, why))
		return false;
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
	return !next || receive_admit(port->target.host, next, x, request_protocol(x), 503, why);
}

enum { PATHS_GRPC = 1, PATHS_HTTP = 2 };

static size_t fill_routes(struct otlp_port *port, unsigned kinds, const struct http_cors *cors,
			  size_t max_body)
{
	size_t n = 0;

	for (const struct otlp_path *p = otlp_paths; p->path; p++) {
		const struct http_cors *allowed = !p->grpc && cors->origin_count ? cors : NULL;

		if (kinds & (p->grpc ? PATHS_GRPC : PATHS_HTTP))
			port->routes[n++] = (struct http_route){
				.methods = METHOD_POST | (allowed ? METHOD_OPTIONS : 0u),
				.flags = HTTP_RAW_BODY,
				.path = str_from(p->path),
				.handler = handle_export,
				.owner = port,
				.max_body = max_body,
				.refuse = otlp_refuse,
				.cors = allowed,
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
	bool shared = serves_grpc(s) && serves_http(s) &&
		      str_eq(s->protocols.grpc.endpoint, s->protocols.http.endpoint);
	unsigned kinds = !shared ? PATHS_GRPC | PATHS_HTTP : grpc ? PATHS_GRPC : PATHS_HTTP;
	struct otlp_port *port = grpc ? &o->grpc : &o->http;
	size_t max = grpc ? (size_t)(p->max_mib ? p->max_mib : DEFAULT_MIB) * MIB : p->max_bytes;
	struct listener_routes l = {.address = p->endpoint,
				    .routes = port->routes,
				    .count = fill_routes(port, kinds, &o->cors, max),
				    .admit = admit_export,
				    .owner = port};

	port->tls = p->tls;
	l.tls = receive_tls_files(&port->tls);
	return listeners_add(&port->target.host->listeners, &l, e);
}

/* Fill the port of a protocol, except for its routes. */
static int port_init(struct otlp_port *port, const struct component_env *env,
		     const struct protocol_settings *p, struct err *e)
{
	port->target.host = env->host;
	port->target.include_metadata = p->include_metadata;
	memcpy(port->target.next, env->next, sizeof(port->target.next));
	memcpy(port->target.form, env->form, sizeof(port->target.form));
	if (!p->auth.authenticator.n)
		return 0;
	port->auth = component_extension(env, p->auth.authenticator, e);
	if (!port->auth)
		return -EINVAL;
	if (!port->auth->type->auth || !port->auth->type->auth->admit)
		return err_set(e, -EINVAL, "extension \"%s\" does not authenticate requests",
			       port->auth->id);
	return 0;
}

/* ---- the component ---- */

static int otlp_check(const void *settings, struct err *e)
{
	const struct otlp_settings *s = settings;
	int rc;

	if (!serves_grpc(s) && !serves_http(s))
		return err_set(e, -EINVAL,
			       "\"protocols\" has to name at least one of grpc and http");
	if ((serves_grpc(s) && !str_eq(s->protocols.grpc.transport, STR("tcp"))) ||
	    (serves_http(s) && !str_eq(s->protocols.http.transport, STR("tcp"))))
		return err_set(e, -EINVAL, "\"transport\": only tcp is served");
	rc = serves_grpc(s) ? receive_tls_check(&s->protocols.grpc.tls, e) : 0;
	return rc || !serves_http(s) ? rc : receive_tls_check(&s->protocols.http.tls, e);
}

static int otlp_create(void **instance, const struct component_env *env, const void *settings,
		       struct err *e)
{
	const struct otlp_settings *s = settings;
	struct otlp_receiver *o = calloc(1, sizeof(*o));
	int rc;

	if (!o)
		return -ENOMEM;
	o->cors = (struct http_cors){
		.origins = s->protocols.http.cors.origins.at,
		.origin_count = s->protocols.http.cors.origins.n,
		.headers = s->protocols.http.cors.headers.at,
		.header_count = s->protocols.http.cors.headers.n,
		.max_age_s = (uint64_t)s->protocols.http.cors.max_age_s,
	};
	rc = port_init(&o->grpc, env, &s->protocols.grpc, e);
	if (!rc)
		rc = port_init(&o->http, env, &s->protocols.http, e);
	if (!rc && serves_grpc(s))
		rc = otlp_listen(o, s, true, e);
	if (!rc && serves_http(s))
		rc = otlp_listen(o, s, false, e);
	if (rc)
		free(o);
	else
		*instance = o;
	return rc;
}

static const struct setting auth_settings[] = {
	SET_STRING(struct auth_settings, authenticator, "authenticator", NULL,
		   "The extension that checks requests, for example basicauth."),
	SET_IGNORED("request_params", "credentials are read from headers only"),
	SET_END,
};

#define PROTOCOL_SETTINGS                                                                          \
	SET_BOOL(struct protocol_settings, enabled, "enabled", "true",                             \
		 "false: do not serve the protocol."),                                             \
		SET_GROUP_ALWAYS(struct protocol_settings, tls, "tls", receive_tls_settings,       \
				 "TLS."),                                                          \
		SET_GROUP_ALWAYS(struct protocol_settings, auth, "auth", auth_settings,            \
				 "Who may send."),                                                 \
		SET_BOOL(struct protocol_settings, include_metadata, "include_metadata", "false",  \
			 "Pass the headers of requests on, for processors and exporters that "     \
			 "use them."),                                                             \
		SET_STRING(struct protocol_settings, transport, "transport", "tcp",                \
			   "Only tcp is served.")

static const struct setting grpc_settings[] = {
	SET_STRING(struct protocol_settings, endpoint, "endpoint", "127.0.0.1:4317",
		   "Address to listen on."),
	SET_INT(struct protocol_settings, max_mib, "max_recv_msg_size_mib", "64", 0, 2047, "MiB",
		"Maximum size of a message; larger messages are refused. 0: 64."),
	PROTOCOL_SETTINGS,
	SET_IGNORED("max_concurrent_streams", "the server has one limit for all receivers"),
	SET_IGNORED("read_buffer_size", "buffers grow as needed"),
	SET_IGNORED("write_buffer_size", "buffers grow as needed"),
	SET_IGNORED("keepalive", "the server closes idle connections by its own limits"),
	SET_IGNORED("middlewares", "there are none"),
	SET_IGNORED("dialer", "the address is listened on"),
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
	SET_IGNORED("exposed_headers", "responses have no headers for web pages"),
	SET_END,
};

static const struct setting http_settings[] = {
	SET_STRING(struct protocol_settings, endpoint, "endpoint", "127.0.0.1:4318",
		   "Address to listen on."),
	SET_BYTES(struct protocol_settings, max_bytes, "max_request_body_size", "64MiB",
		  "Maximum size of a body; larger bodies are refused."),
	PROTOCOL_SETTINGS,
	SET_GROUP_ALWAYS(struct protocol_settings, cors, "cors", cors_settings,
			 "CORS, for web pages that send from a browser."),
	SET_IGNORED("compression_algorithms", "all known compressions are accepted"),
	SET_IGNORED("response_headers", "responses have no additional headers"),
	SET_IGNORED("read_timeout", "the server has one limit for all receivers"),
	SET_IGNORED("read_header_timeout", "the server has one limit for all receivers"),
	SET_IGNORED("write_timeout", "the server has one limit for all receivers"),
	SET_IGNORED("idle_timeout", "the server has one limit for all receivers"),
	SET_IGNORED("keep_alives_enabled", "connections are kept alive"),
	SET_IGNORED("traces_url_path", "the path is /v1/traces"),
	SET_IGNORED("metrics_url_path", "the path is /v1/metrics"),
	SET_IGNORED("logs_url_path", "the path is /v1/logs"),
	SET_IGNORED("middlewares", "there are none"),
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
	.signals = SIGNAL_PROFILES | SIGNAL_TRACES | SIGNAL_METRICS | SIGNAL_LOGS,
	.form = FORM_ANY,
	.help = "Receives OTLP over gRPC and HTTP.",
	.settings = otlp_settings,
	.settings_size = sizeof(struct otlp_settings),
	.check = otlp_check,
	.create = otlp_create,
	.destroy = free,
};
