/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The malloc() family. The fast path of an allocation is a subtraction and a branch, that of free()
 * one load and a branch, then a tail call of the real function. All else is out of line.
 *
 * An allocation is counted by the requested size. A successful realloc() ends one block and begins
 * another. Size 0 is never sampled.
 */
#include <errno.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

#include "sdk/hook/heap.h"
#include "sdk/preload/real.h"
#include "varve/varve.h"

#define CALLER __builtin_return_address(0)

/*
 * Sample an allocation. All callers tail-call this, so its frame returns to `caller` in the host,
 * as guest_stack_from_frame() needs.
 */
static NO_INLINE void *sample_and_return(void *p, size_t size, const void *caller)
{
	heap_sampled(p, size, caller, __builtin_frame_address(0));
	return p;
}

static NO_INLINE void *malloc_sampled(size_t size, const void *caller)
{
	return sample_and_return(real.malloc(size), size, caller);
}

VARVE_API void *malloc(size_t size)
{
	if (heap_crossed(size))
		return malloc_sampled(size, CALLER);
	return real.malloc(size);
}

static NO_INLINE void *calloc_sampled(size_t count, size_t size, const void *caller)
{
	return sample_and_return(real.calloc(count, size), count * size, caller);
}

VARVE_API void *calloc(size_t count, size_t size)
{
	size_t bytes;

	if (likely(!__builtin_mul_overflow(count, size, &bytes)) && heap_crossed(bytes))
		return calloc_sampled(count, size, CALLER);
	return real.calloc(count, size);
}

/*
 * Free a block that is in both filters: a sampled one, a false positive, or one of the early
 * allocator.
 */
static NO_INLINE void free_tracked(void *p)
{
	if (!p || real_is_early(p))
		return;
	heap_remove(p);
	real.free(p);
}

static NO_INLINE void free_past_gate(void *p)
{
	if (unlikely(heap_likely_live(p)))
		free_tracked(p);
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

static void *move_early_block(void *p, size_t size)
{
	void *grown = malloc(size);

	if (grown)
		memcpy(grown, p, min_size(real_early_size(p), size));
	return grown;
}

/* Slow path of realloc(): the old block may be sampled, or the countdown ran out. */
static NO_INLINE void *realloc_tracked(void *p, size_t size, bool crossed, const void *caller)
{
	struct heap_block block;
	bool taken;
	void *grown;

	if (real_is_early(p))
		return move_early_block(p, size);
	taken = heap_maybe_live(p) && heap_take(p, &block);
	grown = real.realloc(p, size);
	if (taken && !grown && size)
		heap_restore(&block); /* it failed: the block is unchanged */
	if (crossed)
		heap_sampled(grown, size, caller, __builtin_frame_address(0));
	return grown;
}

static inline void *realloc_counted(void *p, size_t size, const void *caller)
{
	bool crossed = heap_crossed(size);

	if (crossed || heap_maybe_live(p))
		return realloc_tracked(p, size, crossed, caller);
	return real.realloc(p, size);
}

VARVE_API void *realloc(void *p, size_t size)
{
	return realloc_counted(p, size, CALLER);
}

/* Implemented by realloc(), like libc's, because an allocator without its own relies on that. */
VARVE_API void *reallocarray(void *p, size_t count, size_t size)
{
	size_t bytes;

	if (unlikely(__builtin_mul_overflow(count, size, &bytes))) {
		errno = ENOMEM;
		return NULL;
	}
	return realloc_counted(p, bytes, CALLER);
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
	return sample_and_return(real.aligned_alloc(alignment, size), size, caller);
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
		return sample_and_return(real.memalign(alignment, size), size, CALLER);
	return real.memalign(alignment, size);
}

VARVE_API void *valloc(size_t size)
{
	if (heap_crossed(size))
		return sample_and_return(real.valloc(size), size, CALLER);
	return real.valloc(size);
}

VARVE_API void *pvalloc(size_t size)
{
	if (heap_crossed(size))
		return sample_and_return(real.pvalloc(size), size, CALLER);
	return real.pvalloc(size);
}
