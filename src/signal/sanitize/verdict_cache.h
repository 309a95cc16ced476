/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_SIGNAL_SANITIZE_VERDICT_CACHE_H
#define VARVE_SIGNAL_SANITIZE_VERDICT_CACHE_H

#include <stdatomic.h>
#include <stdlib.h>

#include "base/base.h"

/*
 * A bounded set of 64-bit hashes of texts in which nothing was found. Two places for each hash; the
 * newer entry pushes the older one into the second place. The seed of the hashes is random per
 * process, so a sender cannot construct a secret that collides with a harmless text. Any thread;
 * no lock: an entry is one word.
 */
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
	c->slots = calloc((size_t)1 << bits, sizeof(*c->slots));
	c->mask = ((uint64_t)1 << bits) - 1;
	return c->slots ? 0 : -ENOMEM;
}

static inline void verdict_cache_fini(struct verdict_cache *c)
{
	free((void *)c->slots);
}

static inline bool verdict_cache_has(const struct verdict_cache *c, uint64_t hash)
{
	uint64_t i = hash & c->mask;

	if (!c->slots)
		return false;
	return atomic_load_explicit(&c->slots[i], memory_order_relaxed) == hash ||
	       atomic_load_explicit(&c->slots[i ^ 1], memory_order_relaxed) == hash;
}

static inline void verdict_cache_prefetch(const struct verdict_cache *c, uint64_t hash)
{
	if (c->slots)
		__builtin_prefetch((const void *)&c->slots[hash & c->mask]);
}

static inline void verdict_cache_add(struct verdict_cache *c, uint64_t hash)
{
	uint64_t i = hash & c->mask, old;

	if (!c->slots)
		return;
	old = atomic_load_explicit(&c->slots[i], memory_order_relaxed);
	atomic_store_explicit(&c->slots[i ^ 1], old, memory_order_relaxed);
	atomic_store_explicit(&c->slots[i], hash, memory_order_relaxed);
}

#endif
