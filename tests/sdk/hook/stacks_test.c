/* SPDX-License-Identifier: Apache-2.0 */
/* The lock-free table of interned stacks. */
#include "sdk/hook/stacks.h"

#include <pthread.h>
#include <string.h>

#include "test/test.h"

enum { DEPTH = 20 };

/* Make stack `number`. Stacks differ in few bits, as real ones do. */
static void stack_of(uint64_t number, uint64_t pcs[DEPTH])
{
	for (unsigned i = 0; i < DEPTH; i++)
		pcs[i] = 0x555555550000 + i * 0x40;
	pcs[DEPTH - 1 - number % 5] += number * 4;
}

static void assert_is(const struct stacks *s, uint32_t id, const uint64_t *pcs, uint32_t n)
{
	uint32_t found;
	const uint64_t *at = stacks_get(s, id, &found);

	assert_int_equal(found, n);
	assert_memory_equal(at, pcs, n * sizeof(*pcs));
}

static void equal_stacks_have_one_id(void **state)
{
	uint64_t pcs[DEPTH];
	struct stacks *s;
	uint32_t ids[1000];

	(void)state;
	assert_ok(stacks_new(&s, 1 << 20));
	for (unsigned i = 0; i < 1000; i++) {
		stack_of(i, pcs);
		ids[i] = stacks_add(s, pcs, DEPTH);
		assert_true(ids[i] >= STACK_FIRST);
	}
	assert_int_equal(stacks_count(s), 1000);
	for (unsigned i = 0; i < 1000; i++) {
		stack_of(i, pcs);
		assert_int_equal(stacks_add(s, pcs, DEPTH), ids[i]);
		assert_is(s, ids[i], pcs, DEPTH);
	}
	assert_true(stacks_fill(s) > 0 && stacks_fill(s) < 1);
	stacks_free(s);
	stacks_free(NULL);
}

static void a_prefix_of_a_stack_is_another_stack(void **state)
{
	uint64_t pcs[DEPTH];
	struct stacks *s;
	uint32_t whole, part;

	(void)state;
	assert_ok(stacks_new(&s, 1 << 20));
	stack_of(7, pcs);
	whole = stacks_add(s, pcs, DEPTH);
	part = stacks_add(s, pcs, DEPTH - 1);
	assert_int_not_equal(whole, part);
	assert_is(s, part, pcs, DEPTH - 1);
	stacks_free(s);
}

static void empty_and_too_deep_stacks_have_reserved_ids(void **state)
{
	static uint64_t pcs[5000];
	struct stacks *s;
	uint32_t n;

	(void)state;
	assert_ok(stacks_new(&s, 1 << 20));
	assert_int_equal(stacks_add(s, pcs, 0), STACK_NONE);
	assert_int_equal(stacks_add(s, pcs, 5000), STACK_LOST);
	assert_true(stacks_add(s, pcs, 4095) >= STACK_FIRST);
	for (unsigned i = 0; i < 3; i++) {
		const uint32_t none[] = {STACK_NONE, STACK_LOST, UINT32_MAX};

		n = 1;
		assert_null(stacks_get(s, none[i], &n));
		assert_int_equal(n, 0);
	}
	stacks_free(s);
}

static void a_full_table_returns_lost_and_keeps_its_stacks(void **state)
{
	uint64_t pcs[DEPTH];
	struct stacks *s;
	uint32_t first, id = 0;
	unsigned held = 0, lost = 0;

	(void)state;
	assert_ok(stacks_new(&s, 0)); /* the smallest */
	stack_of(6, pcs);
	first = stacks_add(s, pcs, DEPTH);
	for (uint64_t i = 7; i < 20000; i++) {
		stack_of(i, pcs);
		id = stacks_add(s, pcs, DEPTH);
		held += id != STACK_LOST;
		lost += id == STACK_LOST;
	}
	assert_int_equal(id, STACK_LOST);
	assert_true(held > 200 && lost > 10000);
	/* the rest is reserved for cut stacks */
	assert_true(stacks_fill(s) > 0.8 && stacks_fill(s) < 0.9);
	stack_of(6, pcs);
	assert_int_equal(stacks_add(s, pcs, DEPTH), first);
	assert_is(s, first, pcs, DEPTH);
	stacks_free(s);
}

