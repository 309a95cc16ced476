/* SPDX-License-Identifier: Apache-2.0 */
/* The exporter otlphttp: its settings, a target, and a sender that sends to it. */
#include "pipeline/exporters/otlphttp/otlphttp_exporter.h"

#include <errno.h>
#include <stdlib.h>

#include "pipeline/exporters/otlphttp/otlp_http_target.h"

struct compression_params {
	int64_t level;
};

struct otlphttp_settings {
	struct sender_settings sender;
	struct client_settings client;
	struct str traces, metrics, logs, profiles; /* endpoints */
	struct str encoding, proxy_url;
	struct compression_params compression_params;
};

struct otlphttp {
	const struct otlphttp_settings *settings;
	struct otlp_http_target *target;
	struct sender *sender;
};

static void otlphttp_destroy(void *instance)
{
	struct otlphttp *x = instance;

	sender_free(x->sender);
	otlp_http_target_free(x->target);
	free(x);
}

static int otlphttp_create(void **instance, const struct component_env *env, const void *settings,
			   struct err *e)
{
	const struct otlphttp_settings *s = settings;
	struct otlp_http_options options = {.client = &s->client,
					    .urls = {s->profiles, s->traces, s->metrics, s->logs},
					    .proxy = s->proxy_url,
					    .json = str_eq(s->encoding, STR("json")),
					    .level = s->compression_params.level};
	struct otlphttp *x = calloc(1, sizeof(*x));
	int rc;

	if (!x)
		return err_set(e, -ENOMEM, "out of memory");
	rc = otlp_http_target_new(&x->target, env, &options, e);
	if (!rc)
		rc = sender_new(&x->sender,
				&(struct sender_options){env, &otlp_http_ops, x->target, &s->sender,
							 otlp_http_target_text(x->target)},
				e);
	if (rc) {
		otlphttp_destroy(x);
		return rc;
	}
	*instance = x;
	return 0;
}

static int otlphttp_start(void *instance, struct err *e)
{
	struct otlphttp *x = instance;

	return sender_start(x->sender, e);
}

static bool otlphttp_consume(void *instance, struct delivery *d)
{
	struct otlphttp *x = instance;

	return sender_consume(x->sender, d);
}

static void otlphttp_stop(void *instance)
{
	struct otlphttp *x = instance;

	sender_stop(x->sender);
}

static struct str otlphttp_storage(const void *settings)
{
	const struct otlphttp_settings *s = settings;

	return s->sender.queue.storage;
}

static int check_otlp_url(const char *key, struct str url, struct err *e)
{
	if (!url.n || otlp_http_is_url(url))
		return 0;
	return err_set(e, -EINVAL,
		       "\"%s\": expected a URL such as https://backend:4318, found \"%.*s\"", key,
		       STR_ARG(str_head(url, 200)));
}

static int otlphttp_check(const void *settings, struct err *e)
{
	const struct otlphttp_settings *s = settings;
	int rc = sender_settings_check(&s->sender, e);

	if (!rc)
		rc = client_settings_check(&s->client, e);
	if (rc)
		return rc;
	if (!s->client.endpoint.n && !s->traces.n && !s->metrics.n && !s->logs.n && !s->profiles.n)
		return err_set(e, -EINVAL,
			       "at least one endpoint must be specified: set \"endpoint\"");
	if (!str_eq(s->encoding, STR("proto")) && !str_eq(s->encoding, STR("json")))
		return err_set(e, -EINVAL, "\"encoding\": expected proto or json, found \"%.*s\"",
			       STR_ARG(str_head(s->encoding, 32)));
	if (check_otlp_url("endpoint", s->client.endpoint, e) ||
	    check_otlp_url("traces_endpoint", s->traces, e) ||
	    check_otlp_url("metrics_endpoint", s->metrics, e) ||
	    check_otlp_url("logs_endpoint", s->logs, e) ||
	    check_otlp_url("profiles_endpoint", s->profiles, e))
		return -EINVAL;
	return 0;
}

static const struct setting compression_params_table[] = {
	SET_INT(struct compression_params, level, "level", "0", 0, 22, NULL,
		"Higher levels are slower and make smaller requests; 0: fast."),
	SET_END,
};

static const struct setting otlphttp_table[] = {
	CLIENT_SETTINGS(struct otlphttp_settings, client, "gzip"),
	SET_STRING(struct otlphttp_settings, traces, "traces_endpoint", NULL,
		   "The whole URL for traces; default: endpoint and /v1/traces."),
	SET_STRING(struct otlphttp_settings, metrics, "metrics_endpoint", NULL,
		   "The whole URL for metrics; default: endpoint and /v1/metrics."),
	SET_STRING(struct otlphttp_settings, logs, "logs_endpoint", NULL,
		   "The whole URL for logs; default: endpoint and /v1/logs."),
	SET_STRING(struct otlphttp_settings, profiles, "profiles_endpoint", NULL,
		   "The whole URL for profiles; default: endpoint and /v1development/profiles."),
	SET_STRING(struct otlphttp_settings, encoding, "encoding", "proto",
		   "The encoding of messages: proto or json."),
	SET_STRING(struct otlphttp_settings, proxy_url, "proxy_url", NULL,
		   "Send through this proxy; default: as http_proxy and https_proxy say."),
	SET_GROUP_ALWAYS(struct otlphttp_settings, compression_params, "compression_params",
			 compression_params_table, "How to compress."),
	SENDER_SETTINGS(struct otlphttp_settings, sender, "30s"),
	HTTP_CLIENT_KEYS_IGNORED,
	SET_END,
};

static const char *const otlphttp_aliases[] = {"otlp_http", NULL};

const struct component otlphttp_exporter = {
	.name = "otlphttp",
	.kind = COMPONENT_EXPORTER,
	.signals = SIGNAL_PROFILES | SIGNAL_TRACES | SIGNAL_METRICS | SIGNAL_LOGS,
	.form = FORM_PAYLOAD,
	.help = "Sends data as OTLP over HTTP.",
	.aliases = otlphttp_aliases,
	.settings = otlphttp_table,
	.settings_size = sizeof(struct otlphttp_settings),
	.check = otlphttp_check,
	.create = otlphttp_create,
	.start = otlphttp_start,
	.storage = otlphttp_storage,
	.consume = otlphttp_consume,
	.stop = otlphttp_stop,
	.destroy = otlphttp_destroy,
};
