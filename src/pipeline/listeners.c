/* SPDX-License-Identifier: Apache-2.0 */
/* The listening addresses of the program: one http_app per address, merged from all components. */
#include "pipeline/listeners.h"

#include <errno.h>

#include "net/http/respond.h"
#include "net/rpc/rpc.h"
#include "net/rpc/rpc_reply.h"

/* The admission hook of a route; parallel to the app's routes. */
struct route_owner {
	bool (*admit)(void *owner, struct http_exchange *x, struct http_refusal *why);
	void *owner;
};

struct listener_app {
	const struct listeners *listeners;
	struct listener_app *next;
	struct str address; /* NUL-terminated */
	const struct net_tls_files *tls;
	VEC(struct http_route) routes;
	VEC(struct route_owner) owners;
	struct http_app app;
};

void listeners_init(struct listeners *l)
{
	*l = (struct listeners){0};
	arena_init(&l->arena, NULL);
}

void listeners_fini(struct listeners *l)
{
	listeners_stop(l);
	arena_fini(&l->arena);
	*l = (struct listeners){0};
}

static bool admit_request(void *owner, struct http_exchange *x, struct http_refusal *why)
{
	const struct listener_app *a = owner;
	const struct listeners *l = a->listeners;
	const struct route_owner *o = &a->owners.at[x->route - a->routes.at];

	if (l->guard && !l->guard(l->guard_owner, x, why))
		return false;
	return !o->admit || o->admit(o->owner, x, why);
}

static int make_app(struct listeners *l, const struct listener_routes *r, struct listener_app **out)
{
	struct listener_app *a = arena_zalloc(&l->arena, 1, sizeof(*a));
	int rc = a ? arena_copy_str(&l->arena, r->address, &a->address) : -ENOMEM;

	if (rc)
		return rc;
	a->listeners = l;
	a->tls = r->tls;

	struct listener_app **last = &l->apps;

	while (*last)
		last = &(*last)->next;
	*last = *out = a;
	l->app_count++;
	return 0;
}

static bool is_taken(const struct listener_app *a, const struct http_route *route)
{
	for (uint32_t i = 0; i < a->routes.n; i++)
		if (str_eq(a->routes.at[i].path, route->path) &&
		    (a->routes.at[i].methods & route->methods))
			return true;
	return false;
}

static const struct http_route *taken_route(const struct listener_app *a,
					    const struct listener_routes *r)
{
	for (size_t i = 0; i < r->count; i++)
		if (is_taken(a, &r->routes[i]))
			return &r->routes[i];
	return NULL;
}

/* The app of that address. "Any free port" may be another one where the routes are taken. */
static struct listener_app *find_app(struct listeners *l, const struct listener_routes *r)
{
	bool any_port = str_ends(r->address, STR(":0"));

	for (struct listener_app *a = l->apps; a; a = a->next)
		if (str_eq(a->address, r->address) && !(any_port && taken_route(a, r)))
			return a;
	return NULL;
}

static bool same_file(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

static bool same_tls(const struct net_tls_files *a, const struct net_tls_files *b)
{
	return a == b || (a && b && same_file(a->certificate, b->certificate) &&
			  same_file(a->key, b->key) && same_file(a->client_ca, b->client_ca));
}

int listeners_add(struct listeners *l, const struct listener_routes *r, struct err *e)
{
	struct listener_app *a = find_app(l, r);
	const struct http_route *taken = a ? taken_route(a, r) : NULL;
	int rc = a ? 0 : make_app(l, r, &a);

	if (rc || !a)
		return rc;
	if (taken)
		return err_set(e, -EINVAL, "%.*s: two components register the path %.*s",
			       STR_ARG(r->address), STR_ARG(taken->path));
	if (!same_tls(a->tls, r->tls))
		return err_set(e, -EINVAL,
			       "%.*s: components on this address have different TLS settings",
			       STR_ARG(r->address));
	for (size_t i = 0; r->routes && i < r->count && !rc; i++) {
		rc = vec_push(&l->arena, &a->routes, r->routes[i]);
		if (!rc)
			rc = vec_push(&l->arena, &a->owners,
				      (struct route_owner){r->admit, r->owner});
	}
	return rc;
}

static void respond_ready(void *owner, struct http_exchange *x)
{
	(void)owner;
	http_respond_text(x, 200, "ready");
}

/* Add the health checks that every port serves, unless a component has its own route for them. */
static int add_common(struct listeners *l, struct listener_app *a)
{
	static const struct http_route common[] = {
		{METHOD_GET, HTTP_OPEN, STR_INIT("/ready"), respond_ready},
		{METHOD_POST, HTTP_OPEN | HTTP_RPC, STR_INIT(RPC_HEALTH_CHECK), rpc_health_check},
	};
	int rc = 0;

	for (size_t i = 0; i < countof(common) && !rc; i++) {
		if (is_taken(a, &common[i]))
			continue;
		rc = vec_push(&l->arena, &a->routes, common[i]);
		if (!rc)
			rc = vec_push(&l->arena, &a->owners, (struct route_owner){0});
	}
	return rc;
}

int listeners_start(struct listeners *l, const struct net_options *options, const struct log *log,
		    struct err *e)
{
	struct net_listener *all = arena_zalloc(&l->arena, l->app_count, sizeof(*all));
	uint32_t i = 0;

	if (!all)
		return -ENOMEM;
	for (struct listener_app *a = l->apps; a; a = a->next) {
		int rc = add_common(l, a);

		if (rc)
			return rc;
		a->app = (struct http_app){.routes = a->routes.at,
					   .route_count = a->routes.n,
					   .admit = admit_request,
					   .owner = a};
		all[i++] = (struct net_listener){a->address.p, &a->app, a->tls};
	}
	return i ? net_server_start(&l->server, all, i, options, log, e) : 0;
}

uint32_t listeners_count(const struct listeners *l)
{
	return l->app_count;
}

struct str listeners_address(const struct listeners *l, uint32_t i)
{
	const struct listener_app *a = l->apps;

	while (a && i--)
		a = a->next;
	return a ? a->address : (struct str){0};
}

const struct net_tls_files *listeners_tls(const struct listeners *l, struct str address)
{
	for (const struct listener_app *a = l->apps; a; a = a->next)
		if (str_eq(a->address, address))
			return a->tls;
	return NULL;
}

uint16_t listeners_port(const struct listeners *l, struct str address)
{
	size_t i = 0;

	for (const struct listener_app *a = l->apps; l->server && a; a = a->next, i++)
		if (str_eq(a->address, address))
			return net_server_port(l->server, i);
	return 0;
}

void listeners_drain(struct listeners *l, uint64_t timeout_ms)
{
	if (!l->server || l->drained)
		return;
	l->drained = true; /* listeners_stop() aborts what is left */
	(void)!net_server_drain(l->server, timeout_ms);
}

void listeners_stop(struct listeners *l)
{
	net_server_free(l->server);
	l->server = NULL;
	l->drained = false;
}
