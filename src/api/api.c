/* SPDX-License-Identifier: Apache-2.0 */
/* The query API as a whole: routes, thread pools and memory budgets. */
#include "api/api.h"

#include <stdlib.h>
#include <unistd.h>

#include "api/endpoint.h"
#include "api/serve.h"
#include "api/tempo/tempo_grpc.h"
#include "api/ui.h"
#include "base/clock.h"

#define QUERIER_PATH "/querier.v1.QuerierService/"

enum {
	MONITORING_WAITING = 16,
	DEBUG_THREADS = 2,
	DEBUG_WAITING = 4,
	QUERY_BODY_MAX = 1 << 20,
	FILES_SHARE = 4, /* opened files may use 1/FILES_SHARE of the memory of queries */
	KEPT_SHARE = 2,	 /* cached results, likewise; running queries reclaim it */
};

/* Services of Pyroscope that are not implemented; answered so in the caller's protocol. */
static const struct str unimplemented[] = {
	STR_INIT("/settings.v1."),	  STR_INIT("/vcs.v1."),
	STR_INIT("/adhocprofiles.v1."),	  STR_INIT("/capabilities.v1."),
	STR_INIT("/debuginfo.v1alpha1."),
};

/* Tables of endpoints, in the order of their routes. */
static const struct {
	const struct endpoint *at;
	const size_t *n;
} tables[] = {
	{render_endpoints, &render_endpoint_count},
	{varve_endpoints, &varve_endpoint_count},
	{tempo_endpoints, &tempo_endpoint_count},
	{prometheus_endpoints, &prometheus_endpoint_count},
	{status_endpoints, &status_endpoint_count},
};

static void set_default_options(struct api_options *o)
{
	long processors = sysconf(_SC_NPROCESSORS_ONLN);

	if (!o->threads)
		o->threads = processors < 2 ? 2 : processors > 8 ? 8 : (unsigned)processors;
	if (!o->waiting)
		o->waiting = 64;
	if (!o->timeout_ns)
		o->timeout_ns = 60 * NS_PER_SECOND;
	if (!o->max_memory)
		o->max_memory = 512 * MIB;
	if (!o->version)
		o->version = "unknown";
}

static int bind_routes(struct api *a)
{
	size_t n = querier_rpc_count + tempo_rpc_count + empty_rpc_count + countof(unimplemented),
	       at = 0;

	for (size_t i = 0; i < countof(tables); i++)
		n += *tables[i].n;
	a->bounds = arena_zalloc(&a->arena, n, sizeof(*a->bounds));
	a->counters = arena_zalloc(&a->arena, n, sizeof(*a->counters));
	if (!a->bounds || !a->counters)
		return -ENOMEM;
	for (size_t i = 0; i < querier_rpc_count; i++, at++) {
		int rc = arena_printf(&a->arena, &a->bounds[at].path, QUERIER_PATH "%.*s",
				      STR_ARG(querier_rpcs[i].name));

		if (rc)
			return rc;
		a->bounds[at].rpc = &querier_rpcs[i];
	}
	for (size_t i = 0; i < countof(tables); i++)
		for (size_t k = 0; k < *tables[i].n; k++, at++) {
			a->bounds[at].endpoint = &tables[i].at[k];
			a->bounds[at].path = tables[i].at[k].path;
		}
	for (size_t i = 0; i < tempo_rpc_count; i++, at++) {
		a->bounds[at].rpc = &tempo_rpcs[i];
		a->bounds[at].path = tempo_rpcs[i].name;
	}
	for (size_t i = 0; i < empty_rpc_count; i++, at++) {
		a->bounds[at].rpc = &empty_rpcs[i];
		a->bounds[at].path = empty_rpcs[i].name;
	}
	for (size_t i = 0; i < countof(unimplemented); i++, at++)
		a->bounds[at].path = unimplemented[i];
	for (size_t i = 0; i < n; i++) {
		a->bounds[i].api = a;
		a->bounds[i].counters = &a->counters[i];
	}
	a->bound_n = n;
	return 0;
}

/*
 * 3/8 of the memory are guaranteed, most of it to large queries: a small one that gets too little
 * waits for its turn as a large one. The rest is shared with other parts of the program.
 */
static void set_budgets(struct api *a)
{
	size_t part = a->options.max_memory / 16;

	a->small = (struct budget){.limit = 8 * part, .own = part, .rest = a->options.rest};
	a->large = (struct budget){.limit = 14 * part, .own = 5 * part, .rest = a->options.rest};
}

