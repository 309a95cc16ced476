/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The malloc() family. An allocation costs a subtraction and a branch, a free() one load: then the real function goes on in our
 * place. Everything else is out of line.
 *
 * An allocation is counted when it is made, by the size that was asked for; a realloc() that succeeded is the end of one block and
 * the begin of another. Sizes of 0 are never sampled.
 */
#include <errno.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

#include "sdk/hook/heap.h"
#include "sdk/preload/real.h"
#include "varve/varve.h"

#define CALLER __builtin_return_address(0)

/* The last call of all that come here: they leave their place on the stack to it, so that it returns to the host. */
static NO_INLINE void *sampled(void *p, size_t size, const void *caller)
{
	heap_sampled(p, size, caller, __builtin_frame_address(0));
	return p;
}

static NO_INLINE void *malloc_sampled(size_t size, const void *caller)
{
	return sampled(real.malloc(size), size, caller);
}

VARVE_API void *malloc(size_t size)
{
	if (heap_crossed(size))
		return malloc_sampled(size, CALLER);
	return real.malloc(size);
}

static NO_INLINE void *calloc_sampled(size_t count, size_t size, const void *caller)
{
	return sampled(real.calloc(count, size), count * size, caller);
}

VARVE_API void *calloc(size_t count, size_t size)
{
	size_t bytes;

	if (likely(!__builtin_mul_overflow(count, size, &bytes)) && heap_crossed(bytes))
		return calloc_sampled(count, size, CALLER);
	return real.calloc(count, size);
}

/* In both filters: a live block, one that is not, or one from before there was an allocator. */
static NO_INLINE void free_looked_at(void *p)
{
	if (!p || real_is_early(p))
		return;
	heap_forget(p);
	real.free(p);
}

static NO_INLINE void free_past_gate(void *p)
{
	if (unlikely(heap_likely_live(p)))
		free_looked_at(p);
	else
		real.free(p);
}

VARVE_API void free(void *p)
{
	if (heap_maybe_live(p))
		free_past_gate(p);
	else
		real.free(p);
}

static void *leave_early(void *p, size_t size)
{
	void *grown = malloc(size);

	if (grown)
		memcpy(grown, p, min_size(real_early_size(p), size));
	return grown;
}

/* A block that is live or may be, or a new size that crossed the line. */
static NO_INLINE void *realloc_looked_at(void *p, size_t size, bool crossed, const void *caller)
{
	struct heap_block block;
	bool taken;
	void *grown;

	if (real_is_early(p))
		return leave_early(p, size);
	taken = heap_maybe_live(p) && heap_take(p, &block);
	grown = real.realloc(p, size);
	if (taken && !grown && size)
		heap_restore(&block); /* it failed: the block is as it was */
	if (crossed)
		heap_sampled(grown, size, caller, __builtin_frame_address(0));
	return grown;
}

static inline void *count_realloc(void *p, size_t size, const void *caller)
{
	bool crossed = heap_crossed(size);

	if (crossed || heap_maybe_live(p))
		return realloc_looked_at(p, size, crossed, caller);
	return real.realloc(p, size);
}

VARVE_API void *realloc(void *p, size_t size)
{
	return count_realloc(p, size, CALLER);
}

/* libc's own calls realloc(), and an allocator that has none relies on that. */
VARVE_API void *reallocarray(void *p, size_t count, size_t size)
{
	size_t bytes;

	if (unlikely(__builtin_mul_overflow(count, size, &bytes))) {
		errno = ENOMEM;
		return NULL;
	}
	return count_realloc(p, bytes, CALLER);
}

VARVE_API int posix_memalign(void **out, size_t alignment, size_t size)
{
	bool crossed = heap_crossed(size);
	int rc = real.posix_memalign(out, alignment, size);

	if (crossed)
		heap_sampled(rc ? NULL : *out, size, CALLER, NULL);
	return rc;
}

static NO_INLINE void *aligned_alloc_sampled(size_t alignment, size_t size, const void *caller)
{
	return sampled(real.aligned_alloc(alignment, size), size, caller);
}

VARVE_API void *aligned_alloc(size_t alignment, size_t size)
{
	if (heap_crossed(size))
		return aligned_alloc_sampled(alignment, size, CALLER);
	return real.aligned_alloc(alignment, size);
}

VARVE_API void *memalign(size_t alignment, size_t size)
{
	if (heap_crossed(size))
		return sampled(real.memalign(alignment, size), size, CALLER);
	return real.memalign(alignment, size);
}

VARVE_API void *valloc(size_t size)
{
	if (heap_crossed(size))
		return sampled(real.valloc(size), size, CALLER);
	return real.valloc(size);
}

VARVE_API void *pvalloc(size_t size)
{
	if (heap_crossed(size))
		return sampled(real.pvalloc(size), size, CALLER);
	return real.pvalloc(size);
}
