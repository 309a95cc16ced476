/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_WORKERS_H
#define VARVE_PIPELINE_WORKERS_H

#include "base/container/queue.h"
#include "base/thread.h"

/*
 * A few threads for work that a network loop must not do itself: decoding what is large. What they
 * are given is bounded; when that is full the caller is told, and says "later" to whoever sent it.
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

/* 0 threads: one a processor of this machine. 0 or -errno; stop in every case. */
MUST_USE int workers_start(struct workers *w, unsigned threads, struct err *e);

/* All that was taken is done, then the threads end. Takes the zero value. */
void workers_stop(struct workers *w);

/* Any thread; `bytes` are what the work holds until it is done. 0, or -EAGAIN when too much waits already. */
MUST_USE int workers_give(struct workers *w, struct work *work, size_t bytes);

/* The bytes of the work that waits. Any thread. */
size_t workers_waiting(struct workers *w);

#endif
