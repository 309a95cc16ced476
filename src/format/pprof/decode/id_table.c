/* SPDX-License-Identifier: Apache-2.0 */
/* Lookup of rows by id: none if ids count from 1, else an array or a hash index. */
#include "format/pprof/decode/id_table.h"

#include <errno.h>

#include "base/container/hash.h"

/* Use an array if it needs at most this many slots per row; otherwise hash the ids. */
enum { DENSE_SLOTS_PER_ROW = 4, DENSE_MIN_SLOTS = 1024 };

uint32_t id_table_search(const struct id_table *t, uint64_t id)
{
	if (t->dense)
		return id < t->dense_limit ? t->dense[id] : 0;

	struct idset_cursor c = idset_seek(&t->sparse, hash_u64(id));
	uint32_t row;

	while (idset_next(&t->sparse, &c, &row))
		if (t->ids[row] == id)
			return row;
	return 0;
}

static int seal_dense(struct id_table *t, struct arena *arena, uint64_t limit, uint32_t *bad)
{
	t->dense = arena_zalloc(arena, limit, sizeof(*t->dense));
	t->dense_limit = limit;
	if (!t->dense)
		return -ENOMEM;
	for (uint32_t row = 1; row <= t->count; row++) {
		*bad = row;
		if (t->dense[t->ids[row]])
			return -EBADMSG;
		t->dense[t->ids[row]] = row;
	}
	return 0;
}

static int seal_sparse(struct id_table *t, struct arena *arena, uint32_t *bad)
{
	int rc = idset_init(&t->sparse, arena, t->count);

	for (uint32_t row = 1; !rc && row <= t->count; row++) {
		*bad = row;
		if (id_table_search(t, t->ids[row]))
			return -EBADMSG;
		rc = idset_add(&t->sparse, hash_u64(t->ids[row]), row);
	}
	return rc;
}

int id_table_seal(struct id_table *t, struct arena *arena, uint32_t *bad)
{
	uint64_t max = 0, dense = max_size(DENSE_MIN_SLOTS, DENSE_SLOTS_PER_ROW * (size_t)t->count);
	bool identity = true;

	for (uint32_t row = 1; row <= t->count; row++) {
		*bad = row;
		if (!t->ids[row] && !t->allow_zero)
			return -EBADMSG;
		identity &= t->ids[row] == row;
		if (t->ids[row] > max)
			max = t->ids[row];
	}
	t->identity = identity;
	if (identity)
		return 0;
	return max < dense ? seal_dense(t, arena, max + 1, bad) : seal_sparse(t, arena, bad);
}
