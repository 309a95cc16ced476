/* SPDX-License-Identifier: Apache-2.0 */
/* Exponential histograms: the index of a value, falling scales, merging, and many threads. */
#include "sdk/metrics/exponential.h"

#include <float.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>

#include "test/test.h"

/* Return the lower bound of a bucket, with more precision than a double has. */
static long double bound_of(int32_t index, int32_t scale)
{
	return exp2l(ldexpl(index, -scale));
}

static void a_value_is_in_the_bucket_that_bounds_it(void **state)
{
	static const double values[] = {1.0000001, 1.5,	  3.14159,  7.9999999, 1e-9,
					12345.678, 1e100, 2.5e-308, 0.1,       1023.5};

	(void)state;
	for (int32_t scale = -8; scale <= 20; scale++) {
		for (size_t i = 0; i < countof(values); i++) {
			int32_t at = exponential_index(values[i], scale);
			long double low = bound_of(at, scale), high = bound_of(at + 1, scale);

			/* one unit in the last place: bounds are not exact doubles */
			if (!((long double)values[i] > low * (1 - 1e-15L) &&
			      (long double)values[i] <= high * (1 + 1e-15L)))
				fail_msg("%g at scale %d: bucket %d", values[i], scale, at);
		}
	}
}

static void a_power_of_two_is_the_upper_bound_of_its_bucket(void **state)
{
	(void)state;
	for (int32_t scale = 0; scale <= 20; scale++) {
		assert_int_equal(exponential_index(1, scale), -1);
		assert_int_equal(exponential_index(2, scale), (1 << scale) - 1);
		assert_int_equal(exponential_index(8, scale), (3 << scale) - 1);
		assert_int_equal(exponential_index(0.5, scale), -(1 << scale) - 1);
	}
	assert_int_equal(exponential_index(1, -1), -1);
	assert_int_equal(exponential_index(4, -1), 0);
	assert_int_equal(exponential_index(4.5, -1), 1);
	/* the smallest numbers share the bucket of the smallest normal one */
	assert_int_equal(exponential_index(5e-324, 0), exponential_index(DBL_MIN, 0));
}

static uint64_t sum_of(const struct exponential_buckets *b)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < b->n; i++)
		sum += b->at[i];
	return sum;
}

/* Each value must be counted in the bucket that its index at the final scale names. */
static void check_counts(const struct exponential *e, const double *values, size_t n)
{
	uint64_t at[EXPONENTIAL_BUCKETS] = {0}, positive = 0;

	for (size_t i = 0; i < n; i++) {
		int32_t index;

		if (values[i] <= 0)
			continue;
		index = exponential_index(values[i], e->scale) - e->positive.first;
		assert_in_range(index, 0, EXPONENTIAL_BUCKETS - 1);
		at[index]++;
		positive++;
	}
	assert_int_equal(sum_of(&e->positive), positive);
	for (uint32_t i = 0; i < e->positive.n; i++)
		assert_int_equal(e->positive.at[i], at[i]);
}

static void the_scale_falls_until_all_values_fit(void **state)
{
	enum { VALUES = 5000 };
	static double values[VALUES];
	struct exponential e;

	(void)state;
	srand48(7);
	exponential_reset(&e);
	for (size_t i = 0; i < VALUES; i++) {
		/* the range grows, in both directions */
		values[i] = exp((drand48() - 0.5) * (double)i / 50);
		exponential_add(&e, values[i]);
	}
	assert_int_equal(e.count, VALUES);
	assert_true(e.positive.n <= EXPONENTIAL_BUCKETS);
	assert_true(e.positive.n > EXPONENTIAL_BUCKETS / 2); /* and no further */
	check_counts(&e, values, VALUES);
}

static void equal_values_keep_the_finest_scale(void **state)
{
	struct exponential e;

	(void)state;
	exponential_reset(&e);
	for (int i = 0; i < 100; i++)
		exponential_add(&e, 3.25);
	assert_int_equal(e.scale, EXPONENTIAL_SCALE_MAX);
	assert_int_equal(e.positive.n, 1);
	assert_int_equal(e.positive.at[0], 100);
	assert_true(e.sum == 325 && e.min == 3.25 && e.max == 3.25);
}

