/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_STORE_SQLITE_IDHASH_H
#define VARVE_STORE_SQLITE_IDHASH_H

#include <stddef.h>
#include <string.h>

#include "base/budget.h"
#include "base/container/hash.h"

/*
 * Two tables in memory of the writer, found by hashes that are seeded anew in each process and
 * never stored.
 */

/*
 * From a row (a string, function or location) to its number in the dictionary, or from a whole stack to its node, which
 * saves the walk from the root, a lookup a frame. A row is known by its key, 96 bits of a hash: two of a billion share
 * them with a probability of 10^-11.
 */
struct row_slot {
	uint64_t hash;
	uint32_t more; /* 32 bits of it */
	uint32_t node; /* + 1; 0: free */
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

/*
 * A key in the making: two words at a time are multiplied into all 128 bits of what came before. Numbers of
 * a row are put in as they are, which inlined costs a fraction of a hash of bytes. `n` tells rows apart whose
 * words could be taken for those of another: how many bytes, lines or locations there are.
 */
struct key_maker {
	uint64_t low, high;
};

static inline struct key_maker key_begin(uint64_t n)
{
	return (struct key_maker){hash_seed + n * 0x94d049bb133111ebu, ~hash_seed};
}

static inline struct key_maker key_mix(struct key_maker k, uint64_t a, uint64_t b)
{
	unsigned __int128 product = (unsigned __int128)((a ^ k.low) + 0x9e3779b97f4a7c15u) *
				    ((b ^ k.high) + 0xbf58476d1ce4e5b9u);

	return (struct key_maker){(uint64_t)product, (uint64_t)(product >> 64)};
}

/* Once more, or the last words would show: one product is linear in each of them. Never 0. */
static inline struct row_slot key_end(struct key_maker k)
{
	k = key_mix(k, 0, 0);

	uint64_t hash = k.low ^ k.high;

	return (struct row_slot){.hash = hash ? hash : 1, .more = (uint32_t)(k.low >> 32)};
}

/* The key of some bytes. What is left at the end is taken with bytes before it, where there are any. */
static inline struct row_slot key_of_bytes(const char *p, size_t n)
{
	struct key_maker k = key_begin(n);
	uint64_t words[2] = {0};

	if (n < sizeof(words)) {
		for (size_t i = 0; i < n; i++)
			words[i / 8] |= (uint64_t)(uint8_t)p[i] << i % 8 * 8;
		return key_end(key_mix(k, words[0], words[1]));
	}

	const char *last = p + n - sizeof(words);

	for (; p < last; p += sizeof(words)) {
		memcpy(words, p, sizeof(words));
		k = key_mix(k, words[0], words[1]);
	}
	memcpy(words, last, sizeof(words));
	return key_end(key_mix(k, words[0], words[1]));
}

/* What is kept under the key; false, and *id as it was: nothing. */
bool row_index_get(const struct row_index *x, struct row_slot key, uint32_t *id);

static inline void row_index_prefetch(const struct row_index *x, struct row_slot key)
{
	if (x->slots)
		__builtin_prefetch(&x->slots[(uint32_t)key.hash & x->mask]);
}

/* Remember it. Where memory is out it forgets: it is a cache. */
void row_index_add(struct row_index *x, struct row_slot key, uint32_t node);

/* A set of 64-bit hashes, none of which is 0. */
struct id_set {
	uint64_t *slots; /* 0: free */
	uint64_t mask, count;
	struct budget *budget;
};

void id_set_fini(struct id_set *s);
bool id_set_has(const struct id_set *s, uint64_t hash);

/* Room for `more`, so that adding them cannot fail. 0 or -ENOMEM. */
MUST_USE int id_set_reserve(struct id_set *s, uint64_t more);
void id_set_add(struct id_set *s, uint64_t hash);

#endif
