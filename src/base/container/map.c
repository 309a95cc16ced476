/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Linear probing in a table of power-of-two size. Key 0 marks free slots, so it has its own slot.
 */
#include "base/container/map.h"

#include <errno.h>

#include "base/container/hash.h"

enum { FIRST_SLOTS = 64 };

/* Return the slot of `key` (not 0), or the free slot where it belongs. */
static struct map_slot *probe(struct map_slot *slots, size_t mask, uint64_t key)
{
	size_t i = (size_t)hash_bytes(&key, sizeof(key)) & mask;

	while (slots[i].key && slots[i].key != key)
		i = (i + 1) & mask;
	return &slots[i];
}

int map_init(struct map *m, struct arena *arena, size_t expected)
{
	size_t slots = FIRST_SLOTS;

	while (slots / 2 < expected && slots <= SIZE_MAX / 4 / sizeof(*m->slots))
		slots *= 2;
	*m = (struct map){
		.arena = arena,
		.slots = arena_zalloc(arena, slots, sizeof(*m->slots)),
		.mask = slots - 1,
	};
	return m->slots ? 0 : -ENOMEM;
}

/* Double the table. The old table stays valid on failure. */
static bool grow_map(struct map *m)
{
	size_t size = m->mask + 1;
	struct map_slot *slots = arena_zalloc(m->arena, 2 * size, sizeof(*slots));

	if (!slots)
		return false;
	for (size_t i = 0; i < size; i++)
		if (m->slots[i].key)
			*probe(slots, 2 * size - 1, m->slots[i].key) = m->slots[i];
	m->slots = slots;
	m->mask = 2 * size - 1;
	return true;
}

bool map_get(const struct map *m, uint64_t key, uint64_t *value)
{
	const struct map_slot *slot = key ? probe(m->slots, m->mask, key) : &m->zero;

	if (!slot->key)
		return false;
	*value = slot->value;
	return true;
}

uint64_t *map_at(struct map *m, uint64_t key, bool *added)
{
	struct map_slot *slot = key ? probe(m->slots, m->mask, key) : &m->zero;
	bool is_new = !slot->key;

	if (added)
		*added = is_new;
	if (!is_new)
		return &slot->value;
	if (key) {
		if (m->count > m->mask / 2) {
			if (!grow_map(m))
				return NULL;
			slot = probe(m->slots, m->mask, key);
		}
		m->count++;
	}
	*slot = (struct map_slot){.key = key ? key : 1};
	return &slot->value;
}

int map_set(struct map *m, uint64_t key, uint64_t value)
{
	uint64_t *at = map_at(m, key, NULL);

	if (!at)
		return -ENOMEM;
	*at = value;
	return 0;
}
