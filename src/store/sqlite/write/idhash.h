/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_STORE_SQLITE_IDHASH_H
#define VARVE_STORE_SQLITE_IDHASH_H

#include <stddef.h>
#include <string.h>

#include "base/budget.h"
#include "base/container/bytes_key.h"

/* Two hash tables of the writer. Their hashes are seeded anew in each process and never stored. */

/*
 * Map a row (a string, function or location) to its number in the dictionary, or a whole stack to
 * its node, which saves the walk from the root with a lookup for each frame. A row is identified by
 * its key, 96 bits of a hash: the probability that two of a billion rows share a key is 10^-11.
 */
struct row_slot {
	uint64_t hash;
	uint32_t more; /* 32 more bits of the hash */
	uint32_t node; /* + 1; 0: free slot */
};

static inline bool row_slot_is(struct row_slot slot, struct row_slot key)
{
	return slot.hash == key.hash && slot.more == key.more;
}

struct row_index {
	struct row_slot *slots;
	uint32_t mask, count;
	struct budget *budget;
};

void row_index_fini(struct row_index *x);

/* Return the key of a row, whose hash is never 0. */
static inline struct row_slot key_end(struct key_maker k)
{
	struct bytes_key key = key_finish(k);

	return (struct row_slot){.hash = key.hash, .more = key.more};
}

/* Set *id to the value of the key and return true, or return false. */
bool row_index_get(const struct row_index *x, struct row_slot key, uint32_t *id);

static inline void row_index_prefetch(const struct row_index *x, struct row_slot key)
{
	if (x->slots)
		__builtin_prefetch(&x->slots[(uint32_t)key.hash & x->mask]);
}

/* Add the key. Without memory to grow, the index is cleared first: it is a cache. */
void row_index_add(struct row_index *x, struct row_slot key, uint32_t node);

/* A set of 64-bit hashes, none of which is 0. */
struct id_set {
	uint64_t *slots; /* 0: free */
	uint64_t mask, count;
	struct budget *budget;
};

void id_set_fini(struct id_set *s);
bool id_set_has(const struct id_set *s, uint64_t hash);

/* Reserve room for `more` hashes, so that adding them cannot fail. Return 0 or -ENOMEM. */
MUST_USE int id_set_reserve(struct id_set *s, uint64_t more);
void id_set_add(struct id_set *s, uint64_t hash);

#endif
