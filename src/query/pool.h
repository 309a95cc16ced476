/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_QUERY_POOL_H
#define VARVE_QUERY_POOL_H

#include <stdatomic.h>

#include "base/queue.h"
#include "base/thread.h"

/*
 * The threads on which queries run, and the bounded queue before them: a server that is asked too
 * much says so at once, and does not get slower for everybody.
 */
struct query_job {
	void (*run)(
		struct query_job *job); /* on a thread of the pool; the job is the caller's again */
};

struct query_pool_stats {
	uint64_t done, refused;
	size_t waiting, running;
};

struct query_pool;

/* `threads` threads, and room for `waiting` jobs. On success *out is the caller's (query_pool_free()). */
MUST_USE int query_pool_new(struct query_pool **out, unsigned threads, unsigned waiting,
			    struct err *e);

/* Runs what was taken, then ends the threads. Takes NULL. */
void query_pool_free(struct query_pool *p);

/* 0, and run() will be called; or -EAGAIN when there is no room. Any thread; never waits. */
MUST_USE int query_pool_submit(struct query_pool *p, struct query_job *job);

void query_pool_stats(struct query_pool *p, struct query_pool_stats *out);

#endif