static void a_full_table_has_space_for_leaves(void **state)
{
	uint64_t pcs[DEPTH];
	unsigned lost_cut = 0;
	struct stacks *s;
	uint32_t id, n;
	const uint64_t *at;

	(void)state;
	assert_ok(stacks_new(&s, 0));
	for (uint64_t i = 6; i < 20000; i++) {
		stack_of(i, pcs);
		(void)stacks_add(s, pcs, DEPTH);
	}
	/* eight frames while there is space, then only the leaf */
	for (uint64_t i = 0; i < 2000; i++) {
		stack_of(1, pcs);
		pcs[1] += i * 4;
		lost_cut += stacks_add_cut(s, pcs, DEPTH, STACK_CUT_FRAMES) == STACK_LOST;
	}
	assert_true(lost_cut > 1000 && lost_cut < 2000);
	for (uint64_t i = 0; i < 50; i++) {
		pcs[0] = i;
		id = stacks_add_cut(s, pcs, DEPTH, 1);
		assert_true(id >= STACK_FIRST);
		at = stacks_get(s, id, &n);
		assert_int_equal(n, 2);
		assert_int_equal(at[0], i);
		assert_int_equal(at[1], STACK_CUT_MARK);
		assert_int_equal(stacks_add_cut(s, at, n, 1), id); /* already cut */
	}
	stacks_free(s);
}

static void count(void *arg, uint32_t id, int64_t value, int64_t weight)
{
	int64_t *sums = arg;

	sums[0] += value;
	sums[1] += weight;
	sums[2] = id;
}

static void each_stack_has_a_counter(void **state)
{
	uint64_t pcs[DEPTH];
	int64_t sums[3] = {0};
	struct stacks *s;
	uint32_t id = 0;

	(void)state;
	assert_ok(stacks_new(&s, 1 << 20));
	for (uint64_t i = 5; i < 105; i++) {
		stack_of(i, pcs);
		id = stacks_add(s, pcs, DEPTH);
		stacks_count_at(s, id, 10, 1);
		stacks_count_at(s, id, 10, 1);
	}
	stacks_take_counts(s, count, sums);
	assert_int_equal(sums[0], 2000);
	assert_int_equal(sums[1], 200);
	stacks_count_at(s, id, 1, 1);
	memset(sums, 0, sizeof(sums));
	stacks_take_counts(s, count, sums);
	assert_int_equal(sums[0], 1);
	assert_int_equal(sums[2], id);
	assert_is(s, id, pcs, DEPTH); /* the stack itself is unchanged */
	stacks_free(s);
}

static void colliding_stacks_are_kept_or_reported_as_lost(void **state)
{
	/* hostile: addresses that differ only in bits that a weak hash ignores */
	uint64_t pcs[2] = {0, 0};
	struct stacks *s;
	unsigned held = 0;

	(void)state;
	assert_ok(stacks_new(&s, 1 << 20));
	for (uint64_t i = 0; i < 4000; i++) {
		uint32_t id;

		pcs[1] = i << 48;
		id = stacks_add(s, pcs, 2);
		if (id == STACK_LOST)
			continue;
		held++;
		assert_is(s, id, pcs, 2);
		assert_int_equal(stacks_add(s, pcs, 2), id);
	}
	assert_true(held > 3900);
	stacks_free(s);
}

enum { THREADS = 4, DIFFERENT = 2000 };

struct adder {
	struct stacks *s;
	uint32_t ids[DIFFERENT];
};

static void *add_all(void *arg)
{
	struct adder *a = arg;
	uint64_t pcs[DEPTH];

	for (unsigned round = 0; round < 20; round++) {
		for (unsigned i = 0; i < DIFFERENT; i++) {
			stack_of(i + 5, pcs);
			a->ids[i] = stacks_add(a->s, pcs, DEPTH);
		}
	}
	return NULL;
}

static void concurrent_adds_return_the_same_id(void **state)
{
	static struct adder adders[THREADS];
	pthread_t threads[THREADS];
	struct stacks *s;
	uint64_t pcs[DEPTH];

	(void)state;
	assert_ok(stacks_new(&s, 4 << 20));
	for (unsigned i = 0; i < THREADS; i++) {
		adders[i].s = s;
		assert_ok(pthread_create(&threads[i], NULL, add_all, &adders[i]));
	}
	for (unsigned i = 0; i < THREADS; i++)
		assert_ok(pthread_join(threads[i], NULL));
	for (unsigned i = 0; i < DIFFERENT; i++) {
		stack_of(i + 5, pcs);
		for (unsigned t = 0; t < THREADS; t++)
			assert_int_equal(adders[t].ids[i], adders[0].ids[i]);
		assert_is(s, adders[0].ids[i], pcs, DEPTH);
	}
	stacks_free(s);
}

TEST_MAIN(test(equal_stacks_have_one_id), test(a_prefix_of_a_stack_is_another_stack),
	  test(empty_and_too_deep_stacks_have_reserved_ids),
	  test(a_full_table_returns_lost_and_keeps_its_stacks),
	  test(a_full_table_has_space_for_leaves), test(each_stack_has_a_counter),
	  test(colliding_stacks_are_kept_or_reported_as_lost),
	  test(concurrent_adds_return_the_same_id))
