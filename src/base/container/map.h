/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_BASE_CONTAINER_MAP_H
#define VARVE_BASE_CONTAINER_MAP_H

#include "base/arena.h"

/*
 * A map from 64-bit numbers to 64-bit numbers, such as ids and addresses of a file to indices. Open
 * addressing, at most half full, in an arena. Keys come from untrusted files, so the hash is
 * seeded. Not thread-safe.
 */
struct map_slot {
	uint64_t key; /* 0: free */
	uint64_t value;
};

struct map {
	struct arena *arena; /* borrowed */
	struct map_slot *slots;
	size_t mask, count;   /* count of keys other than 0 */
	struct map_slot zero; /* the slot of key 0; .key is 1 if it is set */
};

/* Initialize an empty map with room for `expected` keys before it grows. Return 0 or -ENOMEM. */
MUST_USE int map_init(struct map *m, struct arena *arena, size_t expected);

/* Get the value of `key`. Return false and leave *value unchanged if there is none. */
bool map_get(const struct map *m, uint64_t key, uint64_t *value);

/* Set or replace a value. Return 0 or -ENOMEM; the map is unchanged on error. */
MUST_USE int map_set(struct map *m, uint64_t key, uint64_t value);

/*
 * Return the address of `key`'s value, which is added as 0 if there is none; then *added (may be
 * NULL) is true. Valid until the next key is added. Return NULL if memory is exhausted.
 */
uint64_t *map_at(struct map *m, uint64_t key, bool *added);

/* Return the number of keys. */
static inline size_t map_count(const struct map *m)
{
	return m->count + m->zero.key;
}

#endif
