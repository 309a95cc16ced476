/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A table of memos, direct-mapped by the hash of the sender. Its memory is bounded by the table's
 * limit and the writer's budget.
 */
#include "store/sqlite/write/writer_memo.h"

#include <stdlib.h>
#include <string.h>

#include "base/base.h"

/* A sender whose memo is larger gets none: it sends few batches. */
#define MEMO_BYTES_MAX (2 * MIB)

enum { RESUME_REACH = 64 };

static void memo_free(struct memo_table *t, struct memo **place)
{
	struct memo *m = take_ptr(place);

	if (!m)
		return;
	t->used -= m->bytes;
	budget_give(t->budget, m->bytes);
	free(m->memory);
	free(m);
}

void memo_table_fini(struct memo_table *t)
{
	for (size_t i = 0; i < MEMOS; i++)
		memo_free(t, &t->at[i]);
}

const struct memo *memo_find(const struct memo_table *t, uint64_t sender)
{
	const struct memo *m = t->at[sender % MEMOS];

	return m && m->sender == sender ? m : NULL;
}

/*
 * Return the memo at that place with memory for that many bytes, reused if its size fits. NULL: no
 * memory.
 */
static struct memo *memo_reserve(struct memo_table *t, struct memo **place, size_t bytes)
{
	struct memo *m = *place;

	if (m && m->bytes >= bytes && m->bytes / 2 <= bytes)
		return m;
	memo_free(t, place);
	bytes += bytes / 4; /* the next batch may be slightly larger */
	if (bytes > MEMO_BYTES_MAX || t->used + bytes > t->limit || !budget_take(t->budget, bytes))
		return NULL;
	m = calloc(1, sizeof(*m));
	if (m)
		m->memory = malloc(bytes);
	if (!m || !m->memory) {
		budget_give(t->budget, bytes);
		free(m);
		return NULL;
	}
	m->bytes = bytes;
	t->used += bytes;
	*place = m;
	return m;
}

static struct memo_rows copy_rows(struct row_slot **to, struct memo_rows from)
{
	struct memo_rows copy = {*to, from.n};

	if (from.n)
		memcpy(*to, from.at, from.n * sizeof(*from.at));
	*to += from.n;
	return copy;
}

void memo_keep(struct memo_table *t, const struct memo *m)
{
	size_t rows = (size_t)m->strings.n + m->functions.n + m->locations.n + m->stacks.n;
	struct memo *to = memo_reserve(t, &t->at[m->sender % MEMOS], rows * sizeof(*to->memory));
	struct row_slot *next;

	if (!to)
		return;
	to->sender = m->sender;
	next = to->memory;
	to->strings = copy_rows(&next, m->strings);
	to->functions = copy_rows(&next, m->functions);
	to->locations = copy_rows(&next, m->locations);
	to->stacks = copy_rows(&next, m->stacks);
}

uint32_t memo_resume(struct memo_rows rows, uint32_t at, struct row_slot key)
{
	uint32_t from = at > RESUME_REACH ? at - RESUME_REACH : 0;
	uint32_t end = rows.n > at && rows.n - at > RESUME_REACH ? at + RESUME_REACH : rows.n;

	for (uint32_t i = from; i < end; i++)
		if (row_slot_is(rows.at[i], key))
			return i + 1;
	return at;
}
