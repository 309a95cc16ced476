/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_BASE_CONTAINER_BYTES_KEY_H
#define VARVE_BASE_CONTAINER_BYTES_KEY_H

#include "base/container/hash.h"

/*
 * 96 bits of a hash that stand for bytes: equal keys mean equal bytes. The seed is that of hash.h;
 * keys are never stored.
 */
struct bytes_key {
	uint64_t hash; /* not 0 */
	uint32_t more; /* 32 more bits of the hash */
};

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
static inline struct bytes_key key_finish(struct key_maker k)
{
	k = key_mix(k, 0, 0);

	uint64_t hash = k.low ^ k.high;

	return (struct bytes_key){.hash = hash ? hash : 1, .more = (uint32_t)(k.low >> 32)};
}

/*
 * Return the key of n bytes. The last step reads the last 16 bytes, which may overlap the step
 * before.
 */
static inline struct bytes_key key_of_bytes(const char *p, size_t n)
{
	struct key_maker k = key_begin(n);
	uint64_t words[2] = {0};

	if (n < sizeof(words)) {
		for (size_t i = 0; i < n; i++)
			words[i / 8] |= (uint64_t)(uint8_t)p[i] << i % 8 * 8;
		return key_finish(key_mix(k, words[0], words[1]));
	}

	const char *last = p + n - sizeof(words);

	for (; p < last; p += sizeof(words)) {
		memcpy(words, p, sizeof(words));
		k = key_mix(k, words[0], words[1]);
	}
	memcpy(words, last, sizeof(words));
	return key_finish(key_mix(k, words[0], words[1]));
}

#endif
