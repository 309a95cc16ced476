/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_QUERY_ATTRIBUTES_TAG_SET_H
#define VARVE_QUERY_ATTRIBUTES_TAG_SET_H

#include "base/container/idset.h"
#include "base/container/vec.h"

/*
 * Distinct texts, each of a kind: names of attributes by scope, or values by type. Limited by number
 * and bytes. Memory is in the arena. One thread.
 */
struct tag {
	struct str kind; /* static text: "span", "string" */
	struct str text;
};

struct tag_set {
	struct arena *arena;
	struct idset index;
	VEC(struct tag) list;
	uint32_t most;
	size_t bytes, most_bytes;
	bool full; /* something did not fit */
};

/* Set up an empty set. Return 0 or -ENOMEM. */
MUST_USE int tag_set_init(struct tag_set *s, uint32_t most, size_t most_bytes, struct arena *a);

/*
 * Add a copy unless it is in the set. Return 0, -ENOMEM, or 1 if it did not fit, which also sets
 * s->full.
 */
MUST_USE int tag_set_add(struct tag_set *s, struct str kind, struct str text);

/* Sort by kind and text. */
void tag_set_sort(struct tag_set *s);

#endif
