/* SPDX-License-Identifier: Apache-2.0 */
/* Growth and insertion; lookups are inline in the header. */
#include "base/container/idset.h"

#include <errno.h>

enum { FIRST_SLOTS = 64, MAX_IDS = 1 << 30 };

int idset_init(struct idset *s, struct arena *arena, size_t expected)
{
	size_t slots = FIRST_SLOTS;

	while (slots / 2 < expected && slots / 2 < MAX_IDS)
		slots *= 2;
	*s = (struct idset){
		.arena = arena,
		.slots = arena_zalloc(arena, slots, sizeof(*s->slots)),
		.mask = (uint32_t)(slots - 1),
	};
	return s->slots ? 0 : -ENOMEM;
}

static void idset_place(struct idset_slot *slots, uint32_t mask, struct idset_slot slot)
{
	uint32_t i = slot.hash & mask;

	while (slots[i].id)
		i = (i + 1) & mask;
	slots[i] = slot;
}

/* Double the table. The old table stays valid on failure. */
static int grow_idset(struct idset *s)
{
	size_t size = (size_t)s->mask + 1;
	struct idset_slot *slots = arena_zalloc(s->arena, 2 * size, sizeof(*slots));

	if (!slots)
		return -ENOMEM;
	for (size_t i = 0; i < size; i++)
		if (s->slots[i].id)
			idset_place(slots, (uint32_t)(2 * size - 1), s->slots[i]);
	arena_free(s->arena, s->slots, size * sizeof(*slots));
	s->slots = slots;
	s->mask = (uint32_t)(2 * size - 1);
	return 0;
}

int idset_add(struct idset *s, uint32_t hash, uint32_t id)
{
	if (s->count == MAX_IDS || id == UINT32_MAX)
		return -EOVERFLOW;
	if (s->count > s->mask / 2) {
		int rc = grow_idset(s);

		if (rc)
			return rc;
	}
	idset_place(s->slots, s->mask, (struct idset_slot){hash, id + 1});
	s->count++;
	return 0;
}
