/* SPDX-License-Identifier: Apache-2.0 */
/* Parsers of points in time and durations. */
#include "base/time_text.h"

#include <errno.h>
#include <math.h>
#include <time.h>

#include "base/clock.h"

#define NS_PER_HOUR (3600 * NS_PER_SECOND)
#define NS_PER_DAY (24 * NS_PER_HOUR)

/* Longer names first, so that "ms" is not parsed as "m". The words are those of Graphite. */
static const struct {
	struct str name;
	uint64_t ns;
} units[] = {
	{STR_INIT("ns"), 1},
	{STR_INIT("us"), 1000},
	{STR_INIT("ms"), NS_PER_MS},
	{STR_INIT("seconds"), NS_PER_SECOND},
	{STR_INIT("second"), NS_PER_SECOND},
	{STR_INIT("sec"), NS_PER_SECOND},
	{STR_INIT("s"), NS_PER_SECOND},
	{STR_INIT("minutes"), 60 * NS_PER_SECOND},
	{STR_INIT("minute"), 60 * NS_PER_SECOND},
	{STR_INIT("min"), 60 * NS_PER_SECOND},
	{STR_INIT("months"), 30 * NS_PER_DAY},
	{STR_INIT("month"), 30 * NS_PER_DAY},
	{STR_INIT("mon"), 30 * NS_PER_DAY},
	{STR_INIT("M"), 30 * NS_PER_DAY},
	{STR_INIT("m"), 60 * NS_PER_SECOND},
	{STR_INIT("hours"), NS_PER_HOUR},
	{STR_INIT("hour"), NS_PER_HOUR},
	{STR_INIT("h"), NS_PER_HOUR},
	{STR_INIT("days"), NS_PER_DAY},
	{STR_INIT("day"), NS_PER_DAY},
	{STR_INIT("d"), NS_PER_DAY},
	{STR_INIT("weeks"), 7 * NS_PER_DAY},
	{STR_INIT("week"), 7 * NS_PER_DAY},
	{STR_INIT("w"), 7 * NS_PER_DAY},
	{STR_INIT("years"), 365 * NS_PER_DAY},
	{STR_INIT("year"), 365 * NS_PER_DAY},
	{STR_INIT("y"), 365 * NS_PER_DAY},
};

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static size_t digits_at(struct str s)
{
	size_t n = 0;

	while (n < s.n && is_digit(s.p[n]))
		n++;
	return n;
}

/* Parse one step like "12h" at the beginning of *rest and add it to *ns. Return 0 or -EINVAL. */
static int parse_duration_step(struct str *rest, uint64_t *ns)
{
	size_t n = digits_at(*rest);
	uint64_t count;

	if (!n || str_to_u64(str_head(*rest, n), 10, &count))
		return -EINVAL;
	*rest = str_from_at(*rest, n);
	for (size_t i = 0; i < countof(units); i++) {
		uint64_t add;

		if (!str_starts(*rest, units[i].name))
			continue;
		*rest = str_from_at(*rest, units[i].name.n);
		if (__builtin_mul_overflow(count, units[i].ns, &add) ||
		    __builtin_add_overflow(*ns, add, ns))
			return -EINVAL;
		return 0;
	}
	return -EINVAL;
}

static int parse_duration_steps(struct str text, uint64_t *ns)
{
	int rc = text.n ? 0 : -EINVAL;

	*ns = 0;
	while (!rc && text.n)
		rc = parse_duration_step(&text, ns);
	return rc;
}

int duration_parse(struct str text, uint64_t *ns, struct err *e)
{
	struct str s = str_trim(text);
	uint64_t steps;
	double seconds;

	if (!str_to_double(s, &seconds) && isfinite(seconds) && seconds >= 0 && seconds < 1e10)
		*ns = (uint64_t)(seconds * 1e9 + 0.5);
	else if (!parse_duration_steps(s, &steps))
		*ns = steps;
	else
		return err_set(e, -EINVAL,
			       "expected a duration like 15s, 5m or 1h30m, found \"%.*s\"",
			       STR_ARG(str_head(text, 60)));
	return 0;
}

/* Parse what may follow "now": "", "-1h", "+5m30s". */
static int parse_relative(struct str text, uint64_t now_ns, uint64_t *ns)
{
	uint64_t steps;

	if (!text.n) {
		*ns = now_ns;
		return 0;
	}
	if ((text.p[0] != '-' && text.p[0] != '+') ||
	    parse_duration_steps(str_from_at(text, 1), &steps))
		return -EINVAL;
	if (text.p[0] == '-')
		*ns = steps < now_ns ? now_ns - steps : 0;
	else if (__builtin_add_overflow(now_ns, steps, ns))
		return -EINVAL;
	return 0;
}

static unsigned number_at(struct str s, size_t at, size_t n)
{
	unsigned value = 0;

	for (size_t i = at; i < at + n; i++)
		value = value * 10 + (unsigned)(s.p[i] - '0');
	return value;
}

