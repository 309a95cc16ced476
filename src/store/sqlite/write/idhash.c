/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Open addressing with linear probing. A row_index is a cache: when it cannot grow, it is cleared.
 * An id_set fails instead.
 */
#include "store/sqlite/write/idhash.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/container/hash.h"

/* ---- row_index ---- */

void row_index_fini(struct row_index *x)
{
	if (x->slots)
		budget_give(x->budget, ((size_t)x->mask + 1) * sizeof(*x->slots));
	free(x->slots);
	*x = (struct row_index){.budget = x->budget};
}

bool row_index_get(const struct row_index *x, struct row_slot key, uint32_t *id)
{
	if (!x->slots)
		return false;
	for (uint32_t i = (uint32_t)key.hash & x->mask; x->slots[i].node; i = (i + 1) & x->mask)
		if (row_slot_is(x->slots[i], key)) {
			*id = x->slots[i].node - 1;
			return true;
		}
	return false;
}

static void insert_slot(struct row_slot *slots, uint32_t mask, struct row_slot slot)
{
	uint32_t i = (uint32_t)slot.hash & mask;

	while (slots[i].node)
		i = (i + 1) & mask;
	slots[i] = slot;
}

static bool row_index_grow(struct row_index *x)
{
	size_t old = x->slots ? (size_t)x->mask + 1 : 0, n = old ? 2 * old : 256;
	struct row_slot *slots;

	if (n > (size_t)1 << 31 || !budget_take(x->budget, n * sizeof(*slots)))
		return false;
	slots = calloc(n, sizeof(*slots));
	if (!slots) {
		budget_give(x->budget, n * sizeof(*slots));
		return false;
	}
	for (size_t i = 0; i < old; i++)
		if (x->slots[i].node)
			insert_slot(slots, (uint32_t)(n - 1), x->slots[i]);
	free(x->slots);
	budget_give(x->budget, old * sizeof(*slots));
	x->slots = slots;
	x->mask = (uint32_t)(n - 1);
	return true;
}

void row_index_add(struct row_index *x, struct row_slot key, uint32_t node)
{
	if ((!x->slots || x->count > x->mask / 2) && !row_index_grow(x)) {
		if (!x->slots)
			return;
		memset(x->slots, 0, ((size_t)x->mask + 1) * sizeof(*x->slots));
		x->count = 0;
	}
	key.node = node + 1;
	insert_slot(x->slots, x->mask, key);
	x->count++;
}

/* ---- id_set ---- */

void id_set_fini(struct id_set *s)
{
	if (s->slots)
		budget_give(s->budget, (s->mask + 1) * sizeof(*s->slots));
	free(s->slots);
	*s = (struct id_set){.budget = s->budget};
}

bool id_set_has(const struct id_set *s, uint64_t hash)
{
	if (!s->slots)
		return false;
	for (uint64_t i = hash & s->mask; s->slots[i]; i = (i + 1) & s->mask)
		if (s->slots[i] == hash)
			return true;
	return false;
}

int id_set_reserve(struct id_set *s, uint64_t more)
{
	uint64_t old = s->slots ? s->mask + 1 : 0, n = old ? old : 16;
	uint64_t *slots;

	while (n / 4 * 3 < s->count + more)
		n *= 2;
	if (n == old)
		return 0;
	if (!budget_take(s->budget, n * sizeof(*slots)))
		return -ENOMEM;
	slots = calloc(n, sizeof(*slots));
	if (!slots) {
		budget_give(s->budget, n * sizeof(*slots));
		return -ENOMEM;
	}
	for (uint64_t i = 0; i < old; i++)
		if (s->slots[i]) {
			uint64_t k = s->slots[i] & (n - 1);

			while (slots[k])
				k = (k + 1) & (n - 1);
			slots[k] = s->slots[i];
		}
	free(s->slots);
	budget_give(s->budget, old * sizeof(*slots));
	s->slots = slots;
	s->mask = n - 1;
	return 0;
}

void id_set_add(struct id_set *s, uint64_t hash)
{
	uint64_t i = hash & s->mask;

	while (s->slots[i] && s->slots[i] != hash)
		i = (i + 1) & s->mask;
	s->count += !s->slots[i];
	s->slots[i] = hash;
}
