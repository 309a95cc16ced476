/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_WORKERS_H
#define VARVE_PIPELINE_WORKERS_H

#include "base/container/queue.h"
#include "base/thread.h"

/*
 * Threads for work that would block a network loop: decoding large bodies. The queue is bounded;
 * when it is full, workers_submit() fails and the caller refuses the request.
 */
struct work {
	void (*run)(struct work *work);
};

enum { WORKERS_MAX = 64, WORKERS_QUEUE = 4096 };

struct workers {
	struct queue queue;
	struct thread threads[WORKERS_MAX];
	unsigned count;
	bool ready;
};

/*
 * Start the threads (0: one per processor). Return 0 or -errno; call workers_stop() in either case.
 */
MUST_USE int workers_start(struct workers *w, unsigned threads, struct err *e);

/* Finish all queued work, then end the threads. Accepts the zero value. */
void workers_stop(struct workers *w);

/*
 * Queue work that holds `bytes` until it is done. Return 0, or -EAGAIN if the queue is full. Any
 * thread.
 */
MUST_USE int workers_submit(struct workers *w, struct work *work, size_t bytes);

/* Return the bytes held by queued work. Any thread. */
size_t workers_waiting(struct workers *w);

#endif
