/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Converts days to dates and back with integer arithmetic, and parses and writes times by layouts.
 */
#include "pipeline/ottl/functions/civil_time.h"

#include <strings.h>

#include "base/clock.h"

enum { HOUR_SECONDS = 3600, DAY_SECONDS = 86400 };

static const char *const month_names[] = {"January",   "February", "March",    "April",
					  "May",       "June",	   "July",     "August",
					  "September", "October",  "November", "December"};
static const char *const day_names[] = {"Sunday",   "Monday", "Tuesday", "Wednesday",
					"Thursday", "Friday", "Saturday"};

/* ---- calendar ---- */

int64_t civil_days(int64_t y, int64_t m, int64_t d)
{
	int64_t era, year_of_era, day_of_year;

	y -= m <= 2;
	era = (y >= 0 ? y : y - 399) / 400;
	year_of_era = y - era * 400;
	day_of_year = (153 * (m + (m > 2 ? -3 : 9)) + 2) / 5 + d - 1;
	return era * 146097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 +
	       day_of_year - 719468;
}

int64_t civil_divide(int64_t a, int64_t b)
{
	return a / b - (a % b < 0);
}

struct civil civil_of(int64_t ns)
{
	int64_t seconds = civil_divide(ns, (int64_t)NS_PER_SECOND);
	int64_t days = civil_divide(seconds, DAY_SECONDS), z = days + 719468;
	int64_t era = civil_divide(z, 146097), doe = z - era * 146097;
	int64_t yoe = (doe - doe / 1460 + doe / 36524 - doe / 146096) / 365;
	int64_t doy = doe - (365 * yoe + yoe / 4 - yoe / 100), mp = (5 * doy + 2) / 153;
	struct civil c = {.day = doy - (153 * mp + 2) / 5 + 1,
			  .month = mp < 10 ? mp + 3 : mp - 9,
			  .nanosecond = ns - seconds * (int64_t)NS_PER_SECOND};

	c.year = yoe + era * 400 + (c.month <= 2);
	c.day_of_year = days - civil_days(c.year, 1, 1) + 1;
	seconds -= days * DAY_SECONDS;
	c.hour = seconds / HOUR_SECONDS;
	c.minute = seconds / 60 % 60;
	c.second = seconds % 60;
	c.weekday = (unsigned)(((days + 4) % 7 + 7) % 7);
	return c;
}

bool civil_to_ns(const struct civil *c, int64_t *ns)
{
	int64_t seconds, hour = c->hour;
	__int128 total;

	if (c->month < 1 || c->month > 12 || c->day < 1 || c->day > 31 || hour > 23 ||
	    c->minute > 59 || c->second > 60)
		return false;
	if (civil_days(c->year, c->month, c->day) >=
	    civil_days(c->year + c->month / 12, c->month % 12 + 1, 1))
		return false;
	if (c->has_pm)
		hour = hour % 12 + (c->pm ? 12 : 0);
	seconds = (c->day_of_year ? civil_days(c->year, 1, 1) + c->day_of_year - 1
				  : civil_days(c->year, c->month, c->day)) *
			  DAY_SECONDS +
		  hour * HOUR_SECONDS + c->minute * 60 + c->second - c->offset;
	total = (__int128)seconds * (int64_t)NS_PER_SECOND + c->nanosecond;
	*ns = (int64_t)total;
	return total == *ns;
}

/* ---- parsing ---- */

/* Return the layout that a composite directive stands for; empty for other directives. */
static struct str composite(char directive)
{
	switch (directive) {
	case 'T':
		return STR("%H:%M:%S");
	case 'R':
		return STR("%H:%M");
	case 'F':
		return STR("%Y-%m-%d");
	case 'D':
		return STR("%m/%d/%y");
	default:
		return (struct str){0};
	}
}

