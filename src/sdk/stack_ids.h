/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_SDK_STACK_IDS_H
#define VARVE_SDK_STACK_IDS_H

#include "sdk/stacks.h"

/*
 * Stacks by id for as long as the process runs: a table of stacks that is replaced by an empty one before it is full. An id says which
 * of them it is of, in its upper eight bits, so that an id that was overlooked names no wrong stack but none.
 *
 * Replacing is the collector's work: from stack_ids_begin_renewal() on, hooks add to the new table; once nobody is inside of a hook that
 * began before, every id that is kept anywhere is given a new one (stack_ids_renew()), and the old table goes.
 */
MUST_USE int stack_ids_init(size_t bytes);
void stack_ids_fini(void);

/* Hook-safe: as stacks_add() and stacks_get(). An id of a table that is gone has no addresses. */
uint32_t stack_ids_add(const uint64_t *pcs, uint32_t n);
const uint64_t *stack_ids_get(uint32_t id, uint32_t *n);

/* How often the table was replaced: ids that were added since it was the same still are what stack_ids_add() says. Hook-safe. */
uint32_t stack_ids_renewals(void);

/* Is it time for a new table? */
bool stack_ids_nearly_full(void);

MUST_USE int stack_ids_begin_renewal(void);
uint32_t stack_ids_renew(uint32_t id);
void stack_ids_end_renewal(void);

#endif
