/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counts allocations by replacing malloc, calloc and realloc with wrappers of glibc's functions. So
 * calls by shared libraries, such as the peers, are counted too.
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
