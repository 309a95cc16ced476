/* SPDX-License-Identifier: Apache-2.0 */
/*
 * usage: sdk_heap_loop <pairs> <threads>
 * A loop of malloc() and free(), with 4096 live blocks of 16 to 4096 bytes per thread. Prints
 * nanoseconds of CPU time per pair. bench/sdk/sdk_heap.sh runs it with and without profilers.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { LIVE = 4096, THREADS_MAX = 64 };

static long pairs;

static void *use(void *p)
{
	__asm__ volatile("" : "+r"(p)::"memory");
	return p;
}

/* Small sizes are more frequent; the mean is 765 bytes. */
static size_t next_size(uint64_t *random)
{
	uint64_t x;

	*random = *random * 6364136223846793005u + 1442695040888963407u;
	x = *random >> 40;
	return (size_t)(16 + ((x & 4095) * (x >> 12 & 4095) >> 12) * 3 / 4);
}

static double cpu_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static void *run(void *arg)
{
	void **live = calloc(LIVE, sizeof(*live));
	uint64_t random = 12345; /* the same sequence in each run */
	double *took = arg, began = cpu_ns();

	for (long i = 0; i < pairs; i++) {
		size_t size = next_size(&random);
		void **place = &live[random >> 52];

		free(*place);
		*place = use(malloc(size));
	}
	*took = cpu_ns() - began;
	for (int i = 0; i < LIVE; i++)
		free(live[i]);
	free(live);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[THREADS_MAX];
	double took[THREADS_MAX], sum = 0;
	int n = argc > 2 ? atoi(argv[2]) : 1;

	pairs = argc > 1 ? atol(argv[1]) : 1000000;
	if (n < 1 || n > THREADS_MAX)
		return 2;
	for (int i = 0; i < n; i++)
		if (pthread_create(&threads[i], NULL, run, &took[i]))
			return 1;
	for (int i = 0; i < n; i++) {
		pthread_join(threads[i], NULL);
		sum += took[i];
	}
	printf("%.3f\n", sum / (double)pairs / n);
	return 0;
}
