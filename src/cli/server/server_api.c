/* SPDX-License-Identifier: Apache-2.0 */
/* The API of the server: its options, memory and routes. */
#include "cli/server/server_api.h"

#include <errno.h>
#include <stdlib.h>

#include "cli/server/self_profile.h"
#include "cli/version.h"

static void put_host_metrics(void *owner, struct buf *out)
{
	host_metrics(owner, out, false);
}

static int create_api(struct server_process *p, struct err *e)
{
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
		.owner = &p->host,
		.debug_pprof = self_profile_answer,
	};

	return api_new(&p->api, &options, e);
}

int server_api_register(struct server_process *p, struct server_settings *settings, struct err *e)
{
	struct api_settings *s = &settings->api;
	struct listener_routes l = {.address = s->endpoint,
				    .routes = p->api_routes,
				    .count = api_routes(p->api, NULL, 0)};

	l.tls = s->tls.certificate.n ? receive_tls_files(&s->tls)
				     : listeners_tls(&p->host.listeners, l.address);
	return listeners_add(&p->host.listeners, &l, e);
}

bool server_api_wanted(const struct server_process *p, const struct config *c)
{
	return !p->options->collector || config_find(c->root, "service.api");
}

int server_api_add(struct server_process *p, struct err *e)
{
	size_t count;
	int rc;

	if (!p->host.store || !server_api_wanted(p, &p->current->config))
		return 0;
	rc = create_api(p, e);
	if (rc)
		return rc;
	count = api_routes(p->api, NULL, 0);
	p->api_routes = calloc(count, sizeof(*p->api_routes));
	if (!p->api_routes)
		return -ENOMEM;
	api_routes(p->api, p->api_routes, count);
	return server_api_register(p, &p->current->settings, e);
}

void server_api_remove(struct server_process *p)
{
	api_free(p->api);
	free(p->api_routes);
}