/* Read up to `max` digits. */
static bool read_digits(struct str *in, unsigned max, int64_t *out, unsigned *count)
{
	unsigned n = 0;

	*out = 0;
	while (n < max && n < in->n && in->p[n] >= '0' && in->p[n] <= '9')
		*out = *out * 10 + (in->p[n++] - '0');
	*in = str_from_at(*in, n);
	if (count)
		*count = n;
	return n > 0;
}

static bool read_fraction(struct str *in, int64_t *ns)
{
	unsigned n;

	if (!read_digits(in, 9, ns, &n))
		return false;
	for (; n < 9; n++)
		*ns *= 10;
	return true;
}

/* Read the full name, or its first three letters. Return the index, or -1. */
static int read_word(struct str *in, const char *const *names, int count)
{
	for (int i = 0; i < count; i++) {
		size_t full = strlen(names[i]);
		size_t n = in->n >= full && !strncasecmp(in->p, names[i], full) ? full : 3;

		if (in->n < n || strncasecmp(in->p, names[i], n) != 0)
			continue;
		*in = str_from_at(*in, n);
		return i;
	}
	return -1;
}

/* Read Z, +01:00, -0530 or +01. */
static bool read_zone(struct str *in, int64_t *offset)
{
	bool minus = in->n && in->p[0] == '-';
	int64_t hours, minutes = 0;

	*offset = 0;
	if (in->n && (in->p[0] == 'Z' || in->p[0] == 'z')) {
		*in = str_from_at(*in, 1);
		return true;
	}
	if (!in->n || (in->p[0] != '+' && !minus))
		return false;
	*in = str_from_at(*in, 1);
	if (!read_digits(in, 2, &hours, NULL))
		return false;
	if (in->n && in->p[0] == ':')
		*in = str_from_at(*in, 1);
	read_digits(in, 2, &minutes, NULL);
	*offset = (hours * 60 + minutes) * (minus ? -60 : 60);
	return hours < 24 && minutes < 60;
}

static bool read_half(struct str *in, struct civil *c)
{
	if (in->n < 2 || (in->p[1] | 0x20) != 'm' ||
	    ((in->p[0] | 0x20) != 'a' && (in->p[0] | 0x20) != 'p'))
		return false;
	c->has_pm = true;
	c->pm = (in->p[0] | 0x20) == 'p';
	*in = str_from_at(*in, 2);
	return true;
}

static bool read_name(struct str *in, char directive, struct civil *c)
{
	int month;

	if (directive == 'a' || directive == 'A')
		return read_word(in, day_names, 7) >= 0;
	month = read_word(in, month_names, 12);
	c->month = month + 1;
	return month >= 0;
}

/* Skip the letters of a time zone's name; only UTC and GMT are known. */
static bool read_zone_name(struct str *in)
{
	bool known = str_starts(*in, STR("UTC")) || str_starts(*in, STR("GMT"));

	*in = str_from_at(*in, known ? 3 : 0);
	return known;
}

static bool read_two_digit_year(struct str *in, int64_t *year)
{
	bool good = read_digits(in, 2, year, NULL);

	*year += *year < 69 ? 2000 : 1900;
	return good;
}

/* Read what one directive stands for. */
/* NOLINTNEXTLINE(misc-no-recursion): composite directives contain simple ones only */
static bool read_directive(struct str *in, char directive, struct civil *c)
{
	switch (directive) {
	case 'Y':
		return read_digits(in, 4, &c->year, NULL);
	case 'y':
		return read_two_digit_year(in, &c->year);
	case 'm':
		return read_digits(in, 2, &c->month, NULL);
	case 'd':
	case 'e':
		*in = str_from_at(*in, in->n && in->p[0] == ' ');
		return read_digits(in, 2, &c->day, NULL);
	case 'j':
		return read_digits(in, 3, &c->day_of_year, NULL) && c->day_of_year >= 1 &&
		       c->day_of_year <= 366;
	case 'H':
	case 'I':
	case 'k':
	case 'l':
		return read_digits(in, 2, &c->hour, NULL);
	case 'M':
		return read_digits(in, 2, &c->minute, NULL);
	case 'S':
		return read_digits(in, 2, &c->second, NULL);
	case 'f':
	case 'L':
	case 's':
		return read_fraction(in, &c->nanosecond);
	case 'a':
	case 'A':
	case 'b':
	case 'B':
	case 'h':
		return read_name(in, directive, c);
	case 'p':
		return read_half(in, c);
	case 'z':
		return read_zone(in, &c->offset);
	case 'Z':
		return read_zone_name(in);
	default:
		return composite(directive).n && civil_read(in, composite(directive), c);
	}
}

