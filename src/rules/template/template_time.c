/* SPDX-License-Identifier: Apache-2.0 */
/* Times and durations as text: layouts of Go's package time, always in UTC. */
#include <stdlib.h>
#include <time.h>

#include "rules/template/template_value.h"

#define SECOND ((int64_t)1000000000)

static const char *const months[] = {"January",	  "February", "March",	  "April",
				     "May",	  "June",     "July",	  "August",
				     "September", "October",  "November", "December"};
static const char *const days[] = {"Sunday",   "Monday", "Tuesday", "Wednesday",
				   "Thursday", "Friday", "Saturday"};

const char *template_month_name(int64_t month)
{
	return month >= 1 && month <= 12 ? months[month - 1] : "%!Month";
}

const char *template_weekday_name(int64_t weekday)
{
	return weekday >= 0 && weekday <= 6 ? days[weekday] : "%!Weekday";
}

/* Append the fraction of `n` units of 1 / 10^digits without zeros at its end. */
static void put_fraction(struct buf *out, uint64_t n, int digits)
{
	if (!n)
		return;
	while (n % 10 == 0) {
		n /= 10;
		digits--;
	}
	buf_printf(out, ".%0*llu", digits, (unsigned long long)n);
}

void template_put_duration(struct buf *out, int64_t ns)
{
	uint64_t n = ns < 0 ? 0 - (uint64_t)ns : (uint64_t)ns;
	uint64_t seconds = n / (uint64_t)SECOND, rest = n % (uint64_t)SECOND;

	if (ns < 0)
		buf_put_char(out, '-');
	if (!n) {
		buf_put_str(out, STR("0s"));
	} else if (n < 1000) {
		buf_printf(out, "%lluns", (unsigned long long)n);
	} else if (n < 1000000) {
		buf_put_u64(out, n / 1000);
		put_fraction(out, n % 1000, 3);
		buf_put_str(out, STR("µs"));
	} else if (!seconds) {
		buf_put_u64(out, n / 1000000);
		put_fraction(out, n % 1000000, 6);
		buf_put_str(out, STR("ms"));
	} else {
		if (seconds >= 3600)
			buf_printf(out, "%lluh", (unsigned long long)(seconds / 3600));
		if (seconds >= 60)
			buf_printf(out, "%llum", (unsigned long long)(seconds / 60 % 60));
		buf_put_u64(out, seconds % 60);
		put_fraction(out, rest, 9);
		buf_put_char(out, 's');
	}
}

/* Split into calendar time and nanoseconds. */
static int64_t split(int64_t ns, struct tm *tm)
{
	int64_t seconds = ns / SECOND, rest = ns % SECOND;
	time_t t;

	if (rest < 0) {
		rest += SECOND;
		seconds--;
	}
	t = (time_t)seconds;
	gmtime_r(&t, tm);
	return rest;
}

void template_put_time(struct buf *out, int64_t ns)
{
	template_put_layout(out, ns, STR("2006-01-02 15:04:05.999999999 -0700 MST"));
}

/* ---- layouts ---- */

enum layout_part {
	PART_NONE,
	PART_LONG_MONTH,
	PART_MONTH,
	PART_NUMBER_MONTH,
	PART_ZERO_MONTH,
	PART_LONG_WEEKDAY,
	PART_WEEKDAY,
	PART_DAY,
	PART_SPACE_DAY,
	PART_ZERO_DAY,
	PART_SPACE_YEAR_DAY,
	PART_ZERO_YEAR_DAY,
	PART_HOUR,
	PART_HOUR_12,
	PART_ZERO_HOUR_12,
	PART_MINUTE,
	PART_ZERO_MINUTE,
	PART_SECOND,
	PART_ZERO_SECOND,
	PART_LONG_YEAR,
	PART_YEAR,
	PART_PM,
	PART_LOWER_PM,
	PART_ZONE,	     /* "UTC" */
	PART_OFFSET,	     /* +0000 */
	PART_COLON_OFFSET,   /* +00:00 */
	PART_SHORT_OFFSET,   /* +00 */
	PART_Z,		     /* "Z" for UTC */
	PART_SECONDS_OFFSET, /* +000000 */
	PART_COLON_SECONDS_OFFSET,
};

