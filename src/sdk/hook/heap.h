/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_SDK_HOOK_HEAP_H
#define VARVE_SDK_HOOK_HEAP_H

#include "base/base.h"
#include "sdk/hook/guest.h"
#include "sdk/hook/heap_table.h"

/*
 * Heap sampling. Each thread counts down the bytes to its next sample. The countdown is drawn from
 * an exponential distribution with mean R, so every byte has the same chance; a sampled allocation
 * of S bytes stands for 1 / (1 - exp(-S / R)) allocations. Sampled blocks that are not freed yet
 * are in the **live table** (sdk/hook/heap_table.h). The interposed functions are in sdk/preload/.
 *
 * Order matters, because another thread may get an address as soon as it is free: a block is added
 * to the table after the real malloc() and removed before the real free().
 */

/*
 * Bytes to the next sample on this thread. Initially 0, so that the first allocation calls
 * heap_sampled(), which begins the countdown.
 */
extern __thread uint64_t heap_countdown __attribute__((tls_model("initial-exec")));

/*
 * Count an allocation. True: the countdown ran out, and the caller calls heap_sampled() after the
 * allocation. Hook-safe.
 */
static inline bool heap_crossed(size_t size)
{
	return unlikely(__builtin_sub_overflow(heap_countdown, size, &heap_countdown));
}

/*
 * Handle an allocation for which heap_crossed() returned true: `size` bytes at `p` (NULL: it
 * failed). `caller` is the interposed function's return address, `frame` as for
 * guest_stack_from_frame(), or NULL. Hook-safe.
 */
void heap_sampled(void *p, size_t size, const void *caller, const void *frame);

/* Resume counting after a call into the library, during which this thread was `guest_own`. */
void heap_call_ended(void);

/*
 * Remove a block that may be in the live table (heap_maybe_live()), before it is freed. Hook-safe.
 */
void heap_remove(void *p);

/*
 * For realloc(): take the block's entry before the call, and put it back if the call fails.
 * heap_take() returns false if there is no entry. Hook-safe.
 */
bool heap_take(void *p, struct heap_block *out);
void heap_restore(const struct heap_block *b);

/*
 * Start with `interval` bytes between samples on average and a live table of at most `table_bytes`.
 * Returns 0.
 */
MUST_USE int heap_start(uint64_t interval, size_t table_bytes);

/*
 * Take the samples that found the ring full: sums per stack, without span and labels. Samples
 * without a stack are summed under STACK_LOST. Collector only.
 */
void heap_take_overflow(void (*each)(void *arg, const struct record *r), void *arg);

/* Empty the live table and the table of mappings, after guest_stop(). */
void heap_stop(void);

/*
 * Call `each` for every live block. Hooks wait no longer than it takes to copy a shard. Collector
 * only.
 */
void heap_each_live(void (*each)(void *arg, const struct heap_block *b), void *arg);

/* Replace the stack id of every block and mapping by renew(id). Collector only. */
void heap_renew_stacks(uint32_t (*renew)(uint32_t stack));

/*
 * Before and after fork(), in the forking thread; the second in parent and child. The child
 * inherits the table.
 */
void heap_before_fork(void);
void heap_after_fork(void);

#endif
