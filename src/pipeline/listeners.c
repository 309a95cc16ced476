/* SPDX-License-Identifier: Apache-2.0 */
/* The listening addresses of the program: one http_app per address, merged from all components. */
#include "pipeline/listeners.h"

#include <errno.h>
#include <stdlib.h>

#include "net/change.h"
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

/* The routes of one configuration. */
struct listener_set {
	struct arena arena;
	struct listener_app *apps; /* one per address, in the order of registration */
	uint32_t count;
	struct listener_set *next; /* of the retired */
};

static struct listener_set *set_new(void)
{
	struct listener_set *s = calloc(1, sizeof(*s));

	if (s)
		arena_init(&s->arena, NULL);
	return s;
}

static void set_free(struct listener_set *s)
{
	if (s)
		arena_fini(&s->arena);
	free(s);
}

int listeners_init(struct listeners *l)
{
	*l = (struct listeners){.set = set_new()};
	return l->set ? 0 : -ENOMEM;
}

static void free_retired(struct listeners *l)
{
	while (l->retired) {
		struct listener_set *s = l->retired;

		l->retired = s->next;
		set_free(s);
	}
}

void listeners_fini(struct listeners *l)
{
	listeners_drop_next(l);
	listeners_stop(l);
	free_retired(l);
	set_free(l->set);
	*l = (struct listeners){0};
}

/* The set in which components register. */
static struct listener_set *open_set(const struct listeners *l)
{
	return l->next ? l->next : l->set;
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
	struct listener_set *s = open_set(l);
	struct listener_app *a = arena_zalloc(&s->arena, 1, sizeof(*a));
	int rc = a ? arena_copy_str(&s->arena, r->address, &a->address) : -ENOMEM;

	if (rc)
		return rc;
	a->listeners = l;
	a->tls = r->tls;

	struct listener_app **last = &s->apps;

	while (*last)
		last = &(*last)->next;
	*last = *out = a;
	s->count++;
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

	for (struct listener_app *a = open_set(l)->apps; a; a = a->next)
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

static int add_routes(struct listener_set *s, struct listener_app *a,
		      const struct listener_routes *r)
{
	int rc = 0;

	for (size_t i = 0; r->routes && i < r->count && !rc; i++) {
		struct http_route route = r->routes[i];

		route.flags |= r->permanent ? HTTP_PERMANENT : 0;
		rc = vec_push(&s->arena, &a->routes, route);
		if (!rc)
			rc = vec_push(&s->arena, &a->owners,
				      (struct route_owner){r->admit, r->owner});
	}
	return rc;
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
	return add_routes(open_set(l), a, r);
}

/* Copy the i-th route of an app, with the rest of its path, to another app. */
static int copy_route(struct listener_set *s, struct listener_app *to,
		      const struct listener_app *from, uint32_t i, struct str prefix, struct err *e)
{
	struct http_route route = from->routes.at[i];
	int rc;

	route.path = str_from_at(route.path, prefix.n);
	if (is_taken(to, &route))
		return err_set(e, -EINVAL, "%.*s: two components register the path %.*s",
			       STR_ARG(to->address), STR_ARG(route.path));
	rc = vec_push(&s->arena, &to->routes, route);
	return rc ? rc : vec_push(&s->arena, &to->owners, from->owners.at[i]);
}

int listeners_add_below(struct listeners *l, struct str from, struct str prefix, struct str address,
			struct err *e)
{
	struct listener_app *a = open_set(l)->apps, *to = open_set(l)->apps;
	const struct listener_routes r = {.address = address};
	int rc = 0;

