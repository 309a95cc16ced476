/* SPDX-License-Identifier: Apache-2.0 */
/* Memory budgets with a shared rest. */
#include "base/budget.h"

#include <pthread.h>

#include "test/test.h"

static void a_take_above_the_reserve_borrows_from_the_rest(void **state)
{
	struct budget rest = {.limit = 50};
	struct budget a = {.limit = 100, .own = 30, .rest = &rest};
	struct budget b = {.limit = 100, .own = 20, .rest = &rest};

	(void)state;
	assert_true(budget_take(&a, 30));
	assert_int_equal(rest.used, 0);
	assert_true(budget_take(&a, 45));
	assert_int_equal(rest.used, 45);
	assert_false(budget_take(&a, 6)); /* the shared rest has 5 */
	assert_int_equal(a.used, 75);
	assert_true(budget_take(&b, 25)); /* its own reserve and those 5 */
	assert_int_equal(rest.used, 50);
	assert_false(budget_take(&b, 1));
	budget_give(&a, 50); /* to below its reserve */
	assert_int_equal(rest.used, 5);
	assert_int_equal(a.used, 25);
	assert_true(budget_take(&b, 45));
	assert_false(budget_take(&b, 1));
	assert_true(budget_take(&a, 5)); /* its reserve is available whatever others hold */
	assert_false(budget_take(&a, 1));
	budget_give(&a, 30);
	budget_give(&b, 70);
	assert_int_equal(rest.used, 0);
}

static void the_limit_holds_while_the_rest_is_free(void **state)
{
	struct budget rest = {.limit = 1000};
	struct budget a = {.limit = 100, .own = 30, .rest = &rest};

	(void)state;
	assert_true(budget_take(&a, 100));
	assert_false(budget_take(&a, 1));
	assert_false(budget_take(&a, SIZE_MAX));
	assert_int_equal(rest.used, 70);
	budget_charge(&a, 10); /* already allocated */
	assert_int_equal(rest.used, 80);
	budget_give(&a, 110);
	assert_int_equal(rest.used, 0);
	assert_int_equal(a.used, 0);
}

struct work {
	struct budget *budget;
	uint64_t seed;
};

static void *take_and_give(void *arg)
{
	struct work *w = arg;

	for (unsigned i = 0; i < 200000; i++) {
		size_t n;

		w->seed = w->seed * 6364136223846793005u + 1442695040888963407u;
		n = 1 + (w->seed >> 33) % 40;
		if (budget_take(w->budget, n))
			budget_give(w->budget, n);
		if (i % 8 == 0) {
			budget_charge(w->budget, n);
			budget_give(w->budget, n);
		}
	}
	return NULL;
}

/* Concurrent takes never lose a part of the rest or lend it twice. */
static void threads_borrow_and_return(void **state)
{
	struct budget rest = {.limit = 30};
	struct budget parts[2] = {{.limit = 60, .own = 20, .rest = &rest},
				  {.limit = 60, .own = 10, .rest = &rest}};
	struct work work[4];
	pthread_t threads[4];

	(void)state;
	for (unsigned i = 0; i < 4; i++) {
		work[i] = (struct work){&parts[i % 2], i + 1};
		assert_int_equal(pthread_create(&threads[i], NULL, take_and_give, &work[i]), 0);
	}
	for (unsigned i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	assert_int_equal(parts[0].used, 0);
	assert_int_equal(parts[1].used, 0);
	assert_int_equal(rest.used, 0);
}

TEST_MAIN(test(a_take_above_the_reserve_borrows_from_the_rest),
	  test(the_limit_holds_while_the_rest_is_free), test(threads_borrow_and_return))
