/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_LISTENERS_H
#define VARVE_PIPELINE_LISTENERS_H

#include "base/container/vec.h"
#include "net/server.h"

/*
 * The listening addresses of the program. Components register routes on addresses; routes on the
 * same address share its port, so that receivers and the query API can use one port. One net_server
 * serves all of them.
 *
 * A request is admitted first by the guard (authentication), then by the component that owns its
 * route (capacity).
 */
struct listener_routes {
	struct str address; /* "host:port" */
	/* NULL: no TLS. Has to be the same for all routes of an address. */
	const struct net_tls_files *tls;
	const struct http_route *routes; /* like tls borrowed until listeners_fini() */
	size_t count;
	/* May be NULL. */
	bool (*admit)(void *owner, struct http_exchange *x, struct http_refusal *why);
	void *owner;
};

struct listeners {
	struct arena arena;
	struct listener_app *apps; /* one per address, in the order of registration */
	uint32_t app_count;
	struct net_server *server;
	bool drained;
	/* May be NULL. */
	bool (*guard)(void *owner, struct http_exchange *x, struct http_refusal *why);
	void *guard_owner;
};

void listeners_init(struct listeners *l);

/* Stop serving, if started, and free everything. */
void listeners_fini(struct listeners *l);

/*
 * Register routes; only before listeners_start(). Return 0, -ENOMEM, or -EINVAL if the address has
 * another TLS configuration or one of the routes already.
 */
MUST_USE int listeners_add(struct listeners *l, const struct listener_routes *routes,
			   struct err *e);

/* Listen on all addresses and serve. Without any address, return 0 and do nothing. */
MUST_USE int listeners_start(struct listeners *l, const struct net_options *options,
			     const struct log *log, struct err *e);

/* Return the number of addresses, and one address, NUL-terminated, in the order of registration. */
uint32_t listeners_count(const struct listeners *l);
struct str listeners_address(const struct listeners *l, uint32_t i);

/* Return the TLS files of a registered address, or NULL. */
const struct net_tls_files *listeners_tls(const struct listeners *l, struct str address);

/* Return the port that an address is bound to, once started; 0 if nothing listens on it. */
uint16_t listeners_port(const struct listeners *l, struct str address);

/* Refuse new requests and wait for those in flight, at most for the timeout. */
void listeners_drain(struct listeners *l, uint64_t timeout_ms);

/* Close all listeners and connections. */
void listeners_stop(struct listeners *l);

#endif