	while (a && !str_eq(a->address, from))
		a = a->next;
	while (to && (to == a || !str_eq(to->address, address)))
		to = to->next;
	if (!to)
		rc = make_app(l, &r, &to);
	if (rc || !a)
		return rc;
	if (!to->routes.n)
		to->tls = a->tls;
	if (!same_tls(a->tls, to->tls))
		return err_set(e, -EINVAL,
			       "%.*s: components on this address have different TLS settings",
			       STR_ARG(address));
	for (uint32_t i = 0; i < a->routes.n && !rc; i++) {
		struct str path = a->routes.at[i].path;

		if (str_starts(path, prefix) && path.n > prefix.n && path.p[prefix.n] == '/')
			rc = copy_route(open_set(l), to, a, i, prefix, e);
	}
	return rc;
}

static void respond_ready(void *owner, struct http_exchange *x)
{
	(void)owner;
	http_respond_text(x, 200, "ready");
}

/* Add the health checks that every port serves, unless a component has its own route for them. */
static int add_common(struct listener_set *s, struct listener_app *a)
{
	static const struct http_route common[] = {
		{METHOD_GET, HTTP_OPEN, STR_INIT("/ready"), respond_ready},
		{METHOD_POST, HTTP_OPEN | HTTP_RPC, STR_INIT(RPC_HEALTH_CHECK), rpc_health_check},
	};
	int rc = 0;

	for (size_t i = 0; i < countof(common) && !rc; i++) {
		if (is_taken(a, &common[i]))
			continue;
		rc = vec_push(&s->arena, &a->routes, common[i]);
		if (!rc)
			rc = vec_push(&s->arena, &a->owners, (struct route_owner){0});
	}
	return rc;
}

/* Make the apps of a complete set. *out has set->count listeners. */
static int make_listeners(struct listener_set *s, struct net_listener **out)
{
	struct net_listener *all = arena_zalloc(&s->arena, max_size(s->count, 1), sizeof(*all));
	uint32_t i = 0;

	if (!all)
		return -ENOMEM;
	for (struct listener_app *a = s->apps; a; a = a->next) {
		int rc = add_common(s, a);

		if (rc)
			return rc;
		a->app = (struct http_app){.routes = a->routes.at,
					   .route_count = a->routes.n,
					   .admit = admit_request,
					   .owner = a};
		all[i++] = (struct net_listener){a->address.p, &a->app, a->tls};
	}
	*out = all;
	return 0;
}

int listeners_start(struct listeners *l, const struct net_options *options, const struct log *log,
		    struct err *e)
{
	struct net_listener *all;
	int rc = make_listeners(l->set, &all);

	if (rc || !l->set->count)
		return rc;
	return net_server_start(&l->server, all, l->set->count, options, log, e);
}

uint32_t listeners_count(const struct listeners *l)
{
	return open_set(l)->count;
}

struct str listeners_address(const struct listeners *l, uint32_t i)
{
	const struct listener_app *a = open_set(l)->apps;

	while (a && i--)
		a = a->next;
	return a ? a->address : (struct str){0};
}

const struct net_tls_files *listeners_tls(const struct listeners *l, struct str address)
{
	for (const struct listener_app *a = open_set(l)->apps; a; a = a->next)
		if (str_eq(a->address, address))
			return a->tls;
	return NULL;
}

uint16_t listeners_port(const struct listeners *l, struct str address)
{
	size_t i = 0;

	for (const struct listener_app *a = l->set->apps; l->server && a; a = a->next, i++)
		if (str_eq(a->address, address))
			return net_server_port(l->server, i);
	return 0;
}

uint16_t listeners_port_at(const struct listeners *l, uint32_t i)
{
	return l->server && i < l->set->count ? net_server_port(l->server, i) : 0;
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

/* ---- replacement ---- */

int listeners_begin_next(struct listeners *l)
{
	listeners_drop_next(l);
	l->next = set_new();
	return l->next ? 0 : -ENOMEM;
}

int listeners_prepare_next(struct listeners *l, struct err *e)
{
	struct net_listener *all;
	int rc = make_listeners(l->next, &all);

	if (rc || !l->server)
		return rc; /* listeners_resume() starts a server */
	return net_server_prepare(l->server, &l->change, all, l->next->count, e);
}

void listeners_drop_next(struct listeners *l)
{
	net_change_free(l->change);
	l->change = NULL;
	set_free(l->next);
	l->next = NULL;
}

void listeners_pause(struct listeners *l, uint64_t timeout_ms)
{
	if (!l->server)
		return;
	if (!l->paused)
		net_server_pause(l->server);
	l->paused = true;
	(void)!net_server_wait_answered(l->server, timeout_ms); /* then listeners_cut_off() */
}

void listeners_cut_off(struct listeners *l)
{
	if (l->server)
		net_server_cut_off(l->server);
}

/* Serve the next set in the place of the old one. */
static void take_next(struct listeners *l)
{
	struct listener_set *old = l->set;
	/* no request refers to routes of the old sets */
	bool idle = !l->server || net_server_is_idle(l->server);

	l->set = take_ptr(&l->next);
	if (l->server)
		net_server_resume(l->server, take_ptr(&l->change));
	old->next = l->retired;
	l->retired = old;
	if (idle)
		free_retired(l);
}

int listeners_resume(struct listeners *l, const struct net_options *options, const struct log *log,
		     struct err *e)
{
	l->paused = false;
	if (!l->next) {
		if (l->server)
			net_server_resume(l->server, NULL);
		return 0;
	}
	take_next(l);
	return l->server ? 0 : listeners_start(l, options, log, e);
}
