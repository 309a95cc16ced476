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
	/*
	 * What is used beyond `own` is charged to this one as well, which several share: each has its own part for sure, and the rest
	 * goes to who needs it. NULL: nothing is shared. Set before the budget is used.
	 */
	struct budget *rest;
	size_t own;
};

/* What more of the rest is taken when the use grows from `from` to `to`. */
static inline size_t budget_borrows(const struct budget *b, size_t from, size_t to)
{
	size_t before = from > b->own ? from - b->own : 0, after = to > b->own ? to - b->own : 0;

	return b->rest ? after - before : 0;
}

/* Is there room for `n` more beside `used`, and is what that takes of the rest charged to it? */
static inline bool budget_fits(struct budget *b, size_t used, size_t n)
{
	struct budget *rest = b->rest;
	size_t more, lent;

	if (n > b->limit || used > b->limit - n)
		return false;
	more = budget_borrows(b, used, used + n);
	if (likely(!more))
		return true;
	lent = atomic_load_explicit(&rest->used, memory_order_relaxed);
	do {
		if (more > rest->limit || lent > rest->limit - more)
			return false;
	} while (!atomic_compare_exchange_weak(&rest->used, &lent, lent + more));
	return true;
}

static inline void budget_return(struct budget *b, size_t n)
{
	if (n)
		atomic_fetch_sub(&b->rest->used, n);
}

/* Charge `n` bytes: true, or false with nothing charged when that would pass the limit. */
static inline bool budget_take(struct budget *b, size_t n)
{
	if (!b)
		return true;

	size_t used = atomic_load_explicit(&b->used, memory_order_relaxed);

	for (;;) {
		size_t before = used;

		if (!budget_fits(b, used, n)) {
			if (n > b->limit || !b->reclaim || !b->reclaim(b->owner, n))
				return false;
			used = atomic_load_explicit(&b->used, memory_order_relaxed);
			continue;
		}
		if (atomic_compare_exchange_weak(&b->used, &used, used + n))
			break;
		budget_return(b, budget_borrows(b, before, before + n));
	}

	size_t peak = atomic_load_explicit(&b->peak, memory_order_relaxed);

	while (used + n > peak && !atomic_compare_exchange_weak(&b->peak, &peak, used + n))
		;
	return true;
}

/* Charge memory that exists already: the limit is not looked at. */
static inline void budget_charge(struct budget *b, size_t n)
{
	size_t used = b ? atomic_fetch_add(&b->used, n) : 0;
	size_t more = b ? budget_borrows(b, used, used + n) : 0;

	if (more)
		atomic_fetch_add(&b->rest->used, more);
}

static inline void budget_give(struct budget *b, size_t n)
{
	size_t used = b ? atomic_fetch_sub(&b->used, n) : 0;

	if (b)
		budget_return(b, budget_borrows(b, used - n, used));
}

#endif
