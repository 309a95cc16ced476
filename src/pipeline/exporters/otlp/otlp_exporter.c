/* SPDX-License-Identifier: Apache-2.0 */
/* The exporter otlp: its settings, a target for gRPC or HTTP, and a sender that sends to it. */
#include "pipeline/exporters/otlp/otlp_exporter.h"

#include <errno.h>
#include <stdlib.h>

#include "net/rpc/rpc_coding.h"
#include "pipeline/exporters/otlp/otlp_endpoint.h"
#include "pipeline/exporters/otlp/otlp_grpc_target.h"
#include "pipeline/exporters/otlphttp/otlp_http_target.h"

struct otlp_instance {
	/* One of them. */
	struct otlp_grpc_target *grpc;
	struct otlp_http_target *http;
	struct sender *sender;
	struct arena arena;
};

static void otlp_exporter_destroy(void *instance)
{
	struct otlp_instance *x = instance;

	sender_free(x->sender);
	otlp_grpc_target_free(x->grpc);
	otlp_http_target_free(x->http);
	arena_fini(&x->arena);
	free(x);
}

/* Like the collector: certificates to trust mean TLS, whatever tls.insecure says. */
static bool uses_tls(const struct otlp_endpoint *to, const struct client_tls_settings *tls)
{
	if (to->scheme != OTLP_SCHEME_NONE)
		return to->scheme == OTLP_SCHEME_HTTPS;
	return !tls->insecure || tls->ca_file.n || tls->ca_pem.n;
}

static int make_sender(struct otlp_instance *x, const struct component_env *env,
		       const struct otlp_settings *s, const struct otlp_endpoint *to, struct err *e)
{
	struct sender_options o = {.env = env, .settings = &s->sender};
	struct otlp_http_options http = {.client = &s->client};
	struct otlp_grpc_options grpc = {.client = &s->client,
					 .address = to->address,
					 .tls = uses_tls(to, &s->client.tls),
					 .authority = s->authority,
					 .pick_first = str_eq(s->balancer_name, STR("pick_first"))};
	int rc;

	if (to->has_path) {
		rc = otlp_http_target_new(&x->http, env, &http, e);
		o.ops = &otlp_http_ops;
		o.exporter = x->http;
		o.destination = rc ? NULL : otlp_http_target_text(x->http);
	} else {
		rc = otlp_grpc_target_new(&x->grpc, env, &grpc, e);
		o.ops = &otlp_grpc_ops;
		o.exporter = x->grpc;
		o.destination = to->address.p;
	}
	return rc ? rc : sender_new(&x->sender, &o, e);
}

static int otlp_exporter_create(void **instance, const struct component_env *env,
				const void *settings, struct err *e)
{
	const struct otlp_settings *s = settings;
	struct otlp_instance *x = calloc(1, sizeof(*x));
	struct otlp_endpoint to;
	int rc;

	if (!x)
		return err_set(e, -ENOMEM, "out of memory");
	arena_init(&x->arena, NULL);
	rc = otlp_endpoint_parse(&to, s->client.endpoint, &x->arena, e);
	if (!rc)
		rc = make_sender(x, env, s, &to, e);
	if (rc) {
		otlp_exporter_destroy(x);
		return rc;
	}
	*instance = x;
	return 0;
}

static int otlp_exporter_start(void *instance, struct err *e)
{
	struct otlp_instance *x = instance;
	int rc = x->grpc ? otlp_grpc_target_check(x->grpc, e) : 0;

	return rc ? rc : sender_start(x->sender, e);
}

static bool otlp_exporter_consume(void *instance, struct delivery *d)
{
	struct otlp_instance *x = instance;

	return sender_consume(x->sender, d);
}

static void otlp_exporter_stop(void *instance)
{
	struct otlp_instance *x = instance;

	sender_stop(x->sender);
}

static struct str otlp_exporter_storage(const void *settings)
{
	const struct otlp_settings *s = settings;

	return s->sender.queue.storage;
}

static bool is_grpc_compression(enum compress_kind kind)
{
	return kind == COMPRESS_NONE || kind == COMPRESS_SNAPPY || rpc_coding_name(kind);
}

static int check_otlp_endpoint(const struct otlp_settings *s, struct err *e)
{
	struct otlp_endpoint to;
	struct arena arena;
	int rc;

	arena_init(&arena, NULL);
	rc = otlp_endpoint_parse(&to, s->client.endpoint, &arena, e);
	arena_fini(&arena);
	if (!rc && to.has_path && !otlp_http_is_url(s->client.endpoint))
		return err_set(e, -EINVAL, "\"endpoint\": expected host:port or a URL");
	if (!rc && !to.has_path && !is_grpc_compression(client_compression(&s->client)))
		return err_set(e, -EINVAL,
			       "\"compression\": %.*s is not supported over gRPC: use gzip, zstd, "
			       "snappy or none",
			       STR_ARG(s->client.compression));
	return rc;
}

static int otlp_exporter_check(const void *settings, struct err *e)
{
	const struct otlp_settings *s = settings;
	int rc = sender_settings_check(&s->sender, e);

	if (!rc)
		rc = client_settings_check(&s->client, e);
	if (!rc)
		rc = check_otlp_endpoint(s, e);
	if (rc)
		return rc;
	if (!str_eq(s->balancer_name, STR("round_robin")) &&
	    !str_eq(s->balancer_name, STR("pick_first")))
		return err_set(e, -EINVAL,
			       "\"balancer_name\": expected round_robin or pick_first, found "
			       "\"%.*s\"",
			       STR_ARG(str_head(s->balancer_name, 64)));
	return 0;
}

const struct setting otlp_exporter_table[] = {
	CLIENT_SETTINGS(struct otlp_settings, client, "gzip"),
	SET_STRING(struct otlp_settings, authority, "authority", NULL,
		   "The name of the server in requests; default: the endpoint."),
	SET_STRING(struct otlp_settings, balancer_name, "balancer_name", "round_robin",
		   "If the host has several addresses: round_robin or pick_first."),
	SENDER_SETTINGS(struct otlp_settings, sender, "5s"),
	SET_IGNORED("keepalive", "a lost connection is made again by the next request"),
	SET_IGNORED("wait_for_ready", "requests are repeated until the server is ready"),
	SET_IGNORED("read_buffer_size", "buffers grow as needed"),
	SET_IGNORED("write_buffer_size", "data is sent without a buffer"),
	SET_IGNORED("middlewares", "there are no middleware extensions"),
	SET_IGNORED("user_agent", "it is that of the program"),
	SET_END,
};

static const char *const otlp_exporter_aliases[] = {"otlp_grpc", NULL};

const struct component otlp_exporter = {
	.name = "otlp",
	.kind = COMPONENT_EXPORTER,
	.signals = SIGNAL_PROFILES | SIGNAL_TRACES | SIGNAL_METRICS | SIGNAL_LOGS,
	.form = FORM_PAYLOAD,
	.help = "Sends data as OTLP over gRPC.",
	.aliases = otlp_exporter_aliases,
	.settings = otlp_exporter_table,
	.settings_size = sizeof(struct otlp_settings),
	.check = otlp_exporter_check,
	.create = otlp_exporter_create,
	.start = otlp_exporter_start,
	.storage = otlp_exporter_storage,
	.consume = otlp_exporter_consume,
	.stop = otlp_exporter_stop,
	.destroy = otlp_exporter_destroy,
};
