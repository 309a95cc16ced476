/* SPDX-License-Identifier: Apache-2.0 */
#include "sdk/stack_ids.h"

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

/* Add stacks from `*next` on until it is time for a new table. */
static void fill(uint64_t *next)
{
	uint64_t pcs[DEPTH];

	while (!stack_ids_nearly_full()) {
		stack_of((*next)++, pcs);
		assert_true(stack_ids_add(pcs, DEPTH) >= STACK_FIRST);
	}
}

static void stacks_that_are_kept_outlive_many_tables(void **state)
{
	uint32_t kept[KEPT], old;
	uint64_t pcs[DEPTH], next = KEPT;
	uint32_t n;

	(void)state;
	assert_ok(stack_ids_init(256 << 10));
	for (unsigned i = 0; i < KEPT; i++) {
		stack_of(i, pcs);
		kept[i] = stack_ids_add(pcs, DEPTH);
	}
	for (unsigned round = 0; round < 600; round++) { /* more than there are generations */
		fill(&next);
		old = kept[0];
		assert_ok(stack_ids_begin_renewal());
		assert_is(kept[7], 7); /* both tables are there */
		for (unsigned i = 0; i < KEPT; i++)
			kept[i] = stack_ids_renew(kept[i]);
		stack_ids_end_renewal();
		for (unsigned i = 0; i < KEPT; i++)
			assert_is(kept[i], i);
		assert_true(old != kept[0]);
		assert_null(stack_ids_get(old, &n)); /* overlooked: none rather than a wrong one */
		assert_int_equal(n, 0);
	}
	stack_ids_fini();
}

static void ids_that_are_no_stack_stay_as_they_are(void **state)
{
	(void)state;
	assert_ok(stack_ids_init(64 << 10));
	assert_ok(stack_ids_begin_renewal());
	assert_int_equal(stack_ids_renew(STACK_NONE), STACK_NONE);
	assert_int_equal(stack_ids_renew(STACK_LOST), STACK_LOST);
	assert_int_equal(stack_ids_renew(UINT32_MAX), UINT32_MAX);
	stack_ids_end_renewal();
	stack_ids_fini();
}

TEST_MAIN(test(stacks_that_are_kept_outlive_many_tables),
	  test(ids_that_are_no_stack_stay_as_they_are))