/* Longer texts before their prefixes. */
static const struct {
	struct str text;
	enum layout_part part;
} parts[] = {
	{STR_INIT("January"), PART_LONG_MONTH},
	{STR_INIT("Jan"), PART_MONTH},
	{STR_INIT("Monday"), PART_LONG_WEEKDAY},
	{STR_INIT("Mon"), PART_WEEKDAY},
	{STR_INIT("MST"), PART_ZONE},
	{STR_INIT("01"), PART_ZERO_MONTH},
	{STR_INIT("002"), PART_ZERO_YEAR_DAY},
	{STR_INIT("02"), PART_ZERO_DAY},
	{STR_INIT("03"), PART_ZERO_HOUR_12},
	{STR_INIT("04"), PART_ZERO_MINUTE},
	{STR_INIT("05"), PART_ZERO_SECOND},
	{STR_INIT("06"), PART_YEAR},
	{STR_INIT("15"), PART_HOUR},
	{STR_INIT("1"), PART_NUMBER_MONTH},
	{STR_INIT("2006"), PART_LONG_YEAR},
	{STR_INIT("2"), PART_DAY},
	{STR_INIT("__2"), PART_SPACE_YEAR_DAY},
	{STR_INIT("_2"), PART_SPACE_DAY},
	{STR_INIT("3"), PART_HOUR_12},
	{STR_INIT("4"), PART_MINUTE},
	{STR_INIT("5"), PART_SECOND},
	{STR_INIT("PM"), PART_PM},
	{STR_INIT("pm"), PART_LOWER_PM},
	{STR_INIT("-070000"), PART_SECONDS_OFFSET},
	{STR_INIT("-07:00:00"), PART_COLON_SECONDS_OFFSET},
	{STR_INIT("-0700"), PART_OFFSET},
	{STR_INIT("-07:00"), PART_COLON_OFFSET},
	{STR_INIT("-07"), PART_SHORT_OFFSET},
	{STR_INIT("Z070000"), PART_Z},
	{STR_INIT("Z07:00:00"), PART_Z},
	{STR_INIT("Z0700"), PART_Z},
	{STR_INIT("Z07:00"), PART_Z},
	{STR_INIT("Z07"), PART_Z},
};

/* Return the length of the part at the begin of `s`, 0 if there is none. */
static size_t part_at(struct str s, enum layout_part *part)
{
	/* "_2006" is an underscore and a year. */
	if (str_starts(s, STR("_2006")))
		return 0;
	for (size_t i = 0; i < countof(parts); i++)
		if (str_starts(s, parts[i].text)) {
			/* "Jan" and "Mon" are no part of a longer word. */
			if ((parts[i].part == PART_MONTH || parts[i].part == PART_WEEKDAY) &&
			    s.n > 3 && s.p[3] >= 'a' && s.p[3] <= 'z')
				return 0;
			*part = parts[i].part;
			return parts[i].text.n;
		}
	return 0;
}

/* Append ".000", ",000" (all digits) or ".999" (without zeros at the end). Return its length. */
static size_t put_fraction_part(struct buf *out, struct str layout, int64_t ns)
{
	size_t n = 1;
	char digits[16];
	int length = 0;

	if (layout.n < 2 || (layout.p[0] != '.' && layout.p[0] != ',') ||
	    (layout.p[1] != '0' && layout.p[1] != '9'))
		return 0;
	while (n < layout.n && layout.p[n] == layout.p[1])
		n++;
	if (n > 10 || (n < layout.n && layout.p[n] >= '0' && layout.p[n] <= '9'))
		return 0;
	for (int64_t unit = SECOND / 10; length < (int)n - 1; unit /= 10)
		digits[length++] = (char)('0' + ns / unit % 10);
	while (layout.p[1] == '9' && length && digits[length - 1] == '0')
		length--;
	if (length) {
		buf_put_char(out, layout.p[0]);
		buf_put(out, digits, (size_t)length);
	}
	return n;
}

static int hour_12(const struct tm *tm)
{
	return tm->tm_hour % 12 ? tm->tm_hour % 12 : 12;
}

