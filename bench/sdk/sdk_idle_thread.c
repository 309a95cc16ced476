/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A library that only starts a sleeping thread. Its cost for a program of one thread is the lower
 * bound for every profiler with a thread of its own: libc's mutexes and allocator need no locked
 * instructions while there is only one thread.
 */
#include <pthread.h>
#include <unistd.h>

static void *idle(void *arg)
{
	for (;;)
		pause();
	return arg;
}

__attribute__((constructor)) static void start(void)
{
	pthread_t thread;

	(void)pthread_create(&thread, NULL, idle, NULL);
}
