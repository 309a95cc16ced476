/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_API_API_H
#define VARVE_API_API_H

#include "api/request.h"
#include "net/server.h"
#include "pipeline/host.h"
#include "query/query_pool.h"
#include "store/store.h"

/*
 * The query half of the server: Pyroscope's query API, our own JSON API under /api/v1/, the web UI
 * and /metrics. Queries run on a small pool of threads with a deadline and a memory budget, and are
 * cancelled when the client disconnects.
 *
 *	api_new(&api, &options, &e);
 *	n = api_routes(api, routes, room);	// in addition to the receivers' routes
 *	net_server_start(...);
 *	api_set_server(api, server);		// for /metrics
 *	...
 *	net_server_free(server);
 *	api_free(api);
 */
struct api;
struct drift_monitor;
struct rules;

/* The service name of the server's own profiles. */
#define API_OWN_SERVICE "varve"

struct api_options {
	struct store *store;	  /* borrowed */
	struct consumer *uploads; /* the destination of uploads, borrowed; NULL: the store */
	unsigned threads;	  /* query threads; 0: one per processor, 2 to 8 */
	unsigned waiting;	  /* maximum number of queued queries; 0: 64 */
	uint64_t timeout_ns;	  /* of a query; 0: 60 s */
	size_t max_memory;	  /* of all running queries together; 0: 512 MiB */
	/*
	 * Shared with other parts of the program: all but 3/8 of max_memory. Borrowed, may be NULL.
	 */
	struct budget *rest;
	uint64_t memory_limit; /* of the whole program, for the status */
	/* Bytes of a response: the network closes a connection that holds more. 0: no limit */
	size_t max_answer;
	struct host *host;   /* its receivers and ports are in the status; borrowed, may be NULL */
	uint64_t max_upload; /* bytes of one upload; 0: the server's limit */
	bool tenants;	     /* each request is restricted to a tenant (access.h) */
	struct audit *
		audit; /* the log of changes, from which events are read back; borrowed, may be NULL */
	const char *dashboards;	     /* the directory of dashboards, copied; NULL: none */
	struct drift_monitor *drift; /* NULL: drift is not watched; borrowed */
	struct rules *rules;	     /* recording and alerting rules; borrowed, may be NULL */
	const char *control_off;     /* why instances cannot be controlled; NULL: they can */
	const char *version;
	/* Appends further lines to /metrics. May be NULL. Any thread. */
	void (*metrics)(void *owner, struct buf *out);
	void *owner;
	/* Handles /debug/pprof/ of this process by r->sender->path. NULL: 503. Any thread. */
	api_answer *debug_pprof;
};

/* Create the API. On success the caller owns *out. */
MUST_USE int api_new(struct api **out, const struct api_options *o, struct err *e);

/* Free the API, after the server: no query may be running. `a` may be NULL. */
void api_free(struct api *a);

/* Write up to `room` routes to `out`. Return the number of all routes. */
size_t api_routes(struct api *a, struct http_route *out, size_t room);

/*
 * Write up to `room` routes that instances of libvarve use, to register them on the addresses of
 * receivers, too. Return the number of all such routes.
 */
size_t api_agent_routes(struct api *a, struct http_route *out, size_t room);

/*
 * Set the destination of uploads. Only while the server is paused (net/change.h) and has responded
 * to all requests of routes without HTTP_PERMANENT.
 */
void api_set_uploads(struct api *a, struct consumer *uploads);

/* Return the threads that execute queries, for the queries of rules. */
struct query_pool *api_query_pool(struct api *a);

/* Set the server whose counters /metrics contains. Reset to NULL before freeing it. Any thread. */
void api_set_server(struct api *a, const struct net_server *server);

#endif
