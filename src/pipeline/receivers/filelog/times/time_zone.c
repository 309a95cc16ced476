/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads TZif files: a table of transitions, and a rule in the format of the variable TZ for the time
 * after the last transition.
 */
#include "pipeline/receivers/filelog/times/time_zone.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "pipeline/ottl/functions/civil_time.h"

enum {
	ZONE_FILE_MAX = 256 * 1024,
	ZONE_TRANSITIONS_MAX = 2000,
	ZONE_TYPES_MAX = 256,
	ZONE_HEADER = 44,
	ZONE_DAY_SECONDS = 86400,
};

/* Rules of summer time are used until the year 9999. */
#define ZONE_RULE_SECONDS ((int64_t)253402300799)

#define ZONE_DATABASE "/usr/share/zoneinfo/"

/* A day of a year on which the clock changes. */
struct zone_change {
	char kind; /* M: month, week, weekday; J: day without 29 February; 0: day from 0 */
	int64_t month, week, day;
	int64_t seconds; /* of the day */
};

struct zone_rule {
	int64_t standard, summer; /* offsets */
	bool has_summer;
	struct zone_change begin, end; /* of summer time */
};

struct time_zone {
	struct zone_rule rule;
	bool has_rule;
	uint32_t count;
	int64_t first; /* the offset before the first transition */
	struct zone_transition {
		int64_t at, offset;
	} transitions[];
};

/* ---- rules ---- */

static bool read_count(struct str *in, int64_t *out)
{
	size_t n = 0;

	for (*out = 0; n < in->n && n < 6 && isdigit((unsigned char)in->p[n]); n++)
		*out = *out * 10 + (in->p[n] - '0');
	*in = str_from_at(*in, n);
	return n > 0;
}

static bool skip_sign(struct str *in, char c)
{
	bool found = in->n && in->p[0] == c;

	*in = str_from_at(*in, found);
	return found;
}

/* Read [+-]hh[:mm[:ss]] as seconds. */
static bool read_clock(struct str *in, int64_t *seconds)
{
	bool minus = skip_sign(in, '-');
	int64_t part = 0;

	if (!minus)
		skip_sign(in, '+');
	if (!read_count(in, seconds) || *seconds > 167)
		return false;
	*seconds *= 3600;
	if (skip_sign(in, ':')) {
		if (!read_count(in, &part) || part > 59)
			return false;
		*seconds += part * 60;
	}
	if (skip_sign(in, ':')) {
		if (!read_count(in, &part) || part > 59)
			return false;
		*seconds += part;
	}
	*seconds = minus ? -*seconds : *seconds;
	return true;
}

static bool skip_zone_name(struct str *in)
{
	size_t n = 0;

	if (skip_sign(in, '<')) {
		n = str_find(*in, '>');
		*in = str_from_at(*in, n + 1);
		return n > 0 && in->p;
	}
	while (n < in->n && isalpha((unsigned char)in->p[n]))
		n++;
	*in = str_from_at(*in, n);
	return n >= 3;
}

static bool read_change_day(struct str *in, struct zone_change *c)
{
	if (skip_sign(in, 'M')) {
		c->kind = 'M';
		return read_count(in, &c->month) && skip_sign(in, '.') &&
		       read_count(in, &c->week) && skip_sign(in, '.') && read_count(in, &c->day) &&
		       c->month >= 1 && c->month <= 12 && c->week >= 1 && c->week <= 5 &&
		       c->day <= 6;
	}
	c->kind = skip_sign(in, 'J') ? 'J' : 0;
	return read_count(in, &c->day) && c->day <= 366;
}

static bool read_change(struct str *in, struct zone_change *c)
{
	c->seconds = 2 * 3600;
	if (!skip_sign(in, ',') || !read_change_day(in, c))
		return false;
	return !skip_sign(in, '/') || read_clock(in, &c->seconds);
}

static bool read_rule(struct str text, struct zone_rule *out)
{
	struct zone_rule r = {0};

	if (!skip_zone_name(&text) || !read_clock(&text, &r.standard))
		return false;
	r.standard = -r.standard;
	r.summer = r.standard + 3600;
	if (text.n) {
		r.has_summer = true;
		if (!skip_zone_name(&text))
			return false;
		if (text.n && text.p[0] != ',') {
			if (!read_clock(&text, &r.summer))
				return false;
			r.summer = -r.summer;
		}
		if (!read_change(&text, &r.begin) || !read_change(&text, &r.end))
			return false;
	}
	*out = r;
	return !text.n;
}

