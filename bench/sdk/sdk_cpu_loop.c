/* SPDX-License-Identifier: Apache-2.0 */
/*
 * usage: sdk_cpu_loop cpu|wall|memory <millions> <threads>
 * Threads that compute at a depth of sixteen calls. Prints CPU seconds or elapsed seconds; or,
 * after some work and a pause in which the profilers reach a steady state, the resident KiB.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static long millions;
static volatile unsigned long sink;

static __attribute__((noinline)) unsigned long deep(int depth, unsigned long x)
{
	if (!depth) {
		for (int i = 0; i < 1000; i++)
			x = x * 6364136223846793005u + 1442695040888963407u;
		return x;
	}
	return deep(depth - 1, x ^ (unsigned)depth) + 1;
}

static void *work(void *arg)
{
	unsigned long x = 1;

	for (long i = 0; i < millions * 1000; i++)
		x = deep(16, x);
	sink = x;
	return arg;
}

static void *work_and_wait(void *arg)
{
	work(arg);
	pause();
	return arg;
}

static double seconds(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static long resident_kib(void)
{
	char line[256];
	long kib = 0;
	FILE *file = fopen("/proc/self/status", "re");

	while (file && fgets(line, sizeof(line), file))
		sscanf(line, "VmRSS: %ld", &kib);
	if (file)
		fclose(file);
	return kib;
}

int main(int argc, char **argv)
{
	pthread_t threads[1024];
	int count = argc > 3 ? atoi(argv[3]) : 2, memory;
	double began;

	if (argc < 4 || count < 1 || count > 1024)
		return 2;
	memory = !strcmp(argv[1], "memory");
	millions = atol(argv[2]);
	began = seconds(CLOCK_MONOTONIC);
	for (int i = 0; i < count; i++)
		if (pthread_create(&threads[i], NULL, memory ? work_and_wait : work, NULL))
			return 2;
	if (memory) {
		sleep(4);
		printf("%ld\n", resident_kib());
		return 0;
	}
	for (int i = 0; i < count; i++)
		pthread_join(threads[i], NULL);
	printf("%.6f\n", !strcmp(argv[1], "cpu") ? seconds(CLOCK_PROCESS_CPUTIME_ID)
						 : seconds(CLOCK_MONOTONIC) - began);
	return 0;
}
