/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_API_ENDPOINT_H
#define VARVE_API_ENDPOINT_H

#include <stdatomic.h>

#include "api/api.h"
#include "api/control/control.h"
#include "api/dashboards/dashboards.h"
#include "api/files.h"
#include "api/pyroscope/querier.h"
#include "api/request.h"
#include "query/kept.h"

#define API_AGENT_PATHS "/api/v1/agent/"
#define DASHBOARDS_PATH "/api/v1/dashboards/"

/* Private to src/api: the endpoints (path, handler, flags), their counters, and struct api. */
enum endpoint_errors {
	ERRORS_CONNECT,	   /* {"code", "message"}, as Pyroscope */
	ERRORS_OURS,	   /* {"error": {"code", "message"}} */
	ERRORS_PROMETHEUS, /* {"status": "error", "errorType", "error"} */
};

enum {
	ENDPOINT_INLINE = 1,	      /* cheap: handled on the loop's thread */
	ENDPOINT_UPLOAD = 2,	      /* has a large body */
	ENDPOINT_MONITORING = 8,      /* has its own thread, so that it works under load */
	ENDPOINT_DEBUG = 16,	      /* runs as long as the client requests; has its own threads */
	ENDPOINT_AGENT = 32,	      /* also on the addresses of receivers: instances use it */
	ENDPOINT_UPLOAD_PROFILE = 64, /* has a body of up to CONTROL_PROFILE_MAX */
};

struct endpoint {
	unsigned methods;
	struct str path;
	api_answer *answer;
	enum endpoint_errors errors;
	unsigned flags;
	unsigned route_flags; /* of struct http_route */
};

extern const struct endpoint render_endpoints[], varve_endpoints[], tempo_endpoints[],
	prometheus_endpoints[], status_endpoints[];
extern const size_t render_endpoint_count, varve_endpoint_count, tempo_endpoint_count,
	prometheus_endpoint_count, status_endpoint_count;

/* Request counters and latency histogram of an endpoint; updated by any thread. */
enum { LATENCY_BUCKETS = 12 };
extern const uint64_t latency_bounds_us[LATENCY_BUCKETS];

struct endpoint_counters {
	_Atomic uint64_t answers[6];		       /* by the first digit of the status */
	_Atomic uint64_t latency[LATENCY_BUCKETS + 1]; /* the last: above all bounds */
	_Atomic uint64_t latency_us, bytes_in, bytes_out;
};

/* The owner of a route: an endpoint or RPC bound to an API. With neither: unimplemented. */
struct bound {
	struct api *api;
	const struct endpoint *endpoint;
	const struct querier_rpc *rpc;
	struct endpoint_counters *counters;
	struct str path;
};

struct api {
	struct api_options options;
	struct query_pool *pool, *monitoring, *debug;
	/*
	 * Memory of queries. Each query starts with `small`, which it shares with opened files. A
	 * query that does not fit restarts with `large`, after it has reserved its part of it
	 * (query_pool_reserve()), so that expensive queries never use the memory of cheap ones.
	 */
	struct budget small, large;
	struct files files; /* opened files */
	struct kept kept;   /* cached results */
	struct control *control;
	struct dashboards dashboards;
	struct arena arena;
	struct bound *bounds; /* one per route */
	size_t bound_n;
	struct endpoint_counters *counters;
	_Atomic(const struct net_server *) server;
	uint64_t started_ns; /* since 1970 */
};

/* Count a response to a request that began at started_ns (monotonic). */
void endpoint_count(struct endpoint_counters *c, unsigned status, uint64_t started_ns,
		    size_t bytes_in, size_t bytes_out);

/* Return the memory used by queries, cached results and opened files. */
static inline uint64_t query_memory_used(struct api *a)
{
	return atomic_load(&a->small.used) + atomic_load(&a->large.used);
}

#endif
