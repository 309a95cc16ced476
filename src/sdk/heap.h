/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_SDK_HEAP_H
#define VARVE_SDK_HEAP_H

#include "base/base.h"
#include "sdk/guest.h"

/*
 * Heap sampling. Each thread counts down bytes to its next sample, drawn from an exponential distribution, so that every
 * byte has the same chance; an allocation of S bytes that is hit stands for 1 / (1 - exp(-S / R)) of its kind. Sampled
 * blocks that are not freed yet are in the **live table**, found by address; a filter of small counters says "not sampled" for nearly every
 * free() with one load. The interposed functions are in sdk/preload/.
 */

/* Bytes left to the next sample on this thread; hooks subtract and look at the sign. */
extern __thread int64_t heap_left __attribute__((tls_model("initial-exec")));

/* An allocation of `size` bytes at `p` crossed the line. Hook-safe. */
void heap_sampled(void *p, size_t size);

/* Is the block perhaps in the live table? One load. Then heap_forget() before the real free(). Hook-safe. */
bool heap_maybe_live(const void *p);
void heap_forget(void *p);

/* realloc() gave `to` for `from`: forgotten already by heap_forget(), and put back by heap_restore() when it failed. Hook-safe. */
struct heap_block {
	uint64_t address;
	int64_t bytes;	 /* estimated, as in the record */
	int64_t objects; /* in 1/65536 */
	uint64_t size;	 /* of this block */
	uint32_t stack;
	uint32_t labels;
};
bool heap_take(void *p, struct heap_block *out);
void heap_restore(const struct heap_block *b);

MUST_USE int heap_start(uint64_t interval);
void heap_stop(void);

/* Every live block, for the heap profile: called with none of the table's locks held by a hook for longer than a shard's copy. Collector only. */
void heap_each_live(void (*each)(void *arg, const struct heap_block *b), void *arg);

#endif
