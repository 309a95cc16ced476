/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_BASE_CONTAINER_IDSET_H
#define VARVE_BASE_CONTAINER_IDSET_H

#include "base/arena.h"

/*
 * An index from hashes to 32-bit ids of rows that are stored elsewhere: open addressing, linear
 * probing, at most half full. The caller compares the rows, so one index type serves all kinds of
 * tables:
 *
 *	struct idset_cursor c = idset_seek(set, hash);
 *	while (idset_next(set, &c, &id))
 *		if (equal(rows[id], wanted))
 *			return id;
 *	rc = idset_add(set, hash, new_id);
 *
 * A slot holds the hash beside the id, so unequal rows are almost never read, and growing does not
 * read rows at all. Not thread-safe.
 */
struct idset_slot {
	uint32_t hash;
	uint32_t id; /* + 1; 0 = free */
};

struct idset {
	struct arena *arena; /* borrowed */
	struct idset_slot *slots;
	uint32_t mask, count;
};

struct idset_cursor {
	uint32_t at, hash;
};

/* Initialize an index with room for `expected` ids before it grows. Return 0 or -ENOMEM. */
MUST_USE int idset_init(struct idset *s, struct arena *arena, size_t expected);

/*
 * Add an id that is not in the index. Return 0, -ENOMEM, or -EOVERFLOW beyond 2^30 ids; nothing
 * changes on error.
 */
MUST_USE int idset_add(struct idset *s, uint32_t hash, uint32_t id);

static inline struct idset_cursor idset_seek(const struct idset *s, uint32_t hash)
{
	return (struct idset_cursor){hash & s->mask, hash};
}

/* Get the next id with this hash. Return false if there is none. */
static inline bool idset_next(const struct idset *s, struct idset_cursor *c, uint32_t *id)
{
	for (;;) {
		struct idset_slot slot = s->slots[c->at];

		if (!slot.id)
			return false;
		c->at = (c->at + 1) & s->mask;
		if (slot.hash == c->hash) {
			*id = slot.id - 1;
			return true;
		}
	}
}

#endif
