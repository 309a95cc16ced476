/* SPDX-License-Identifier: Apache-2.0 */
/* Parsers of times and durations. */
#include "base/time_text.h"

#include <errno.h>

#include "base/clock.h"
#include "test/test.h"

#define NOW (UINT64_C(1794735420) * NS_PER_SECOND) /* 2026-11-15T09:37:00Z */
#define S NS_PER_SECOND

static void every_time_format_is_parsed(void **state)
{
	static const struct {
		const char *text;
		uint64_t ns;
	} cases[] = {
		{"now", NOW},
		{" now ", NOW},
		{"now-1h", NOW - 3600 * S},
		{"now-1h30m", NOW - 5400 * S},
		{"now-7d", NOW - 7 * 86400 * S},
		{"now-2w", NOW - 14 * 86400 * S},
		{"now-500ms", NOW - S / 2},
		{"now-30min", NOW - 1800 * S},
		{"now-1mon", NOW - 30 * 86400 * S},
		{"now+5m", NOW + 300 * S},
		{"-15m", NOW - 900 * S},
		{"now-9999w", 0},
		{"1794735420", NOW},
		{"1794735420123", NOW + 123 * NS_PER_MS},
		{"1794735420123456", NOW + 123456 * UINT64_C(1000)},
		{"1794735420123456789", NOW + 123456789},
		{"0", 0},
		{"1000", 1000 * S},
		{"20261115", NOW - (9 * 3600 + 37 * 60) * S},
		{"2026-11-15", NOW - (9 * 3600 + 37 * 60) * S},
		{"2026-11-15T09:37:00Z", NOW},
		{"2026-11-15 09:37:00", NOW},
		{"2026-11-15T10:37:00.25+01:00", NOW + S / 4},
		{"2026-11-15T04:07:00-05:30", NOW},
	};

	(void)state;
	for (size_t i = 0; i < countof(cases); i++) {
		struct err e = {0};
		uint64_t ns = 1;

		assert_ok_err(time_parse(str_from(cases[i].text), NOW, &ns, &e), &e);
		if (ns != cases[i].ns)
			fail_msg("%s is %llu, expected %llu", cases[i].text, (unsigned long long)ns,
				 (unsigned long long)cases[i].ns);
	}
}

static void invalid_times_are_rejected(void **state)
{
	static const char *const bad[] = {
		"",
		"yesterday",
		"now-",
		"now-1",
		"now-h",
		"now1h",
		"now-1x",
		"2026-13-01",
		"2026-02-30",
		"2026-11-15T25:00:00Z",
		"2026-11-15T",
		"2026-11-15Z",
		"99999999999999999999999",
		"now-99999999999999y",
		"1.5",
		"0x10",
		"2026-11-15T09:37:00+1:00",
		"2600-01-01",
		"1970-01-01T00:30:00+01:00",
	};

	(void)state;
	for (size_t i = 0; i < countof(bad); i++) {
		struct err e = {0};
		uint64_t ns = 7;

		if (time_parse(str_from(bad[i]), NOW, &ns, &e) != -EINVAL)
			fail_msg("\"%s\" was taken for a time", bad[i]);
		assert_int_equal(ns, 7);
		assert_err_says(&e, "expected a time");
	}
}

static void durations_have_units_or_are_seconds(void **state)
{
	struct err e = {0};
	uint64_t ns;

	(void)state;
	assert_ok(duration_parse(STR("15s"), &ns, &e));
	assert_int_equal(ns, 15 * S);
	assert_ok(duration_parse(STR("1h30m"), &ns, &e));
	assert_int_equal(ns, 5400 * S);
	assert_ok(duration_parse(STR("0.5"), &ns, &e));
	assert_int_equal(ns, S / 2);
	assert_int_equal(duration_parse(STR("soon"), &ns, &e), -EINVAL);
	assert_int_equal(duration_parse(STR(""), &ns, &e), -EINVAL);
	assert_int_equal(duration_parse(STR("-1"), &ns, &e), -EINVAL);
}

TEST_MAIN(test(every_time_format_is_parsed), test(invalid_times_are_rejected),
	  test(durations_have_units_or_are_seconds))