/* Return the seconds since 1970 of a change in that year, by the clock before it. */
static int64_t change_time(const struct zone_change *c, int64_t year)
{
	int64_t first = civil_days(year, c->kind == 'M' ? c->month : 1, 1), day = first + c->day;

	if (c->kind == 'J') {
		bool leap = civil_days(year, 3, 1) - civil_days(year, 2, 28) == 2;

		day = first + c->day - 1 + (leap && c->day >= 60);
	} else if (c->kind == 'M') {
		int64_t next = civil_days(year + c->month / 12, c->month % 12 + 1, 1);
		int64_t weekday = ((first + 4) % 7 + 7) % 7;

		day = first + (c->day - weekday + 7) % 7 + (c->week - 1) * 7;
		if (day >= next)
			day -= 7;
	}
	return day * ZONE_DAY_SECONDS + c->seconds;
}

static int64_t year_of_seconds(int64_t utc)
{
	int64_t days = civil_divide(utc, ZONE_DAY_SECONDS), year = 1970 + civil_divide(days, 366);

	while (civil_days(year + 1, 1, 1) <= days)
		year++;
	while (civil_days(year, 1, 1) > days)
		year--;
	return year;
}

static int64_t rule_offset(const struct zone_rule *r, int64_t utc)
{
	int64_t year, begin, end;
	bool summer;

	if (!r->has_summer || utc < -ZONE_RULE_SECONDS || utc > ZONE_RULE_SECONDS)
		return r->standard;
	year = year_of_seconds(utc);
	begin = change_time(&r->begin, year) - r->standard;
	end = change_time(&r->end, year) - r->summer;
	summer = begin < end ? utc >= begin && utc < end : utc >= begin || utc < end;
	return summer ? r->summer : r->standard;
}

int time_zone_parse_rule(struct time_zone **out, struct str rule)
{
	struct time_zone *z = calloc(1, sizeof(*z));

	if (!z)
		return -ENOMEM;
	z->has_rule = true;
	if (!read_rule(rule, &z->rule)) {
		free(z);
		return -EBADMSG;
	}
	*out = z;
	return 0;
}

/* ---- files ---- */

static int64_t load_big_endian(const char *p, unsigned n)
{
	uint64_t value = (signed char)p[0] < 0 ? ~(uint64_t)0 : 0;

	for (unsigned i = 0; i < n; i++)
		value = value << 8 | (unsigned char)p[i];
	return (int64_t)value;
}

/* The counts of a header. */
struct zone_counts {
	int64_t utc, standard, leaps, times, types, chars;
};

/* Read a header; *in is what follows it. */
static bool read_zone_header(struct str *in, struct zone_counts *c)
{
	int64_t *const fields[] = {&c->utc,   &c->standard, &c->leaps,
				   &c->times, &c->types,    &c->chars};

	if (in->n < ZONE_HEADER || memcmp(in->p, "TZif", 4) != 0)
		return false;
	for (unsigned i = 0; i < countof(fields); i++) {
		*fields[i] = load_big_endian(in->p + 20 + 4 * i, 4);
		if (*fields[i] < 0 || *fields[i] > ZONE_FILE_MAX)
			return false;
	}
	*in = str_from_at(*in, ZONE_HEADER);
	return true;
}

static size_t zone_data_size(const struct zone_counts *c, int64_t time_size)
{
	return (size_t)(c->times * (time_size + 1) + c->types * 6 + c->chars +
			c->leaps * (time_size + 4) + c->standard + c->utc);
}

/* Fill the transitions. `in` has all of the data. */
static bool read_transitions(struct time_zone *z, struct str in, const struct zone_counts *c)
{
	const char *indices = in.p + c->times * 8, *types = indices + c->times;

	z->first = load_big_endian(types, 4);
	for (int64_t i = 0; i < c->times; i++) {
		unsigned type = (unsigned char)indices[i];

		if (type >= c->types)
			return false;
		z->transitions[i] =
			(struct zone_transition){load_big_endian(in.p + i * 8, 8),
						 load_big_endian(types + (size_t)type * 6, 4)};
	}
	z->count = (uint32_t)c->times;
	return true;
}

