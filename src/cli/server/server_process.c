/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Start and stop of the server. Parts are created from the configuration in order of dependency,
 * and stopped in reverse: listeners drain first, the pipelines deliver what they hold, the store
 * closes last.
 */
#include "cli/server/server_process.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "base/clock.h"
#include "cli/server/connection_limits.h"
#include "cli/server/profile_endpoint.h"
#include "cli/server/server_addresses.h"
#include "cli/server/server_api.h"
#include "cli/server/server_drift.h"
#include "cli/server/server_reload.h"
#include "cli/server/server_rules.h"
#include "cli/version.h"
#include "pipeline/exporters/store/store_exporter.h"
#include "pipeline/service/telemetry_settings.h"
#include "store/sqlite/sqlite_store.h"

/* How long requests in flight may take to finish. */
enum { DRAIN_MS = 1500 };

static int open_store(void *arg, const struct store_settings *s, struct store **out, struct err *e)
{
	struct server_process *p = arg;

	p->data_directory = s->directory.p;
	p->profile_retention_ns =
		s->retention_profiles_ns ? s->retention_profiles_ns : s->retention_ns;

	struct sqlite_store_options options = {
		.directory = s->directory.p,
		.retention_seconds = s->retention_ns / NS_PER_SECOND,
		.signal_retention_seconds = {s->retention_profiles_ns / NS_PER_SECOND,
					     s->retention_traces_ns / NS_PER_SECOND,
					     s->retention_metrics_ns / NS_PER_SECOND,
					     s->retention_logs_ns / NS_PER_SECOND},
		.retention_bytes = s->retention_bytes,
		.future_seconds = (s->future_ns + NS_PER_SECOND - 1) / NS_PER_SECOND,
		.service_nodes = (uint64_t)s->max_stack_nodes,
		.metric_series = (uint32_t)s->max_series,
		.memory =
			s->memory_bytes ? s->memory_bytes : memory_shares_remainder(&p->memory) / 4,
		.rest = &p->memory.rest,
		.log = &p->log,
	};
	int rc = 0;

	if (s->key_file.n)
		rc = key_ring_open(&options.keys, s->key_file.p, &p->log, e);
	if (!rc)
		rc = sqlite_store_open(out, &options, e);
	if (!p->data_keys)
		p->data_keys = take_ptr(&options.keys); /* the store has its own reference */
	key_ring_unref(options.keys);
	return rc;
}

/*
 * Open the audit log: --audit-log, else audit.log beside the data. Without a store, only if it is
 * asked for. It is encrypted if the data is.
 */
static int open_audit(struct server_process *p, struct err *e)
{
	const char *path = p->options->audit_log;
	struct buf name = {0};
	int rc;

	if (path ? !strcmp(path, "none") : !p->data_directory)
		return 0;
	if (path)
		buf_put_str(&name, str_from(path));
	else
		buf_printf(&name, "%s/audit.log", p->data_directory);
	buf_put_char(&name, 0);
	rc = buf_error(&name);
	if (!rc)
		rc = audit_open(&p->audit, name.p, p->options->audit_log_size, p->data_keys, e);
	buf_fini(&name);
	p->access.audit = p->audit;
	return rc;
}

static bool guard_request(void *owner, struct http_exchange *x, struct http_refusal *why)
{
	return access_admit(owner, x, why);
}

/* A collector runs with any limit of memory_limiter, which counts all memory of the process. */
static uint64_t choose_memory_limit(const struct server_process *p)
{
	uint64_t configured = memory_shares_configured(&p->current->config);

	if (p->options->memory_limit)
		return p->options->memory_limit;
	return p->options->collector ? max_size(configured, MEMORY_SHARES_LEAST) : configured;
}

static int init_host(struct server_process *p, struct err *e)
{
	int rc = host_init(&p->host, 0, memory_shares_transit(&p->memory), &p->log, e);

	p->has_host = true;
	p->host.memory.own = memory_shares_transit_own(&p->memory);
	p->host.memory.rest = &p->memory.rest;
	p->host.limits = &p->limits;
	p->host.metrics_address = p->options->collector ? "localhost:8888" : NULL;
	p->host.version = version_build;
	p->host.serve_profiles = profile_endpoint_start;
	p->host.stop_profiles = profile_endpoint_stop;
	p->host.want_profiles = profile_endpoint_want;
	p->host.take_profile = self_profile_take;
	p->host.serve_profiles_arg = p;
	p->host.open_store = open_store;
	p->host.open_store_arg = p;
	p->host.listeners.guard = guard_request;
	p->host.listeners.guard_owner = &p->access;
	if (!rc && p->current->settings.access.sender_key_file.n)
		rc = key_ring_open(&p->host.sender_keys,
				   p->current->settings.access.sender_key_file.p, &p->log, e);
	return rc;
}