static void put_date_part(struct buf *out, enum layout_part part, const struct tm *tm)
{
	switch (part) {
	case PART_LONG_MONTH:
		buf_put_str(out, str_from(months[tm->tm_mon]));
		break;
	case PART_MONTH:
		buf_put(out, months[tm->tm_mon], 3);
		break;
	case PART_NUMBER_MONTH:
		buf_printf(out, "%d", tm->tm_mon + 1);
		break;
	case PART_ZERO_MONTH:
		buf_printf(out, "%02d", tm->tm_mon + 1);
		break;
	case PART_LONG_WEEKDAY:
		buf_put_str(out, str_from(days[tm->tm_wday]));
		break;
	case PART_WEEKDAY:
		buf_put(out, days[tm->tm_wday], 3);
		break;
	case PART_DAY:
		buf_printf(out, "%d", tm->tm_mday);
		break;
	case PART_SPACE_DAY:
		buf_printf(out, "%2d", tm->tm_mday);
		break;
	case PART_ZERO_DAY:
		buf_printf(out, "%02d", tm->tm_mday);
		break;
	case PART_SPACE_YEAR_DAY:
		buf_printf(out, "%3d", tm->tm_yday + 1);
		break;
	case PART_ZERO_YEAR_DAY:
		buf_printf(out, "%03d", tm->tm_yday + 1);
		break;
	case PART_LONG_YEAR:
		buf_printf(out, "%04d", tm->tm_year + 1900);
		break;
	case PART_YEAR:
		buf_printf(out, "%02d", abs(tm->tm_year % 100));
		break;
	default:
		break;
	}
}

static void put_time_part(struct buf *out, enum layout_part part, const struct tm *tm)
{
	switch (part) {
	case PART_HOUR:
		buf_printf(out, "%02d", tm->tm_hour);
		break;
	case PART_HOUR_12:
		buf_printf(out, "%d", hour_12(tm));
		break;
	case PART_ZERO_HOUR_12:
		buf_printf(out, "%02d", hour_12(tm));
		break;
	case PART_MINUTE:
		buf_printf(out, "%d", tm->tm_min);
		break;
	case PART_ZERO_MINUTE:
		buf_printf(out, "%02d", tm->tm_min);
		break;
	case PART_SECOND:
		buf_printf(out, "%d", tm->tm_sec);
		break;
	case PART_ZERO_SECOND:
		buf_printf(out, "%02d", tm->tm_sec);
		break;
	case PART_PM:
		buf_put_str(out, tm->tm_hour >= 12 ? STR("PM") : STR("AM"));
		break;
	case PART_LOWER_PM:
		buf_put_str(out, tm->tm_hour >= 12 ? STR("pm") : STR("am"));
		break;
	case PART_ZONE:
		buf_put_str(out, STR("UTC"));
		break;
	case PART_OFFSET:
		buf_put_str(out, STR("+0000"));
		break;
	case PART_COLON_OFFSET:
		buf_put_str(out, STR("+00:00"));
		break;
	case PART_SHORT_OFFSET:
		buf_put_str(out, STR("+00"));
		break;
	case PART_SECONDS_OFFSET:
		buf_put_str(out, STR("+000000"));
		break;
	case PART_COLON_SECONDS_OFFSET:
		buf_put_str(out, STR("+00:00:00"));
		break;
	case PART_Z:
		buf_put_char(out, 'Z');
		break;
	default:
		break;
	}
}

void template_put_layout(struct buf *out, int64_t ns, struct str layout)
{
	struct tm tm = {0};
	int64_t fraction = split(ns, &tm);

	while (layout.n && out->n <= RULE_TEMPLATE_OUTPUT_MAX) {
		enum layout_part part = PART_NONE;
		size_t n = put_fraction_part(out, layout, fraction);

		if (!n) {
			n = part_at(layout, &part);
			put_date_part(out, part, &tm);
			put_time_part(out, part, &tm);
		}
		if (!n) {
			buf_put_char(out, layout.p[0]);
			n = 1;
		}
		layout = str_from_at(layout, n);
	}
}
