/* SPDX-License-Identifier: Apache-2.0 */
/* Stack ids of all kinds: the current and, during a replacement, the old table of each. */
#include "sdk/hook/stack_ids.h"

#include <errno.h>

#include "base/clock.h"

enum {
	KINDS = 8,
	KIND_SHIFT = 29,
	INDEX_BITS = 24,    /* 128 MB of addresses */
	GENERATIONS = 30,   /* even, so that consecutive generations use different places */
	NO_GENERATION = 31, /* in ids without a stack */
	PAUSE_S = 60,	    /* between two replacements of a table that cannot grow */
};

/*
 * Maximum share of the memory for a table of the kind, in 64ths. They add up to 44, so that the
 * largest table can exist twice while it is replaced. By the number of the kind's bit.
 */
static const unsigned char kind_parts[KINDS] = {
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
	/* maximum size of a table, and size of the next one */
	size_t max, bytes;
	/* of the current table, which is at tables[generation % 2] */
	_Atomic unsigned generation;
	_Atomic(struct stacks *) tables[2];
	/* of tables[i] */
	_Atomic unsigned generations[2];
	/* time of the last replacement; 0: never. Collector only. */
	uint64_t renewed_ns;
};

static struct {
	struct share shares[KINDS];
	_Atomic uint32_t renewals;
	_Atomic uint64_t cut;
	_Atomic bool counted; /* a counter was used */
} state;

static unsigned kind_number(enum varve_profile kind)
{
	return (unsigned)__builtin_ctz((unsigned)kind) % KINDS;
}

int stack_ids_init(size_t bytes)
{
	/* the first table has a 16th of the maximum size */
	enum { AT_FIRST = 16, FIRST_MAX = 16 << 20 };

	for (unsigned i = 0; i < KINDS; i++) {
		struct share *s = &state.shares[i];

		s->max = min_size(bytes / 64 * kind_parts[i], sizeof(uint64_t) << INDEX_BITS);
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

/* Make the table for the first stack of a kind. NULL: no memory. Hook-safe. */
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

static uint32_t make_stack_id(unsigned number, unsigned generation, uint32_t index)
{
	return index < STACK_FIRST ? index
				   : number << KIND_SHIFT | generation << INDEX_BITS | index;
}

/*
 * Add a stack that does not fit: cut to STACK_CUT_FRAMES frames or, if that does not fit either, to
 * its leaf.
 */
static __attribute__((noinline, cold)) uint32_t add_cut_stack(struct stacks *table,
							      const uint64_t *pcs, uint32_t n)
{
	uint32_t index = stacks_add_cut(table, pcs, n, STACK_CUT_FRAMES);

	if (index == STACK_LOST)
		index = stacks_add_cut(table, pcs, n, 1);
	atomic_fetch_add_explicit(&state.cut, 1, memory_order_relaxed);
	return index;
}

uint32_t stack_ids_add(enum varve_profile kind, const uint64_t *pcs, uint32_t n)
{
	unsigned number = kind_number(kind);
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
		index = add_cut_stack(table, pcs, n);
	return make_stack_id(number, generation, index);
}

/* Return the table of an id; NULL: none, or it was freed. */
static struct stacks *table_of_id(uint32_t id)
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
	const struct stacks *table = table_of_id(id);

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
	return make_stack_id(number, generation, stacks_add_cut(table, pcs, n, frames));
}

uint64_t stack_ids_cut_count(void)
{
	return atomic_load_explicit(&state.cut, memory_order_relaxed);
}

bool stack_ids_count(uint32_t id, int64_t value, int64_t weight)
{
	struct stacks *table = index_of(id) < STACK_FIRST ? NULL : table_of_id(id);

	if (!table)
		return false;
	stacks_count_at(table, index_of(id), value, weight);
	if (!atomic_load_explicit(&state.counted, memory_order_relaxed))
		atomic_store_explicit(&state.counted, true, memory_order_release);
	return true;
}

/* The caller's callback of stack_ids_take_counts(), and the table whose indices are made ids. */
struct count_context {
	void (*each)(void *arg, uint32_t id, int64_t value, int64_t weight);
	void *arg;
	unsigned number, generation;
};

static void pass_count(void *arg, uint32_t index, int64_t value, int64_t weight)
{
	struct count_context *c = arg;

	c->each(c->arg, make_stack_id(c->number, c->generation, index), value, weight);
}

void stack_ids_take_counts(void (*each)(void *arg, uint32_t id, int64_t value, int64_t weight),
			   void *arg)
{
	if (!atomic_exchange_explicit(&state.counted, false, memory_order_acq_rel))
		return;
	for (unsigned i = 0; i < KINDS; i++) {
		for (size_t t = 0; t < countof(state.shares[i].tables); t++) {
			struct stacks *table = atomic_load(&state.shares[i].tables[t]);
			struct count_context c = {each, arg, i,
						  atomic_load(&state.shares[i].generations[t])};

			if (table)
				stacks_take_counts(table, pass_count, &c);
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
	struct share *s = &state.shares[kind_number(kind)];
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
	atomic_fetch_add(&state.renewals,
			 1); /* last: a thread that sees it adds to the new table */
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
	struct share *s = &state.shares[kind_number(kind)];
	unsigned old = atomic_load(&s->generation) + 1;

	stacks_free(atomic_exchange(&s->tables[old % 2], NULL));
}

static size_t table_bytes(struct share *s, unsigned place)
{
	const struct stacks *table = atomic_load(&s->tables[place]);

	return table ? stacks_bytes(table) : 0;
}

size_t stack_ids_bytes(void)
{
	size_t sum = 0;

	for (unsigned i = 0; i < KINDS; i++)
		sum += table_bytes(&state.shares[i], 0) + table_bytes(&state.shares[i], 1);
	return sum;
}
