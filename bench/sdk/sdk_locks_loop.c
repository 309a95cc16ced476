/* SPDX-License-Identifier: Apache-2.0 */
/*
 * usage: sdk_locks_loop <rounds> alone|one|handover
 * Locks and unlocks a mutex. alone: in a program with one thread; one: by one of two threads,
 * without contention; handover: by a thread for which another one waits, in each round.
 *
 * Prints nanoseconds of CPU time per round; for handover those of two calls, the lock that waits
 * and the unlock that it waits for. For contended mutexes see sdk_locks_pairs.c.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long rounds;
static volatile long count;

static double thread_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static void take_and_give(void)
{
	for (long i = 0; i < rounds; i++) {
		pthread_mutex_lock(&lock);
		count = count + 1;
		pthread_mutex_unlock(&lock);
	}
}

/* -- handover -- */

static int turn[2], done[2]; /* pipes, so that the measured lock is the only one */
static double waiter_ns;

static void *wait_each_time(void *arg)
{
	char byte;

	while (read(turn[0], &byte, 1) == 1) {
		double began = thread_ns();

		pthread_mutex_lock(&lock);
		waiter_ns += thread_ns() - began;
		pthread_mutex_unlock(&lock);
		if (write(done[1], &byte, 1) != 1)
			break;
	}
	return arg;
}

/* Does glibc's mutex have a waiter? */
static int is_awaited(void)
{
	return __atomic_load_n(&lock.__data.__lock, __ATOMIC_RELAXED) == 2;
}

static double hand_over(void)
{
	double holder_ns = 0;
	char byte = 0;

	for (long i = 0; i < rounds; i++) {
		double began;

		pthread_mutex_lock(&lock);
		if (write(turn[1], &byte, 1) != 1)
			return 0;
		while (!is_awaited())
			usleep(20);
		usleep(20); /* until the waiter sleeps */
		began = thread_ns();
		pthread_mutex_unlock(&lock);
		holder_ns += thread_ns() - began;
		if (read(done[0], &byte, 1) != 1)
			return 0;
	}
	return (holder_ns + waiter_ns) / (double)rounds;
}

static int run_handover(void)
{
	pthread_t other;

	if (pipe(turn) || pipe(done) || pthread_create(&other, NULL, wait_each_time, NULL))
		return 1;
	printf("%.3f\n", hand_over());
	return 0;
}

static void *idle(void *arg)
{
	pause();
	return arg;
}

int main(int argc, char **argv)
{
	const char *how = argc > 2 ? argv[2] : "one";
	double began;
	pthread_t other;

	rounds = argc > 1 ? atol(argv[1]) : 1000000;
	if (!strcmp(how, "handover"))
		return run_handover();
	if (!strcmp(how, "one") && pthread_create(&other, NULL, idle, NULL))
		return 1;
	began = thread_ns();
	take_and_give();
	printf("%.3f\n", (thread_ns() - began) / (double)rounds);
	return 0;
}