/* Evaluate --no-self-profile and service.telemetry.profiles. */
static int choose_self_profile(struct server_process *p, struct err *e)
{
	const struct config *c = &p->current->config;
	bool configured;
	int rc = self_profile_configured(c, &configured, e);

	if (p->options->collector && !config_find(c->root, "service.telemetry.profiles"))
		configured = false;
	p->self_profile_target.to = NULL;
	if (!rc && configured && !p->options->no_self_profile)
		p->self_profile_target.to = service_head(p->service, SIGNAL_PROFILES);
	p->self_profile = p->self_profile_target.to != NULL;
	return rc;
}

int server_process_init(struct server_process *p, const struct server_options *o, const char *name,
			struct err *e)
{
	int rc;

	*p = (struct server_process){.options = o,
				     .began = clock_monotonic_ns(),
				     .log = {STDERR_FILENO, (enum log_level)o->log_level}};
	pthread_mutex_init(&p->self_profile_target.mu, NULL);
	pthread_mutex_init(&p->self_metrics_target.mu, NULL);
	rc = server_config_load(&p->current, &o->service, name, e);
	if (p->current)
		p->log = telemetry_log(p->current->config.root, (enum log_level)o->log_level);
	if (!rc) {
		rc = limits_init(&p->limits, &p->current->settings.limits);
		p->has_limits = true;
	}
	if (!rc) {
		rc = access_init(&p->access, o->token_file, o->tenants, e);
		p->has_access = true;
		p->access.limits = &p->limits;
	}
	if (!rc)
		rc = memory_shares_init(&p->memory, choose_memory_limit(p),
					memory_shares_has_store(&p->current->config), e);
	if (!rc)
		rc = init_host(p, e);
	if (!rc)
		rc = service_new(&p->service, &p->current->config, &p->host, NULL, e);
	if (p->current)
		server_config_log_warnings(p->current, &p->log);
	if (!rc)
		rc = open_audit(p, e);
	if (!rc)
		rc = server_rules_add(p, e);
	if (!rc)
		rc = server_api_add(p, e);
	if (!rc)
		rc = server_addresses_allow(p, &p->current->settings, e);
	if (!rc)
		rc = server_addresses_check(p, &p->current->settings, e);
	p->self_metrics_target.to = p->service ? service_head(p->service, SIGNAL_METRICS) : NULL;
	return rc ? rc : choose_self_profile(p, e);
}

void server_process_fini(struct server_process *p)
{
	server_rules_stop(p);
	server_drift_stop(p);
	if (p->service)
		service_stop(p->service, 0);
	server_api_remove(p);
	server_rules_free(p);
	server_drift_remove(p);
	service_free(p->service);
	if (p->has_host)
		host_fini(&p->host);
	if (p->has_access)
		access_fini(&p->access);
	audit_close(p->audit);
	key_ring_unref(p->data_keys);
	if (p->has_limits)
		limits_fini(&p->limits);
	server_config_free(p->current);
	pthread_mutex_destroy(&p->self_metrics_target.mu);
	pthread_mutex_destroy(&p->self_profile_target.mu);
}

/* Return "127.0.0.1:4040" with the port that is bound, or "" if nothing listens on `address`. */
static struct str bound_address(const struct server_process *p, struct str address, char *out,
				size_t size)
{
	uint16_t port = address.n ? listeners_port(&p->host.listeners, address) : 0;

	if (!port)
		return STR("");
	snprintf(out, size, "%.*s:%u", STR_ARG(str_head(address, str_find_last(address, ':'))),
		 port);
	return str_from(out);
}

/* Return the text at a path of the configuration, or an empty one. */
static struct str configured_text(const struct server_process *p, const char *path)
{
	const struct config_node *n = config_find(p->current->config.root, path);

	return n ? n->text : (struct str){0};
}

/* Log the addresses in the order of the receivers, and the message of the collector. */
static void log_collector_ready(const struct server_process *p)
{
	const struct listeners *l = &p->host.listeners;
	struct buf addresses = {0};

	for (uint32_t i = 0; i < listeners_count(l); i++) {
		struct str address = listeners_address(l, i);

		buf_printf(&addresses, "%s%.*s:%u", i ? " " : "",
			   STR_ARG(str_head(address, str_find_last(address, ':'))),
			   listeners_port_at(l, i));
	}
	log_info(&p->log, "Everything is ready. Begin running and processing data.",
		 LOG_STR("addresses", buf_str(&addresses)),
		 LOG_U64("ms", (clock_monotonic_ns() - p->began) / NS_PER_MS));
	buf_fini(&addresses);
}

