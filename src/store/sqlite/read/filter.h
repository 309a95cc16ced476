/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_STORE_SQLITE_FILTER_H
#define VARVE_STORE_SQLITE_FILTER_H

#include <errno.h>

#include "base/arena.h"
#include "store/sqlite/block/frame.h"

/*
 * A Bloom filter with ten bits and six hashes per key, for a false positive rate of about one
 * percent. The hashes are computed from the two halves of one (Kirsch and Mitzenmacher).
 */
enum { FILTER_BITS = 10, FILTER_HASHES = 6 };

struct filter {
	uint8_t *bits;
	size_t bytes;
};

static inline uint64_t filter_bit(uint64_t hash, unsigned i, size_t bytes)
{
	uint32_t h = (uint32_t)hash + i * (uint32_t)(hash >> 32 | 1);

	return (uint64_t)h * (bytes * 8) >> 32; /* uniform, without a division */
}

/* Begin with that many bits per key: more of them make false positives rarer. 0 or -ENOMEM. */
static inline int filter_init_bits(struct filter *f, size_t keys, unsigned bits, struct arena *a)
{
	f->bytes = (keys * bits + 63) / 64 * 8;
	f->bits = arena_zalloc(a, f->bytes, 1);
	return f->bits ? 0 : -ENOMEM;
}

static inline int filter_init(struct filter *f, size_t keys, struct arena *a)
{
	return filter_init_bits(f, keys, FILTER_BITS, a);
}

static inline void filter_add_hash(struct filter *f, uint64_t hash)
{
	for (unsigned i = 0; i < FILTER_HASHES; i++) {
		uint64_t bit = filter_bit(hash, i, f->bytes);

		f->bits[bit / 8] = (uint8_t)(f->bits[bit / 8] | 1u << bit % 8);
	}
}

static inline void filter_add(struct filter *f, const void *key, size_t n)
{
	filter_add_hash(f, frame_sum(key, n));
}

#endif
