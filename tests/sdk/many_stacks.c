/* SPDX-License-Identifier: Apache-2.0 */
/*
 * usage: many_stacks <bits> <threads> <rounds> <keep>
 *
 * Each thread walks all 2^bits paths of a binary call tree, `rounds` times. At the end of each path
 * one of eight leaf functions, leaf_0() to leaf_7(), allocates 64, 128 ... 512 bytes. Blocks of the
 * last round stay allocated if `keep` is 1. Prints "leaf_I BYTES", the bytes that each leaf
 * function has allocated since the start.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { LEAVES = 8, THREADS_MAX = 64 };

static unsigned bits, rounds;
static int keep;

struct block {
	struct block *next;
};

/* Blocks of a thread, linked, so that nothing else is allocated. */
struct walker {
	pthread_t thread;
	struct block *kept;
	int keeps;
};

#define NEVER_INLINE __attribute__((noinline, noclone))

static NEVER_INLINE void note(struct walker *w, struct block *b)
{
	if (w->keeps) {
		b->next = w->kept;
		w->kept = b;
	} else {
		free(b);
	}
}

#define LEAF(i)                                                                                    \
	NEVER_INLINE void leaf_##i(struct walker *w);                                              \
	NEVER_INLINE void leaf_##i(struct walker *w)                                               \
	{                                                                                          \
		struct block *b = malloc(64 * (i + 1));                                            \
                                                                                                   \
		if (!b)                                                                            \
			exit(1);                                                                   \
		note(w, b);                                                                        \
		__asm__ volatile("" ::: "memory");                                                 \
	}
LEAF(0)
LEAF(1)
LEAF(2)
LEAF(3)
LEAF(4)
LEAF(5)
LEAF(6)
LEAF(7)

static void (*const leaves[LEAVES])(struct walker *) = {leaf_0, leaf_1, leaf_2, leaf_3,
							leaf_4, leaf_5, leaf_6, leaf_7};

/* One call for each bit of the path: left() or right(). */
static NEVER_INLINE void left(struct walker *w, uint64_t path, unsigned depth);
static NEVER_INLINE void right(struct walker *w, uint64_t path, unsigned depth);

static inline __attribute__((always_inline)) void step(struct walker *w, uint64_t path,
						       unsigned depth)
{
	if (depth == bits)
		leaves[path % LEAVES](w);
	else if (path >> depth & 1)
		right(w, path, depth + 1);
	else
		left(w, path, depth + 1);
	__asm__ volatile("" ::: "memory"); /* no tail calls */
}

static void left(struct walker *w, uint64_t path, unsigned depth)
{
	step(w, path, depth);
}

static void right(struct walker *w, uint64_t path, unsigned depth)
{
	step(w, path, depth);
}

static void *walk_all(void *arg)
{
	struct walker *w = arg;

	for (unsigned round = 0; round < rounds; round++) {
		w->keeps = keep && round + 1 == rounds;
		for (uint64_t path = 0; path >> bits == 0; path++)
			left(w, path, 0);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	static struct walker walkers[THREADS_MAX];
	unsigned threads = argc > 4 ? (unsigned)atoi(argv[2]) : 0;

	if (!threads || threads > THREADS_MAX)
		return 2;
	bits = (unsigned)atoi(argv[1]);
	rounds = (unsigned)atoi(argv[3]);
	keep = atoi(argv[4]);
	for (unsigned i = 0; i < threads; i++)
		if (pthread_create(&walkers[i].thread, NULL, walk_all, &walkers[i]))
			return 1;
	for (unsigned i = 0; i < threads; i++)
		pthread_join(walkers[i].thread, NULL);
	for (uint64_t i = 0; i < LEAVES; i++)
		printf("leaf_%u %llu\n", (unsigned)i,
		       (unsigned long long)((64 * (i + 1) << bits) / LEAVES * threads * rounds));
	return 0;
}
