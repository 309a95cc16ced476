/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_BASE_ARENA_H
#define VARVE_BASE_ARENA_H

#include "base/budget.h"
#include "base/str.h"

/*
 * Memory that is allocated piece by piece and freed all at once.
 *
 * Small pieces are bump-allocated from blocks that grow with the arena. A piece of ARENA_LARGE
 * bytes or more has its own block, so that arena_resize() can grow it with realloc() (mremap)
 * instead of leaving the old copy behind. arena_reset() keeps the blocks for reuse: an arena in
 * steady state does not call malloc().
 *
 * Not thread-safe. Allocation returns NULL if memory or the budget is exhausted; it never aborts.
 */
struct arena {
	struct arena_block *blocks; /* the current block first */
	struct arena_block *spare;  /* kept by arena_reset() */
	struct arena_block *large, *spare_large;
	char *next, *end; /* free part of the current block */
	struct budget *budget;
	size_t block_size; /* of the next block */
	bool huge;	   /* blocks of block_size are in huge pages */
	/* For tests: fail the n-th allocation from now and all after it; 0 = never. */
	unsigned fail_after;
};

#define ARENA_LARGE (64 * KIB)

/* Initialize an empty arena without allocating. `budget` may be NULL and must outlive the arena. */
void arena_init(struct arena *a, struct budget *budget);

/*
 * Allocate the next blocks of small pieces as ARENA_HUGE bytes in huge pages, where the system has
 * them: for megabytes that are filled at once, where page faults would cost more than the work.
 */
#define ARENA_HUGE (4 * MIB)
void arena_prefer_huge(struct arena *a);

/* Free everything. Accepts the zero value. */
void arena_fini(struct arena *a);

/* Free all pieces but keep their blocks for reuse; large blocks are kept until the next reset. */
void arena_reset(struct arena *a);

/*
 * Allocate `count` items of `size` bytes, aligned for any type. Return NULL if memory is exhausted
 * or count * size overflows.
 */
void *arena_alloc(struct arena *a, size_t count, size_t size);
void *arena_zalloc(struct arena *a, size_t count, size_t size);

/*
 * Resize the piece `p` from `old_count` to `count` items: in place if it is the last or a large
 * one, else by a copy. Return NULL on failure; `p` is still valid then. `p` may be NULL if
 * old_count is 0.
 */
void *arena_resize(struct arena *a, void *p, size_t old_count, size_t count, size_t size);

/* Free the piece `p` of `bytes` bytes at once if it is large; smaller ones wait for the arena. */
void arena_free(struct arena *a, void *p, size_t bytes);

/* Return the bytes that the arena holds from malloc(). */
size_t arena_bytes(const struct arena *a);

/* Copy the bytes into the arena and append a NUL. Return 0 or -ENOMEM. */
MUST_USE int arena_copy_str(struct arena *a, struct str s, struct str *copy);

/* Format a string in the arena. Return 0 or -ENOMEM. */
MUST_USE int arena_printf(struct arena *a, struct str *out, const char *fmt, ...) PRINTF_LIKE(3, 4);

#endif
