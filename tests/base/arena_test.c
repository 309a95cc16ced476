/* SPDX-License-Identifier: Apache-2.0 */
#include "base/arena.h"

#include "base/container/vec.h"
#include "test/test.h"

static void pieces_are_aligned_and_do_not_overlap(void **state)
{
	struct arena a;
	char *last = NULL;

	(void)state;
	arena_init(&a, NULL);
	for (size_t n = 1; n < 3000; n += 7) {
		char *p = arena_alloc(&a, n, 1);

		assert_non_null(p);
		assert_int_equal((uintptr_t)p % 16, 0);
		assert_true(p != last);
		memset(p, (int)n, n);
		last = p;
	}
	arena_fini(&a);
}

static void a_resized_piece_keeps_its_bytes(void **state)
{
	struct arena a;
	uint32_t *p = NULL, n = 0;

	(void)state;
	arena_init(&a, NULL);
	/* from small to large (its own block); another piece in between prevents growth in place */
	for (uint32_t size = 1; size < 1 << 20; size *= 2) {
		p = arena_resize(&a, p, n, size, sizeof(*p));
		assert_non_null(p);
		for (uint32_t i = 0; i < n; i++)
			assert_int_equal(p[i], i);
		for (n = 0; n < size; n++)
			p[n] = n;
		if (size % 3)
			assert_non_null(arena_alloc(&a, 1, 1));
	}
	arena_fini(&a);
}

static void the_budget_is_charged_and_released(void **state)
{
	struct budget budget = {.limit = MIB};
	struct arena a;

	(void)state;
	arena_init(&a, &budget);
	assert_null(arena_alloc(&a, 2, MIB));
	while (arena_alloc(&a, 1000, 1))
		;
	assert_true(budget.used <= budget.limit);
	assert_true(budget.used > budget.limit / 4);
	arena_fini(&a);
	assert_int_equal(budget.used, 0);
	assert_true(budget.peak <= budget.limit);
}

static void overflowing_sizes_fail(void **state)
{
	struct arena a;

	(void)state;
	arena_init(&a, NULL);
	assert_null(arena_alloc(&a, SIZE_MAX / 2, 3));
	assert_null(arena_alloc(&a, SIZE_MAX, 1));
	arena_fini(&a);
}

static void reset_reuses_the_blocks(void **state)
{
	struct budget budget = {.limit = SIZE_MAX};
	struct arena a;
	size_t used = 0;

	(void)state;
	arena_init(&a, &budget);
	for (int round = 0; round < 5; round++) {
		for (int i = 0; i < 100; i++)
			assert_non_null(arena_alloc(&a, 500, 1));
		if (round)
			assert_int_equal(budget.used, used);
		used = budget.used;
		arena_reset(&a);
	}
	arena_fini(&a);
}

static void shrinking_a_large_piece_frees_memory(void **state)
{
	struct budget budget = {.limit = SIZE_MAX};
	struct arena a;
	char *p;

	(void)state;
	arena_init(&a, &budget);
	p = arena_alloc(&a, 8 * MIB, 1);
	assert_non_null(p);
	memset(p, 'x', 8 * MIB);
	p = arena_resize(&a, p, 8 * MIB, MIB, 1);
	assert_non_null(p);
	assert_int_equal(p[MIB - 1], 'x');
	assert_true(budget.used < 2 * MIB);
	arena_fini(&a);
	assert_int_equal(budget.used, 0);
}

static void blocks_kept_by_reset_do_not_prevent_growth(void **state)
{
	struct budget budget = {.limit = 10 * MIB};
	struct arena a;
	char *p;

	(void)state;
	arena_init(&a, &budget);
	assert_non_null(arena_alloc(&a, 6 * MIB, 1));
	arena_reset(&a);
	p = arena_alloc(&a, MIB, 1);
	assert_non_null(p);
	assert_non_null(arena_resize(&a, p, MIB, 9 * MIB, 1));
	arena_fini(&a);
	assert_int_equal(budget.used, 0);
}