static void log_ready(const struct server_process *p)
{
	struct str grpc = configured_text(p, "receivers.otlp.protocols.grpc.endpoint");
	struct str otlp = configured_text(p, "receivers.otlp.protocols.http.endpoint");
	const struct api_settings *s = &p->current->settings.api;
	char http_text[128], grpc_text[128], otlp_text[128], tempo_text[128], prometheus_text[128];

	if (s->tempo_endpoint.n)
		log_info(&p->log, "queries on another address",
			 LOG_STR("tempo", bound_address(p, s->tempo_endpoint, tempo_text,
							sizeof(tempo_text))));
	if (s->prometheus_endpoint.n)
		log_info(&p->log, "Prometheus' API on another address",
			 LOG_STR("prometheus",
				 bound_address(p, s->prometheus_endpoint, prometheus_text,
					       sizeof(prometheus_text))));
	log_info(&p->log, "ready",
		 LOG_STR("http", bound_address(p, s->endpoint, http_text, sizeof(http_text))),
		 LOG_STR("otlp_grpc", bound_address(p, grpc, grpc_text, sizeof(grpc_text))),
		 LOG_STR("otlp_http", bound_address(p, otlp, otlp_text, sizeof(otlp_text))),
		 LOG_U64("ms", (clock_monotonic_ns() - p->began) / NS_PER_MS));
}

/* Start profiling this process; if that fails, log the reason and run without. */
static void start_self_profile(struct server_process *p)
{
	struct self_profile_options o = {.host = &p->host,
					 .target = &p->self_profile_target,
					 .tenant = p->options->tenants ? STR("varve") : STR("")};
	const char *impossible = self_profile_impossible();
	struct err e = {0};

	if (impossible)
		log_warn(&p->log, "this process does not profile itself",
			 LOG_STR("reason", str_from(impossible)));
	else if (self_profile_start(&o, &e))
		log_warn(&p->log, "this process does not profile itself", LOG_ERR(&e));
	p->profiling = true;
}

/* Begin to store the metrics of this process; if that fails, log the reason and run without. */
static void start_self_metrics(struct server_process *p)
{
	char host[256] = "localhost", instance[288];
	struct str address = p->current->settings.api.endpoint;
	struct self_metrics_options o = {.host = &p->host,
					 .target = &p->self_metrics_target,
					 .api = p->api,
					 .tenant = p->options->tenants ? STR("varve") : STR("")};
	struct err e = {0};

	(void)gethostname(host, sizeof(host) - 1);
	snprintf(instance, sizeof(instance), "%s:%u", host,
		 listeners_port(&p->host.listeners, address));
	o.instance = str_from(instance);
	if (self_metrics_start(&p->self_metrics, &o, &e))
		log_warn(&p->log, "this process does not store its own metrics", LOG_ERR(&e));
}

void server_process_want_profiles(struct server_process *p)
{
	p->profiles_wanted = true;
	if (p->serving && !p->profiling)
		start_self_profile(p);
}

int server_process_start(struct server_process *p, struct err *e)
{
	struct net_options options;
	int rc;

	connection_limits_init(&options, &p->current->settings.limits, &p->memory);
	rc = service_start(p->service, &options, e);
	if (rc)
		return rc;
	if (p->api)
		api_set_server(p->api, p->host.listeners.server);
	rc = server_drift_start(p, e);
	if (rc)
		return rc;
	if (p->options->collector)
		log_collector_ready(p);
	else
		log_ready(p);
	rc = server_rules_start(p, e);
	if (rc)
		return rc;
	config_watch_begin(&p->watch, &p->current->config);
	server_reload_watch(p);
	p->serving = true;
	if (p->self_profile || p->profiles_wanted)
		start_self_profile(p);
	if (p->api && p->self_metrics_target.to && !p->options->collector &&
	    !p->options->no_self_metrics && self_metrics_configured(&p->current->config))
		start_self_metrics(p);
	return 0;
}

void server_process_stop(struct server_process *p)
{
	uint64_t began = clock_monotonic_ns(), drained, stopped;

	self_profile_stop();
	self_metrics_stop(p->self_metrics);
	listeners_drain(&p->host.listeners, DRAIN_MS);
	drained = clock_monotonic_ns();
	if (p->api)
		api_set_server(p->api, NULL);
	server_rules_stop(p);
	server_drift_stop(p);
	if (p->service)
		service_stop(p->service, 0);
	stopped = clock_monotonic_ns();
	server_process_fini(p);
	log_info(&p->log, "ended", LOG_U64("drain_ms", (drained - began) / NS_PER_MS),
		 LOG_U64("stop_ms", (stopped - drained) / NS_PER_MS),
		 LOG_U64("store_ms", (clock_monotonic_ns() - stopped) / NS_PER_MS));
}
