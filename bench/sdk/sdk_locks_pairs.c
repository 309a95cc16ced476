/* SPDX-License-Identifier: Apache-2.0 */
/*
 * usage: sdk_locks_pairs <pairs> <rounds> <inside> <outside>
 * Two threads, each on a processor of its own, contend for a mutex. They lock it with libc's
 * functions and with those of a preloaded library, alternating in one process, so that memory and
 * processors are the same and the time nearly the same: the difference is the cost of the
 * functions. A turn is `rounds` rounds of each thread. `inside` and `outside` are steps of work, a
 * third of a nanosecond each, with the mutex and without it. The number outside is random, from 0
 * to twice as many, because two threads with rounds of constant length synchronize and then collide
 * always or hardly ever.
 *
 * Prints a line for each pair of turns, each value for libc and then for the library:
 *     <CPU ns per round of a thread> <..> <elapsed ns per round> <..>
 *     <rounds of 1000 with the mutex locked> <..> <slept> <..> <CPU ns per round of other threads>
 * Other threads are those of the library; their time in both turns counts for the library.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

typedef int mutex_call(pthread_mutex_t *l);

enum { THREADS = 2, LIBC = 0, SEEN = 1 };

static struct {
	mutex_call *lock, *unlock;
} calls[2];

struct turn {
	/* sums of both threads, except that wall_ns is that of the slower one */
	double cpu_ns, wall_ns, busy, slept;
};

static pthread_mutex_t mutex __attribute__((aligned(64))) = PTHREAD_MUTEX_INITIALIZER;
static long count __attribute__((aligned(64)));
static pthread_barrier_t start;
static long pairs, rounds;
static int inside, outside;

struct worker {
	size_t processor;
	struct turn *turns; /* two per pair, libc's first */
};

static double now_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static void step(int n)
{
	for (int i = 0; i < n; i++)
		__asm__ volatile("");
}

static double sleeps(void)
{
	struct rusage usage;

	getrusage(RUSAGE_THREAD, &usage);
	return (double)usage.ru_nvcsw;
}

static void take_turn(struct turn *t, mutex_call *lock, mutex_call *unlock)
{
	double cpu, wall, slept;
	unsigned random = 1;
	long busy = 0;

	pthread_barrier_wait(&start);
	slept = sleeps();
	wall = now_ns(CLOCK_MONOTONIC);
	cpu = now_ns(CLOCK_THREAD_CPUTIME_ID);
	for (long i = 0; i < rounds; i++) {
		busy += __atomic_load_n(&mutex.__data.__lock, __ATOMIC_RELAXED) != 0;
		lock(&mutex);
		count = count + 1;
		step(inside);
		unlock(&mutex);
		random = random * 1664525 + 1013904223;
		step((int)((uint64_t)random * (unsigned)outside >> 31));
	}
	t->cpu_ns = now_ns(CLOCK_THREAD_CPUTIME_ID) - cpu;
	t->wall_ns = now_ns(CLOCK_MONOTONIC) - wall;
	t->slept = sleeps() - slept;
	t->busy = (double)busy;
}

/* Run all turns. The order within a pair alternates. */
static void *work(void *arg)
{
	struct worker *w = arg;
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(w->processor, &set);
	sched_setaffinity(0, sizeof(set), &set);
	for (long i = 0; i < 2 * pairs; i++) {
		int which = (int)((i + i / 2) & 1);

		take_turn(&w->turns[i / 2 * 2 + which], calls[which].lock, calls[which].unlock);
	}
	return NULL;
}

static int find_calls(void)
{
	void *libc = dlopen("libc.so.6", RTLD_NOW | RTLD_NOLOAD);

	if (!libc)
		return -1;
	calls[LIBC].lock = (mutex_call *)dlsym(libc, "pthread_mutex_lock");
	calls[LIBC].unlock = (mutex_call *)dlsym(libc, "pthread_mutex_unlock");
	calls[SEEN].lock = (mutex_call *)dlsym(RTLD_DEFAULT, "pthread_mutex_lock");
	calls[SEEN].unlock = (mutex_call *)dlsym(RTLD_DEFAULT, "pthread_mutex_unlock");
	return calls[LIBC].lock && calls[LIBC].unlock ? 0 : -1;
}

/* Choose a processor for each worker, from those that this process may use. */
static int choose_processors(struct worker *workers)
{
	cpu_set_t set;
	int n = 0;

	if (sched_getaffinity(0, sizeof(set), &set))
		return -1;
	for (size_t i = 0; i < CPU_SETSIZE && n < THREADS; i++)
		if (CPU_ISSET(i, &set))
			workers[n++].processor = i;
	return n == THREADS ? 0 : -1;
}

static struct turn together(const struct worker *workers, long i)
{
	const struct turn *a = &workers[0].turns[i], *b = &workers[1].turns[i];

	return (struct turn){.cpu_ns = a->cpu_ns + b->cpu_ns,
			     .wall_ns = a->wall_ns > b->wall_ns ? a->wall_ns : b->wall_ns,
			     .busy = a->busy + b->busy,
			     .slept = a->slept + b->slept};
}

static void print(const struct worker *workers, double all_cpu_ns)
{
	double locks = (double)rounds * THREADS, others = all_cpu_ns;

	for (long i = 0; i < 2 * pairs; i++)
		others -= together(workers, i).cpu_ns;
	for (long i = 0; i < pairs; i++) {
		struct turn a = together(workers, 2 * i), b = together(workers, 2 * i + 1);

		printf("%.3f %.3f %.3f %.3f %.2f %.2f %.3f %.3f %.3f\n", a.cpu_ns / locks,
		       b.cpu_ns / locks, a.wall_ns / (double)rounds, b.wall_ns / (double)rounds,
		       a.busy * 1000 / locks, b.busy * 1000 / locks, a.slept * 1000 / locks,
		       b.slept * 1000 / locks, others / locks / (double)pairs);
	}
}

int main(int argc, char **argv)
{
	struct worker workers[THREADS];
	pthread_t threads[THREADS];
	double began;

	if (argc < 5)
		return 2;
	pairs = atol(argv[1]);
	rounds = atol(argv[2]);
	inside = atoi(argv[3]);
	outside = atoi(argv[4]);
	if (pairs < 1 || rounds < 1 || find_calls() || choose_processors(workers))
		return 2;
	pthread_barrier_init(&start, NULL, THREADS);
	began = now_ns(CLOCK_PROCESS_CPUTIME_ID);
	for (int i = 0; i < THREADS; i++) {
		workers[i].turns = calloc((size_t)pairs * 2, sizeof(struct turn));
		if (!workers[i].turns || pthread_create(&threads[i], NULL, work, &workers[i]))
			return 1;
	}
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	print(workers, now_ns(CLOCK_PROCESS_CPUTIME_ID) - began);
	for (int i = 0; i < THREADS; i++)
		free(workers[i].turns);
	return 0;
}
