/* SPDX-License-Identifier: Apache-2.0 */
/* The pyroscope receiver: its routes and its settings. */
#include "pipeline/receivers/pyroscope/pyroscope_receiver.h"

#include <errno.h>
#include <stdlib.h>

#include "net/rpc/rpc_reply.h"
#include "pipeline/receivers/pyroscope/receiver.h"

static void handle_ingest(void *owner, struct http_exchange *x)
{
	struct pyroscope_receiver *p = owner;

	receive_run(p->host, p, x, RECEIVE_INGEST, pyroscope_ingest);
}

static void handle_push(void *owner, struct http_exchange *x)
{
	struct pyroscope_receiver *p = owner;

	receive_run(p->host, p, x, RECEIVE_PUSH, pyroscope_push);
}

static void refuse_ingest(void *owner, struct http_exchange *x, const struct http_refusal *why)
{
	(void)owner;
	pyroscope_fail(x, why->status, rpc_code_of_http(why->status), why->retry_after_s,
		       str_from(why->text));
}

static bool pyroscope_admit(void *owner, struct http_exchange *x, struct http_refusal *why)
{
	struct pyroscope_receiver *p = owner;

	enum receive_protocol protocol =
		x->route->handler == handle_push ? RECEIVE_PUSH : RECEIVE_INGEST;

	return receive_admit(p->host, p->next, x, protocol, 429, why);
}

static int pyroscope_listen(struct pyroscope_receiver *p, struct str endpoint, struct err *e)
{
	const struct http_route ingest = {
		.methods = METHOD_POST,
		/* the content itself shows its compression, as in Pyroscope */
		.flags = HTTP_RAW_BODY,
		.handler = handle_ingest,
		.owner = p,
		.max_body = p->max_bytes,
		.refuse = refuse_ingest,
	};
	struct listener_routes l = {.address = endpoint,
				    .tls = receive_tls_files(&p->tls),
				    .routes = p->routes,
				    .count = PYROSCOPE_ROUTES,
				    .admit = pyroscope_admit,
				    .owner = p};

	p->routes[0] = p->routes[1] = ingest;
	p->routes[0].path = STR("/ingest");
	p->routes[1].path = STR("/pyroscope/ingest");
	p->routes[2] = (struct http_route){
		.methods = METHOD_POST,
		.flags = HTTP_RPC | HTTP_RAW_BODY,
		.path = STR("/push.v1.PusherService/Push"),
		.handler = handle_push,
		.owner = p,
		.max_body = p->max_bytes,
	};
	return listeners_add(&p->host->listeners, &l, e);
}

static int pyroscope_create(void **instance, const struct component_env *env, const void *settings,
			    struct err *e)
{
	const struct pyroscope_settings *s = settings;
	struct pyroscope_receiver *p = calloc(1, sizeof(*p));
	int rc;

	if (!p)
		return -ENOMEM;
	p->host = env->host;
	p->next = env->next[signal_index(SIGNAL_PROFILES)];
	p->limits = (struct series_limits){(uint32_t)s->max_labels, (uint32_t)s->max_label_name,
					   (uint32_t)s->max_label_value};
	p->max_bytes = s->max_bytes;
	p->tls = s->tls;
	rc = pyroscope_listen(p, s->endpoint, e);
	if (rc)
		free(p);
	else
		*instance = p;
	return rc;
}

static int pyroscope_check(const void *settings, struct err *e)
{
	return receive_tls_check(&((const struct pyroscope_settings *)settings)->tls, e);
}

static const struct setting settings[] = {
	SET_STRING(struct pyroscope_settings, endpoint, "endpoint", "127.0.0.1:4040",
		   "Address to listen on."),
	SET_BYTES(struct pyroscope_settings, max_bytes, "max_request_body_size", "64MiB",
		  "Maximum size of a body, as sent and uncompressed; larger bodies are refused."),
	SET_INT(struct pyroscope_settings, max_labels, "max_label_names_per_series", "100", 1, 1000,
		NULL, "Profiles with more labels are refused."),
	SET_INT(struct pyroscope_settings, max_label_name, "max_label_name_length", "1024", 1,
		65536, "bytes", "Profiles with longer label names are refused."),
	SET_INT(struct pyroscope_settings, max_label_value, "max_label_value_length", "4096", 1,
		65536, "bytes", "Profiles with longer label values are refused."),
	SET_GROUP_ALWAYS(struct pyroscope_settings, tls, "tls", receive_tls_settings, "TLS."),
	SET_END,
};

const struct component pyroscope_receiver = {
	.name = "pyroscope",
	.kind = COMPONENT_RECEIVER,
	.signals = SIGNAL_PROFILES,
	.form = FORM_DECODED,
	.help = "Receives Pyroscope's protocols: /ingest and push.v1.",
	.settings = settings,
	.settings_size = sizeof(struct pyroscope_settings),
	.check = pyroscope_check,
	.create = pyroscope_create,
	.destroy = free,
};
