/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_BASE_BUDGET_H
#define VARVE_BASE_BUDGET_H

#include <stdatomic.h>

#include "base/base.h"

/*
 * An upper bound of the bytes that a piece of work may hold. Arenas and buffers charge what they
 * allocate and release the charge when they free it. Over the limit an allocation fails as if
 * memory were exhausted. Any thread. A NULL budget is unlimited.
 */
struct budget {
	size_t limit;
	_Atomic size_t used;
	_Atomic size_t peak;
	/*
	 * Called if a charge of `n` bytes would exceed the limit: free charged memory that can be
	 * restored later (a cache). Return true if something was freed; the charge is tried again
	 * then. Called on any thread with any locks held; must not charge anything itself. NULL:
	 * nothing can be freed. Set it before the budget is used.
	 */
	bool (*reclaim)(void *owner, size_t n);
	void *owner;
	/*
	 * Use beyond `own` is also charged to this budget, which several budgets share: each one
	 * has its own part guaranteed and competes for the rest. NULL: nothing is shared. Set it
	 * before the budget is used.
	 */
	struct budget *rest;
	size_t own;
};

/* Return how much more must be charged to `rest` when the use grows from `from` to `to`. */
static inline size_t budget_borrows(const struct budget *b, size_t from, size_t to)
{
	size_t before = from > b->own ? from - b->own : 0, after = to > b->own ? to - b->own : 0;

	return b->rest ? after - before : 0;
}

/* Return whether `n` bytes more than `used` fit; if so, charge the share of `rest` to it. */
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

/* Charge `n` bytes. Return false and charge nothing if that would exceed the limit. */
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

/* Charge memory that is allocated already, even beyond the limit. */
static inline void budget_charge(struct budget *b, size_t n)
{
	size_t used = b ? atomic_fetch_add(&b->used, n) : 0;
	size_t more = b ? budget_borrows(b, used, used + n) : 0;

	if (more)
		atomic_fetch_add(&b->rest->used, more);
}

/* Release a charge of `n` bytes. */

static inline void budget_give(struct budget *b, size_t n)
{
	size_t used = b ? atomic_fetch_sub(&b->used, n) : 0;

	if (b)
		budget_return(b, budget_borrows(b, used - n, used));
}

#endif
