/* SPDX-License-Identifier: Apache-2.0 */
#include "signal/profile/row_predictor.h"

#include "test/test.h"

/* Visit the rows; returns how many were guessed. */
static unsigned visit(struct follow *f, struct arena *arena, const uint32_t *rows, size_t n)
{
	unsigned right = 0;

	for (size_t i = 0; i < n; i++) {
		if (follow_guess(f) == rows[i]) {
			follow_step(f, rows[i]);
			right++;
		} else {
			follow_learn(f, arena, rows[i]);
		}
	}
	return right;
}

static void the_neighbour_is_guessed_first(void **state)
{
	static const uint32_t rows[] = {1, 2, 3, 4};
	struct follow f = {0};

	(void)state;
	assert_int_equal(visit(&f, NULL, rows, countof(rows)), 4); /* and takes no memory */
}

static void an_order_is_known_the_second_time(void **state)
{
	static const uint32_t rows[] = {9, 3, 4, 900, 1};
	struct follow f = {0};
	struct arena arena;

	(void)state;
	arena_init(&arena, NULL);
	assert_int_equal(visit(&f, &arena, rows, countof(rows)), 1);
	assert_int_equal(visit(&f, &arena, rows, countof(rows)), 4);
	assert_int_equal(visit(&f, &arena, rows, countof(rows)), 5);
	arena_fini(&arena);
}

static void without_memory_guesses_are_wrong_and_that_is_all(void **state)
{
	static const uint32_t rows[] = {9, 3, 4};
	struct follow f = {0};
	struct arena arena;

	(void)state;
	arena_init(&arena, NULL);
	arena.fail_after = 1;
	assert_int_equal(visit(&f, &arena, rows, countof(rows)), 1);
	assert_int_equal(visit(&f, &arena, rows, countof(rows)), 1);
	arena_fini(&arena);
}

TEST_MAIN(test(the_neighbour_is_guessed_first), test(an_order_is_known_the_second_time),
	  test(without_memory_guesses_are_wrong_and_that_is_all))
