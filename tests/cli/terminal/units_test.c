/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers with units for tables. */
#include "cli/terminal/units.h"

#include "test/test.h"

static void values_have_a_readable_unit(void **state)
{
	static const struct {
		int64_t value;
		const char *unit, *expected;
	} rows[] = {
		{0, "nanoseconds", "0 ns"},
		{999, "nanoseconds", "999 ns"},
		{1234, "nanoseconds", "1.23 us"},
		{1500000, "nanoseconds", "1.50 ms"},
		{999960000, "nanoseconds", "1.00 s"},
		{59000000000, "nanoseconds", "59.0 s"},
		{119000000000, "nanoseconds", "1.98 min"},
		{120000000000, "nanoseconds", "2.00 min"},
		{7200, "seconds", "2.00 h"},
		{-2500, "microseconds", "-2.50 ms"},
		{10, "milliseconds", "10.0 ms"},
		{1023, "bytes", "1023 B"},
		{512, "bytes", "512 B"},
		{1536, "By", "1.50 KiB"},
		{1234567, "count", "1,234,567"},
		{-1234, "objects", "-1,234"},
		{123, "", "123"},
		{INT64_MIN, "count", "-9,223,372,036,854,775,808"},
		{INT64_MAX, "bytes", "8192 PiB"},
	};

	(void)state;
	for (size_t i = 0; i < countof(rows); i++)
		assert_string_equal(unit_value(rows[i].value, str_from(rows[i].unit), false).text,
				    rows[i].expected);
}

static void exact_values_are_plain_numbers(void **state)
{
	(void)state;
	assert_string_equal(unit_value(INT64_MIN, STR("nanoseconds"), true).text,
			    "-9223372036854775808");
	assert_string_equal(unit_change(1500, STR("nanoseconds"), true).text, "+1500");
}

static void changes_have_a_sign(void **state)
{
	(void)state;
	assert_string_equal(unit_change(1500, STR("ns"), false).text, "+1.50 us");
	assert_string_equal(unit_change(-1500, STR("ns"), false).text, "-1.50 us");
	assert_string_equal(unit_change(0, STR("count"), false).text, "0");
}

static void a_share_of_nothing_is_zero(void **state)
{
	(void)state;
	assert_string_equal(unit_share(1, 8, 2).text, "12.50%");
	assert_string_equal(unit_share(0, 0, 1).text, "0.0%");
}

TEST_MAIN(test(values_have_a_readable_unit), test(exact_values_are_plain_numbers),
	  test(changes_have_a_sign), test(a_share_of_nothing_is_zero))
