/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_SDK_HOOK_STACKS_H
#define VARVE_SDK_HOOK_STACKS_H

#include <stdatomic.h>

#include "base/base.h"

/*
 * A table of interned stacks: equal stacks have one 32-bit id. Any thread and signal handler may
 * add. Ids are valid until the table is freed (sdk/hook/stack_ids.h replaces it by a larger or
 * emptier one).
 *
 * Addresses are appended to one mapping, which is reserved at full size and touched as it fills;
 * the slots of a hash table point into it. To add: hash, probe, compare; if the stack is new,
 * reserve room, write it, and publish the slot, each by one compare-and-swap. Two threads that add
 * the same stack at once may store it twice; one id wins.
 *
 * The last eighth is reserved for cut stacks: the leaf and its nearest callers, then
 * STACK_CUT_MARK. Half of it is for those of STACK_CUT_FRAMES frames, half for single leaves. So a
 * table without room for whole stacks still names the function responsible.
 *
 * Each stack has a counter of two numbers, for samples that find the ring full.
 */
enum {
	STACK_NONE = 0, /* no frames */
	STACK_LOST = 1, /* the table was full; shown as the frame "[lost]" */
	STACK_FIRST = 2,
	STACK_CUT_FRAMES = 8, /* frames of a cut stack, at most */
	STACK_CUT_MARK = 1,   /* outermost address of a cut stack; shown as the frame "[cut]" */
};

struct stacks;

/* Make a table of `bytes` for addresses and slots together. 0 or -ENOMEM. Hook-safe. */
MUST_USE int stacks_new(struct stacks **out, size_t bytes);
void stacks_free(struct stacks *s);

/*
 * Return the id of these addresses, leaf first; STACK_LOST if the table has no room for them.
 * Hook-safe.
 */
uint32_t stacks_add(struct stacks *s, const uint64_t *pcs, uint32_t n);

/*
 * Return the id of the stack cut to its first `frames` addresses (at most STACK_CUT_FRAMES) and the
 * mark. A stack that is not longer is added as it is. STACK_LOST when there is no room. Hook-safe.
 */
uint32_t stacks_add_cut(struct stacks *s, const uint64_t *pcs, uint32_t n, uint32_t frames);

/* Return the addresses of an id, valid as long as the table; *n is 0 for special ids. Hook-safe. */
const uint64_t *stacks_get(const struct stacks *s, uint32_t id, uint32_t *n);

/* Add to the counter of a stack of this table. Hook-safe. */
void stacks_count_at(struct stacks *s, uint32_t id, int64_t value, int64_t weight);

/* Take and reset all counters that are not zero. Hooks may add meanwhile. */
void stacks_take_counts(struct stacks *s,
			void (*each)(void *arg, uint32_t id, int64_t value, int64_t weight),
			void *arg);

/* Return the used part of the table, 0 to 1. */
double stacks_fill(const struct stacks *s);
uint32_t stacks_count(const struct stacks *s);

/* Return an upper bound of the memory touched. */
size_t stacks_bytes(const struct stacks *s);

#endif
