/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_API_ENDPOINT_H
#define VARVE_API_ENDPOINT_H

#include <stdatomic.h>

#include "api/api.h"
#include "api/files.h"
#include "api/pyroscope/querier.h"
#include "api/request.h"
#include "query/kept.h"

/* Private to src/api: what a path means. */
enum endpoint_errors {
	ERRORS_CONNECT, /* {"code", "message"}: Pyroscope's */
	ERRORS_OURS,	/* {"error": {"code", "message"}} */
};

enum {
	ENDPOINT_INLINE = 1, /* costs nothing: answered at once, on the loop's thread */
	ENDPOINT_UPLOAD = 2, /* has a large body */
	ENDPOINT_ASIDE = 8,  /* tells how we do: has a thread of its own, however much is asked */
	ENDPOINT_DEBUG = 16, /* waits for as long as the caller says: has threads of its own */
};

struct endpoint {
	unsigned methods;
	struct str path;
	api_answer *answer;
	enum endpoint_errors errors;
	unsigned flags;
	unsigned route_flags; /* of struct http_route */
};

extern const struct endpoint render_endpoints[], varve_endpoints[], status_endpoints[];
extern const size_t render_endpoint_count, varve_endpoint_count, status_endpoint_count;

/* How often and how long; written by any thread. */
enum { LATENCY_BUCKETS = 12 };
extern const uint64_t latency_bounds_us[LATENCY_BUCKETS];

struct endpoint_counters {
	_Atomic uint64_t answers[6];		       /* by hundreds of the status */
	_Atomic uint64_t latency[LATENCY_BUCKETS + 1]; /* the last: longer than all bounds */
	_Atomic uint64_t latency_us, bytes_in, bytes_out;
};

/* What a route's handler is given. */
struct bound {
	struct api *api;
	const struct endpoint *endpoint; /* or */
	const struct querier_rpc *rpc;
	struct endpoint_counters *counters;
	struct str path;
};

struct api {
	struct api_options options;
	struct query_pool *pool, *aside, *debug;
	/*
	 * Memory of queries. Each query begins with `small`, which the files that were uploaded share. A
	 * query that does not fit begins again with `large`, when it has reserved its part of it
	 * (query_pool_reserve()), so that expensive queries never take the memory of cheap ones.
	 */
	struct budget small, large;
	struct files files; /* dropped to be looked at */
	struct kept kept;   /* results, for the next query over the same selection */
	struct arena arena;
	struct bound *bounds; /* one a route */
	size_t bound_n;
	struct endpoint_counters *counters;
	_Atomic(const struct net_server *) server;
	uint64_t started_ns; /* since 1970 */
};

void endpoint_count(struct endpoint_counters *c, unsigned status, uint64_t started_ns,
		    size_t bytes_in, size_t bytes_out);

/* Handlers of routes: `owner` is a struct bound. */
void serve_endpoint(void *owner, struct http_exchange *x);
void serve_rpc(void *owner, struct http_exchange *x);
void serve_unimplemented(void *owner, struct http_exchange *x);

/* How a route refuses, in its own format. */
void refuse_endpoint(void *owner, struct http_exchange *x, const struct http_refusal *why);

/* Bytes that queries, kept results and uploaded files have now. */
static inline uint64_t query_memory_used(struct api *a)
{
	return atomic_load(&a->small.used) + atomic_load(&a->large.used);
}

/* Memory that the process has now, in bytes. */
uint64_t resident_bytes(void);

/* What the parts of a store's memory are called. */
extern const char *const store_memory_names[STORE_MEMORIES];

/* All metrics of the program in Prometheus' text format. */
int metrics_answer(struct request *r, struct reply *out, struct err *e);

#endif
