/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_BASE_CONTAINER_MAP_H
#define VARVE_BASE_CONTAINER_MAP_H

#include "base/arena.h"

/*
 * From 64-bit numbers to 64-bit numbers: ids and addresses of a file to our indices. Open addressing, at
 * most half full, in an arena. Keys come from untrusted files, so the hash is seeded. Not thread-safe.
 */
struct map_slot {
	uint64_t key; /* 0: free */
	uint64_t value;
};

struct map {
	struct arena *arena; /* borrowed */
	struct map_slot *slots;
	size_t mask, count;   /* of keys other than 0 */
	struct map_slot zero; /* the key 0 has its own slot; .key is 1 when it is set */
};

/* An empty map with room for `expected` keys before it grows. 0 or -ENOMEM. */
MUST_USE int map_init(struct map *m, struct arena *arena, size_t expected);

/* The value of `key`; false, and *value as it was, when there is none. */
bool map_get(const struct map *m, uint64_t key, uint64_t *value);

/* Set or replace. 0 or -ENOMEM; on error the map is as before. */
MUST_USE int map_set(struct map *m, uint64_t key, uint64_t value);

/*
 * The place of `key`'s value, new with value 0 if there was none (*added, may be NULL, tells). Valid
 * until the next key is added; NULL when memory is out.
 */
uint64_t *map_at(struct map *m, uint64_t key, bool *added);

/* How many keys there are. */
static inline size_t map_count(const struct map *m)
{
	return m->count + m->zero.key;
}

#endif
