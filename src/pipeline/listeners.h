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
	/* Like tls borrowed until listeners_fini(), or until they were replaced. */
	const struct http_route *routes;
	size_t count;
	/* May be NULL. */
	bool (*admit)(void *owner, struct http_exchange *x, struct http_refusal *why);
	void *owner;
	/* The routes outlive replacements, which do not wait for their responses. */
	bool permanent;
};

struct listener_set;

struct listeners {
	struct listener_set *set;  /* served, once started */
	struct listener_set *next; /* registered to replace it, or NULL */
	/* Replaced; routes of theirs may still be in use by requests to permanent routes. */
	struct listener_set *retired;
	struct net_server *server;
	struct net_change *change; /* of the server, to `next` */
	bool drained, paused;
	/* May be NULL. */
	bool (*guard)(void *owner, struct http_exchange *x, struct http_refusal *why);
	void *guard_owner;
};

MUST_USE int listeners_init(struct listeners *l);

/* Stop serving, if started, and free everything. */
void listeners_fini(struct listeners *l);

/*
 * Register routes; only before listeners_start(), or after listeners_begin_next(). Return 0,
 * -ENOMEM, or -EINVAL if the address has another TLS configuration or one of the routes already.
 */
MUST_USE int listeners_add(struct listeners *l, const struct listener_routes *routes,
			   struct err *e);

/*
 * Serve on another address what is registered on `from` below a path such as "/prometheus", without
 * that part of the path. Otherwise like listeners_add().
 */
MUST_USE int listeners_add_below(struct listeners *l, struct str from, struct str prefix,
				 struct str address, struct err *e);

/* Listen on all addresses and serve. Without any address, return 0 and do nothing. */
MUST_USE int listeners_start(struct listeners *l, const struct net_options *options,
			     const struct log *log, struct err *e);

/*
 * Return the number of addresses, and one address, NUL-terminated, in the order of registration: of
 * the next set, if there is one.
 */
uint32_t listeners_count(const struct listeners *l);
struct str listeners_address(const struct listeners *l, uint32_t i);

/* Return the TLS files of a registered address, or NULL. Of the next set, if there is one. */
const struct net_tls_files *listeners_tls(const struct listeners *l, struct str address);

/* Return the port that an address is bound to, once started; 0 if nothing listens on it. */
uint16_t listeners_port(const struct listeners *l, struct str address);

/* Return the port that the i-th served address is bound to, once started. */
uint16_t listeners_port_at(const struct listeners *l, uint32_t i);

/* Refuse new requests and wait for those in flight, at most for the timeout. */
void listeners_drain(struct listeners *l, uint64_t timeout_ms);

/* Close all listeners and connections. */
void listeners_stop(struct listeners *l);

/*
 * Replace all routes while the server runs. Addresses that stay keep their sockets and connections.
 *
 *	listeners_begin_next()		then components register their routes again
 *	listeners_prepare_next()	opens addresses; may fail
 *	listeners_pause()		no handler or admit hook is called from here on; clients wait
 *	listeners_cut_off()		no request of a route to be removed is in flight from here on
 *	listeners_resume()		serves the next set; the owners of the routes can be destroyed
 *
 * listeners_drop_next() goes back to the state before listeners_begin_next(), except that a pause
 * goes on until listeners_resume().
 */
MUST_USE int listeners_begin_next(struct listeners *l);
MUST_USE int listeners_prepare_next(struct listeners *l, struct err *e);
void listeners_drop_next(struct listeners *l);

/* Pause, and wait for responses to requests that handlers have, at most for the timeout. */
void listeners_pause(struct listeners *l, uint64_t timeout_ms);

/* Close the connections of requests without a response, and wait until their handlers respond. */
void listeners_cut_off(struct listeners *l);

/*
 * Serve the next set, or without one go on with the old. It fails only if there was no address
 * before and one of the first cannot be opened.
 */
MUST_USE int listeners_resume(struct listeners *l, const struct net_options *options,
			      const struct log *log, struct err *e);

#endif
