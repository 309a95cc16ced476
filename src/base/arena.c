/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Blocks are kept in four lists: in use and spare, each for small pieces and for large ones. A
 * large block holds one piece and is found by the piece's address.
 */
#include "base/arena.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

/*
 * Under AddressSanitizer free parts of blocks are poisoned and REDZONE bytes stay free after each
 * piece, so that overruns of a piece and uses after arena_reset() are reported.
 */
#ifndef __has_feature
#define __has_feature(x) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || __has_feature(address_sanitizer)
#include <sanitizer/asan_interface.h>
enum { REDZONE = 16 };
#else
#define ASAN_POISON_MEMORY_REGION(p, n) ((void)(p), (void)(n))
#define ASAN_UNPOISON_MEMORY_REGION(p, n) ((void)(p), (void)(n))
enum { REDZONE = 0 };
#endif

enum { FIRST_BLOCK = 4096, ALIGNMENT = 16 };
#define DOUBLE_BLOCK (64 * KIB) /* blocks double up to this size, then grow by a quarter */
#define LAST_BLOCK ARENA_HUGE
#define HUGE_PAGE (2 * MIB)

struct arena_block {
	struct arena_block *next;
	struct arena_block *prev; /* only of large blocks, for unlinking by address */
	size_t size;		  /* including this header */
	_Alignas(ALIGNMENT) char bytes[];
};

void arena_init(struct arena *a, struct budget *budget)
{
	*a = (struct arena){.budget = budget, .block_size = FIRST_BLOCK};
}

void arena_prefer_huge(struct arena *a)
{
	a->block_size = ARENA_HUGE;
	a->huge = true;
}

static void poison_block(struct arena_block *b)
{
	ASAN_POISON_MEMORY_REGION(b->bytes, b->size - sizeof(*b));
}

static void unpoison_block(struct arena_block *b)
{
	ASAN_UNPOISON_MEMORY_REGION(b->bytes, b->size - sizeof(*b));
}

static void free_blocks(struct arena *a, struct arena_block **list)
{
	struct arena_block *next;

	for (struct arena_block *b = take_ptr(list); b; b = next) {
		next = b->next;
		budget_give(a->budget, b->size);
		unpoison_block(b);
		free(b);
	}
}

void arena_fini(struct arena *a)
{
	free_blocks(a, &a->blocks);
	free_blocks(a, &a->spare);
	free_blocks(a, &a->large);
	free_blocks(a, &a->spare_large);
	*a = (struct arena){0};
}

size_t arena_bytes(const struct arena *a)
{
	const struct arena_block *lists[] = {a->blocks, a->spare, a->large, a->spare_large};
	size_t bytes = 0;

	for (size_t i = 0; i < countof(lists); i++) {
		for (const struct arena_block *b = lists[i]; b; b = b->next)
			bytes += b->size;
	}
	return bytes;
}

static void move_blocks(struct arena_block **from, struct arena_block **to)
{
	while (*from) {
		struct arena_block *b = *from;

		*from = b->next;
		b->next = *to;
		*to = b;
		poison_block(b);
	}
}

void arena_reset(struct arena *a)
{
	move_blocks(&a->blocks, &a->spare);
	free_blocks(a, &a->spare_large); /* not reused since the last reset */
	move_blocks(&a->large, &a->spare_large);
	a->next = a->end = NULL;
}

/* Count down to the failure that a test has requested. */
static bool must_fail(struct arena *a)
{
	if (likely(!a->fail_after))
		return false;
	if (a->fail_after == 1)
		return true;
	a->fail_after--;
	return false;
}

static struct arena_block *block_new(struct arena *a, size_t size)
{
	struct arena_block *b;

	if (!budget_take(a->budget, size))
		return NULL;
	b = a->huge && size == ARENA_HUGE ? aligned_alloc(HUGE_PAGE, size) : malloc(size);
	if (!b) {
		budget_give(a->budget, size);
		return NULL;
	}
	if (a->huge && size == ARENA_HUGE)
		(void)madvise(b, size, MADV_HUGEPAGE); /* otherwise only slower */
	b->size = size;
	b->prev = NULL;
	return b;
}

/* Unlink a spare large block that fits without wasting more than half of itself. */
static struct arena_block *unlink_spare_large(struct arena *a, size_t size)
{
	struct arena_block **at = &a->spare_large, *b;

	while (*at && ((*at)->size < size || (*at)->size / 2 > size))
		at = &(*at)->next;
	b = *at;
	if (b)
		*at = b->next;
	return b;
}

static void *alloc_large(struct arena *a, size_t bytes)
{
	size_t size = sizeof(struct arena_block) + bytes;
	struct arena_block *b = unlink_spare_large(a, size);

	if (!b)
		b = block_new(a, size);
	if (!b && a->spare_large) { /* unused spare blocks may hold the budget */
		free_blocks(a, &a->spare_large);
		b = block_new(a, size);
	}
	if (!b)
		return NULL;
	b->prev = NULL;
	b->next = a->large;
	if (b->next)
		b->next->prev = b;
	a->large = b;
	poison_block(b); /* the block may be larger than the piece */
	ASAN_UNPOISON_MEMORY_REGION(b->bytes, bytes);
	return b->bytes;
}

