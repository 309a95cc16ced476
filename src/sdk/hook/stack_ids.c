/* SPDX-License-Identifier: Apache-2.0 */
#include "sdk/hook/stack_ids.h"

#include <errno.h>

#include "base/clock.h"

enum {
	KINDS = 8,
	KIND_SHIFT = 29,
	INDEX_BITS = 24,    /* 128 MB of addresses */
	GENERATIONS = 30,   /* an even number: the first comes into the other place than the last */
	NO_GENERATION = 31, /* of ids that are no stack */
	PAUSE_S = 60,	    /* between two renewals of a table that cannot grow */
};

/* Parts of the whole, in 64ths, a table may have; the largest is there twice while it is replaced. By the number of the kind's bit. */
static const unsigned char parts[KINDS] = {
	[0] = 6,  /* cpu */
	[1] = 20, /* heap */
	[2] = 3,  /* mutex */
	[3] = 3,  /* block */
	[4] = 6,  /* wall */
	[5] = 2,  /* threads */
	[6] = 1,  /* threadcreate */
	[7] = 3,  /* mmap */
};

/* The tables of one kind. */
struct share {
	/* of a table, at most; of the next one */
	size_t max, bytes;
	/* of the table that is added to; its place is that modulo 2 */
	_Atomic unsigned generation;
	_Atomic(struct stacks *) tables[2];
	/* of the tables */
	_Atomic unsigned generations[2];
	/* when it was replaced last; 0: never. Collector only. */
	uint64_t renewed_ns;
};

static struct {
	struct share shares[KINDS];
	_Atomic uint32_t renewals;
	_Atomic uint64_t cut;
	_Atomic bool counted; /* somebody has used a counter */
} state;

static unsigned number_of(enum varve_profile kind)
{
	return (unsigned)__builtin_ctz((unsigned)kind) % KINDS;
}

int stack_ids_init(size_t bytes)
{
	enum { AT_FIRST = 16, FIRST_MAX = 16 << 20 }; /* a sixteenth of what it may become */

	for (unsigned i = 0; i < KINDS; i++) {
		struct share *s = &state.shares[i];

		s->max = min_size(bytes / 64 * parts[i], sizeof(uint64_t) << INDEX_BITS);
		s->bytes = max_size(s->max / AT_FIRST, min_size(s->max, 256 * KIB));
		s->bytes = min_size(s->bytes, FIRST_MAX);
		s->renewed_ns = 0;
		atomic_store(&s->generation, 0);
		atomic_store(&s->generations[0], 0);
		atomic_store(&s->generations[1], NO_GENERATION);
	}
	atomic_store(&state.cut, 0);
	return 0;
}

void stack_ids_fini(void)
{
	for (unsigned i = 0; i < KINDS; i++)
		for (size_t t = 0; t < countof(state.shares[i].tables); t++)
			stacks_free(atomic_exchange(&state.shares[i].tables[t], NULL));
}

static struct stacks *table_of(struct share *s, unsigned generation)
{
	return atomic_load_explicit(&s->tables[generation % 2], memory_order_acquire);
}

/* The first stack of a kind: make the table. NULL: no memory. Hook-safe. */
static __attribute__((noinline, cold)) struct stacks *first_table(struct share *s,
								  unsigned generation)
{
	struct stacks *table, *none = NULL;

	if (!s->bytes || stacks_new(&table, s->bytes))
		return NULL;
	if (atomic_compare_exchange_strong(&s->tables[generation % 2], &none, table))
		return table;
	stacks_free(table);
	return none;
}

static uint32_t make_id(unsigned number, unsigned generation, uint32_t index)
{
	return index < STACK_FIRST ? index
				   : number << KIND_SHIFT | generation << INDEX_BITS | index;
}

/* No room for all of it: as much as there is room for, and at least its leaf. */
static __attribute__((noinline, cold)) uint32_t add_less(struct stacks *table, const uint64_t *pcs,
							 uint32_t n)
{
	uint32_t index = stacks_add_cut(table, pcs, n, STACK_CUT_FRAMES);

	if (index == STACK_LOST)
		index = stacks_add_cut(table, pcs, n, 1);
	atomic_fetch_add_explicit(&state.cut, 1, memory_order_relaxed);
	return index;
}

uint32_t stack_ids_add(enum varve_profile kind, const uint64_t *pcs, uint32_t n)
{
	unsigned number = number_of(kind);
	struct share *s = &state.shares[number];
	unsigned generation = atomic_load_explicit(&s->generation, memory_order_acquire);
	struct stacks *table = table_of(s, generation);
	uint32_t index;

	if (unlikely(!table))
		table = first_table(s, generation);
	if (unlikely(!table))
		return STACK_LOST;
	index = stacks_add(table, pcs, n);
	if (unlikely(index == STACK_LOST))
		index = add_less(table, pcs, n);
	return make_id(number, generation, index);
}

/* The table that an id is of; NULL: none, or it is gone. */
static struct stacks *table_named(uint32_t id)
{
	unsigned generation = id >> INDEX_BITS & NO_GENERATION;
	struct share *s = &state.shares[id >> KIND_SHIFT];