int time_zone_parse(struct time_zone **out, struct str file)
{
	struct time_zone *z;
	struct zone_counts c;
	struct str in = file, rule;
	size_t size;

	if (!read_zone_header(&in, &c) || file.p[4] < '2')
		return -EBADMSG;
	in = str_from_at(in, zone_data_size(&c, 4));
	if (!read_zone_header(&in, &c) || c.times > ZONE_TRANSITIONS_MAX || !c.types ||
	    c.types > ZONE_TYPES_MAX)
		return -EBADMSG;
	size = zone_data_size(&c, 8);
	if (in.n < size)
		return -EBADMSG;
	z = calloc(1, sizeof(*z) + (size_t)c.times * sizeof(*z->transitions));
	if (!z)
		return -ENOMEM;
	rule = str_from_at(in, size + 1);
	rule = str_cut(&rule, '\n');
	z->has_rule = rule.n && read_rule(rule, &z->rule);
	if (!read_transitions(z, in, &c)) {
		free(z);
		return -EBADMSG;
	}
	*out = z;
	return 0;
}

/* Load a file of the database. Return 0, -ENOMEM, -ENOENT or -EBADMSG. */
static int load_zone_file(struct time_zone **out, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), rc = -ENOENT;
	char *bytes = NULL;
	ssize_t n;

	if (fd < 0)
		return rc;
	bytes = malloc(ZONE_FILE_MAX);
	rc = -ENOMEM;
	if (!bytes)
		goto out;
	n = read(fd, bytes, ZONE_FILE_MAX);
	rc = n < 0 ? -ENOENT : time_zone_parse(out, str_of(bytes, (size_t)n));
out:
	free(bytes);
	close(fd);
	return rc;
}

static int load_named_zone(struct time_zone **out, struct str name)
{
	char path[sizeof(ZONE_DATABASE) + 100];

	if (!name.n || name.n > 99 || name.p[0] == '/' || name.p[0] == '.' ||
	    str_find_str(name, STR("..")) < name.n || memchr(name.p, 0, name.n))
		return -ENOENT;
	snprintf(path, sizeof(path), "%s%.*s", ZONE_DATABASE, STR_ARG(name));
	return load_zone_file(out, path);
}

static int load_local_zone(struct time_zone **out)
{
	const char *tz =
		getenv("TZ"); /* NOLINT(concurrency-mt-unsafe): the program never sets it */
	int rc;

	if (!tz)
		return load_zone_file(out, "/etc/localtime");
	tz += *tz == ':';
	rc = *tz == '/' ? load_zone_file(out, tz) : load_named_zone(out, str_from(tz));
	return rc ? time_zone_parse_rule(out, str_from(tz)) : 0;
}

int time_zone_load(struct time_zone **out, struct str name, struct err *e)
{
	bool local = str_eq(name, STR("Local"));
	int rc = -ENOENT;

	if (local)
		rc = load_local_zone(out);
	else if (!str_eq(name, STR("UTC")))
		rc = load_named_zone(out, name);
	if (rc && (local || str_eq(name, STR("UTC"))))
		rc = time_zone_parse_rule(out, STR("UTC0"));
	if (rc == -ENOMEM)
		return err_errno(e, rc, "time zone");
	if (rc)
		return err_set(e, -EINVAL,
			       "unknown location \"%.*s\": use UTC, Local or a name such as "
			       "Europe/Berlin of the directory " ZONE_DATABASE,
			       STR_ARG(str_head(name, 60)));
	return 0;
}

void time_zone_free(struct time_zone *z)
{
	free(z);
}

/* ---- lookup ---- */

int64_t time_zone_offset(const struct time_zone *z, int64_t utc)
{
	uint32_t low = 0, high = z->count;

	if (z->has_rule && (!high || utc >= z->transitions[high - 1].at))
		return rule_offset(&z->rule, utc);
	while (low < high) {
		uint32_t middle = (low + high) / 2;

		if (z->transitions[middle].at <= utc)
			low = middle + 1;
		else
			high = middle;
	}
	return low ? z->transitions[low - 1].offset : z->first;
}

int64_t time_zone_offset_of_local(const struct time_zone *z, int64_t local)
{
	int64_t guess = time_zone_offset(z, local);

	return time_zone_offset(z, local - guess);
}
