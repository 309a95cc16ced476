/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Layouts become lists of items. Numbers are read leniently: with or without leading zeros, up to
 * their width. A fraction is also read after seconds if the layout has none, as Go does.
 */
#include "pipeline/receivers/filelog/times/time_layout.h"

#include <ctype.h>
#include <errno.h>
#include <strings.h>

#include "base/clock.h"
#include "pipeline/ottl/functions/civil_time.h"

enum { YEAR_GRACE_DAYS = 7, LAYOUT_DAY_SECONDS = 86400 };

/* ---- compiling ---- */

/* Several blanks in a layout are one, which stands for any number of them. */
static int add_item(struct time_layout *l, enum time_item_kind kind, char literal, struct err *e)
{
	const struct time_item *last = l->n ? &l->items[l->n - 1] : NULL;

	if (literal == ' ' && last && last->kind == TIME_LITERAL && last->literal == ' ')
		return 0;
	if (l->n == TIME_ITEMS_MAX)
		return err_set(e, -EINVAL, "layout is too long: limit is %d parts", TIME_ITEMS_MAX);
	l->items[l->n++] = (struct time_item){kind, literal};
	return 0;
}

static const struct {
	char directive;
	enum time_item_kind kind;
} strptime_items[] = {
	{'Y', TIME_YEAR},	{'y', TIME_SHORT_YEAR}, {'m', TIME_MONTH},
	{'o', TIME_MONTH},	{'q', TIME_MONTH},	{'b', TIME_MONTH_NAME},
	{'h', TIME_MONTH_NAME}, {'B', TIME_MONTH_NAME}, {'d', TIME_DAY},
	{'e', TIME_DAY},	{'g', TIME_DAY},	{'a', TIME_WEEKDAY},
	{'A', TIME_WEEKDAY},	{'H', TIME_HOUR},	{'I', TIME_HALF_HOUR},
	{'l', TIME_HALF_HOUR},	{'p', TIME_HALF},	{'P', TIME_HALF},
	{'M', TIME_MINUTE},	{'S', TIME_SECOND},	{'L', TIME_FRACTION},
	{'f', TIME_FRACTION},	{'s', TIME_FRACTION},	{'Z', TIME_ZONE_NAME},
	{'z', TIME_OFFSET},	{'w', TIME_OFFSET},	{'i', TIME_OFFSET},
	{'j', TIME_OFFSET},	{'k', TIME_OFFSET},
};

static const struct {
	char directive;
	const char *layout;
} strptime_composites[] = {
	{'D', "%m/%d/%y"}, {'x', "%m/%d/%y"},	 {'F', "%Y-%m-%d"}, {'T', "%H:%M:%S"},
	{'X', "%H:%M:%S"}, {'r', "%I:%M:%S %p"}, {'R', "%H:%M"},    {'c', "%a %b %d %H:%M:%S %Y"},
};

static int add_strptime(struct time_layout *l, struct str layout, struct err *e);

/* Add a directive. */
static int add_directive(struct time_layout *l, char directive, struct err *e)
{
	for (size_t i = 0; i < countof(strptime_items); i++)
		if (strptime_items[i].directive == directive)
			return add_item(l, strptime_items[i].kind, 0, e);
	for (size_t i = 0; i < countof(strptime_composites); i++)
		if (strptime_composites[i].directive == directive)
			return add_strptime(l, str_from(strptime_composites[i].layout), e);
	if (directive == 'n' || directive == 't')
		return add_item(l, TIME_SPACE, 0, e);
	if (directive == '%')
		return add_item(l, TIME_LITERAL, '%', e);
	return err_set(e, -EINVAL, "layout: unknown directive %%%c",
		       isprint((unsigned char)directive) ? directive : '?');
}

/* Add the items of a layout; composite directives contain simple ones only. */
static int add_strptime(struct time_layout *l, struct str layout, struct err *e)
{
	int rc = 0;

	for (size_t i = 0; i < layout.n && !rc; i++) {
		if (layout.p[i] != '%')
			rc = add_item(l, TIME_LITERAL, layout.p[i], e);
		else if (i + 1 == layout.n)
			rc = err_set(e, -EINVAL, "layout: %% at the end");
		else
			rc = add_directive(l, layout.p[++i], e);
	}
	return rc;
}

int time_layout_strptime(struct time_layout *out, struct str layout, struct err *e)
{
	out->n = 0;
	return add_strptime(out, layout, e);
}

