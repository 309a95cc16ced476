/* SPDX-License-Identifier: Apache-2.0 */
/* Guards: adaptive sampling rate and interval, limits of requested profiles. */
#include "sdk/collect/guard.h"

#include <errno.h>

#include "base/clock.h"
#include "test/test.h"

static void the_adaptive_rate_is_the_base_rate_under_the_threshold(void **state)
{
	(void)state;
	assert_int_equal(guard_adaptive_hz(100, 10, 0.8, 0), 100);
	assert_int_equal(guard_adaptive_hz(100, 10, 0.8, 0.8), 100);
}

static void the_adaptive_rate_falls_linearly_to_the_floor_at_full_load(void **state)
{
	(void)state;
	assert_int_equal(guard_adaptive_hz(100, 10, 0.5, 0.6), 82);
	assert_int_equal(guard_adaptive_hz(100, 10, 0.5, 0.75), 55); /* halfway */
	assert_int_equal(guard_adaptive_hz(100, 10, 0.8, 0.9), 55);
	assert_int_equal(guard_adaptive_hz(100, 10, 0.8, 1), 10);
	assert_int_equal(guard_adaptive_hz(100, 10, 0.8, 3), 10);
}

static void a_floor_above_the_base_rate_has_no_effect(void **state)
{
	(void)state;
	assert_int_equal(guard_adaptive_hz(5, 10, 0.8, 1), 5);
	assert_int_equal(guard_adaptive_hz(100, 10, 1, 1), 100);
}

static void the_adaptive_rate_is_half_of_the_base_under_pressure(void **state)
{
	(void)state;
	assert_int_equal(guard_next_hz(100, 100, true, false), 50);
	assert_int_equal(guard_next_hz(50, 100, true, false), 50); /* once, not again */
	assert_int_equal(guard_next_hz(50, 100, false, false), 100);
	assert_int_equal(guard_next_hz(1, 1, true, false), 1);
}

static void the_adaptive_rate_can_be_halved_again_and_again(void **state)
{
	unsigned hz = 100;
	static const unsigned down[] = {50, 25, 12, 6, 3, 1, 1, 1};
	static const unsigned up[] = {2, 4, 8, 16, 32, 64, 100, 100};

	(void)state;
	for (unsigned i = 0; i < countof(down); i++)
		assert_int_equal(hz = guard_next_hz(hz, 100, true, true), down[i]);
	for (unsigned i = 0; i < countof(up); i++)
		assert_int_equal(hz = guard_next_hz(hz, 100, false, true), up[i]);
}

static void the_interval_grows_by_half_up_to_ten_times_the_base(void **state)
{
	uint64_t interval = 10000;

	(void)state;
	assert_int_equal(interval = guard_next_interval(interval, 10000, 0.02, 0.01), 15000);
	assert_int_equal(interval = guard_next_interval(interval, 10000, 0.02, 0.01), 22500);
	for (unsigned i = 0; i < 20; i++)
		interval = guard_next_interval(interval, 10000, 0.02, 0.01);
	assert_int_equal(interval, 100000);
}

static void the_interval_shrinks_to_the_base_under_half_of_the_target(void **state)
{
	uint64_t interval = 100000;

	(void)state;
	assert_int_equal(interval = guard_next_interval(interval, 10000, 0.004, 0.01), 80000);
	for (unsigned i = 0; i < 20; i++)
		interval = guard_next_interval(interval, 10000, 0.004, 0.01);
	assert_int_equal(interval, 10000);
	/* between half of the target and the target nothing changes */
	assert_int_equal(guard_next_interval(20000, 10000, 0.007, 0.01), 20000);
	assert_int_equal(guard_next_interval(20000, 10000, 0.01, 0.01), 20000);
}

static const struct guard_limits limits = {
	.max_cpu = 0.05, .max_memory = 100000000, .max_per_minute = 10, .max_seconds = 30};

static void the_eleventh_profile_in_a_minute_is_refused(void **state)
{
	struct guard_state g = {0};
	uint64_t now = 5 * NS_PER_SECOND;
	const char *why;

	(void)state;
	for (unsigned i = 0; i < 10; i++)
		assert_ok(guard_admit(&g, &limits, now + i, 0, 0, 1, &why));
	assert_null(why);
	assert_int_equal(guard_admit(&g, &limits, now + 59 * NS_PER_SECOND, 0, 0, 1, &why), -EBUSY);
	assert_non_null(strstr(why, "max_per_minute"));
	assert_int_equal(g.refused, 1);
	assert_ok(guard_admit(&g, &limits, now + 60 * NS_PER_SECOND, 0, 0, 1, &why));
}

static void each_refusal_names_its_limit_and_is_counted(void **state)
{
	struct guard_state g = {0};
	const char *why;

	(void)state;
	assert_ok(guard_admit(&g, &limits, 1, 0.05, 100000000, 30, &why));
	assert_int_equal(guard_admit(&g, &limits, 1, 0.051, 0, 1, &why), -EBUSY);
	assert_non_null(strstr(why, "max_cpu"));
	assert_int_equal(guard_admit(&g, &limits, 1, 0, 100000001, 1, &why), -EBUSY);
	assert_non_null(strstr(why, "max_memory"));
	assert_int_equal(guard_admit(&g, &limits, 1, 0, 0, 31, &why), -EBUSY);
	assert_non_null(strstr(why, "max_seconds"));
	assert_int_equal(g.refused, 3);
	assert_int_equal(g.taken, 1); /* a refused profile is not counted */
}

static void profiles_are_dropped_above_ninety_percent_load(void **state)
{
	(void)state;
	assert_false(guard_shed(0.5, 0.9));
	assert_false(guard_shed(0.9, 0.9));
	assert_true(guard_shed(0.91, 0.9));
}

TEST_MAIN(test(the_adaptive_rate_is_the_base_rate_under_the_threshold),
	  test(the_adaptive_rate_falls_linearly_to_the_floor_at_full_load),
	  test(a_floor_above_the_base_rate_has_no_effect),
	  test(the_adaptive_rate_is_half_of_the_base_under_pressure),
	  test(the_adaptive_rate_can_be_halved_again_and_again),
	  test(the_interval_grows_by_half_up_to_ten_times_the_base),
	  test(the_interval_shrinks_to_the_base_under_half_of_the_target),
	  test(the_eleventh_profile_in_a_minute_is_refused),
	  test(each_refusal_names_its_limit_and_is_counted),
	  test(profiles_are_dropped_above_ninety_percent_load))
