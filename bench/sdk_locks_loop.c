/* SPDX-License-Identifier: Apache-2.0 */
/*
 * usage: sdk_locks_loop <rounds> alone|one|two|work [time|cpu|waits]: a mutex is taken and given back. alone: in a program with one thread; one: by one of two threads,
 * so that nobody ever waits; two: by two at once, with nothing else to do; work: by two, with a microsecond of work inside and three outside. Prints
 * nanoseconds a round: CPU time where nobody waits, else time; or as asked, CPU time of both threads, or how many waits there were in 1000 rounds: how
 * often two that hammer a mutex meet is a matter of who is quick enough to take it twice, and time goes with that more than with what a call costs.
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

static void *take_turns(void *arg)
{
	for (long i = 0; i < rounds; i++) {
		pthread_mutex_lock(&lock);
		count = count + 1;
		spin(inside);
		pthread_mutex_unlock(&lock);
		spin(outside);
	}
	return arg;
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
	if (!strcmp(how, "work")) {
		inside = 1500;
		outside = 4500;
	}
	if (strcmp(how, "alone") && pthread_create(&other, NULL, waits ? take_turns : idle, NULL))
		return 1;
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
