/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Allocations are counted by standing in front of glibc's own, which it exports for this. So the
 * calls of shared libraries, the peers', are counted as well.
 */
#include <stdatomic.h>

#include "bench.h"

void *malloc(size_t size);
void *calloc(size_t count, size_t size);
void *realloc(void *p, size_t size);
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *p, size_t size);

static _Atomic uint64_t malloc_calls;

void *malloc(size_t size)
{
	atomic_fetch_add_explicit(&malloc_calls, 1, memory_order_relaxed);
	return __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
	atomic_fetch_add_explicit(&malloc_calls, 1, memory_order_relaxed);
	return __libc_calloc(count, size);
}

void *realloc(void *p, size_t size)
{
	atomic_fetch_add_explicit(&malloc_calls, 1, memory_order_relaxed);
	return __libc_realloc(p, size);
}

uint64_t bench_malloc_calls(void)
{
	return atomic_load_explicit(&malloc_calls, memory_order_relaxed);
}
