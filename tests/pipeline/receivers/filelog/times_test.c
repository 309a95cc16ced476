/* SPDX-License-Identifier: Apache-2.0 */
/* Layouts of timestamps, and time zones. */
#include "base/clock.h"
#include "pipeline/receivers/filelog/times/time_layout.h"
#include "test/test.h"

/* Parse in the zone of a rule, and return the time as text, or the error. */
static const char *parsed(bool go, const char *layout, const char *text, const char *rule)
{
	static char out[ERR_TEXT_MAX];
	struct time_layout l;
	struct time_zone *zone;
	struct err e = {0};
	char time[CLOCK_TEXT_SIZE];
	int64_t ns;

	assert_ok(time_zone_parse_rule(&zone, str_from(rule)));
	if ((go ? time_layout_go(&l, str_from(layout), &e)
		: time_layout_strptime(&l, str_from(layout), &e)) ||
	    time_layout_parse(&l, str_from(text), zone, (uint64_t)1795000000 * NS_PER_SECOND, &ns,
			      &e))
		snprintf(out, sizeof(out), "%s", e.text);
	else
		snprintf(out, sizeof(out), "%s%06d", clock_format((uint64_t)ns, time),
			 (int)(ns % 1000000));
	time_zone_free(zone);
	return out;
}

static void layouts_of_strptime(void **state)
{
	static const struct {
		const char *layout, *text, *expected;
	} cases[] = {
		{"%Y-%m-%d %H:%M:%S", "2026-03-04 05:06:07", "2026-03-04T05:06:07.000Z000000"},
		{"%Y-%m-%d %H:%M:%S,%f", "2026-03-04 05:06:07,123456",
		 "2026-03-04T05:06:07.123Z456000"},
		{"%Y%m%d%H%M%S", "20260304050607", "2026-03-04T05:06:07.000Z000000"},
		{"%d/%b/%Y:%H:%M:%S %z", "04/Mar/2026:05:06:07 +0130",
		 "2026-03-04T03:36:07.000Z000000"},
		{"%A %e %B %y %I:%M %p", "Wednesday  4 March 26 05:06 PM",
		 "2026-03-04T17:06:00.000Z000000"},
		{"%a %b %d %T %Z %Y", "Wed Mar 4 05:06:07 CET 2026",
		 "2026-03-04T04:06:07.000Z000000"},
		{"%F %R", "2026-03-04 05:06", "2026-03-04T05:06:00.000Z000000"},
		{"%Y-%m-%d %H:%M:%S", "2026-03-04 05:06:07.25", "2026-03-04T05:06:07.250Z000000"},
		{"%H:%M %%", "05:06 %", "2026-01-01T05:06:00.000Z000000"},
		{"%Y-%m-%d", "2026-02-30", "time \"2026-02-30\" does not exist"},
		{"%Y-%m-%d", "2026-02-20 x",
		 "time \"2026-02-20 x\" has extra text at character 11"},
		{"%Y-%m-%d", "2026-x", "time \"2026-x\" does not match the layout at character 6"},
		{"%Y-%", "2026", "layout: % at the end"},
	};

	(void)state;
	for (size_t i = 0; i < countof(cases); i++)
		assert_string_equal(parsed(false, cases[i].layout, cases[i].text, "UTC0"),
				    cases[i].expected);
}

static void layouts_of_go(void **state)
{
	static const struct {
		const char *layout, *text, *expected;
	} cases[] = {
		{"2006-01-02T15:04:05.000Z07:00", "2026-03-04T05:06:07.089+02:00",
		 "2026-03-04T03:06:07.089Z000000"},
		{"2006-01-02T15:04:05Z07:00", "2026-03-04T05:06:07.123456789Z",
		 "2026-03-04T05:06:07.123Z456789"},
		{"2006-01-02T15:04:05.999999999Z07:00", "2026-03-04T05:06:07Z",
		 "2026-03-04T05:06:07.000Z000000"},
		{"Mon Jan _2 15:04:05 2006", "Wed Mar  4 05:06:07 2026",
		 "2026-03-04T05:06:07.000Z000000"},
		{"02/01/06 3:04PM MST", "04/03/26 5:06PM PST", "2026-03-05T01:06:00.000Z000000"},
		{"Monday, January 2 2006", "Wednesday, March 4 2026",
		 "2026-03-04T00:00:00.000Z000000"},
	};

	(void)state;
	for (size_t i = 0; i < countof(cases); i++)
		assert_string_equal(parsed(true, cases[i].layout, cases[i].text, "UTC0"),
				    cases[i].expected);
}

static void times_without_an_offset_are_local(void **state)
{
	static const char berlin[] = "CET-1CEST,M3.5.0,M10.5.0/3", layout[] = "%Y-%m-%d %H:%M:%S";

	(void)state;
	assert_string_equal(parsed(false, layout, "2026-07-01 12:00:00", berlin),
			    "2026-07-01T10:00:00.000Z000000");
	assert_string_equal(parsed(false, layout, "2026-12-01 12:00:00", berlin),
			    "2026-12-01T11:00:00.000Z000000");
	assert_string_equal(parsed(false, layout, "2026-03-29 01:59:59", berlin),
			    "2026-03-29T00:59:59.000Z000000");
	assert_string_equal(parsed(false, layout, "2026-03-29 03:00:00", berlin),
			    "2026-03-29T01:00:00.000Z000000");
	assert_string_equal(
		parsed(false, layout, "2026-01-15 12:00:00", "AEST-10AEDT,M10.1.0,M4.1.0/3"),
		"2026-01-15T01:00:00.000Z000000"); /* summer spans the new year */
}

static void zones_of_the_system_are_loaded(void **state)
{
	struct time_zone *zone;
	struct err e = {0};

	(void)state;
	if (time_zone_load(&zone, STR("America/New_York"), &e))
		skip(); /* tzdata is not installed */
	assert_int_equal(time_zone_offset(zone, 1782907200), -4 * 3600); /* 2026-07-01 */
	assert_int_equal(time_zone_offset(zone, 1798804800), -5 * 3600); /* 2027-01-01 */
	assert_int_equal(time_zone_offset(zone, 0), -5 * 3600);
	assert_int_equal(time_zone_offset(zone, -2000000000), -5 * 3600); /* 1906 */
	time_zone_free(zone);
	assert_ok(time_zone_load(&zone, STR("Local"), &e));
	time_zone_free(zone);
	assert_int_not_equal(time_zone_load(&zone, STR("../../../etc/passwd"), &e), 0);
	assert_err_says(&e, "unknown location");
}

static void damaged_zones_are_refused(void **state)
{
	static const char *const rules[] = {
		"",	  "X", "CET", "CET-1CEST", "CET-1CEST,M13.1.0,M1.1.0", "CET-1CEST,M3.5.0",
		"CET-999"};
	struct time_zone *zone;

	(void)state;
	for (size_t i = 0; i < countof(rules); i++)
		assert_int_not_equal(time_zone_parse_rule(&zone, str_from(rules[i])), 0);
	assert_int_not_equal(time_zone_parse(&zone, STR("TZif2")), 0);
}

TEST_MAIN(test(layouts_of_strptime), test(layouts_of_go), test(times_without_an_offset_are_local),
	  test(zones_of_the_system_are_loaded), test(damaged_zones_are_refused))
