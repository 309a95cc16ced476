/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_LISTENERS_H
#define VARVE_PIPELINE_LISTENERS_H

#include "base/container/vec.h"
#include "net/server.h"

/*
 * The ports of the program. Components say which routes they want on which address; those of the same
 * address share it, so that receivers and the query API stand on one port. Then all are served by one
 * net_server.
 *
 * Before a request is let in, the guard looks at it (who is it?), then the component whose route it is (is there
 * room?).
 */
struct listener_routes {
	struct str address;		 /* "host:port" */
	const struct net_tls_files *tls; /* NULL: plain. Those of one address have to be the same */
	const struct http_route *routes; /* borrowed until listeners_fini(), as is the tls */
	size_t count;
	bool (*admit)(void *owner, struct http_exchange *x,
		      struct http_refusal *why); /* may be NULL */
	void *owner;
};

struct listeners {
	struct arena arena;
	struct listener_app *apps; /* in the order they came */
	uint32_t app_count;
	struct net_server *server;
	bool drained;
	bool (*guard)(void *owner, struct http_exchange *x,
		      struct http_refusal *why); /* may be NULL */
	void *guard_owner;
};

void listeners_init(struct listeners *l);

/* Stops what still runs. */
void listeners_fini(struct listeners *l);

/* Before listeners_start(). 0, -ENOMEM, or -EINVAL when a route is taken or the tls differs. */
MUST_USE int listeners_add(struct listeners *l, const struct listener_routes *routes,
			   struct err *e);

/* Listen and serve. Without any address nothing happens. */
MUST_USE int listeners_start(struct listeners *l, const struct net_options *options,
			     const struct log *log, struct err *e);

/* The addresses, in the order they came, each with a NUL behind it. */
uint32_t listeners_count(const struct listeners *l);
struct str listeners_address(const struct listeners *l, uint32_t i);

/* The tls of an address that is there; NULL: none. */
const struct net_tls_files *listeners_tls(const struct listeners *l, struct str address);

/* The port that an address really got, once started; 0: nobody listens there. */
uint16_t listeners_port(const struct listeners *l, struct str address);

/* No new requests; those in flight are answered, no longer than the time-out. */
void listeners_drain(struct listeners *l, uint64_t timeout_ms);

/* Close all. */
void listeners_stop(struct listeners *l);

#endif
