/* SPDX-License-Identifier: Apache-2.0 */
#include "base/clock.h"

#include "test/test.h"

static void time_is_monotonic(void **state)
{
	uint64_t last = clock_monotonic_ns();

	(void)state;
	for (int i = 0; i < 1000; i++) {
		uint64_t now = clock_monotonic_ns();

		assert_true(now >= last);
		last = now;
	}
	assert_true(clock_realtime_ns() > 1700000000 * NS_PER_SECOND);
}

static void times_are_formatted_as_dates(void **state)
{
	char text[CLOCK_TEXT_SIZE];

	(void)state;
	assert_string_equal(clock_format(0, text), "1970-01-01T00:00:00.000Z");
	assert_string_equal(clock_format(1792057020123999999, text), "2026-10-15T09:37:00.123Z");
	assert_string_equal(clock_format(UINT64_MAX, text), "2554-07-21T23:34:33.709Z");
}

TEST_MAIN(test(time_is_monotonic), test(times_are_formatted_as_dates))
