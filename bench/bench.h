/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_BENCH_BENCH_H
#define VARVE_BENCH_BENCH_H

#include "base/base.h"

/* Shared by the benchmarks: CPU time, best of n, results as text and JSON. */

/* Return the CPU seconds that this process has used: all threads, user and system. */
double bench_cpu_seconds(void);

/*
 * Return the minimum of the CPU seconds of `rounds` calls of work(context), after one call to warm
 * up. The minimum is the least disturbed by other load.
 */
double bench_best(unsigned rounds, void (*work)(void *context), void *context);

/* Prevent the compiler from removing the computation of an unused value. */
static inline void bench_keep(uint64_t value)
{
	__asm__ volatile("" : : "r"(value) : "memory");
}

/* Return the number of calls of malloc, calloc and realloc so far in this process. */
uint64_t bench_malloc_calls(void);

enum bench_better { BENCH_MORE, BENCH_LESS };

struct bench_result {
	const char *name;
	double value;
	const char *unit;
	enum bench_better better; /* MORE for MB/s, LESS for seconds and bytes */
	const char *peer;	  /* what is compared; NULL: none */
	double peer_value;
	const char *method; /* input, rounds, kind of time */
};

/*
 * Print the result and, if $BENCH_JSON is set, append it there as one line of JSON. The ratio is
 * above 1 if we are better than the peer.
 */
void bench_report(const struct bench_result *result);

/* Print that a benchmark or comparison was skipped, and why. */
void bench_skip(const char *name, const char *why);

#endif
