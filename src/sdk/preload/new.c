/* SPDX-License-Identifier: Apache-2.0 */
/*
 * C++ new and delete. libstdc++'s operators call malloc() and free(), which are counted; those of
 * tcmalloc and jemalloc do not, or not always. If the countdown changed during the real operator,
 * malloc() has counted the block; otherwise it is counted here. delete removes the block from the
 * live table; a free() it calls then finds none.
 *
 * A C program may load C++ code by dlopen(), where our operators come first too. The real ones are
 * then searched in the loaded C++ runtimes. Without a runtime, ours call malloc() and free().
 */
#include <malloc.h>
#include <stdlib.h>

#include "sdk/hook/heap.h"
#include "sdk/preload/real.h"
#include "varve/varve.h"

struct nothrow;

/*
 * X(mangled name, parameters, arguments, alignment): plain, array; each also nothrow, aligned, and
 * both.
 */
#define NEW_OPERATORS(X)                                                                           \
	X(_Znwm, (size_t size), (size), 0)                                                         \
	X(_Znam, (size_t size), (size), 0)                                                         \
	X(_ZnwmRKSt9nothrow_t, (size_t size, const struct nothrow *n), (size, n), 0)               \
	X(_ZnamRKSt9nothrow_t, (size_t size, const struct nothrow *n), (size, n), 0)               \
	X(_ZnwmSt11align_val_t, (size_t size, size_t alignment), (size, alignment), alignment)     \
	X(_ZnamSt11align_val_t, (size_t size, size_t alignment), (size, alignment), alignment)     \
	X(_ZnwmSt11align_val_tRKSt9nothrow_t,                                                      \
	  (size_t size, size_t alignment, const struct nothrow *n), (size, alignment, n),          \
	  alignment)                                                                               \
	X(_ZnamSt11align_val_tRKSt9nothrow_t,                                                      \
	  (size_t size, size_t alignment, const struct nothrow *n), (size, alignment, n),          \
	  alignment)

#define DELETE_OPERATORS(X)                                                                        \
	X(_ZdlPv, (void *p), (p))                                                                  \
	X(_ZdaPv, (void *p), (p))                                                                  \
	X(_ZdlPvm, (void *p, size_t size), (p, size))                                              \
	X(_ZdaPvm, (void *p, size_t size), (p, size))                                              \
	X(_ZdlPvRKSt9nothrow_t, (void *p, const struct nothrow *n), (p, n))                        \
	X(_ZdaPvRKSt9nothrow_t, (void *p, const struct nothrow *n), (p, n))                        \
	X(_ZdlPvSt11align_val_t, (void *p, size_t alignment), (p, alignment))                      \
	X(_ZdaPvSt11align_val_t, (void *p, size_t alignment), (p, alignment))                      \
	X(_ZdlPvSt11align_val_tRKSt9nothrow_t,                                                     \
	  (void *p, size_t alignment, const struct nothrow *n), (p, alignment, n))                 \
	X(_ZdaPvSt11align_val_tRKSt9nothrow_t,                                                     \
	  (void *p, size_t alignment, const struct nothrow *n), (p, alignment, n))                 \
	X(_ZdlPvmSt11align_val_t, (void *p, size_t size, size_t alignment), (p, size, alignment))  \
	X(_ZdaPvmSt11align_val_t, (void *p, size_t size, size_t alignment), (p, size, alignment))

static void *new_without_runtime(size_t size, size_t alignment)
{
	return alignment ? memalign(alignment, size) : malloc(size);
}

#define DEFINE_NEW(name, parameters, arguments, alignment)                                         \
	VARVE_API void *name parameters;                                                           \
	static void *(*real##name)parameters;                                                      \
	VARVE_API void *name parameters                                                            \
	{                                                                                          \
		uint64_t before = heap_countdown;                                                  \
		void *p;                                                                           \
                                                                                                   \
		if (unlikely(!real##name))                                                         \
			real##name = (void *(*)parameters)real_lookup(#name);                      \
		if (unlikely(!real##name))                                                         \
			return new_without_runtime(size, alignment);                               \
		p = real##name arguments;                                                          \
		if (heap_countdown == before && heap_crossed(size))                                \
			heap_sampled(p, size, __builtin_return_address(0), NULL);                  \
		return p;                                                                          \
	}
NEW_OPERATORS(DEFINE_NEW)

#define DEFINE_DELETE(name, parameters, arguments)                                                 \
	VARVE_API void name parameters;                                                            \
	static void(*real##name) parameters;                                                       \
	VARVE_API void name parameters                                                             \
	{                                                                                          \
		if (unlikely(!real##name))                                                         \
			real##name = (void(*) parameters)real_lookup(#name);                       \
		if (unlikely(!real##name)) {                                                       \
			free(p);                                                                   \
			return;                                                                    \
		}                                                                                  \
		if (heap_maybe_live(p))                                                            \
			heap_remove(p);                                                            \
		real##name arguments;                                                              \
	}
DELETE_OPERATORS(DEFINE_DELETE)
