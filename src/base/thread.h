/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_BASE_THREAD_H
#define VARVE_BASE_THREAD_H

#include <pthread.h>

#include "base/err.h"

/*
 * A named thread that is always joined. The struct has to stay where it is from thread_start() to
 * thread_join(), which the same thread calls. Signals are blocked in it: they go to the main thread. All but the real-time ones,
 * which are as they are in the thread that starts it: a profiler of this process asks each thread by one of them.
 */
struct thread {
	pthread_t id;
	void (*run)(void *arg);
	void *arg;
	char name[16]; /* as the kernel shows it: cut at 15 bytes */
	bool started;
};

/* Run `run(arg)` in a new thread. 0 or a negative errno, and then thread_join() is a no-op. */
MUST_USE int thread_start(struct thread *t, const char *name, void (*run)(void *arg), void *arg,
			  struct err *e);

/* Wait for its end. Takes the zero value, and may be called again. */
void thread_join(struct thread *t);

#endif
