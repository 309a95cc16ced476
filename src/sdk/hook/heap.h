/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_SDK_HOOK_HEAP_H
#define VARVE_SDK_HOOK_HEAP_H

#include "base/base.h"
#include "sdk/hook/guest.h"
#include "sdk/hook/heap_table.h"

/*
 * Heap sampling. Each thread counts down bytes to its next sample, drawn from an exponential distribution, so that every
 * byte has the same chance; an allocation of S bytes that is hit stands for 1 / (1 - exp(-S / R)) of its kind, R being the mean that the
 * countdown was drawn with. Sampled blocks that are not freed yet are in the **live table** (sdk/hook/heap_table.h). The
 * interposed functions are in sdk/preload/.
 *
 * Order matters, since another thread may get an address the moment it is free: a block is put into the table after the
 * real malloc() and taken out before the real free().
 */

/* Bytes left to the next sample on this thread. 0 at first, so that the first allocation goes to heap_sampled() and begins the count. */
extern __thread uint64_t heap_left __attribute__((tls_model("initial-exec")));

/* Count an allocation; true: it crossed the line, call heap_sampled() once it is made. Sizes beyond all reason cross it too. Hook-safe. */
static inline bool heap_crossed(size_t size)
{
	return unlikely(__builtin_sub_overflow(heap_left, size, &heap_left));
}

/*
 * An allocation of `size` bytes at `p` (NULL: it failed) crossed the line; `caller` is the interposed function's return address, `frame` as
 * for guest_stack_above(), or NULL. Hook-safe.
 */
void heap_sampled(void *p, size_t size, const void *caller, const void *frame);

/* A call of this thread into the library has ended, in which it was one of our own: it counts again. */
void heap_call_ended(void);

/* A block that may be live (heap_maybe_live()) is about to be freed. Hook-safe. */
void heap_forget(void *p);

/* realloc(): take the block's entry before; put it back when it failed. False: there is none. Hook-safe. */
bool heap_take(void *p, struct heap_block *out);
void heap_restore(const struct heap_block *b);

/* The mean of bytes between samples, and how many bytes the live table may have. 0 or -errno. */
MUST_USE int heap_start(uint64_t interval, size_t table_bytes);

/*
 * Allocations that were sampled when the ring was full, added up by stack, without span and labels. What had no stack either comes with STACK_LOST. Collector
 * only.
 */
void heap_take_overflow(void (*each)(void *arg, const struct record *r), void *arg);

/* After guest_stop(): the table is empty. */
void heap_stop(void);

/* Every live block, for the heap profile. Hooks wait no longer than the copy of a shard takes. Collector only. */
void heap_each_live(void (*each)(void *arg, const struct heap_block *b), void *arg);

/* Give every stack that is kept another id. Collector only. */
void heap_renew_stacks(uint32_t (*renew)(uint32_t stack));

/* Around fork(), in the forking thread; the second in parent and child: what is in use there is in use here. */
void heap_before_fork(void);
void heap_after_fork(void);

#endif