/* Parts of Go's reference time; of those with a common beginning the longest is first. */
static const struct {
	struct str text;
	enum time_item_kind kind;
} go_items[] = {
	{STR_INIT("January"), TIME_MONTH_NAME},
	{STR_INIT("Jan"), TIME_MONTH_NAME},
	{STR_INIT("Monday"), TIME_WEEKDAY},
	{STR_INIT("Mon"), TIME_WEEKDAY},
	{STR_INIT("MST"), TIME_ZONE_NAME},
	{STR_INIT("2006"), TIME_YEAR},
	{STR_INIT("__2"), TIME_YEAR_DAY},
	{STR_INIT("002"), TIME_YEAR_DAY},
	{STR_INIT("_2"), TIME_DAY},
	{STR_INIT("01"), TIME_MONTH},
	{STR_INIT("02"), TIME_DAY},
	{STR_INIT("03"), TIME_HALF_HOUR},
	{STR_INIT("04"), TIME_MINUTE},
	{STR_INIT("05"), TIME_SECOND},
	{STR_INIT("06"), TIME_SHORT_YEAR},
	{STR_INIT("15"), TIME_HOUR},
	{STR_INIT("PM"), TIME_HALF},
	{STR_INIT("pm"), TIME_HALF},
	{STR_INIT("-07:00:00"), TIME_OFFSET},
	{STR_INIT("-07:00"), TIME_OFFSET},
	{STR_INIT("-070000"), TIME_OFFSET},
	{STR_INIT("-0700"), TIME_OFFSET},
	{STR_INIT("-07"), TIME_OFFSET},
	{STR_INIT("Z07:00:00"), TIME_OFFSET},
	{STR_INIT("Z07:00"), TIME_OFFSET},
	{STR_INIT("Z070000"), TIME_OFFSET},
	{STR_INIT("Z0700"), TIME_OFFSET},
	{STR_INIT("Z07"), TIME_OFFSET},
	{STR_INIT("1"), TIME_MONTH},
	{STR_INIT("2"), TIME_DAY},
	{STR_INIT("3"), TIME_HALF_HOUR},
	{STR_INIT("4"), TIME_MINUTE},
	{STR_INIT("5"), TIME_SECOND},
};

/* Return the length of .000 or ,999 at the begin of `s`, or 0. */
static size_t go_fraction(struct str s)
{
	size_t n = 1;

	if (s.n < 2 || (s.p[0] != '.' && s.p[0] != ',') || (s.p[1] != '0' && s.p[1] != '9'))
		return 0;
	while (n < s.n && s.p[n] == s.p[1])
		n++;
	return n < s.n && isdigit((unsigned char)s.p[n]) ? 0 : n;
}

int time_layout_go(struct time_layout *out, struct str layout, struct err *e)
{
	int rc = 0;

	out->n = 0;
	while (layout.n && !rc) {
		size_t n = go_fraction(layout), i = 0;

		if (n) {
			rc = add_item(out, TIME_POINT_FRACTION, layout.p[0], e);
			layout = str_from_at(layout, n);
			continue;
		}
		while (i < countof(go_items) && !str_starts(layout, go_items[i].text))
			i++;
		n = i < countof(go_items) ? go_items[i].text.n : 1;
		rc = i < countof(go_items) ? add_item(out, go_items[i].kind, 0, e)
					   : add_item(out, TIME_LITERAL, layout.p[0], e);
		layout = str_from_at(layout, n);
	}
	return rc;
}

bool time_layout_is_zulu(const struct time_layout *l)
{
	return l->n && l->items[l->n - 1].kind == TIME_LITERAL && l->items[l->n - 1].literal == 'Z';
}

/* ---- parsing ---- */

/* A time that is being read. */
struct time_reading {
	struct str in;
	struct civil c;
	bool has_year, has_offset, has_year_day;
};

/* Read up to `max` digits after blanks. Return their number. */
static unsigned read_number(struct str *in, unsigned max, int64_t *out)
{
	unsigned n = 0;

	while (in->n && in->p[0] == ' ')
		*in = str_from_at(*in, 1);
	for (*out = 0; n < max && n < in->n && isdigit((unsigned char)in->p[n]); n++)
		*out = *out * 10 + (in->p[n] - '0');
	*in = str_from_at(*in, n);
	return n;
}

/* Read the digits of a fraction of a second; more than nine are cut off. */
static bool read_nanoseconds(struct str *in, int64_t *ns)
{
	unsigned n = 0;

	if (!in->n || !isdigit((unsigned char)in->p[0]))
		return false;
	n = read_number(in, 9, ns);
	for (; n < 9; n++)
		*ns *= 10;
	while (in->n && isdigit((unsigned char)in->p[0]))
		*in = str_from_at(*in, 1);
	return true;
}