/* NOLINTNEXTLINE(misc-no-recursion): composite directives contain simple ones only */
bool civil_read(struct str *in, struct str layout, struct civil *c)
{
	for (size_t i = 0; i < layout.n; i++) {
		char wanted = layout.p[i];

		if (wanted == '%' && i + 1 < layout.n && layout.p[i + 1] != '%') {
			if (!read_directive(in, layout.p[++i], c))
				return false;
			continue;
		}
		i += wanted == '%';
		if (!in->n || in->p[0] != wanted)
			return false;
		*in = str_from_at(*in, 1);
	}
	return true;
}

/* ---- formatting ---- */

/* Return the number that a directive stands for, and its width. */
static bool number_for(char directive, const struct civil *c, long long *number, int *width)
{
	const struct {
		char directive;
		int width;
		int64_t number;
	} table[] = {
		{'Y', 4, c->year},
		{'y', 2, c->year % 100},
		{'m', 2, c->month},
		{'d', 2, c->day},
		{'j', 3, c->day_of_year},
		{'H', 2, c->hour},
		{'I', 2, (c->hour + 11) % 12 + 1},
		{'M', 2, c->minute},
		{'S', 2, c->second},
		{'L', 3, c->nanosecond / 1000000},
		{'f', 6, c->nanosecond / 1000},
		{'s', 9, c->nanosecond},
	};

	for (size_t i = 0; i < countof(table); i++) {
		if (table[i].directive != directive)
			continue;
		*number = table[i].number;
		*width = table[i].width;
		return true;
	}
	return false;
}

/* Append the text that a directive stands for. Return false for an unknown one. */
static bool put_text_for(struct buf *b, char directive, const struct civil *c)
{
	switch (directive) {
	case 'b':
	case 'h':
	case 'B':
		buf_printf(b, "%.*s", directive == 'B' ? 20 : 3, month_names[c->month - 1]);
		return true;
	case 'a':
	case 'A':
		buf_printf(b, "%.*s", directive == 'A' ? 20 : 3, day_names[c->weekday]);
		return true;
	case 'e':
		buf_printf(b, "%2lld", (long long)c->day);
		return true;
	case 'p':
		buf_put_str(b, c->hour < 12 ? STR("AM") : STR("PM"));
		return true;
	case 'z':
	case 'Z':
		buf_put_str(b, directive == 'z' ? STR("+0000") : STR("UTC"));
		return true;
	case '%':
		buf_put_char(b, '%');
		return true;
	default:
		return false;
	}
}

/* NOLINTNEXTLINE(misc-no-recursion): composite directives contain simple ones only */
char civil_write(struct buf *b, struct str layout, const struct civil *c)
{
	char unknown = '\0';

	for (size_t i = 0; i < layout.n && !unknown; i++) {
		struct str parts;
		long long number;
		int width;

		if (layout.p[i] != '%' || i + 1 == layout.n) {
			buf_put_char(b, layout.p[i]);
			continue;
		}
		parts = composite(layout.p[++i]);
		if (parts.n)
			unknown = civil_write(b, parts, c);
		else if (number_for(layout.p[i], c, &number, &width))
			buf_printf(b, "%0*lld", width, number);
		else if (!put_text_for(b, layout.p[i], c))
			unknown = layout.p[i];
	}
	return unknown;
}
