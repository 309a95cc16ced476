/* SPDX-License-Identifier: Apache-2.0 */
/* The exporter prometheus: keeps the last points, and writes them for GET /metrics. */
#include "pipeline/exporters/prometheus/prometheus_exporter.h"

#include <errno.h>
#include <stdlib.h>

#include "base/clock.h"
#include "net/http/header.h"
#include "net/http/respond.h"
#include "pipeline/exporters/prometheus/exposition.h"
#include "pipeline/extensions/page_auth.h"
#include "pipeline/forward.h"
#include "pipeline/receivers/receive.h"

struct resource_label_settings {
	bool enabled, exclude_service_attributes;
};

struct prometheus_exporter_settings {
	struct str endpoint, prefix, strategy;
	struct receive_tls tls;
	struct page_auth_settings auth;
	struct setting_map const_labels;
	bool send_timestamps, open_metrics, without_scope_info, suffixes;
	uint64_t expiration_ns;
	struct resource_label_settings resource_labels;
};

struct prometheus_exporter {
	const struct prometheus_exporter_settings *settings;
	struct host *host;
	const struct extension *auth; /* NULL: none */
	struct receive_tls tls;
	struct http_route route;
	struct prom_options options;
	struct arena arena; /* of the options */
	pthread_mutex_t mu; /* guards `kept` */
	struct kept_points kept;
};

/* ---- scrapes ---- */

/* A scrape that waits for a worker; in the arena of the exchange. */
struct exposition_job {
	struct work work;
	struct prometheus_exporter *exporter;
	struct http_exchange *x;
};

static void run_exposition(struct work *work)
{
	struct exposition_job *job = (struct exposition_job *)work;
	struct prometheus_exporter *p = job->exporter;
	struct str accept = http_header(job->x, STR("accept"));
	struct exposition_options o = {
		.timestamps = p->settings->send_timestamps,
		.openmetrics = p->settings->open_metrics &&
			       http_header_lists(accept, STR("application/openmetrics-text")),
		.utf8 = str_find_str(accept, STR("escaping=allow-utf-8")) < accept.n};
	struct http_response r = {
		.status = 200,
		.compress = true,
		.content_type =
			o.openmetrics
				? STR("application/openmetrics-text; version=1.0.0; charset=utf-8")
				: STR("text/plain; version=0.0.4; charset=utf-8")};
	uint64_t now = clock_monotonic_ns(), age = p->settings->expiration_ns;
	int rc;

	pthread_mutex_lock(&p->mu);
	if (age)
		kept_points_expire(&p->kept, now > age ? now - age : 0);
	rc = exposition_write(&r.body, &p->kept, &o);
	pthread_mutex_unlock(&p->mu);
	if (!rc) {
		http_respond(job->x, &r);
		return;
	}
	buf_fini(&r.body);
	http_respond_text(job->x, 503, "out of memory");
}

static void handle_scrape(void *owner, struct http_exchange *x)
{
	struct prometheus_exporter *p = owner;
	struct exposition_job *job = arena_alloc(x->arena, 1, sizeof(*job));

	if (!job) {
		http_respond_text(x, 503, "out of memory");
		return;
	}
	*job = (struct exposition_job){{run_exposition}, p, x};
	if (workers_submit(&p->host->workers, &job->work, 0))
		http_respond_text(x, 503, "too many requests are waiting");
}

static bool admit_scrape(void *owner, struct http_exchange *x, struct http_refusal *why)
{
	const struct prometheus_exporter *p = owner;

	return page_auth_admit(p->auth, x, why);
}

/* ---- data ---- */

struct keeping {
	struct prometheus_exporter *exporter;
	uint64_t now;
};

static int keep_point(void *arg, const struct prom_point *point)
{
	struct keeping *k = arg;

	return kept_points_put(&k->exporter->kept, point, k->now) == KEPT_NO_MEMORY ? -ENOMEM : 0;
}

static bool prometheus_exporter_consume(void *instance, struct delivery *d)
{
	struct prometheus_exporter *p = instance;
	struct keeping k = {p, clock_monotonic_ns()};
	struct arena arena;
	struct err e = {0};
	uint32_t refused;
	int rc;

	arena_init(&arena, &p->host->memory);
	pthread_mutex_lock(&p->mu);
	rc = prom_points(d->payload, &p->options, keep_point, &k, &refused, &arena, &e);
	pthread_mutex_unlock(&p->mu);
	arena_fini(&arena);
	d->copied = true;
	if (rc)
		delivery_fail(d, rc, rc == -ENOMEM ? 1000 : 0, "%s",
			      e.text[0] ? e.text : "out of memory");
	else
		delivery_finish(d);
	return true;
}

/* ---- the component ---- */

static void prometheus_exporter_destroy(void *instance)
{
	struct prometheus_exporter *p = instance;

	kept_points_fini(&p->kept);
	arena_fini(&p->arena);
	pthread_mutex_destroy(&p->mu);
	free(p);
}

static int set_options(struct prometheus_exporter *p)
{
	const struct prometheus_exporter_settings *s = p->settings;
	int rc = 0;

	p->options = (struct prom_options){.prefix = s->prefix,
					   .resource_labels = s->resource_labels.enabled,
					   .exclude_service_attributes =
						   s->resource_labels.exclude_service_attributes,
					   .scope_labels = !s->without_scope_info,
					   .target_info = true};
	(void)prom_strategy_find(s->strategy, s->suffixes, &p->options.strategy);
	for (uint32_t i = 0; i < s->const_labels.n && !rc; i++)
		rc = prom_labels_set(&p->options.labels, &p->arena, s->const_labels.at[i].name,
				     s->const_labels.at[i].value);
	return rc;
}

