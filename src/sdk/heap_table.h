/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_SDK_HEAP_TABLE_H
#define VARVE_SDK_HEAP_TABLE_H

#include <stdatomic.h>

#include "base/base.h"

/*
 * The live table: sampled blocks by address. In front of it stands a **filter** of small counters, one load of which says "not
 * sampled" for nearly every free(). Behind it are shards, each an open-addressing table under a lock of its own (a futex; no lock of
 * the host or of libc), which grows by mmap() while the others go on. Deleting shifts entries back: there are no tombstones.
 *
 * All functions are hook-safe but those marked. The table is empty at first and after heap_table_clear().
 */
struct heap_block {
	uint64_t address;
	int64_t bytes;	 /* estimated, as in the record */
	int64_t objects; /* in 1/65536 */
	uint64_t size;	 /* of this block */
	uint32_t stack;
	uint32_t labels;
};

/*
 * There are three filters, and a block is counted in each: only the smallest one that is not crowded is asked. The first cache belongs to the
 * host: a filter of 16 of its lines costs a loop of malloc() and free() half of what one of 128 lines does. In the largest, at 4 GiB of
 * heap in use, still only one free() in 32 looks into the table in vain. The one of N counters is the first N of the array: that they share
 * counters makes a few more look in vain. A counter that reached 255 stays there.
 */
enum {
	HEAP_FILTER_SMALL = 1 << 10,
	HEAP_FILTER_MIDDLE = 1 << 13,
	HEAP_FILTER_LARGE = 1 << 18,
	HEAP_FILTER_SPARSE = 32, /* counters a block: with fewer the filter is crowded */
};
#pragma GCC visibility push(hidden) /* so that hooks reach them without a detour */
extern _Atomic uint8_t heap_filter[HEAP_FILTER_LARGE];
extern _Atomic uint32_t heap_filter_mask; /* N - 1 of the one that is asked */
#pragma GCC visibility pop

/* The address's counter in the filter with this mask. Two instructions mix the bits. */
static inline _Atomic uint8_t *heap_filter_counter(const void *p, uint32_t mask)
{
	uint32_t mixed = (uint32_t)(uintptr_t)p * UINT32_C(0x9E3779B1) >> 14;

	return &heap_filter[mixed & mask];
}

/* Is the block perhaps in the table? One load beside that of the mask. */
static inline bool heap_maybe_live(const void *p)
{
	uint32_t mask = atomic_load_explicit(&heap_filter_mask, memory_order_relaxed);

	return unlikely(atomic_load_explicit(heap_filter_counter(p, mask), memory_order_relaxed));
}

/* Count the address in the filter although it is not in the table: free() will look twice at it. */
void heap_filter_add(const void *p);

/* Put a block in; one with the same address is replaced. False: no room, and counted. */
bool heap_table_put(const struct heap_block *b);

/* Take the block of that address out into *out. False: there is none. */
bool heap_table_take(const void *p, struct heap_block *out);

/* Every block, from copies of the shards. Not for hooks. */
__attribute__((cold)) void heap_table_each(void (*each)(void *arg, const struct heap_block *b),
					   void *arg);

/* Give every block's stack another id, a shard at a time. Not for hooks. */
__attribute__((cold)) void heap_table_renew(uint32_t (*renew)(uint32_t stack));

/* Empty it and give its memory back. Not for hooks. */
__attribute__((cold)) void heap_table_clear(void);

/* Around fork(): nobody else is inside while the process is copied. The forking thread itself goes in and out freely. */
__attribute__((cold)) void heap_table_before_fork(void);
__attribute__((cold)) void heap_table_after_fork(void);

struct heap_table_stats {
	uint64_t blocks, bytes; /* in the table now; mapped for it, at most HEAP_TABLE_BYTES_MAX */
	uint64_t dropped;	/* not put in: no room */
	uint64_t missed;	/* not found out in time: the lock of a shard was not to be had */
};
void heap_table_stats(struct heap_table_stats *out);

#define HEAP_TABLE_BYTES_MAX (64 * MIB)

#endif
