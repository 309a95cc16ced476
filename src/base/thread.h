/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_BASE_THREAD_H
#define VARVE_BASE_THREAD_H

#include <pthread.h>

#include "base/err.h"

/*
 * A named thread that is always joined. The struct must not move between thread_start() and
 * thread_join(), which the same thread calls. Signals are blocked in the new thread, so that the
 * main thread gets them. Real-time signals keep the mask of the starting thread, because a profiler
 * of this process samples each thread by one of them.
 */
struct thread {
	pthread_t id;
	void (*run)(void *arg);
	void *arg;
	char name[16]; /* shown by the kernel; truncated to 15 bytes */
	bool started;
};

/*
 * Call `run(arg)` in a new thread. Return 0 or a negative errno; thread_join() is a no-op after an
 * error.
 */
MUST_USE int thread_start(struct thread *t, const char *name, void (*run)(void *arg), void *arg,
			  struct err *e);

/* Wait for the end of the thread. Accepts the zero value and may be called again. */
void thread_join(struct thread *t);

#endif
