/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_STORE_SQLITE_IDHASH_H
#define VARVE_STORE_SQLITE_IDHASH_H

#include <stddef.h>
#include <string.h>

#include "base/budget.h"
#include "base/container/hash.h"

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

/*
 * A key being computed. Each step multiplies two words into all 128 bits of the state. Numbers of a
 * row are mixed in directly, which inlined costs a fraction of a hash of bytes. `n` (the number of
 * bytes, lines or locations) separates rows of different length that have the same words.
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

/*
 * Return the key, whose hash is never 0. One more step: a single product is linear in the last
 * words.
 */
static inline struct row_slot key_end(struct key_maker k)
{
	k = key_mix(k, 0, 0);

	uint64_t hash = k.low ^ k.high;

	return (struct row_slot){.hash = hash ? hash : 1, .more = (uint32_t)(k.low >> 32)};
}

/*
 * Return the key of n bytes. The last step reads the last 16 bytes, which may overlap the step
 * before.
 */
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
