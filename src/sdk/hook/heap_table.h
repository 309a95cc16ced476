/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_SDK_HOOK_HEAP_TABLE_H
#define VARVE_SDK_HOOK_HEAP_TABLE_H

#include <stdatomic.h>

#include "base/base.h"

/*
 * The live table: sampled blocks by address. In front of it stands a **filter**, one load of which says "not
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
 * Both filters are bits, chosen by the upper bits of one product. A bit of the **gate** is set when any of the 32 bits of its word of the larger
 * filter is. free() asks the gate first: it is 1 KiB, for the first cache belongs to the host, and as long as 128 MiB of heap are in use one free() in
 * 32 at most goes on to the larger filter. Where more blocks are live the gate stands open, which a processor foretells better than a
 * gate that is often open, and 32 KiB decide: at 4 GiB of heap one free() in 32 looks into the table in vain.
 */
enum {
	HEAP_GATE_SHIFT = 32 - 13,   /* of the product: which bit of the gate */
	HEAP_FILTER_SHIFT = 32 - 18, /* of the filter */
};
#pragma GCC visibility push(hidden) /* so that hooks reach them without a detour */
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

/* Is the block perhaps in the table? One load. */
static inline bool heap_maybe_live(const void *p)
{
	return unlikely(heap_filter_has(heap_gate, heap_hash((uintptr_t)p) >> HEAP_GATE_SHIFT));
}

/* The same, of one that is past the gate: hardly ever in vain. */
static inline bool heap_likely_live(const void *p)
{
	return heap_filter_has(heap_filter, heap_hash((uintptr_t)p) >> HEAP_FILTER_SHIFT);
}

/* The address is in both filters from now on although it is not in the table: free() will look twice at it. False: it is not. */
MUST_USE bool heap_filter_keep(const void *p);

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

/* How many bytes may be mapped for it; copies for heap_table_each() come besides. Not for hooks. */
void heap_table_set_limit(size_t bytes);

/*
 * A table that may not grow any more fills up more slowly: the mean of bytes between two samples is 2 to the power of this. It falls again
 * when blocks are freed (heap_table_relax(), collector only).
 */
extern _Atomic uint32_t heap_table_rarer;
void heap_table_relax(void);

struct heap_table_stats {
	uint64_t blocks, bytes; /* in the table now; mapped for it */
	uint64_t dropped;	/* not put in: no room */
	uint64_t missed;	/* not found out in time: the lock of a shard was not to be had */
};
void heap_table_stats(struct heap_table_stats *out);

#endif
