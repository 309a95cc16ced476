/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_API_API_H
#define VARVE_API_API_H

#include "api/request.h"
#include "net/server.h"
#include "pipeline/host.h"
#include "query/query_pool.h"
#include "store/store.h"

/*
 * The asking half of the server: Pyroscope's query interface, our own JSON under /api/v1/, and
 * /metrics of ourselves. Questions run on a small pool of threads, each with a deadline and a budget of
 * its own, and end when the sender leaves.
 *
 *	api_new(&api, &options, &e);
 *	n = api_routes(api, routes, room);	// beside the receivers' own
 *	net_server_start(...);
 *	api_set_server(api, server);		// for /metrics
 *	...
 *	net_server_free(server);
 *	api_free(api);
 */
struct api;

/* The service under which a server keeps profiles of itself. */
#define API_OWN_SERVICE "varve"

struct api_options {
	struct store *store;	  /* borrowed */
	struct consumer *uploads; /* where uploads go, borrowed; NULL: straight to the store */
	unsigned threads;	  /* that answer; 0: as many as processors, 2 to 8 */
	unsigned waiting;	  /* questions that may wait for one; 0: 64 */
	uint64_t timeout_ns;	  /* of one question; 0: 60 s */
	size_t max_memory;	  /* of all questions under way together; 0: 512 MiB */
	struct budget
		*rest; /* where they share all but three eighths of it; borrowed, may be NULL */
	uint64_t memory_limit; /* of the whole program, for the status */
	/* Bytes of one answer: the network closes a connection that holds more. 0: no limit */
	size_t max_answer;
	struct host *host;   /* whose receivers and ports the status tells; borrowed, may be NULL */
	uint64_t max_upload; /* bytes of one upload; 0: the server's limit */
	bool tenants;	     /* each request is about a tenant's data; access.h finds out whose */
	const char *version;
	/* What else /metrics tells: appends lines. May be NULL. Any thread. */
	void (*metrics)(void *owner, struct buf *out);
	void *owner;
	/* Answers /debug/pprof/ about this process, after r->sender->path. NULL: 503. Any thread. */
	api_answer *debug_pprof;
};

/* On success *out is the caller's (api_free()). */
MUST_USE int api_new(struct api **out, const struct api_options *o, struct err *e);

/* After the server: no question may be under way. Takes NULL. */
void api_free(struct api *a);

/* Write our routes to `out`; returns how many there are, also when that is more than `room`. */
size_t api_routes(struct api *a, struct http_route *out, size_t room);

/* Whose counters /metrics tells. NULL again before the server is freed. Any thread. */
void api_set_server(struct api *a, const struct net_server *server);

#endif
