/* SPDX-License-Identifier: Apache-2.0 */
/* The predictor of rows that a merge looks up: the next row, or the successor seen last time. */
#include "signal/profile/row_predictor.h"

#include "test/test.h"

/* Visit the rows. Return how many were predicted correctly. */
static unsigned visit(struct row_predictor *f, struct arena *arena, const uint32_t *rows, size_t n)
{
	unsigned right = 0;

	for (size_t i = 0; i < n; i++) {
		if (row_predictor_guess(f) == rows[i]) {
			row_predictor_step(f, rows[i]);
			right++;
		} else {
			row_predictor_learn(f, arena, rows[i]);
		}
	}
	return right;
}

static void the_next_row_is_predicted_first(void **state)
{
	static const uint32_t rows[] = {1, 2, 3, 4};
	struct row_predictor f = {0};

	(void)state;
	assert_int_equal(visit(&f, NULL, rows, countof(rows)), 4); /* without allocating */
}

static void an_order_is_predicted_the_second_time(void **state)
{
	static const uint32_t rows[] = {9, 3, 4, 900, 1};
	struct row_predictor f = {0};
	struct arena arena;

	(void)state;
	arena_init(&arena, NULL);
	assert_int_equal(visit(&f, &arena, rows, countof(rows)), 1);
	assert_int_equal(visit(&f, &arena, rows, countof(rows)), 4);
	assert_int_equal(visit(&f, &arena, rows, countof(rows)), 5);
	arena_fini(&arena);
}

static void without_memory_predictions_are_wrong_but_harmless(void **state)
{
	static const uint32_t rows[] = {9, 3, 4};
	struct row_predictor f = {0};
	struct arena arena;

	(void)state;
	arena_init(&arena, NULL);
	arena.fail_after = 1;
	assert_int_equal(visit(&f, &arena, rows, countof(rows)), 1);
	assert_int_equal(visit(&f, &arena, rows, countof(rows)), 1);
	arena_fini(&arena);
}

TEST_MAIN(test(the_next_row_is_predicted_first), test(an_order_is_predicted_the_second_time),
	  test(without_memory_predictions_are_wrong_but_harmless))
