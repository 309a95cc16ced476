/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_SDK_HOOK_HEAP_TABLE_H
#define VARVE_SDK_HOOK_HEAP_TABLE_H

#include <stdatomic.h>

#include "base/base.h"

/*
 * The live table: sampled blocks that are not freed yet, by address. A **filter** before it answers
 * "not sampled" for nearly every free() with one load. The table consists of shards. Each shard is
 * an open-addressing hash table with its own futex lock (no lock of the host or of libc) and grows
 * by mmap() independently of the others. Removal shifts entries back, so there are no tombstones.
 *
 * Functions are hook-safe unless marked. The table is empty at first and after heap_table_clear().
 */
struct heap_block {
	uint64_t address;
	int64_t bytes;	 /* estimated, as in the record */
	int64_t objects; /* estimated, in 1/65536 */
	uint64_t size;	 /* of this block alone */
	uint32_t stack;
	uint32_t labels;
};

/*
 * Two bitmap filters, indexed by the upper bits of one hash. A bit of the **gate** is set when any
 * of the 32 bits of its word of the larger filter is. free() tests the gate first: it is only 1
 * KiB, because the L1 cache belongs to the host. With up to 128 MiB of heap in use at most one
 * free() in 32 goes on to the larger filter (32 KiB). When more blocks are live, all bits of the
 * gate are set, which the branch predictor handles better than a mix, and the larger filter
 * decides: at 4 GiB of heap one free() in 32 searches the table in vain.
 */
enum {
	HEAP_GATE_SHIFT = 32 - 13,   /* hash to bit number in the gate */
	HEAP_FILTER_SHIFT = 32 - 18, /* hash to bit number in the filter */
};
#pragma GCC visibility push(hidden) /* hooks access them without the GOT */
extern _Atomic uint32_t heap_gate[1 << (32 - HEAP_GATE_SHIFT - 5)];
extern _Atomic uint32_t heap_filter[1 << (32 - HEAP_FILTER_SHIFT - 5)];
#pragma GCC visibility pop

static inline uint32_t heap_hash(uint64_t address)
{
	return (uint32_t)address * UINT32_C(0x9E3779B1);
}

static inline bool heap_filter_has(const _Atomic uint32_t *words, uint32_t bit)
{
	return atomic_load_explicit(&words[bit / 32], memory_order_relaxed) >> bit % 32 & 1;
}

/* May the block be in the table? Tests the gate, one load. */
static inline bool heap_maybe_live(const void *p)
{
	return unlikely(heap_filter_has(heap_gate, heap_hash((uintptr_t)p) >> HEAP_GATE_SHIFT));
}

/* The same for a block that has passed the gate, with few false positives. */
static inline bool heap_likely_live(const void *p)
{
	return heap_filter_has(heap_filter, heap_hash((uintptr_t)p) >> HEAP_FILTER_SHIFT);
}

/*
 * Add an address that is not in the table to both filters for good, so that free() takes the slow
 * path for it. False: the shard's lock timed out.
 */
MUST_USE bool heap_filter_add_permanent(const void *p);

/* Add a block, replacing one of the same address. False: no room or no lock; counted. */
bool heap_table_put(const struct heap_block *b);

/* Remove the block at that address and return it in *out. False: there is none. */
bool heap_table_take(const void *p, struct heap_block *out);

/* Call `each` for every block, reading from copies of the shards. Not for hooks. */
__attribute__((cold)) void heap_table_each(void (*each)(void *arg, const struct heap_block *b),
					   void *arg);

/* Replace every block's stack id by renew(id), shard by shard. Not for hooks. */
__attribute__((cold)) void heap_table_renew(uint32_t (*renew)(uint32_t stack));

/* Remove all blocks and free the memory. Not for hooks. */
__attribute__((cold)) void heap_table_clear(void);

/*
 * Before and after fork(): hold the locks of all shards meanwhile. The forking thread itself passes
 * them.
 */
__attribute__((cold)) void heap_table_before_fork(void);
__attribute__((cold)) void heap_table_after_fork(void);

/* Limit the memory of the table; copies for heap_table_each() do not count. Not for hooks. */
void heap_table_set_limit(size_t bytes);

/*
 * The mean of bytes between two samples is shifted left by this: it rises while the table is nearly
 * full and may not grow, and falls again after blocks were freed (heap_table_relax(), collector
 * only).
 */
extern _Atomic uint32_t heap_table_interval_shift;
void heap_table_relax(void);

struct heap_table_stats {
	uint64_t blocks, bytes; /* in the table; of memory mapped for it */
	uint64_t dropped;	/* blocks that were not added */
	uint64_t missed;	/* operations given up because a shard's lock timed out */
};
void heap_table_stats(struct heap_table_stats *out);

#endif
