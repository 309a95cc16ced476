/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_BASE_BUDGET_H
#define VARVE_BASE_BUDGET_H

#include <stdatomic.h>

#include "base/base.h"

/*
 * How many bytes a piece of work may hold. Arenas and buffers charge what they take from the
 * system and give it back when they free it; over the limit they fail as if memory were out.
 * Any thread. A NULL budget is unlimited.
 */
struct budget {
	size_t limit;
	_Atomic size_t used;
	_Atomic size_t peak;
	/*
	 * Called when a charge of `n` bytes would pass the limit: give back memory that is charged and can be had again (a cache).
	 * Return true when something was given back, and the charge is tried again. Any thread, whatever locks it holds; must
	 * not charge anything itself. NULL: nothing can be given back. Set before the budget is used.
	 */
	bool (*reclaim)(void *owner, size_t n);
	void *owner;
};

/* Charge `n` bytes: true, or false with nothing charged when that would pass the limit. */
static inline bool budget_take(struct budget *b, size_t n)
{
	if (!b)
		return true;

	size_t used = atomic_load_explicit(&b->used, memory_order_relaxed);

	do {
		while (n > b->limit || used > b->limit - n) {
			if (n > b->limit || !b->reclaim || !b->reclaim(b->owner, n))
				return false;
			used = atomic_load_explicit(&b->used, memory_order_relaxed);
		}
	} while (!atomic_compare_exchange_weak(&b->used, &used, used + n));

	size_t peak = atomic_load_explicit(&b->peak, memory_order_relaxed);

	while (used + n > peak && !atomic_compare_exchange_weak(&b->peak, &peak, used + n))
		;
	return true;
}

/* Charge memory that exists already: the limit is not looked at. */
static inline void budget_charge(struct budget *b, size_t n)
{
	if (b)
		atomic_fetch_add(&b->used, n);
}

static inline void budget_give(struct budget *b, size_t n)
{
	if (b)
		atomic_fetch_sub(&b->used, n);
}

#endif