int api_new(struct api **out, const struct api_options *o, struct err *e)
{
	struct api *a = calloc(1, sizeof(*a));
	int rc = a ? 0 : -ENOMEM;

	if (!rc) {
		a->options = *o;
		set_default_options(&a->options);
		set_budgets(a);
		files_init(&a->files, &a->small, a->options.max_memory / FILES_SHARE);
		kept_init(&a->kept, &a->small, a->options.max_memory / KEPT_SHARE);
		a->large.reclaim = a->small.reclaim;
		a->large.owner = a->small.owner;
		arena_init(&a->arena, NULL);
		a->started_ns = clock_realtime_ns();
		rc = bind_routes(a);
	}
	if (!rc)
		rc = control_new(&a->control, o->audit, o->control_off);
	if (!rc)
		rc = dashboards_init(&a->dashboards, o->dashboards);
	if (!rc)
		control_load_events(a->control, control_now());
	if (!rc)
		rc = query_pool_new(&a->pool, a->options.threads, a->options.waiting, e);
	if (!rc) {
		query_pool_set_memory(a->pool, a->large.limit);
		rc = query_pool_new(&a->monitoring, 1, MONITORING_WAITING, e);
	}
	if (!rc)
		rc = query_pool_new(&a->debug, DEBUG_THREADS, DEBUG_WAITING, e);
	if (!rc)
		*out = take_ptr(&a);
	else if (rc == -ENOMEM)
		err_set(e, rc, "out of memory for the query API");
	api_free(a);
	return rc;
}

void api_free(struct api *a)
{
	if (!a)
		return;
	query_pool_free(a->pool);
	query_pool_free(a->monitoring);
	query_pool_free(a->debug);
	control_free(a->control);
	dashboards_fini(&a->dashboards);
	kept_fini(&a->kept);
	files_fini(&a->files);
	arena_fini(&a->arena);
	free(a);
}

struct query_pool *api_query_pool(struct api *a)
{
	return a->pool;
}

void api_set_server(struct api *a, const struct net_server *server)
{
	atomic_store(&a->server, server);
}

void api_set_uploads(struct api *a, struct consumer *uploads)
{
	a->options.uploads = uploads;
}

static struct http_route make_route(struct bound *b)
{
	struct http_route r = {.path = b->path, .owner = b};

	if (b->rpc) {
		r.methods = METHOD_POST;
		r.flags = HTTP_RPC | HTTP_READS | (b->rpc->all_services ? 0 : HTTP_BY_SERVICE);
		r.handler = serve_rpc;
		r.max_body = QUERY_BODY_MAX;
	} else if (b->endpoint) {
		r.methods = b->endpoint->methods;
		r.flags = b->endpoint->route_flags;
		r.handler = serve_endpoint;
		r.refuse = refuse_endpoint;
		r.max_body = b->endpoint->flags & ENDPOINT_UPLOAD ? b->api->options.max_upload
			     : b->endpoint->flags & ENDPOINT_UPLOAD_PROFILE
				     ? (size_t)CONTROL_PROFILE_MAX
			     : b->endpoint->flags & ENDPOINT_AGENT ? (size_t)CONTROL_MESSAGE_MAX
								   : (size_t)QUERY_BODY_MAX;
	} else {
		r.methods = METHOD_POST;
		r.flags = HTTP_RPC | HTTP_PREFIX | HTTP_READS;
		r.handler = serve_unimplemented;
	}
	return r;
}

/* Uploads use a pipeline, which a reload replaces; all other routes outlive it. */
static bool is_upload_route(const struct api *a, size_t i)
{
	return i < a->bound_n && a->bounds[i].endpoint &&
	       a->bounds[i].endpoint->flags & ENDPOINT_UPLOAD;
}

size_t api_routes(struct api *a, struct http_route *out, size_t room)
{
	size_t n = a->bound_n + ui_routes(out ? out + a->bound_n : NULL,
					  room > a->bound_n ? room - a->bound_n : 0);

	if (!out)
		return n;
	for (size_t i = 0; i < a->bound_n && i < room; i++)
		out[i] = make_route(&a->bounds[i]);
	for (size_t i = 0; i < n && i < room; i++)
		if (!is_upload_route(a, i))
			out[i].flags |= HTTP_PERMANENT;
	return n;
}

size_t api_agent_routes(struct api *a, struct http_route *out, size_t room)
{
	size_t n = 0;

	for (size_t i = 0; i < a->bound_n; i++) {
		const struct endpoint *endpoint = a->bounds[i].endpoint;

		if (!endpoint || !(endpoint->flags & ENDPOINT_AGENT))
			continue;
		if (n < room) {
			out[n] = make_route(&a->bounds[i]);
			out[n].flags |= HTTP_PERMANENT;
		}
		n++;
	}
	return n;
}