static void an_injected_failure_persists(void **state)
{
	struct arena a;

	(void)state;
	arena_init(&a, NULL);
	a.fail_after = 3;
	assert_non_null(arena_alloc(&a, 1, 1));
	assert_non_null(arena_alloc(&a, 1, 1));
	assert_null(arena_alloc(&a, 1, 1));
	assert_null(arena_alloc(&a, 1, 1));
	a.fail_after = 0;
	assert_non_null(arena_alloc(&a, 1, 1));
	arena_fini(&a);
}

static void a_vector_survives_a_failed_push(void **state)
{
	VEC(uint32_t) v = {0};
	struct arena a;

	(void)state;
	arena_init(&a, NULL);
	for (uint32_t i = 0; i < 16; i++)
		assert_ok(vec_push(&a, &v, i));
	a.fail_after = 1;
	assert_int_equal(vec_push(&a, &v, 16u), -ENOMEM);
	assert_int_equal(v.n, 16);
	assert_int_equal(v.at[15], 15);
	assert_int_equal(vec_reserve(&a, &v, SIZE_MAX), -EOVERFLOW);
	assert_int_equal(vec_reserve(&a, &v, VEC_MAX), -EOVERFLOW);
	arena_fini(&a);
}

static void trimming_a_large_vector_frees_unused_memory(void **state)
{
	struct budget budget = {.limit = SIZE_MAX};
	VEC(uint64_t) v = {0};
	struct arena a;
	size_t full;

	(void)state;
	arena_init(&a, &budget);
	for (uint64_t i = 0; i < 100; i++)
		assert_ok(vec_push(&a, &v, i));
	full = budget.used;
	vec_trim(&a, &v); /* a small vector is not trimmed */
	assert_int_equal(budget.used, full);
	for (uint64_t i = 100; i < 70000; i++)
		assert_ok(vec_push(&a, &v, i));
	full = budget.used;
	a.fail_after = 1;
	vec_trim(&a, &v);
	assert_int_equal(budget.used, full);
	a.fail_after = 0;
	vec_trim(&a, &v);
	assert_int_equal(v.cap, 70000);
	assert_true(budget.used <= full - 60000 * sizeof(*v.at));
	assert_ok(vec_push(&a, &v, 70000u));
	for (uint64_t i = 0; i <= 70000; i++)
		assert_int_equal(v.at[i], i);
	arena_fini(&a);
	assert_int_equal(budget.used, 0);
}

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>

/* AddressSanitizer reports accesses after the end of a piece, and to any piece after a reset. */
static void overruns_are_poisoned(void **state)
{
	struct arena a;
	char *p, *large, *grown;

	(void)state;
	arena_init(&a, NULL);
	p = arena_alloc(&a, 13, 1);
	assert_false(__asan_address_is_poisoned(p + 12));
	assert_true(__asan_address_is_poisoned(p + 16));
	grown = arena_resize(&a, p, 13, 40, 1);
	assert_ptr_equal(grown, p);
	assert_false(__asan_address_is_poisoned(p + 39));
	assert_true(__asan_address_is_poisoned(p + 48));
	assert_non_null(arena_alloc(&a, 1, 1));
	assert_true(__asan_address_is_poisoned(p + 48));
	large = arena_alloc(&a, ARENA_LARGE + 999, 1);
	arena_reset(&a);
	assert_true(__asan_address_is_poisoned(p));
	assert_true(__asan_address_is_poisoned(large));
	large = arena_alloc(&a, ARENA_LARGE, 1); /* the same block with a smaller piece */
	assert_false(__asan_address_is_poisoned(large + ARENA_LARGE - 1));
	assert_true(__asan_address_is_poisoned(large + ARENA_LARGE + 8));
	arena_fini(&a);
}
#else
static void overruns_are_poisoned(void **state)
{
	(void)state;
	print_message("skipped: this build has no AddressSanitizer\n");
	skip();
}
#endif

TEST_MAIN(test(pieces_are_aligned_and_do_not_overlap), test(a_resized_piece_keeps_its_bytes),
	  test(the_budget_is_charged_and_released), test(overflowing_sizes_fail),
	  test(reset_reuses_the_blocks), test(shrinking_a_large_piece_frees_memory),
	  test(blocks_kept_by_reset_do_not_prevent_growth), test(an_injected_failure_persists),
	  test(a_vector_survives_a_failed_push), test(trimming_a_large_vector_frees_unused_memory),
	  test(overruns_are_poisoned))
