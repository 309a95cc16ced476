/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_SDK_HOOK_STACK_IDS_H
#define VARVE_SDK_HOOK_STACK_IDS_H

#include "sdk/hook/stacks.h"
#include "varve/varve.h"

/*
 * Stacks by id for as long as the process runs. Each kind of profile has a table of its own, so that a program with a million different stacks
 * of allocations leaves those of its CPU samples alone. A table is made by the first stack of its kind, and replaced before it is full: by one twice as large as
 * long as its kind's share allows, then by an empty one that gets the stacks somebody still knows of. When there is no room for a stack it is cut
 * towards its leaf (sdk/hook/stacks.h), and counted.
 *
 * An id names its kind in three bits and its table in five, so that an id that was overlooked names no wrong stack but none.
 *
 * Replacing is the collector's work: from stack_ids_begin_renewal() on, hooks add to the new table; once nobody is inside of a hook that
 * began before, every id that is kept anywhere is given a new one (stack_ids_renew()), and the old table goes.
 */

/* `bytes`: of the tables of all kinds together; while one is replaced both are counted. 0 or -errno. */
MUST_USE int stack_ids_init(size_t bytes);
void stack_ids_fini(void);

/* Hook-safe: as stacks_add() and stacks_get(). An id of a table that is gone has no addresses. */
uint32_t stack_ids_add(enum varve_profile kind, const uint64_t *pcs, uint32_t n);
const uint64_t *stack_ids_get(uint32_t id, uint32_t *n);

/* The id of the same stack with no more than `frames` frames at its leaf; STACK_LOST when it has no addresses. */
uint32_t stack_ids_cut(uint32_t id, uint32_t frames);

/* Stacks that were cut because their table was full. Hook-safe. */
uint64_t stack_ids_cut_count(void);

/* Count a sample at its stack, when the ring has no room for it. False: it has no stack. Hook-safe. */
bool stack_ids_count(uint32_t id, int64_t value, int64_t weight);

/* Take out what was counted. Collector only. */
void stack_ids_take_counts(void (*each)(void *arg, uint32_t id, int64_t value, int64_t weight),
			   void *arg);

/* How often a table was replaced: ids that were added since it was the same still are what stack_ids_add() says. Hook-safe. */
uint32_t stack_ids_renewals(void);

/* The kind whose table is to be replaced now, or 0. */
enum varve_profile stack_ids_nearly_full(uint64_t now_ns);

MUST_USE int stack_ids_begin_renewal(enum varve_profile kind, uint64_t now_ns);
uint32_t stack_ids_renew(uint32_t id);
void stack_ids_end_renewal(enum varve_profile kind);

/* Bytes of the tables that are in use. */
size_t stack_ids_bytes(void);

#endif
