/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_BASE_BASE_H
#define VARVE_BASE_BASE_H

/* Macros and small functions that every part uses. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MUST_USE __attribute__((warn_unused_result))
#define PRINTF_LIKE(fmt, first) __attribute__((format(printf, fmt, first)))
#define NO_INLINE __attribute__((noinline))
#define UNUSED __attribute__((unused))

#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)

#define countof(array) (sizeof(array) / sizeof((array)[0]))

#define KIB ((size_t)1 << 10)
#define MIB ((size_t)1 << 20)
#define GIB ((size_t)1 << 30)

static inline size_t min_size(size_t a, size_t b)
{
	return a < b ? a : b;
}

static inline size_t max_size(size_t a, size_t b)
{
	return a > b ? a : b;
}

/* Divide and round to the nearest integer, halves away from zero. */
static inline int64_t divide_rounded(__int128 a, int64_t b)
{
	return (int64_t)((a + (a < 0 ? -b : b) / 2) / b);
}

/* Move ownership out of *p: *p becomes NULL, so that a later clean-up of *p is a no-op. */
#define take_ptr(p)                                                                                \
	({                                                                                         \
		__auto_type taken_ = *(p);                                                         \
		*(p) = NULL;                                                                       \
		taken_;                                                                            \
	})

#endif
