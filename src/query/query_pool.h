/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_QUERY_QUERY_POOL_H
#define VARVE_QUERY_QUERY_POOL_H

#include <stdatomic.h>

#include "base/workers.h"

/*
 * The threads that run queries, and the bounded queue of queries waiting for a thread. An
 * overloaded server refuses queries at once instead of slowing down for everybody.
 *
 * Long queries do not block short ones: after QUERY_LONG_MS a query needs one of a few permits (as
 * many as the pool was created with threads) and releases it every QUERY_SLICE_MS if others wait
 * for one. The client that got a permit the longest ago gets the next. The pool starts one more
 * thread for each long query, up to QUERY_THREADS_MAX, so that there are always threads for short
 * ones; the operating system divides the processors among the running ones.
 *
 * A query that needs much memory reserves it first. Large queries wait for each other, by the same
 * rule, so that none fails because others run.
 */
enum {
	QUERY_LONG_MS = 200,
	QUERY_SLICE_MS = 100,
	QUERY_THREADS_MAX = WORKERS_MAX,
	/* Maximum number of queries waiting for memory; more are refused. */
	QUERY_RESERVING_MAX = QUERY_THREADS_MAX / 2,
};

struct query_pool;

struct query_job {
	/* Called on a thread of the pool, which does not access the job afterwards. */
	void (*run)(struct query_job *job);
	/* Hash that identifies the client. */
	uint64_t client;
	/* Private to query_pool.c. */
	struct work work;
	struct query_pool *pool;
};

struct query_pool_stats {
	uint64_t done, refused;
	size_t waiting;	  /* queries waiting for a thread */
	size_t running;	  /* queries that have a thread */
	size_t paused;	  /* long queries waiting for a permit */
	size_t reserving; /* large queries waiting for memory */
};

/*
 * Start a pool of `threads` threads (1 to QUERY_THREADS_MAX) with a queue of `waiting` jobs. On
 * success the caller owns *out (query_pool_free()).
 */
MUST_USE int query_pool_new(struct query_pool **out, unsigned threads, unsigned waiting,
			    struct err *e);

/* Run the queued jobs, then end the threads. Takes NULL. */
void query_pool_free(struct query_pool *p);

/* Queue the job. Return 0, or -EAGAIN when the queue is full. Any thread; never blocks. */
MUST_USE int query_pool_submit(struct query_pool *p, struct query_job *job);

/*
 * Let other queries run: a query calls this regularly, holding no lock. A long query may wait here
 * for a permit. Returns early when the deadline (monotonic clock) has passed or *cancelled is set.
 * Does nothing on threads outside the pool.
 */
void query_pool_pause(uint64_t deadline_ns, const _Atomic bool *cancelled);

/* Set how many bytes large queries may reserve together. Call before the first job. */
void query_pool_set_memory(struct query_pool *p, size_t bytes);

/*
 * Reserve `bytes` for the query of this thread until it ends, replacing its earlier reservation.
 * Wait while other queries have reserved too much; a query that wants more than the limit runs when
 * no other query has a reservation. The caller holds no lock and hardly any memory. Return 0,
 * -ETIMEDOUT, -ECANCELED, or -EAGAIN when too many queries wait. Return 0 at once on threads
 * outside the pool.
 */
MUST_USE int query_pool_reserve(size_t bytes, uint64_t deadline_ns, const _Atomic bool *cancelled);

void query_pool_stats(struct query_pool *p, struct query_pool_stats *out);

#endif
