/* SPDX-License-Identifier: Apache-2.0 */
/* The shares of the memory limit, and the settings of glibc's allocator that make it hold. */
#include "cli/server/memory_shares.h"

#include <errno.h>
#include <malloc.h>

#include "pipeline/processors/memory_limiter/memory_limiter.h"

enum { FEW_ARENAS = 3 };

/*
 * Used by the program itself: code, stacks, pages of SQLite and of the allocator, and what the free
 * memory of several threads leaves between blocks, which grows with the limit.
 */
#define OWN_MEMORY (16 * MIB)
#define BETWEEN_BLOCKS_MAX (8 * MIB)

uint64_t memory_shares_configured(const struct config *c)
{
	const struct config_node *n = config_find(c->root, "processors.memory_limiter.limit_mib");
	uint64_t mib;

	if (n && !str_to_u64(n->text, 10, &mib) && mib)
		return mib * MIB;
	return memory_limiter_default();
}

/*
 * Fix glibc's thresholds, which otherwise grow with the largest block that was ever freed: after
 * one query of a month each thread would keep tens of megabytes, and the memory limit would not
 * hold. With these values a query of a day reuses the memory of the previous one. They are smaller
 * for a low limit, because each thread keeps its own free memory; with a very low one, threads
 * share arenas.
 */
static void fix_thresholds(uint64_t limit)
{
	(void)mallopt(M_MMAP_THRESHOLD, 2 * MIB);
	(void)mallopt(M_TRIM_THRESHOLD, (int)min_size(16 * MIB, limit / 32));
	if (limit < 512 * MIB)
		(void)mallopt(M_ARENA_MAX, FEW_ARENAS);
}

bool memory_shares_has_store(const struct config *c)
{
	const struct config_node *exporters = config_get(c->root, STR("exporters"));

	for (const struct config_node *n = exporters ? exporters->first : NULL; n; n = n->next)
		if (str_eq(str_trim(str_head(n->key, str_find(n->key, '/'))), STR("store")))
			return true;
	return false;
}

int memory_shares_init(struct memory_shares *m, uint64_t limit, bool stores, struct err *e)
{
	m->limit = limit;
	m->stores = stores;
	if (m->limit < MEMORY_SHARES_LEAST)
		return err_set(e, -EINVAL,
			       "--memory-limit (processors.memory_limiter.limit_mib) is %llu MiB; "
			       "the server needs at least %llu MiB",
			       (unsigned long long)(m->limit / MIB),
			       (unsigned long long)(MEMORY_SHARES_LEAST / MIB));
	m->rest.limit = memory_shares_remainder(m) / 16 * 3;
	fix_thresholds(m->limit);
	return 0;
}

uint64_t memory_shares_remainder(const struct memory_shares *m)
{
	return m->limit - OWN_MEMORY - min_size(m->limit / 16, BETWEEN_BLOCKS_MAX);
}

uint64_t memory_shares_network(const struct memory_shares *m)
{
	return memory_shares_remainder(m) / 4;
}

uint64_t memory_shares_transit(const struct memory_shares *m)
{
	uint64_t shared = memory_shares_remainder(m);

	if (!m->stores)
		return shared / 16 * 12;
	return shared >= 480 * MIB ? shared / 4 : shared / 8;
}

uint64_t memory_shares_transit_own(const struct memory_shares *m)
{
	return memory_shares_remainder(m) / 16 * (m->stores ? 1 : 9);
}

void memory_shares_trim(const struct memory_shares *m)
{
	if (memory_limiter_resident() > m->limit / 2 && mallinfo2().fordblks > m->limit / 16)
		malloc_trim(0);
}