static bool at_fraction(struct str in)
{
	return in.n > 1 && (in.p[0] == '.' || in.p[0] == ',') && isdigit((unsigned char)in.p[1]);
}

/* Read one of `count` names, in full or its first three letters. Return the index, or -1. */
static int read_time_name(struct str *in, const char *const *names, int count)
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

static bool read_month_name(struct time_reading *r)
{
	static const char *const names[] = {"January",	 "February", "March",	 "April",
					    "May",	 "June",     "July",	 "August",
					    "September", "October",  "November", "December"};
	int month = read_time_name(&r->in, names, 12);

	r->c.month = month + 1;
	return month >= 0;
}

static bool read_weekday(struct time_reading *r)
{
	static const char *const names[] = {"Sunday",	"Monday", "Tuesday", "Wednesday",
					    "Thursday", "Friday", "Saturday"};

	return read_time_name(&r->in, names, 7) >= 0;
}

static bool read_am_pm(struct time_reading *r)
{
	if (r->in.n < 2 || strncasecmp(r->in.p + 1, "m", 1) != 0 || !strchr("aApP", r->in.p[0]))
		return false;
	r->c.has_pm = true;
	r->c.pm = (r->in.p[0] | 0x20) == 'p';
	r->in = str_from_at(r->in, 2);
	return true;
}

/* Read Z, or +hh, +hhmm, +hh:mm, with or without seconds. */
static bool read_offset(struct time_reading *r)
{
	int64_t part, factor = 3600;
	bool minus;

	r->has_offset = true;
	r->c.offset = 0;
	if (!r->in.n || !strchr("Z+-", r->in.p[0]))
		return false;
	minus = r->in.p[0] == '-';
	if (r->in.p[0] == 'Z') {
		r->in = str_from_at(r->in, 1);
		return true;
	}
	r->in = str_from_at(r->in, 1);
	for (; factor; factor /= 60) {
		if (factor < 3600 && r->in.n > 1 && r->in.p[0] == ':')
			r->in = str_from_at(r->in, 1);
		if (r->in.n < 2 || !isdigit((unsigned char)r->in.p[0]))
			break;
		if (read_number(&r->in, 2, &part) != 2 || part > 59)
			return false;
		r->c.offset += part * factor;
	}
	r->c.offset = minus ? -r->c.offset : r->c.offset;
	return factor < 3600;
}

static const struct {
	struct str name;
	int8_t hours;
} zone_names[] = {
	{STR_INIT("UTC"), 0},	{STR_INIT("GMT"), 0},	{STR_INIT("Z"), 0},
	{STR_INIT("WET"), 0},	{STR_INIT("WEST"), 1},	{STR_INIT("CET"), 1},
	{STR_INIT("CEST"), 2},	{STR_INIT("EET"), 2},	{STR_INIT("EEST"), 3},
	{STR_INIT("MSK"), 3},	{STR_INIT("JST"), 9},	{STR_INIT("EST"), -5},
	{STR_INIT("EDT"), -4},	{STR_INIT("CST"), -6},	{STR_INIT("CDT"), -5},
	{STR_INIT("MST"), -7},	{STR_INIT("MDT"), -6},	{STR_INIT("PST"), -8},
	{STR_INIT("PDT"), -7},	{STR_INIT("HST"), -10}, {STR_INIT("AKST"), -9},
	{STR_INIT("AKDT"), -8},
};

static bool read_zone_abbreviation(struct time_reading *r)
{
	size_t n = 0;

	while (n < r->in.n && isupper((unsigned char)r->in.p[n]))
		n++;
	for (size_t i = 0; i < countof(zone_names); i++) {
		if (!str_eq(str_head(r->in, n), zone_names[i].name))
			continue;
		r->has_offset = true;
		r->c.offset = zone_names[i].hours * (int64_t)3600;
		r->in = str_from_at(r->in, n);
		return true;
	}
	return false;
}

static bool read_year(struct time_reading *r, bool is_short)
{
	r->has_year = true;
	if (!is_short)
		return read_number(&r->in, 4, &r->c.year) == 4;
	if (read_number(&r->in, 2, &r->c.year) != 2)
		return false;
	r->c.year += r->c.year < 69 ? 2000 : 1900;
	return true;
}

static bool read_second(struct time_reading *r, const struct time_item *next)
{
	bool fraction_next =
		next && (next->kind == TIME_FRACTION || next->kind == TIME_POINT_FRACTION ||
			 (next->kind == TIME_LITERAL && strchr(".,", next->literal)));

	if (!read_number(&r->in, 2, &r->c.second))
		return false;
	if (fraction_next || !at_fraction(r->in))
		return true;
	r->in = str_from_at(r->in, 1);
	return read_nanoseconds(&r->in, &r->c.nanosecond);
}

