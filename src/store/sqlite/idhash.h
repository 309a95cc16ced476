/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_STORE_SQLITE_IDHASH_H
#define VARVE_STORE_SQLITE_IDHASH_H

#include <stddef.h>

#include "base/budget.h"

/*
 * Two tables in memory of the writer, found by hashes that are seeded anew in each process and
 * never stored.
 */

/*
 * From a whole stack to its node: saves the walk from the root, a lookup a frame. A stack is known
 * by 96 bits of its hash: two of a billion stacks share them with a probability of 10^-11.
 */
struct stack_slot {
	uint64_t hash;
	uint32_t more; /* 32 bits of it */
	uint32_t node; /* + 1; 0: free */
};

struct stack_index {
	struct stack_slot *slots;
	uint32_t mask, count;
	struct budget *budget;
};

void stack_index_fini(struct stack_index *x);

/* The key of some bytes: a stack's are the ids of its locations, leaf first. Never 0. */
struct stack_slot stack_index_key(const void *p, size_t n);

/* What is kept under the key; false, and *id as it was: nothing. */
bool stack_index_get(const struct stack_index *x, struct stack_slot key, uint32_t *id);

static inline void stack_index_prefetch(const struct stack_index *x, struct stack_slot key)
{
	if (x->slots)
		__builtin_prefetch(&x->slots[(uint32_t)key.hash & x->mask]);
}

/* Remember it. Where memory is out it forgets: it is a cache. */
void stack_index_add(struct stack_index *x, struct stack_slot key, uint32_t node);

/* A set of 64-bit hashes of (series, profile id). */
struct id_set {
	uint64_t *slots; /* 0: free */
	uint64_t mask, count;
	struct budget *budget;
};

void id_set_fini(struct id_set *s);
uint64_t id_hash(uint32_t series, const uint8_t id[16]);
bool id_set_has(const struct id_set *s, uint64_t hash);

/* Room for `more`, so that adding them cannot fail. 0 or -ENOMEM. */
MUST_USE int id_set_reserve(struct id_set *s, uint64_t more);
void id_set_add(struct id_set *s, uint64_t hash);

#endif
