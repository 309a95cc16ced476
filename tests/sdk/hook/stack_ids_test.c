/* SPDX-License-Identifier: Apache-2.0 */
/* Stack ids: one table per kind, replaced when it is nearly full. */
#include "sdk/hook/stack_ids.h"

#include "test/test.h"

enum { DEPTH = 20, KEPT = 100 };

static void stack_of(uint64_t number, uint64_t pcs[DEPTH])
{
	for (unsigned i = 0; i < DEPTH; i++)
		pcs[i] = 0x7f0000001000 + i * 16;
	pcs[0] += number * 4096;
}

static void assert_is(uint32_t id, uint64_t number)
{
	uint64_t pcs[DEPTH];
	uint32_t n;
	const uint64_t *at = stack_ids_get(id, &n);

	stack_of(number, pcs);
	assert_int_equal(n, DEPTH);
	assert_memory_equal(at, pcs, sizeof(pcs));
}

/* Add stacks from number *next on until a new table is needed. */
static void fill(uint64_t *next)
{
	uint64_t pcs[DEPTH];

	while (!stack_ids_nearly_full(UINT64_MAX / 2)) {
		stack_of((*next)++, pcs);
		assert_true(stack_ids_add(VARVE_HEAP, pcs, DEPTH) >= STACK_FIRST);
	}
	assert_int_equal(stack_ids_nearly_full(UINT64_MAX / 2), VARVE_HEAP);
}

static void renewed_stacks_outlive_many_tables(void **state)
{
	uint32_t kept[KEPT], old;
	uint64_t pcs[DEPTH], next = KEPT;
	uint32_t n;

	(void)state;
	assert_ok(stack_ids_init(4 * MIB));
	for (unsigned i = 0; i < KEPT; i++) {
		stack_of(i, pcs);
		kept[i] = stack_ids_add(VARVE_HEAP, pcs, DEPTH);
	}
	for (unsigned round = 0; round < 600; round++) { /* more rounds than generation numbers */
		fill(&next);
		old = kept[0];
		assert_ok(stack_ids_begin_renewal(VARVE_HEAP, 1));
		assert_is(kept[7], 7); /* both tables exist */
		for (unsigned i = 0; i < KEPT; i++)
			kept[i] = stack_ids_renew(kept[i]);
		stack_ids_end_renewal(VARVE_HEAP);
		for (unsigned i = 0; i < KEPT; i++)
			assert_is(kept[i], i);
		assert_true(old != kept[0]);
		/* not renewed: no stack instead of a wrong one */
		assert_null(stack_ids_get(old, &n));
		assert_int_equal(n, 0);
	}
	stack_ids_fini();
}

static void reserved_ids_are_unchanged_by_a_renewal(void **state)
{
	(void)state;
	assert_ok(stack_ids_init(4 * MIB));
	assert_ok(stack_ids_begin_renewal(VARVE_HEAP, 1));
	assert_int_equal(stack_ids_renew(STACK_NONE), STACK_NONE);
	assert_int_equal(stack_ids_renew(STACK_LOST), STACK_LOST);
	assert_int_equal(stack_ids_renew(UINT32_MAX), UINT32_MAX);
	stack_ids_end_renewal(VARVE_HEAP);
	stack_ids_fini();
}

static void a_full_table_of_one_kind_does_not_affect_others(void **state)
{
	uint64_t pcs[DEPTH], next = 0;
	uint32_t id, n;

	(void)state;
	assert_ok(stack_ids_init(4 * MIB));
	for (unsigned i = 0; i < 100000; i++) {
		stack_of(next++, pcs);
		assert_true(stack_ids_add(VARVE_HEAP, pcs, DEPTH) >= STACK_LOST);
	}
	assert_true(stack_ids_cut_count() > 50000);
	stack_of(1, pcs);
	id = stack_ids_add(VARVE_CPU, pcs, DEPTH);
	assert_is(id, 1);
	assert_int_not_equal(id, stack_ids_add(VARVE_WALL, pcs, DEPTH));
	assert_null(stack_ids_get(UINT32_MAX, &n));
	stack_ids_fini();
}

/* A table grows up to its share, and then still has the renewed stacks, complete or cut. */
static void tables_grow_on_demand_up_to_their_share(void **state)
{
	enum { MANY = 40000, SHARE = 16 * MIB };
	static uint32_t kept[MANY];
	uint64_t pcs[DEPTH];
	size_t at_first;
	uint32_t n, whole = 0;

	(void)state;
	assert_ok(stack_ids_init(SHARE));
	stack_of(0, pcs);
	(void)stack_ids_add(VARVE_HEAP, pcs, DEPTH);
	at_first = stack_ids_bytes();
	assert_true(at_first < SHARE / 64);
	for (unsigned i = 0; i < MANY; i++) {
		stack_of(i % 64, pcs);
		pcs[DEPTH - 1] += i * UINT64_C(4096); /* many callers, few leaves */
		kept[i] = stack_ids_add(VARVE_HEAP, pcs, DEPTH);
		if (stack_ids_nearly_full(1)) {
			assert_ok(stack_ids_begin_renewal(VARVE_HEAP, 1));
			for (unsigned k = 0; k <= i; k++)
				kept[k] = stack_ids_renew(kept[k]);
			stack_ids_end_renewal(VARVE_HEAP);
		}
		assert_true(stack_ids_bytes() <= SHARE);
	}
	assert_true(stack_ids_bytes() > 8 * at_first);
	for (unsigned i = 0; i < MANY; i++) {
		const uint64_t *at = stack_ids_get(kept[i], &n);

		assert_non_null(at);
		assert_int_equal(at[0], 0x7f0000001000 + i % 64 * UINT64_C(4096));
		whole += n == DEPTH;
	}
	assert_true(whole > MANY / 2);
	stack_ids_fini();
}

TEST_MAIN(test(renewed_stacks_outlive_many_tables), test(reserved_ids_are_unchanged_by_a_renewal),
	  test(a_full_table_of_one_kind_does_not_affect_others),
	  test(tables_grow_on_demand_up_to_their_share))
