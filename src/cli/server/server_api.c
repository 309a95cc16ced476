/* SPDX-License-Identifier: Apache-2.0 */
/* The API of the server: its options, memory and routes. */
#include "cli/server/server_api.h"

#include <errno.h>
#include <stdlib.h>

#include "cli/server/self_profile.h"
#include "cli/server/server_drift.h"
#include "cli/version.h"
#include "rules/rules.h"

static void put_host_metrics(void *owner, struct buf *out)
{
	struct server_process *p = owner;

	host_metrics(&p->host, out, false);
	access_metrics(&p->access, out);
	if (p->rules)
		rules_metrics(p->rules, out);
}

/* Return why this server must not control instances, or NULL. */
static const char *why_no_control(const struct server_process *p)
{
	if (p->options->insecure && !p->options->token_file &&
	    !p->current->settings.access.proxy.peers.n)
		return "other machines may use this server without a token (--insecure): to "
		       "control instances, give --token-file";
	return NULL;
}

static int create_api(struct server_process *p, struct err *e)
{
	struct buf dashboards = {0};
	int rc;
	struct api_options options = {
		.store = p->host.store,
		.uploads = service_head(p->service, SIGNAL_PROFILES),
		.tenants = p->options->tenants,
		.version = version_build,
		.max_memory = memory_shares_remainder(&p->memory) / 2,
		.rest = &p->memory.rest,
		.memory_limit = p->memory.limit,
		.max_answer = memory_shares_network(&p->memory) / 8 * 5,
		.host = &p->host,
		.metrics = put_host_metrics,
		.owner = p,
		.audit = p->audit,
		.rules = p->rules,
		.drift = p->drift,
		.control_off = why_no_control(p),
		.debug_pprof = self_profile_answer,
	};

	if (p->data_directory) {
		buf_printf(&dashboards, "%s/dashboards", p->data_directory);
		buf_put_char(&dashboards, 0);
		options.dashboards = dashboards.p;
	}
	rc = buf_error(&dashboards);
	if (!rc)
		rc = api_new(&p->api, &options, e);
	buf_fini(&dashboards);
	return rc;
}

/* Instances of libvarve report to the server that they export to, on any of its ports. */
static int register_agents(struct server_process *p, const struct api_settings *s, struct err *e)
{
	struct listeners *l = &p->host.listeners;
	int rc = 0;

	for (uint32_t i = 0; i < listeners_count(l) && !rc; i++) {
		struct str address = listeners_address(l, i);
		struct listener_routes routes = {.address = address,
						 .tls = listeners_tls(l, address),
						 .routes = p->agent_routes,
						 .count = api_agent_routes(p->api, NULL, 0)};

		if (!str_eq(address, s->endpoint) && !str_eq(address, s->tempo_endpoint) &&
		    !str_eq(address, s->prometheus_endpoint))
			rc = listeners_add(l, &routes, e);
	}
	return rc;
}

int server_api_register(struct server_process *p, struct server_settings *settings, struct err *e)
{
	struct api_settings *s = &settings->api;
	struct listener_routes l = {.address = s->endpoint,
				    .routes = p->api_routes,
				    .count = api_routes(p->api, NULL, 0)};
	int rc;

	l.tls = s->tls.certificate.n ? receive_tls_files(&s->tls)
				     : listeners_tls(&p->host.listeners, l.address);
	rc = listeners_add(&p->host.listeners, &l, e);
	l.address = s->tempo_endpoint;
	if (!rc && l.address.n && !str_eq(l.address, s->endpoint))
		rc = listeners_add(&p->host.listeners, &l, e);
	if (!rc && s->prometheus_endpoint.n)
		rc = listeners_add_below(&p->host.listeners, s->endpoint, STR("/prometheus"),
					 s->prometheus_endpoint, e);
	return rc ? rc : register_agents(p, s, e);
}

bool server_api_wanted(const struct server_process *p, const struct config *c)
{
	return !p->options->collector || config_find(c->root, "service.api");
}

int server_api_add(struct server_process *p, struct err *e)
{
	size_t count, agents;
	int rc;

	if (!p->host.store || !server_api_wanted(p, &p->current->config))
		return 0;
	rc = server_drift_add(p, e);
	rc = rc ? rc : create_api(p, e);
	if (rc)
		return rc;
	count = api_routes(p->api, NULL, 0);
	p->api_routes = calloc(count, sizeof(*p->api_routes));
	agents = api_agent_routes(p->api, NULL, 0);
	p->agent_routes = calloc(agents, sizeof(*p->agent_routes));
	if (!p->api_routes || !p->agent_routes)
		return -ENOMEM;
	api_routes(p->api, p->api_routes, count);
	api_agent_routes(p->api, p->agent_routes, agents);
	return server_api_register(p, &p->current->settings, e);
}

void server_api_remove(struct server_process *p)
{
	api_free(p->api);
	free(p->api_routes);
	free(p->agent_routes);
}
