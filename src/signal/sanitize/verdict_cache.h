/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_SIGNAL_SANITIZE_VERDICT_CACHE_H
#define VARVE_SIGNAL_SANITIZE_VERDICT_CACHE_H

#include <stdatomic.h>
#include <stdlib.h>

#include "base/base.h"

/*
 * A bounded set of 64-bit hashes of texts in which nothing was found. A hash has a bucket of four
 * places, half a cache line; a new entry pushes the oldest one out. The seed of the hashes is random per
 * process, so a sender cannot construct a secret that collides with a harmless text. Any thread;
 * no lock: an entry is one word.
 */
enum { VERDICT_WAYS = 4 };

struct verdict_cache {
	_Atomic uint64_t *slots;
	uint64_t mask;
};

/* `bits` 0: no cache. Return 0 or -ENOMEM. */
static inline int verdict_cache_init(struct verdict_cache *c, unsigned bits)
{
	*c = (struct verdict_cache){0};
	if (!bits)
		return 0;
	c->slots = calloc(max_size((size_t)1 << bits, VERDICT_WAYS), sizeof(*c->slots));
	c->mask = (((uint64_t)1 << bits) - 1) & ~(uint64_t)(VERDICT_WAYS - 1);
	return c->slots ? 0 : -ENOMEM;
}

static inline void verdict_cache_fini(struct verdict_cache *c)
{
	free((void *)c->slots);
}

static inline bool verdict_cache_has(const struct verdict_cache *c, uint64_t hash)
{
	const _Atomic uint64_t *at;
	bool found = false;

	if (!c->slots)
		return false;
	at = &c->slots[hash & c->mask];
	for (unsigned i = 0; i < VERDICT_WAYS; i++)
		found |= atomic_load_explicit(&at[i], memory_order_relaxed) == hash;
	return found;
}

static inline void verdict_cache_prefetch(const struct verdict_cache *c, uint64_t hash)
{
	if (c->slots)
		__builtin_prefetch((const void *)&c->slots[hash & c->mask]);
}

static inline void verdict_cache_add(struct verdict_cache *c, uint64_t hash)
{
	_Atomic uint64_t *at;

	if (!c->slots)
		return;
	at = &c->slots[hash & c->mask];
	for (unsigned i = VERDICT_WAYS - 1; i > 0; i--)
		atomic_store_explicit(&at[i],
				      atomic_load_explicit(&at[i - 1], memory_order_relaxed),
				      memory_order_relaxed);
	atomic_store_explicit(&at[0], hash, memory_order_relaxed);
}

#endif
