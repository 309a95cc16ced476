/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_QUERY_QUERY_POOL_H
#define VARVE_QUERY_QUERY_POOL_H

#include <stdatomic.h>

#include "base/container/queue.h"
#include "base/thread.h"

/*
 * The threads on which queries run, and the bounded queue before them: a server that is asked too
 * much refuses at once, and does not get slower for everybody.
 *
 * A query that runs for long does not keep short ones waiting: after QUERY_LONG_MS it needs one of a few permits (as many as the pool had
 * threads when it was made), which it gives back every QUERY_SLICE_MS if others wait for one. The client whose last permit is the longest ago
 * gets the next. For each long query the pool has one more thread, up to QUERY_THREADS_MAX, so that there are always threads for short ones; the
 * operating system divides the processors among those that run.
 *
 * A query that needs much memory reserves it first. Large queries wait for each other, by the same
 * rule, so that none fails because others run.
 */
enum {
	QUERY_LONG_MS = 200,
	QUERY_SLICE_MS = 100,
	QUERY_THREADS_MAX = 64,
	/* Queries that may wait for memory; others are refused. */
	QUERY_RESERVING_MAX = QUERY_THREADS_MAX / 2,
};

struct query_job {
	void (*run)(
		struct query_job *job); /* on a thread of the pool; the job is the caller's again */
	uint64_t client;		/* who asks: a hash */
};

struct query_pool_stats {
	uint64_t done, refused;
	size_t waiting, running; /* for a thread; those that have one */
	size_t paused;		 /* long queries that wait for a permit */
	size_t reserving;	 /* large queries that wait for memory */
};

struct query_pool;

/* `threads` threads (1 to QUERY_THREADS_MAX), and room for `waiting` jobs. On success *out is the caller's (query_pool_free()). */
MUST_USE int query_pool_new(struct query_pool **out, unsigned threads, unsigned waiting,
			    struct err *e);

/* Runs what was taken, then ends the threads. Takes NULL. */
void query_pool_free(struct query_pool *p);

/* 0, and run() will be called; or -EAGAIN when there is no room. Any thread; never waits. */
MUST_USE int query_pool_submit(struct query_pool *p, struct query_job *job);

/*
 * Called by a query now and then, where it holds no lock: if it runs for long it may have to wait here. Ends early when the deadline (of the monotonic
 * clock) has passed or *cancelled is set. Does nothing on other threads.
 */
void query_pool_pause(uint64_t deadline_ns, const _Atomic bool *cancelled);

/* Set how many bytes large queries may reserve together. Before the first job. */
void query_pool_set_memory(struct query_pool *p, size_t bytes);

/*
 * Reserve `bytes` for the query of this thread until it ends, instead of what it has reserved before.
 * Wait while other queries have reserved too much; a query that wants more than there is runs when no
 * other query has a reservation. The caller holds no lock and no memory worth mentioning. Return 0,
 * -ETIMEDOUT, -ECANCELED, or -EAGAIN when too many queries wait. Return 0 at once on other threads.
 */
MUST_USE int query_pool_reserve(size_t bytes, uint64_t deadline_ns, const _Atomic bool *cancelled);

void query_pool_stats(struct query_pool *p, struct query_pool_stats *out);

#endif
