/* SPDX-License-Identifier: Apache-2.0 */
#include "sdk/stack_ids.h"

#include <errno.h>

enum {
	INDEX_BITS = 24,   /* 128 MB of addresses */
	GENERATIONS = 255, /* 255 itself is of ids that are no stack */
};

static struct {
	size_t bytes;
	_Atomic unsigned generation; /* of the table that is added to; its place is that modulo 2 */
	_Atomic(struct stacks *) tables[2];
	unsigned generations[2]; /* of the tables */
	_Atomic uint32_t renewals;
} state;

int stack_ids_init(size_t bytes)
{
	struct stacks *s;
	int rc;

	state.bytes = min_size(bytes, sizeof(uint64_t) << INDEX_BITS);
	rc = stacks_new(&s, state.bytes);
	if (rc)
		return rc;
	atomic_store(&state.generation, 0);
	state.generations[0] = 0;
	atomic_store(&state.tables[0], s);
	return 0;
}

void stack_ids_fini(void)
{
	for (size_t i = 0; i < countof(state.tables); i++)
		stacks_free(atomic_exchange(&state.tables[i], NULL));
}

static struct stacks *table_of(unsigned generation)
{
	return atomic_load_explicit(&state.tables[generation % 2], memory_order_acquire);
}

uint32_t stack_ids_add(const uint64_t *pcs, uint32_t n)
{
	unsigned generation = atomic_load_explicit(&state.generation, memory_order_acquire);
	uint32_t id = stacks_add(table_of(generation), pcs, n);

	return id < STACK_FIRST ? id : generation << INDEX_BITS | id;
}

const uint64_t *stack_ids_get(uint32_t id, uint32_t *n)
{
	unsigned generation = id >> INDEX_BITS;
	const struct stacks *s = table_of(generation);

	*n = 0;
	if (!s || generation == GENERATIONS || state.generations[generation % 2] != generation)
		return NULL;
	return stacks_get(s, id & ((1u << INDEX_BITS) - 1), n);
}

uint32_t stack_ids_renewals(void)
{
	return atomic_load_explicit(&state.renewals, memory_order_acquire);
}

bool stack_ids_nearly_full(void)
{
	return stacks_fill(table_of(atomic_load(&state.generation))) > 0.75;
}

int stack_ids_begin_renewal(void)
{
	/* 254 of them, an even number: so the first comes into the other place than the last. */
	unsigned next = (atomic_load(&state.generation) + 1) % (GENERATIONS - 1);
	struct stacks *s;
	int rc = stacks_new(&s, state.bytes);

	if (rc)
		return rc;
	state.generations[next % 2] = next;
	atomic_store(&state.tables[next % 2], s);
	atomic_store(&state.generation, next);
	atomic_fetch_add(&state.renewals, 1); /* after it: who sees this adds to the new table */
	return 0;
}

uint32_t stack_ids_renew(uint32_t id)
{
	uint32_t n;
	const uint64_t *pcs;

	if (id < STACK_FIRST || id >> INDEX_BITS == GENERATIONS ||
	    id >> INDEX_BITS == atomic_load(&state.generation))
		return id;
	pcs = stack_ids_get(id, &n);
	return n ? stack_ids_add(pcs, n) : STACK_LOST;
}

void stack_ids_end_renewal(void)
{
	unsigned old = atomic_load(&state.generation) + 1;

	stacks_free(atomic_exchange(&state.tables[old % 2], NULL));
}
