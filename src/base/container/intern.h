/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_BASE_CONTAINER_INTERN_H
#define VARVE_BASE_CONTAINER_INTERN_H

#include "base/container/idset.h"
#include "base/container/vec.h"

/*
 * A set of byte strings, each with a small dense id, in order of first sight.
 *
 * Ids start at 0 and never change; id 0 is always the empty string, as OTLP's and pprof's string
 * tables want it. The bytes live in the arena given at init, or with intern_borrow() where they
 * are, so a str from intern_get() is valid as long as those.
 *
 * Not thread-safe. Reading only (intern_get, intern_find) may be shared once the writer is done.
 */
struct intern {
	struct arena *arena; /* borrowed */
	struct idset set;
	VEC(struct str) items; /* items.at[id] */
};

#define INTERN_NONE UINT32_MAX

/* Make a set of the empty string alone that allocates from `arena`. 0 or -ENOMEM. */
MUST_USE int intern_init(struct intern *in, struct arena *arena);

/* The id of `s`, added if new. 0, -ENOMEM, or -EOVERFLOW past 2^30 strings; on error the set is as before. */
MUST_USE int intern_add(struct intern *in, struct str s, uint32_t *id);

/* As intern_add(), but a new string is not copied: its bytes have to outlive the set. */
MUST_USE int intern_borrow(struct intern *in, struct str s, uint32_t *id);

/* The id of `s`, or INTERN_NONE. Never adds. */
uint32_t intern_find(const struct intern *in, struct str s);

/* The string with that id. The id must come from this set. */
static inline struct str intern_get(const struct intern *in, uint32_t id)
{
	return in->items.at[id];
}

static inline uint32_t intern_count(const struct intern *in)
{
	return in->items.n;
}

#endif
