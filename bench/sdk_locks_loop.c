/* SPDX-License-Identifier: Apache-2.0 */
/*
 * usage: sdk_locks_loop <rounds> alone|one|two|work|handover [time|cpu|waits]: a mutex is taken and given back. alone: in a program with one thread; one: by one of
 * two threads, so that nobody ever waits; two: by two at once, with nothing else to do; work: by two, with a microsecond of work inside and three outside;
 * handover: by one that has it and one that waits for it, each time anew.
 *
 * Prints nanoseconds a round: CPU time where nobody waits, time where two compete, and of a handover the CPU time of its two calls. Or, where two compete and as asked, CPU
 * time of both threads, or how many waits there were in 1000 rounds: how often two that hammer a mutex meet is a matter of who is quick enough to take it twice and
 * who else wants the processors, and time goes with that more than with what a call costs. A handover always waits, so it tells what waiting costs.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long rounds;
static volatile long count;
static int inside, outside;

static double now_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static void spin(int n)
{
	for (int i = 0; i < n; i++)
		__asm__ volatile("");
}

static pthread_barrier_t start;

static void *take_turns(void *arg)
{
	if (arg)
		pthread_barrier_wait(&start);
	for (long i = 0; i < rounds; i++) {
		pthread_mutex_lock(&lock);
		count = count + 1;
		spin(inside);
		pthread_mutex_unlock(&lock);
		spin(outside);
	}
	return arg;
}

/* -- handover ----------------------------------------------------------------------------------------------------------- */

static int turn[2], done[2]; /* pipes: no lock but the one that is measured */
static double waiter_ns;

static double thread_ns(void)
{
	return now_ns(CLOCK_THREAD_CPUTIME_ID);
}

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

/* The word of glibc's mutex that says that somebody sleeps for it. */
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
		usleep(20); /* now it sleeps */
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
	const char *how = argc > 2 ? argv[2] : "one", *what = argc > 3 ? argv[3] : "time";
	int waits = !strcmp(how, "two") || !strcmp(how, "work");
	clockid_t clock = !waits		 ? CLOCK_THREAD_CPUTIME_ID
			  : !strcmp(what, "cpu") ? CLOCK_PROCESS_CPUTIME_ID
						 : CLOCK_MONOTONIC;
	struct rusage usage;
	double began;
	pthread_t other;

	rounds = argc > 1 ? atol(argv[1]) : 1000000;
	if (!strcmp(how, "handover"))
		return run_handover();
	if (!strcmp(how, "work")) {
		inside = 1500;
		outside = 4500;
	}
	pthread_barrier_init(&start, NULL, 2);
	if (strcmp(how, "alone") && pthread_create(&other, NULL, waits ? take_turns : idle, &start))
		return 1;
	if (waits)
		pthread_barrier_wait(&start);
	began = now_ns(clock);
	take_turns(NULL);
	if (waits)
		pthread_join(other, NULL);
	began = now_ns(clock) - began;
	getrusage(RUSAGE_SELF, &usage);
	printf("%.3f\n", !strcmp(what, "waits") ? (double)usage.ru_nvcsw * 1000 / (double)rounds
						: began / (double)rounds);
	return 0;
}
