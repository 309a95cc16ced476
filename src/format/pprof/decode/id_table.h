/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_FORMAT_PPROF_DECODE_ID_TABLE_H
#define VARVE_FORMAT_PPROF_DECODE_ID_TABLE_H

#include "base/container/idset.h"

/*
 * Maps the ids of a pprof table, which are arbitrary 64-bit numbers, to rows of the batch. Nearly
 * all writers count 1, 2, 3: then the id is the row and no lookup is needed. Otherwise small ids
 * are looked up in an array and others in a hash index.
 */
struct id_table {
	uint64_t *ids; /* ids[row], from row 1 */
	uint32_t count;
	bool identity;	 /* ids[row] == row for all rows */
	bool allow_zero; /* one row may have the id 0 */
	uint32_t *dense; /* row by id, 0: none */
	uint64_t dense_limit;
	struct idset sparse;
};

/*
 * Build the lookup after all ids are set. Return 0, -ENOMEM, or -EBADMSG with *bad set to the row
 * whose id is 0 or repeated.
 */
MUST_USE int id_table_seal(struct id_table *t, struct arena *arena, uint32_t *bad);

/* The general case of id_table_find(). */
uint32_t id_table_search(const struct id_table *t, uint64_t id);

/* Return the row with that id, or 0. */
static inline uint32_t id_table_find(const struct id_table *t, uint64_t id)
{
	if (likely(t->identity))
		return id <= t->count ? (uint32_t)id : 0;
	return id_table_search(t, id);
}

#endif
