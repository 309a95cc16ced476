/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_STORE_SQLITE_SPAN_ORIGINS_H
#define VARVE_STORE_SQLITE_SPAN_ORIGINS_H

#include "store/sqlite/block/columns.h"
#include "store/sqlite/spans/span_rows.h"

/* The list of the resources and scopes of a block. Both forms of details begin with it. */
struct span_origins {
	const struct span_rows *rows;
	uint32_t *known; /* by index of rows->strings: index in the list + 1 */
	uint32_t *list;	 /* indexes of rows->strings */
	uint32_t n;
};

/* Prepare an empty list with room for all strings of the rows. Return 0 or -ENOMEM. */
MUST_USE int span_origins_init(struct span_origins *o, const struct span_rows *r, struct arena *a);

/* Return 1 + the index in the list of a kept_span's resource or scope; 0 if it has none. */
static inline uint32_t span_origins_add(struct span_origins *o, uint32_t origin)
{
	uint32_t *known;

	if (!origin)
		return 0;
	known = &o->known[origin - 1];
	if (!*known) {
		o->list[o->n++] = origin - 1;
		*known = o->n;
	}
	return *known;
}

void span_origins_put(struct buf *out, const struct span_origins *o);

/*
 * Read a list and append its strings, which are checked, to those of the rows. Return 0 or -ENOMEM;
 * a damaged list sets c->bad.
 */
MUST_USE int span_origins_get(struct column_cursor *c, struct span_rows *rows, struct arena *a,
			      uint32_t *n);

#endif
