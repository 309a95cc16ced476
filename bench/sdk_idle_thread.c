/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A library that does nothing but to start a thread, which sleeps. What it costs a program of one thread is what every profiler with a thread
 * of its own costs it: libc's mutexes and allocator do without locked instructions only as long as there is one thread.
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