static bool read_literal(struct time_reading *r, const struct time_item *item)
{
	if (item->kind == TIME_SPACE || item->literal == ' ') {
		size_t before = r->in.n;

		while (r->in.n && isspace((unsigned char)r->in.p[0]))
			r->in = str_from_at(r->in, 1);
		return item->kind == TIME_SPACE || r->in.n < before;
	}
	if (!r->in.n || r->in.p[0] != item->literal)
		return false;
	r->in = str_from_at(r->in, 1);
	return true;
}

/* Read one item; `next` is NULL for the last one. */
static bool read_item(struct time_reading *r, const struct time_item *item,
		      const struct time_item *next)
{
	switch (item->kind) {
	case TIME_LITERAL:
	case TIME_SPACE:
		return read_literal(r, item);
	case TIME_YEAR:
	case TIME_SHORT_YEAR:
		return read_year(r, item->kind == TIME_SHORT_YEAR);
	case TIME_MONTH:
		return read_number(&r->in, 2, &r->c.month);
	case TIME_MONTH_NAME:
		return read_month_name(r);
	case TIME_DAY:
		return read_number(&r->in, 2, &r->c.day);
	case TIME_YEAR_DAY:
		return read_number(&r->in, 3, &r->c.day_of_year) && r->c.day_of_year >= 1 &&
		       r->c.day_of_year <= 366;
	case TIME_WEEKDAY:
		return read_weekday(r);
	case TIME_HOUR:
	case TIME_HALF_HOUR:
		return read_number(&r->in, 2, &r->c.hour);
	case TIME_MINUTE:
		return read_number(&r->in, 2, &r->c.minute);
	case TIME_SECOND:
		return read_second(r, next);
	case TIME_FRACTION:
		return read_nanoseconds(&r->in, &r->c.nanosecond);
	case TIME_POINT_FRACTION:
		if (!at_fraction(r->in))
			return true;
		r->in = str_from_at(r->in, 1);
		return read_nanoseconds(&r->in, &r->c.nanosecond);
	case TIME_HALF:
		return read_am_pm(r);
	case TIME_OFFSET:
		return read_offset(r);
	case TIME_ZONE_NAME:
		return read_zone_abbreviation(r);
	}
	return false;
}

/* Convert the reading; its offset, if it has none, is that of the zone at this local time. */
static bool reading_time(struct time_reading *r, const struct time_zone *zone, int64_t *ns)
{
	if (!civil_to_ns(&r->c, ns))
		return false;
	if (!r->has_offset) {
		r->c.offset =
			time_zone_offset_of_local(zone, civil_divide(*ns, (int64_t)NS_PER_SECOND));
		return civil_to_ns(&r->c, ns);
	}
	return true;
}

/* Set the year of a time without one. */
static bool guess_year(struct time_reading *r, const struct time_zone *zone, uint64_t now,
		       int64_t *ns)
{
	int64_t limit = (int64_t)now +
			(int64_t)(YEAR_GRACE_DAYS * (uint64_t)LAYOUT_DAY_SECONDS * NS_PER_SECOND);
	struct time_reading last;

	r->c.year = civil_of((int64_t)now).year;
	last = *r;
	if (reading_time(r, zone, ns) && *ns <= limit)
		return true;
	last.c.year--;
	return reading_time(&last, zone, ns);
}

int time_layout_parse(const struct time_layout *l, struct str text, const struct time_zone *zone,
		      uint64_t now, int64_t *ns, struct err *e)
{
	struct time_reading r = {.in = text, .c = {.month = 1, .day = 1}};

	for (uint32_t i = 0; i < l->n; i++)
		if (!read_item(&r, &l->items[i], i + 1 < l->n ? &l->items[i + 1] : NULL))
			return err_set(e, -EINVAL,
				       "time \"%.*s\" does not match the layout at character %zu",
				       STR_ARG(str_head(text, 80)), text.n - r.in.n + 1);
	if (r.in.n)
		return err_set(e, -EINVAL, "time \"%.*s\" has extra text at character %zu",
			       STR_ARG(str_head(text, 80)), text.n - r.in.n + 1);
	if (r.has_year ? !reading_time(&r, zone, ns) : !guess_year(&r, zone, now, ns))
		return err_set(e, -EINVAL, "time \"%.*s\" does not exist",
			       STR_ARG(str_head(text, 80)));
	return 0;
}