static int date_ns(unsigned year, unsigned month, unsigned day, uint64_t *ns)
{
	struct tm tm = {.tm_year = (int)year - 1900, .tm_mon = (int)month - 1, .tm_mday = (int)day};
	time_t seconds = timegm(&tm);

	/* timegm() normalizes February 30 to the second of March: reject that */
	if (year < 1970 || tm.tm_mon != (int)month - 1 || tm.tm_mday != (int)day || seconds < 0)
		return -EINVAL;
	return __builtin_mul_overflow(seconds, NS_PER_SECOND, ns) ? -EINVAL : 0;
}

static int parse_digits(struct str s, uint64_t *ns)
{
	uint64_t value, unit = 1;

	if (s.n == 8 && !date_ns(number_at(s, 0, 4), number_at(s, 4, 2), number_at(s, 6, 2), ns))
		return 0;
	if (str_to_u64(s, 10, &value))
		return -EINVAL;
	if (s.n <= 11)
		unit = NS_PER_SECOND;
	else if (s.n <= 14)
		unit = NS_PER_MS;
	else if (s.n <= 17)
		unit = 1000;
	return __builtin_mul_overflow(value, unit, ns) ? -EINVAL : 0;
}

/* Return whether the text begins like the pattern, in which 0 stands for any digit. */
static bool looks_like(struct str s, const char *pattern)
{
	size_t n = strlen(pattern);
	bool same = s.n >= n;

	for (size_t i = 0; same && i < n; i++)
		same = pattern[i] == '0' ? is_digit(s.p[i]) : s.p[i] == pattern[i];
	return same;
}

/* Parse ".123456" at the beginning of *rest into nanoseconds. */
static uint64_t parse_fraction(struct str *rest)
{
	uint64_t ns = 0, unit = NS_PER_SECOND;
	size_t n;

	if (!rest->n || rest->p[0] != '.')
		return 0;
	n = digits_at(str_from_at(*rest, 1));
	for (size_t i = 1; i <= n; i++) {
		unit /= 10;
		ns += (uint64_t)(rest->p[i] - '0') * unit;
	}
	*rest = str_from_at(*rest, 1 + n);
	return ns;
}

/* Parse an offset, "", "Z" or "+01:00", which has to be subtracted. */
static int parse_offset(struct str s, int64_t *ns)
{
	*ns = 0;
	if (!s.n || str_eq(s, STR("Z")) || str_eq(s, STR("z")))
		return 0;
	if (s.n != 6 || (!looks_like(s, "+00:00") && !looks_like(s, "-00:00")))
		return -EINVAL;
	*ns = (int64_t)((number_at(s, 1, 2) * 60 + number_at(s, 4, 2)) * 60) *
	      (int64_t)NS_PER_SECOND;
	if (s.p[0] == '-')
		*ns = -*ns;
	return 0;
}

static int parse_rfc3339(struct str s, uint64_t *ns)
{
	uint64_t day, clock = 0;
	int64_t offset = 0;
	int rc = date_ns(number_at(s, 0, 4), number_at(s, 5, 2), number_at(s, 8, 2), &day);
	struct str rest = str_from_at(s, 10);

	if (!rc && rest.n) {
		unsigned h, m, sec;

		if (!looks_like(rest, "T00:00:00") && !looks_like(rest, " 00:00:00"))
			return -EINVAL;
		h = number_at(rest, 1, 2), m = number_at(rest, 4, 2), sec = number_at(rest, 7, 2);
		if (h > 23 || m > 59 || sec > 60)
			return -EINVAL;
		rest = str_from_at(rest, 9);
		clock = (uint64_t)((h * 60 + m) * 60 + sec) * NS_PER_SECOND + parse_fraction(&rest);
		rc = parse_offset(rest, &offset);
	}
	if (rc)
		return rc;
	if (__builtin_add_overflow(day, clock, ns))
		return -EINVAL;
	return __builtin_sub_overflow(*ns, offset, ns) ? -EINVAL : 0; /* before 1970, after 2554 */
}

int time_parse(struct str text, uint64_t now_ns, uint64_t *ns, struct err *e)
{
	struct str s = str_trim(text);
	uint64_t parsed = 0;
	int rc = -EINVAL;

	if (str_starts(s, STR("now")))
		rc = parse_relative(str_from_at(s, 3), now_ns, &parsed);
	else if (s.n && (s.p[0] == '-' || s.p[0] == '+'))
		rc = parse_relative(s, now_ns, &parsed);
	else if (s.n && digits_at(s) == s.n)
		rc = parse_digits(s, &parsed);
	else if (looks_like(s, "0000-00-00"))
		rc = parse_rfc3339(s, &parsed);
	if (rc)
		return err_set(e, -EINVAL,
			       "expected a time like now-1h, 1763199420 or 2026-11-15T09:37:00Z, "
			       "found \"%.*s\"",
			       STR_ARG(str_head(text, 60)));
	*ns = parsed;
	return 0;
}