static int listen_for_scrapes(struct prometheus_exporter *p, struct err *e)
{
	struct listener_routes l = {.address = p->settings->endpoint,
				    .routes = &p->route,
				    .count = 1,
				    .admit = admit_scrape,
				    .owner = p};

	p->route = (struct http_route){.methods = METHOD_GET | METHOD_HEAD,
				       .flags = HTTP_OPEN,
				       .path = STR("/metrics"),
				       .handler = handle_scrape,
				       .owner = p};
	p->tls = p->settings->tls;
	l.tls = receive_tls_files(&p->tls);
	return listeners_add(&p->host->listeners, &l, e);
}

static int prometheus_exporter_create(void **instance, const struct component_env *env,
				      const void *settings, struct err *e)
{
	struct prometheus_exporter *p = calloc(1, sizeof(*p));
	int rc;

	if (!p)
		return err_set(e, -ENOMEM, "out of memory");
	p->settings = settings;
	p->host = env->host;
	pthread_mutex_init(&p->mu, NULL);
	arena_init(&p->arena, NULL);
	rc = kept_points_init(&p->kept, env->log);
	if (!rc)
		rc = set_options(p);
	if (rc)
		err_set(e, rc, "out of memory");
	else
		rc = page_auth_find(&p->auth, &p->settings->auth, env, e);
	if (!rc)
		rc = listen_for_scrapes(p, e);
	if (rc) {
		prometheus_exporter_destroy(p);
		return rc;
	}
	*instance = p;
	return 0;
}

static int prometheus_exporter_check(const void *settings, struct err *e)
{
	const struct prometheus_exporter_settings *s = settings;
	enum prom_strategy strategy;

	if (!s->endpoint.n)
		return err_set(e, -EINVAL, "\"endpoint\" is required, for example 0.0.0.0:8889");
	if (!prom_strategy_find(s->strategy, s->suffixes, &strategy))
		return err_set(e, -EINVAL,
			       "\"translation_strategy\": expected UnderscoreEscapingWithSuffixes, "
			       "UnderscoreEscapingWithoutSuffixes, NoUTF8EscapingWithSuffixes or "
			       "NoTranslation, found \"%.*s\"",
			       STR_ARG(str_head(s->strategy, 60)));
	return receive_tls_check(&s->tls, e);
}

static const struct setting resource_label_table[] = {
	SET_BOOL(struct resource_label_settings, enabled, "enabled", "false",
		 "Make labels of the attributes of resources."),
	SET_BOOL(struct resource_label_settings, exclude_service_attributes,
		 "exclude_service_attributes", "false",
		 "But not of service.name, service.namespace and service.instance.id."),
	SET_END,
};

static const struct setting prometheus_exporter_table[] = {
	SET_STRING(struct prometheus_exporter_settings, endpoint, "endpoint", NULL,
		   "Address to listen on; the path is /metrics."),
	SET_GROUP_ALWAYS(struct prometheus_exporter_settings, tls, "tls", receive_tls_settings,
			 "TLS."),
	SET_GROUP_ALWAYS(struct prometheus_exporter_settings, auth, "auth", page_auth_settings,
			 "Authentication of scrapes."),
	SET_STRING(struct prometheus_exporter_settings, prefix, "namespace", NULL,
		   "What names of metrics begin with."),
	SET_MAP(struct prometheus_exporter_settings, const_labels, "const_labels",
		"Labels of all series."),
	SET_BOOL(struct prometheus_exporter_settings, send_timestamps, "send_timestamps", "false",
		 "Write the times of data points."),
	SET_DURATION(struct prometheus_exporter_settings, expiration_ns, "metric_expiration", "5m",
		     "How long a series is kept without new data; 0: always."),
	SET_GROUP_ALWAYS(struct prometheus_exporter_settings, resource_labels,
			 "resource_to_telemetry_conversion", resource_label_table,
			 "Attributes of resources."),
	SET_BOOL(struct prometheus_exporter_settings, open_metrics, "enable_open_metrics", "false",
		 "Write OpenMetrics, with exemplars, for clients that accept it."),
	SET_BOOL(struct prometheus_exporter_settings, without_scope_info, "without_scope_info",
		 "false", "Leave out the labels otel_scope_*."),
	SET_BOOL(struct prometheus_exporter_settings, suffixes, "add_metric_suffixes", "true",
		 "Add unit and type to names."),
	SET_STRING(struct prometheus_exporter_settings, strategy, "translation_strategy", NULL,
		   "How names are translated; default: by add_metric_suffixes."),
	PAGE_KEYS_IGNORED,
	SET_IGNORED("sending_queue", "nothing is sent"),
	SET_IGNORED("timeout", "nothing is sent"),
	SET_IGNORED("retry_on_failure", "nothing is sent"),
	SET_END,
};

const struct component prometheus_exporter = {
	.name = "prometheus",
	.kind = COMPONENT_EXPORTER,
	.signals = SIGNAL_METRICS,
	.form = FORM_PAYLOAD,
	.help = "Serves metrics for scrapes by Prometheus.",
	.settings = prometheus_exporter_table,
	.settings_size = sizeof(struct prometheus_exporter_settings),
	.check = prometheus_exporter_check,
	.create = prometheus_exporter_create,
	.consume = prometheus_exporter_consume,
	.destroy = prometheus_exporter_destroy,
};
