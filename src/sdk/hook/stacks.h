/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_SDK_HOOK_STACKS_H
#define VARVE_SDK_HOOK_STACKS_H

#include <stdatomic.h>

#include "base/base.h"

/*
 * Stacks seen so far: equal ones have one 32-bit id. Any thread and any signal handler adds; ids stay valid until the table
 * is freed (sdk/hook/stack_ids.h replaces it by a larger or emptier one).
 *
 * Addresses are appended to one mapping, reserved at its full size and touched as it fills; slots of a hash table point into it.
 * Adding: hash, probe, compare; if new, reserve room with one atomic add, write, publish the slot by
 * compare-and-swap. Two threads that add the same stack at once may store it twice; one of the ids wins.
 *
 * The last eighth is for stacks that are cut: the leaf and its nearest callers, then STACK_CUT_MARK. The first half of it is for those of STACK_CUT_FRAMES
 * frames, the second for leaves alone. So a table without room for whole stacks still names the function to blame.
 *
 * Each stack has a counter of two numbers beside it, for samples that find the ring full.
 */
enum {
	STACK_NONE = 0, /* no frame */
	STACK_LOST = 1, /* the table was full: shown as the frame "[lost]" */
	STACK_FIRST = 2,
	STACK_CUT_FRAMES = 8, /* of a cut stack: the leaf and its nearest callers */
	STACK_CUT_MARK = 1,   /* the outermost address of a cut stack: shown as the frame "[cut]" */
};

struct stacks;

/* Room for `bytes` of addresses and slots together. 0 or -ENOMEM. Hook-safe. */
MUST_USE int stacks_new(struct stacks **out, size_t bytes);
void stacks_free(struct stacks *s);

/* The id of these addresses, leaf first; STACK_LOST when there is no room for a stack of that length. Hook-safe. */
uint32_t stacks_add(struct stacks *s, const uint64_t *pcs, uint32_t n);

/*
 * The id of the `frames` addresses nearest to the leaf, at most STACK_CUT_FRAMES, and the mark; a stack that has no more
 * than these is added as it is. STACK_LOST when there is no room. Hook-safe.
 */
uint32_t stacks_add_cut(struct stacks *s, const uint64_t *pcs, uint32_t n, uint32_t frames);

/* The addresses of an id; n is 0 for the special ones. Hook-safe; valid while the table is. */
const uint64_t *stacks_get(const struct stacks *s, uint32_t id, uint32_t *n);

/* Add to the counter of a stack of this table. Hook-safe. */
void stacks_count_at(struct stacks *s, uint32_t id, int64_t value, int64_t weight);

/* Take out all counters that are not zero. Hooks may add meanwhile. */
void stacks_take_counts(struct stacks *s,
			void (*each)(void *arg, uint32_t id, int64_t value, int64_t weight),
			void *arg);

/* How much of it is used, 0 to 1. */
double stacks_fill(const struct stacks *s);
uint32_t stacks_count(const struct stacks *s);

/* Bytes that are touched at most. */
size_t stacks_bytes(const struct stacks *s);

#endif
