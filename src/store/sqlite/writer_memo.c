/* SPDX-License-Identifier: Apache-2.0 */
#include "store/sqlite/writer_memo.h"

#include <stdlib.h>
#include <string.h>

#include "base/base.h"

/* A sender that needs more is not remembered: its batches are few. */
#define MEMO_BYTES_MAX (2 * MIB)

enum { RESUME_REACH = 1024 };

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

/* A memo with memory for that many bytes in the place: what is there, if it fits well. */
static struct memo *make_room(struct memo_table *t, struct memo **place, size_t bytes)
{
	struct memo *m = *place;

	if (m && m->bytes >= bytes && m->bytes / 2 <= bytes)
		return m;
	memo_free(t, place);
	bytes += bytes / 4; /* the next one may be a little larger */
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

static struct memo_ids copy_ids(uint32_t **to, struct memo_ids from)
{
	struct memo_ids copy = {*to, from.n};

	if (from.n)
		memcpy(*to, from.at, from.n * sizeof(*from.at));
	*to += from.n;
	return copy;
}

void memo_keep(struct memo_table *t, const struct memo *m)
{
	size_t stacks = m->stacks_n * sizeof(*m->stacks);
	size_t ids = ((size_t)m->strings.n + m->functions.n + m->locations.n) * sizeof(uint32_t);
	struct memo *to = make_room(t, &t->at[m->sender % MEMOS], stacks + ids);
	uint32_t *next;

	if (!to)
		return;
	to->sender = m->sender;
	if (stacks)
		memcpy(to->memory, m->stacks, stacks);
	to->stacks = (const struct stack_slot *)to->memory;
	to->stacks_n = m->stacks_n;
	next = to->memory + stacks / sizeof(*next);
	to->strings = copy_ids(&next, m->strings);
	to->functions = copy_ids(&next, m->functions);
	to->locations = copy_ids(&next, m->locations);
}

uint32_t memo_resume(struct memo_ids ids, uint32_t at, uint32_t id)
{
	uint32_t from = at > RESUME_REACH ? at - RESUME_REACH : 0;
	uint32_t end = ids.n > at && ids.n - at > RESUME_REACH ? at + RESUME_REACH : ids.n;

	for (uint32_t i = from; i < end; i++)
		if (ids.at[i] == id)
			return i + 1;
	return at;
}
