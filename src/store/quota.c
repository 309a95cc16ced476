/* SPDX-License-Identifier: Apache-2.0 */
/* Quotas: counters that are reserved by compare-and-swap and released without going below 0. */
#include "store/quota.h"

#include <errno.h>

static bool limit_reserve(struct store_limit *l, uint32_t n)
{
	uint64_t used = atomic_load_explicit(&l->used, memory_order_relaxed);

	do {
		if (l->max && n && used + n > l->max)
			return false;
	} while (!atomic_compare_exchange_weak_explicit(
		&l->used, &used, used + n, memory_order_relaxed, memory_order_relaxed));
	return true;
}

static void limit_release(struct store_limit *l, uint32_t n)
{
	uint64_t used = atomic_load_explicit(&l->used, memory_order_relaxed);

	while (!atomic_compare_exchange_weak_explicit(&l->used, &used, used > n ? used - n : 0,
						      memory_order_relaxed, memory_order_relaxed))
		;
}

bool quota_reserve(struct store_quota *const quotas[STORE_QUOTAS], struct store_reserved n,
		   struct store_limit **short_of)
{
	for (unsigned i = 0; i < STORE_QUOTAS; i++) {
		struct store_quota *q = quotas[i];
		struct store_limit *reached = NULL;

		if (!q)
			continue;
		if (!limit_reserve(&q->series, n.series)) {
			reached = &q->series;
		} else if (!limit_reserve(&q->names, n.names)) {
			limit_release(&q->series, n.series);
			reached = &q->names;
		}
		if (!reached)
			continue;
		while (i--)
			if (quotas[i]) {
				limit_release(&quotas[i]->series, n.series);
				limit_release(&quotas[i]->names, n.names);
			}
		if (short_of)
			*short_of = reached;
		return false;
	}
	return true;
}

void quota_release(struct store_quota *const quotas[STORE_QUOTAS], struct store_reserved n)
{
	for (unsigned i = 0; i < STORE_QUOTAS; i++)
		if (quotas[i]) {
			limit_release(&quotas[i]->series, n.series);
			limit_release(&quotas[i]->names, n.names);
		}
}

void quota_count(struct store_quota *const quotas[STORE_QUOTAS], struct store_reserved n)
{
	for (unsigned i = 0; i < STORE_QUOTAS; i++)
		if (quotas[i]) {
			atomic_fetch_add(&quotas[i]->series.used, n.series);
			atomic_fetch_add(&quotas[i]->names.used, n.names);
		}
}

int quota_fail(struct store_limit *limit, uint32_t wanted, struct err *e)
{
	if (limit->refused)
		atomic_fetch_add_explicit(limit->refused, 1, memory_order_relaxed);
	return err_set(e, -EDQUOT, "%s (%llu) is reached: %llu today, %u more were refused",
		       limit->setting, (unsigned long long)limit->max,
		       (unsigned long long)atomic_load(&limit->used), wanted);
}
