/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_BASE_CONTAINER_INTERN_H
#define VARVE_BASE_CONTAINER_INTERN_H

#include "base/container/idset.h"
#include "base/container/vec.h"

/*
 * A set of byte strings, each with a small dense id, in the order in which they are added.
 *
 * Ids start at 0 and never change. Id 0 is always the empty string, as OTLP and pprof require of
 * string tables. The bytes are copied to the arena, or stay in place with intern_borrow(); the
 * result of intern_get() is valid as long as they are.
 *
 * Not thread-safe. After the writer is done, any thread may read (intern_get).
 */
struct intern {
	struct arena *arena; /* borrowed */
	struct idset set;
	VEC(struct str) items; /* items.at[id] */
};

#define INTERN_NONE UINT32_MAX

/* Initialize a set that contains the empty string and allocates from `arena`. 0 or -ENOMEM. */
MUST_USE int intern_init(struct intern *in, struct arena *arena);

/*
 * Get the id of `s`, added if new. Return 0, -ENOMEM, or -EOVERFLOW beyond 2^30 strings; the set is
 * unchanged on error.
 */
MUST_USE int intern_add(struct intern *in, struct str s, uint32_t *id);

/* Like intern_add(), but a new string is not copied: its bytes must outlive the set. */
MUST_USE int intern_borrow(struct intern *in, struct str s, uint32_t *id);

/* Return the string with that id, which must come from this set. */
static inline struct str intern_get(const struct intern *in, uint32_t id)
{
	return in->items.at[id];
}

static inline uint32_t intern_count(const struct intern *in)
{
	return in->items.n;
}

#endif