	if (generation == NO_GENERATION || atomic_load_explicit(&s->generations[generation % 2],
								memory_order_relaxed) != generation)
		return NULL;
	return table_of(s, generation);
}

static uint32_t index_of(uint32_t id)
{
	return id & ((1u << INDEX_BITS) - 1);
}

const uint64_t *stack_ids_get(uint32_t id, uint32_t *n)
{
	const struct stacks *table = table_named(id);

	*n = 0;
	return table ? stacks_get(table, index_of(id), n) : NULL;
}

uint32_t stack_ids_cut(uint32_t id, uint32_t frames)
{
	unsigned number = id >> KIND_SHIFT, generation;
	struct share *s = &state.shares[number];
	uint32_t n;
	const uint64_t *pcs = stack_ids_get(id, &n);
	struct stacks *table;

	generation = atomic_load_explicit(&s->generation, memory_order_acquire);
	table = table_of(s, generation);
	if (!n || !table)
		return STACK_LOST;
	return make_id(number, generation, stacks_add_cut(table, pcs, n, frames));
}

uint64_t stack_ids_cut_count(void)
{
	return atomic_load_explicit(&state.cut, memory_order_relaxed);
}

bool stack_ids_count(uint32_t id, int64_t value, int64_t weight)
{
	struct stacks *table = index_of(id) < STACK_FIRST ? NULL : table_named(id);

	if (!table)
		return false;
	stacks_count_at(table, index_of(id), value, weight);
	if (!atomic_load_explicit(&state.counted, memory_order_relaxed))
		atomic_store_explicit(&state.counted, true, memory_order_release);
	return true;
}

/* Counts of one table, with whole ids. */
struct counts {
	void (*each)(void *arg, uint32_t id, int64_t value, int64_t weight);
	void *arg;
	unsigned number, generation;
};

static void take_count(void *arg, uint32_t index, int64_t value, int64_t weight)
{
	struct counts *c = arg;

	c->each(c->arg, make_id(c->number, c->generation, index), value, weight);
}

void stack_ids_take_counts(void (*each)(void *arg, uint32_t id, int64_t value, int64_t weight),
			   void *arg)
{
	if (!atomic_exchange_explicit(&state.counted, false, memory_order_acq_rel))
		return;
	for (unsigned i = 0; i < KINDS; i++) {
		for (size_t t = 0; t < countof(state.shares[i].tables); t++) {
			struct stacks *table = atomic_load(&state.shares[i].tables[t]);
			struct counts c = {each, arg, i,
					   atomic_load(&state.shares[i].generations[t])};

			if (table)
				stacks_take_counts(table, take_count, &c);
		}
	}
}

uint32_t stack_ids_renewals(void)
{
	return atomic_load_explicit(&state.renewals, memory_order_acquire);
}

enum varve_profile stack_ids_nearly_full(uint64_t now_ns)
{
	for (unsigned i = 0; i < KINDS; i++) {
		struct share *s = &state.shares[i];
		const struct stacks *table = table_of(s, atomic_load(&s->generation));
		bool due = s->bytes < s->max || !s->renewed_ns ||
			   now_ns - s->renewed_ns > PAUSE_S * NS_PER_SECOND;

		if (table && due && stacks_fill(table) > 0.75)
			return (enum varve_profile)(1u << i);
	}
	return 0;
}

int stack_ids_begin_renewal(enum varve_profile kind, uint64_t now_ns)
{
	struct share *s = &state.shares[number_of(kind)];
	unsigned next = (atomic_load(&s->generation) + 1) % GENERATIONS;
	struct stacks *table;
	int rc;

	s->bytes = min_size(s->bytes * 2, s->max);
	rc = stacks_new(&table, s->bytes);
	if (rc)
		return rc;
	s->renewed_ns = now_ns;
	atomic_store(&s->generations[next % 2], next);
	atomic_store(&s->tables[next % 2], table);
	atomic_store(&s->generation, next);
	atomic_fetch_add(&state.renewals, 1); /* after it: who sees this adds to the new table */
	return 0;
}

uint32_t stack_ids_renew(uint32_t id)
{
	unsigned number = id >> KIND_SHIFT;
	uint32_t n;
	const uint64_t *pcs;

	if (index_of(id) < STACK_FIRST || (id >> INDEX_BITS & NO_GENERATION) == NO_GENERATION ||
	    (id >> INDEX_BITS & NO_GENERATION) == atomic_load(&state.shares[number].generation))
		return id;
	pcs = stack_ids_get(id, &n);
	return n ? stack_ids_add((enum varve_profile)(1u << number), pcs, n) : STACK_LOST;
}

void stack_ids_end_renewal(enum varve_profile kind)
{
	struct share *s = &state.shares[number_of(kind)];
	unsigned old = atomic_load(&s->generation) + 1;

	stacks_free(atomic_exchange(&s->tables[old % 2], NULL));
}

static size_t bytes_of(struct share *s, unsigned place)
{
	const struct stacks *table = atomic_load(&s->tables[place]);

	return table ? stacks_bytes(table) : 0;
}

size_t stack_ids_bytes(void)
{
	size_t sum = 0;

	for (unsigned i = 0; i < KINDS; i++)
		sum += bytes_of(&state.shares[i], 0) + bytes_of(&state.shares[i], 1);
	return sum;
}