/* Make a block with room for `bytes` the current one: a spare one if possible. */
static bool next_block(struct arena *a, size_t bytes)
{
	struct arena_block **at = &a->spare, *b;

	while (*at && (*at)->size - sizeof(*b) < bytes)
		at = &(*at)->next;
	b = *at;
	if (b) {
		*at = b->next;
	} else {
		b = block_new(a, max_size(a->block_size, sizeof(*b) + bytes));
		if (!b)
			return false;
		a->block_size = a->block_size < DOUBLE_BLOCK
					? 2 * a->block_size
					: min_size(a->block_size / 4 * 5, LAST_BLOCK);
	}
	b->next = a->blocks;
	a->blocks = b;
	a->next = b->bytes;
	a->end = (char *)b + b->size;
	poison_block(b);
	return true;
}

/* Return the bytes that a piece takes in its block. */
static size_t piece_room(size_t bytes)
{
	return ((bytes + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1)) + REDZONE;
}

void *arena_alloc(struct arena *a, size_t count, size_t size)
{
	size_t bytes, room;
	char *p;

	if (unlikely(__builtin_mul_overflow(count, size, &bytes) || bytes > SIZE_MAX / 2))
		return NULL;
	if (must_fail(a))
		return NULL;
	if (unlikely(bytes >= ARENA_LARGE))
		return alloc_large(a, bytes);
	room = piece_room(bytes ? bytes : 1);
	if (unlikely((size_t)(a->end - a->next) < room) && !next_block(a, room))
		return NULL;
	p = a->next;
	a->next += room;
	ASAN_UNPOISON_MEMORY_REGION(p, bytes);
	return p;
}

void *arena_zalloc(struct arena *a, size_t count, size_t size)
{
	void *p = arena_alloc(a, count, size);

	if (p)
		memset(p, 0, count * size);
	return p;
}

/* Charge `n` bytes; if that fails, free unused spare blocks and try again. */
static bool charge_or_trim(struct arena *a, size_t n)
{
	if (budget_take(a->budget, n))
		return true;
	free_blocks(a, &a->spare_large);
	return budget_take(a->budget, n);
}

static void *resize_large(struct arena *a, void *p, size_t old_bytes, size_t bytes)
{
	struct arena_block *b = (void *)((char *)p - offsetof(struct arena_block, bytes)), *moved;
	size_t has = b->size - sizeof(*b); /* a reused block may be larger than its piece */

	if (bytes <= has && bytes >= old_bytes) {
		ASAN_UNPOISON_MEMORY_REGION(p, bytes);
		return p;
	}
	if (bytes > has && !charge_or_trim(a, bytes - has))
		return NULL;
	unpoison_block(b);
	moved = realloc(b, sizeof(*b) + bytes);
	if (!moved) {
		if (bytes > has)
			budget_give(a->budget, bytes - has);
		return bytes > has ? NULL : p;
	}
	if (bytes < has)
		budget_give(a->budget, has - bytes);
	moved->size = sizeof(*b) + bytes;
	if (moved->prev)
		moved->prev->next = moved;
	else
		a->large = moved;
	if (moved->next)
		moved->next->prev = moved;
	return moved->bytes;
}

void *arena_resize(struct arena *a, void *p, size_t old_count, size_t count, size_t size)
{
	size_t bytes, old_bytes = old_count * size;
	void *grown;

	if (__builtin_mul_overflow(count, size, &bytes) || bytes > SIZE_MAX / 2)
		return NULL;
	if (old_bytes >= ARENA_LARGE && bytes >= ARENA_LARGE)
		return must_fail(a) ? NULL : resize_large(a, p, old_bytes, bytes);
	if (old_bytes && bytes < ARENA_LARGE && (char *)p + piece_room(old_bytes) == a->next &&
	    (size_t)(a->end - (char *)p) >= piece_room(bytes)) {
		if (must_fail(a))
			return NULL;
		a->next = (char *)p + piece_room(bytes);
		ASAN_POISON_MEMORY_REGION(p, piece_room(old_bytes));
		ASAN_UNPOISON_MEMORY_REGION(p, bytes);
		return p;
	}
	grown = arena_alloc(a, count, size);
	if (grown && old_bytes)
		memcpy(grown, p, min_size(old_bytes, bytes));
	return grown;
}

void arena_free(struct arena *a, void *p, size_t bytes)
{
	struct arena_block *b = (void *)((char *)p - offsetof(struct arena_block, bytes));

	if (bytes < ARENA_LARGE)
		return;
	*(b->prev ? &b->prev->next : &a->large) = b->next;
	if (b->next)
		b->next->prev = b->prev;
	budget_give(a->budget, b->size);
	unpoison_block(b);
	free(b);
}

int arena_copy_str(struct arena *a, struct str s, struct str *copy)
{
	char *p = s.n < SIZE_MAX ? arena_alloc(a, s.n + 1, 1) : NULL;

	if (!p)
		return -ENOMEM;
	if (s.n)
		memcpy(p, s.p, s.n);
	p[s.n] = '\0';
	*copy = str_of(p, s.n);
	return 0;
}

int arena_printf(struct arena *a, struct str *out, const char *fmt, ...)
{
	va_list args;
	int n;
	char *p;

	va_start(args, fmt);
	n = vsnprintf(NULL, 0, fmt, args);
	va_end(args);
	p = n >= 0 ? arena_alloc(a, (size_t)n + 1, 1) : NULL;
	if (!p)
		return -ENOMEM;
	va_start(args, fmt);
	vsnprintf(p, (size_t)n + 1, fmt, args);
	va_end(args);
	*out = str_of(p, (size_t)n);
	return 0;
}
