/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_BASE_WORKERS_H
#define VARVE_BASE_WORKERS_H

#include "base/container/queue.h"
#include "base/thread.h"

/*
 * Threads that take work from one bounded queue: decoding of large bodies, queries. When the queue
 * is full, workers_submit() fails and the caller refuses the request.
 */
struct work {
	/* Called on a thread of the pool, which does not access the work afterwards. */
	void (*run)(struct work *work);
};

enum { WORKERS_MAX = 64 };

struct workers {
	struct queue queue;
	struct thread threads[WORKERS_MAX];
	unsigned count;
	bool ready;
};

/* Initialize with a queue of `waiting` entries and no thread. Return 0 or -ENOMEM. */
MUST_USE int workers_init(struct workers *w, unsigned waiting);

/*
 * Start one more thread, named `name` and its number. Return 0, -EAGAIN if there are WORKERS_MAX,
 * or another -errno. The caller serializes calls of this function and workers_stop().
 */
MUST_USE int workers_add(struct workers *w, const char *name, struct err *e);

/* Finish all queued work, then end the threads. Accepts the zero value. */
void workers_stop(struct workers *w);

/*
 * Queue work that holds `bytes` until it is done. Return 0, or -EAGAIN if the queue is full. Any
 * thread.
 */
MUST_USE int workers_submit(struct workers *w, struct work *work, size_t bytes);

/* Return the number of queued entries; *bytes is what they hold (may be NULL). Any thread. */
size_t workers_waiting(struct workers *w, size_t *bytes);

#endif
