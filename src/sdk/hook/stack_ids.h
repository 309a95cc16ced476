/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_SDK_HOOK_STACK_IDS_H
#define VARVE_SDK_HOOK_STACK_IDS_H

#include "sdk/hook/stacks.h"
#include "varve/varve.h"

/*
 * Interned stacks for the whole process. Each kind of profile has its own table
 * (sdk/hook/stacks.h), so that a million different allocation stacks do not displace the CPU
 * stacks. A table is made by the first stack of its kind and replaced before it is full: by one of
 * twice the size while its kind's share of the memory allows, then by an empty one of the same
 * size, to which the stacks still in use are copied. A stack that does not fit is cut to its leaf
 * frames, and counted.
 *
 * An id contains its kind in three bits and its table's generation in five, so that a stale id has
 * no stack rather than a wrong one.
 *
 * The collector replaces tables: after stack_ids_begin_renewal() hooks add to the new table; once
 * all hooks that began before have returned, every stored id is replaced by stack_ids_renew(), and
 * stack_ids_end_renewal() frees the old table.
 */

/*
 * Start with `bytes` of memory for all tables together, old and new ones of a replacement included.
 * Returns 0.
 */
MUST_USE int stack_ids_init(size_t bytes);
void stack_ids_fini(void);

/* Like stacks_add() and stacks_get(). An id whose table was freed has no addresses. Hook-safe. */
uint32_t stack_ids_add(enum varve_profile kind, const uint64_t *pcs, uint32_t n);
const uint64_t *stack_ids_get(uint32_t id, uint32_t *n);

/*
 * Return the id of the same stack cut to `frames` leaf frames; STACK_LOST when it has no addresses.
 */
uint32_t stack_ids_cut(uint32_t id, uint32_t frames);

/* Return the number of stacks that were cut because their table was full. Hook-safe. */
uint64_t stack_ids_cut_count(void);

/*
 * Add a sample to its stack's counter, when the ring has no room for it. False: no such stack.
 * Hook-safe.
 */
bool stack_ids_count(uint32_t id, int64_t value, int64_t weight);

/* Take and reset all counters that are not zero. Collector only. */
void stack_ids_take_counts(void (*each)(void *arg, uint32_t id, int64_t value, int64_t weight),
			   void *arg);

/*
 * Return the number of table replacements. An id is current if this has not changed since it was
 * added. Hook-safe.
 */
uint32_t stack_ids_renewals(void);

/* Return a kind whose table has to be replaced now, or 0. */
enum varve_profile stack_ids_nearly_full(uint64_t now_ns);

/* The steps of a replacement; see above. 0 or -ENOMEM. Collector only. */
MUST_USE int stack_ids_begin_renewal(enum varve_profile kind, uint64_t now_ns);
uint32_t stack_ids_renew(uint32_t id);
void stack_ids_end_renewal(enum varve_profile kind);

/* Return the bytes that all tables use. */
size_t stack_ids_bytes(void);

#endif
