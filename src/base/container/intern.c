/* SPDX-License-Identifier: Apache-2.0 */
/* Strings by id: an array of slices, and an index from their hashes to ids. */
#include "base/container/intern.h"

#include "base/container/hash.h"

static uint32_t intern_find_hashed(const struct intern *in, struct str s, uint32_t hash)
{
	struct idset_cursor c = idset_seek(&in->set, hash);
	uint32_t id;

	while (idset_next(&in->set, &c, &id))
		if (str_eq(in->items.at[id], s))
			return id;
	return INTERN_NONE;
}

int intern_init(struct intern *in, struct arena *arena)
{
	uint32_t empty;
	int rc;

	*in = (struct intern){.arena = arena};
	rc = idset_init(&in->set, arena, 0);
	return rc ? rc : intern_borrow(in, STR(""), &empty);
}

/* Add both to the array and the index, or to neither: everything that can fail comes first. */
static int intern_add_copied(struct intern *in, struct str s, bool copy, uint32_t *id)
{
	uint32_t hash = hash32(s), found = intern_find_hashed(in, s, hash);
	int rc;

	if (found != INTERN_NONE) {
		*id = found;
		return 0;
	}
	rc = vec_reserve(in->arena, &in->items, 1);
	if (!rc && copy)
		rc = arena_copy_str(in->arena, s, &s);
	if (!rc)
		rc = idset_add(&in->set, hash, in->items.n);
	if (rc)
		return rc;
	*id = in->items.n;
	in->items.at[in->items.n++] = s;
	return 0;
}

int intern_add(struct intern *in, struct str s, uint32_t *id)
{
	return intern_add_copied(in, s, true, id);
}

int intern_borrow(struct intern *in, struct str s, uint32_t *id)
{
	return intern_add_copied(in, s, false, id);
}
