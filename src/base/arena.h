/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_BASE_ARENA_H
#define VARVE_BASE_ARENA_H

#include "base/budget.h"
#include "base/str.h"

/*
 * Memory that is taken piece by piece and given back all at once.
 *
 * Small pieces are bumped out of blocks that grow with the arena; a piece of ARENA_LARGE bytes or more
 * has a block of its own, so that arena_resize() grows it by realloc (mremap) without leaving the
 * old one behind. arena_reset() keeps the blocks for the next round: an arena in steady state
 * calls malloc no more.
 *
 * Not thread-safe. Allocation returns NULL when memory or the budget is out, never aborts.
 */
struct arena {
	struct arena_block *blocks; /* the block in use first */
	struct arena_block *spare;  /* kept by arena_reset() */
	struct arena_block *large, *spare_large;
	char *next, *end; /* free part of the block in use */
	struct budget *budget;
	size_t block_size; /* of the next block */
	unsigned
		fail_after; /* tests: fail the n-th allocation from now and all after it; 0 = never */
};

#define ARENA_LARGE (64 * KIB)

/* An empty arena; allocates nothing yet. `budget` may be NULL and must outlive the arena. */
void arena_init(struct arena *a, struct budget *budget);

/* Free everything. Takes the zero value. */
void arena_fini(struct arena *a);

/* Forget all pieces; keep the blocks for the next round, large ones for that round only. */
void arena_reset(struct arena *a);

/* `count` items of `size` bytes, aligned for any type, or NULL. count * size may not overflow: NULL. */
void *arena_alloc(struct arena *a, size_t count, size_t size);
void *arena_zalloc(struct arena *a, size_t count, size_t size);

/*
 * Make the piece `p` of `old_count` items hold `count`: in place where it is the last or a large
 * one, else a copy. NULL on failure; then `p` is still valid. `p` may be NULL when old_count is 0.
 */
void *arena_resize(struct arena *a, void *p, size_t old_count, size_t count, size_t size);

/* Free the piece `p` of `bytes` bytes: from ARENA_LARGE on at once, smaller ones only with the arena. */
void arena_free(struct arena *a, void *p, size_t bytes);

/* Bytes it has taken from the system and not given back. */
size_t arena_bytes(const struct arena *a);

/* A copy of the bytes in the arena, with a NUL behind them. 0 or -ENOMEM. */
MUST_USE int arena_copy_str(struct arena *a, struct str s, struct str *copy);

/* A formatted string in the arena. 0 or -ENOMEM. */
MUST_USE int arena_printf(struct arena *a, struct str *out, const char *fmt, ...) PRINTF_LIKE(3, 4);

#endif
