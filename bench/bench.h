/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_BENCH_BENCH_H
#define VARVE_BENCH_BENCH_H

#include "base/base.h"

/* What the benchmarks share: a clock, best of n, and the result in words and in JSON. */

/* CPU seconds this process has used, all threads, user and system. */
double bench_cpu_seconds(void);

/*
 * The fewest CPU seconds of `rounds` calls of work(context), after one that warms up. The least
 * disturbed round is the one that says what the code costs.
 */
double bench_best(unsigned rounds, void (*work)(void *context), void *context);

/* Keep the compiler from dropping a result that nobody reads. */
static inline void bench_keep(uint64_t value)
{
	__asm__ volatile("" : : "r"(value) : "memory");
}

/* The times malloc, calloc and realloc were called so far, in the whole program. */
uint64_t bench_malloc_calls(void);

enum bench_better { BENCH_MORE, BENCH_LESS };

struct bench_result {
	const char *name;
	double value;
	const char *unit;
	enum bench_better better; /* is more better (MB/s), or less (s, bytes)? */
	const char *peer;	  /* whom we compare with; NULL = nobody */
	double peer_value;
	const char *method; /* input, rounds, what is counted: in words */
};

/*
 * Say the result on stdout and append it as one JSON line to $BENCH_JSON (where set). The ratio is
 * how many times better we are than the peer, whichever way is better.
 */
void bench_report(const struct bench_result *result);

/* Say that a comparison was left out, and why. */
void bench_skip(const char *name, const char *why);

#endif