static void zero_and_negative_values_have_their_own_counts(void **state)
{
	struct exponential e;

	(void)state;
	exponential_reset(&e);
	exponential_add(&e, 0);
	exponential_add(&e, -0.0);
	exponential_add(&e, -4);
	exponential_add(&e, 1e6);
	assert_int_equal(e.zero_count, 2);
	assert_int_equal(sum_of(&e.negative), 1);
	assert_int_equal(sum_of(&e.positive), 1);
	assert_int_equal(e.count, 4);
	assert_true(e.min == -4 && e.max == 1e6);
	assert_int_equal(e.negative.first, exponential_index(4, e.scale));
}

static void the_largest_range_of_doubles_fits(void **state)
{
	struct exponential e;

	(void)state;
	exponential_reset(&e);
	exponential_add(&e, DBL_MIN);
	exponential_add(&e, DBL_MAX);
	exponential_add(&e, 5e-324);
	assert_int_equal(sum_of(&e.positive), 3);
	assert_in_range(e.scale + 100, 90, 100);
}

static void merged_histograms_equal_one_of_all_values(void **state)
{
	enum { VALUES = 2000 };
	static double values[VALUES];
	struct exponential a, b, all;

	(void)state;
	srand48(11);
	exponential_reset(&a);
	exponential_reset(&b);
	exponential_reset(&all);
	for (size_t i = 0; i < VALUES; i++) {
		values[i] = i % 2 ? exp(drand48() * 20) : 1 + drand48() / 100;
		exponential_add(i % 2 ? &a : &b, values[i]);
		exponential_add(&all, values[i]);
	}
	exponential_merge(&b, &a); /* the coarser one into the finer one */
	assert_int_equal(b.scale, all.scale);
	check_counts(&b, values, VALUES);
	assert_int_equal(b.count, all.count);
	assert_true(fabs(b.sum - all.sum) <= 1e-9 * all.sum);
	assert_true(b.min == all.min && b.max == all.max);
}

enum { RECORDERS = 6, RECORDS = 20000, SHARDS = 4 };
static struct exponential_shard shards[SHARDS];

static void *record_values(void *arg)
{
	uint32_t number = (uint32_t)(uintptr_t)arg;

	for (int i = 1; i <= RECORDS; i++)
		exponential_record(shards, SHARDS, number, (double)i * (number + 1));
	return NULL;
}

static void values_of_many_threads_are_all_counted(void **state)
{
	pthread_t threads[RECORDERS];
	struct exponential e;
	double sum = 0;

	(void)state;
	for (size_t i = 0; i < SHARDS; i++)
		exponential_reset(&shards[i].values);
	for (uintptr_t i = 0; i < RECORDERS; i++) {
		assert_int_equal(pthread_create(&threads[i], NULL, record_values, (void *)i), 0);
		sum += (double)(i + 1) * RECORDS * (RECORDS + 1.0) / 2;
	}
	exponential_read(&e, shards, SHARDS); /* meanwhile */
	assert_true(e.count <= RECORDERS * RECORDS);
	for (size_t i = 0; i < RECORDERS; i++)
		pthread_join(threads[i], NULL);
	exponential_read(&e, shards, SHARDS);
	assert_int_equal(e.count, RECORDERS * RECORDS);
	assert_int_equal(sum_of(&e.positive), RECORDERS * RECORDS);
	assert_true(e.sum == sum);
}

TEST_MAIN(test(a_value_is_in_the_bucket_that_bounds_it),
	  test(a_power_of_two_is_the_upper_bound_of_its_bucket),
	  test(the_scale_falls_until_all_values_fit), test(equal_values_keep_the_finest_scale),
	  test(zero_and_negative_values_have_their_own_counts),
	  test(the_largest_range_of_doubles_fits), test(merged_histograms_equal_one_of_all_values),
	  test(values_of_many_threads_are_all_counted))
