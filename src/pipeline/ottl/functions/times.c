/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Points in time are nanoseconds since 1970 in 64 bits (1677 to 2262), without a time zone: parts
 * of a time, as Hour(), are those of UTC. Layouts have the directives of strptime(3).
 */
#include "pipeline/ottl/functions/times.h"

#include "base/clock.h"
#include "pipeline/ottl/functions/civil_time.h"

enum { DAY_SECONDS = 86400 };

static int run_time(struct ottl_eval *ev, struct ottl_args *a, struct ottl_value *out)
{
	struct civil c = {.year = 1970, .month = 1, .day = 1};
	struct str in = a->v[0].s;
	int64_t ns;

	if (!in.n || !a->v[1].s.n)
		return ottl_fail(ev, "time and format cannot be empty");
	if (a->given[2] && !str_eq(a->v[2].s, STR("UTC")))
		return ottl_fail(ev,
				 "location \"%.*s\" is not supported: use UTC, or an offset in "
				 "the text (%%z)",
				 STR_ARG(a->v[2].s));
	if (!civil_read(&in, a->v[1].s, &c) || in.n || !civil_to_ns(&c, &ns))
		return ottl_fail(ev, "cannot parse time \"%.*s\" by the format \"%.*s\"",
				 STR_ARG(str_head(a->v[0].s, 60)),
				 STR_ARG(str_head(a->v[1].s, 60)));
	*out = (struct ottl_value){.kind = OTTL_TIME, .i = ns};
	return 0;
}

static int run_format_time(struct ottl_eval *ev, struct ottl_args *a, struct ottl_value *out)
{
	struct civil c = civil_of(a->v[0].i);
	struct buf b = ottl_text_buf(ev);
	char unknown;

	if (!a->v[1].s.n)
		return ottl_fail(ev, "format cannot be empty");
	unknown = civil_write(&b, a->v[1].s, &c);
	if (!unknown)
		return ottl_return_text(ev, &b, out);
	buf_fini(&b);
	return ottl_fail(ev, "FormatTime: unknown directive \"%%%c\"", unknown);
}

/* ---- points in time ---- */

static int run_now(struct ottl_eval *ev, struct ottl_args *a, struct ottl_value *out)
{
	(void)ev;
	(void)a;
	*out = (struct ottl_value){.kind = OTTL_TIME, .i = (int64_t)clock_realtime_ns()};
	return 0;
}

static int run_unix(struct ottl_eval *ev, struct ottl_args *a, struct ottl_value *out)
{
	__int128 ns = (__int128)a->v[0].i * (int64_t)NS_PER_SECOND + (a->given[1] ? a->v[1].i : 0);

	*out = (struct ottl_value){.kind = OTTL_TIME, .i = (int64_t)ns};
	return out->i == ns ? 0 : ottl_fail(ev, "the time is out of range");
}

static int return_divided(struct ottl_args *a, int64_t by, struct ottl_value *out)
{
	*out = OTTL_VALUE_INT(civil_divide(a->v[0].i, by));
	return 0;
}

static int run_unix_nano(struct ottl_eval *ev, struct ottl_args *a, struct ottl_value *out)
{
	(void)ev;
	return return_divided(a, 1, out);
}

static int run_unix_micro(struct ottl_eval *ev, struct ottl_args *a, struct ottl_value *out)
{
	(void)ev;
	return return_divided(a, 1000, out);
}

static int run_unix_milli(struct ottl_eval *ev, struct ottl_args *a, struct ottl_value *out)
{
	(void)ev;
	return return_divided(a, 1000000, out);
}

static int run_unix_seconds(struct ottl_eval *ev, struct ottl_args *a, struct ottl_value *out)
{
	(void)ev;
	return return_divided(a, (int64_t)NS_PER_SECOND, out);
}

/* Round a time down to a multiple of a duration. */
static int run_truncate_time(struct ottl_eval *ev, struct ottl_args *a, struct ottl_value *out)
{
	int64_t unit = a->v[1].i, days;

	(void)ev;
	*out = a->v[0];
	if (unit <= 0)
		return 0;
	/* Multiples count from the year 1, as in Go. */
	days = -civil_days(1, 1, 1);
	out->i -= (int64_t)((((__int128)days * DAY_SECONDS * (int64_t)NS_PER_SECOND + out->i) %
			     unit));
	return 0;
}

static int run_year(struct ottl_eval *ev, struct ottl_args *a, struct ottl_value *out)
{
	(void)ev;
	*out = OTTL_VALUE_INT(civil_of(a->v[0].i).year);
	return 0;
}

static int run_month(struct ottl_eval *ev, struct ottl_args *a, struct ottl_value *out)
{
	(void)ev;
	*out = OTTL_VALUE_INT(civil_of(a->v[0].i).month);
	return 0;
}

static int run_day(struct ottl_eval *ev, struct ottl_args *a, struct ottl_value *out)
{
	(void)ev;
	*out = OTTL_VALUE_INT(civil_of(a->v[0].i).day);
	return 0;
}

static int run_hour(struct ottl_eval *ev, struct ottl_args *a, struct ottl_value *out)
{
	(void)ev;
	*out = OTTL_VALUE_INT(civil_of(a->v[0].i).hour);
	return 0;
}

static int run_minute(struct ottl_eval *ev, struct ottl_args *a, struct ottl_value *out)
{
	(void)ev;
	*out = OTTL_VALUE_INT(civil_of(a->v[0].i).minute);
	return 0;
}

static int run_second(struct ottl_eval *ev, struct ottl_args *a, struct ottl_value *out)
{
	(void)ev;
	*out = OTTL_VALUE_INT(civil_of(a->v[0].i).second);
	return 0;
}

static int run_nanosecond(struct ottl_eval *ev, struct ottl_args *a, struct ottl_value *out)
{
	(void)ev;
	*out = OTTL_VALUE_INT(civil_of(a->v[0].i).nanosecond);
	return 0;
}

static int run_weekday(struct ottl_eval *ev, struct ottl_args *a, struct ottl_value *out)
{
	(void)ev;
	*out = OTTL_VALUE_INT(civil_of(a->v[0].i).weekday);
	return 0;
}

/* ---- durations ---- */

/* Read a number with a fraction and its unit, as 1.5h. Return false if there is none. */
static bool read_span(struct str *in, double *ns)
{
	static const struct {
		const char *name;
		double ns;
	} units[] = {{"ns", 1},	 {"us", 1e3}, {"\xc2\xb5s", 1e3}, {"ms", 1e6},
		     {"s", 1e9}, {"m", 60e9}, {"h", 3600e9}};
	size_t n = 0;
	double number;

	while (n < in->n && strchr("0123456789.", in->p[n]) && in->p[n])
		n++;
	if (!n || str_to_double(str_head(*in, n), &number))
		return false;
	*in = str_from_at(*in, n);
	for (size_t i = 0; i < countof(units); i++) {
		if (!str_starts(*in, str_from(units[i].name)))
			continue;
		*in = str_from_at(*in, strlen(units[i].name));
		*ns += number * units[i].ns;
		return true;
	}
	return false;
}

static int run_duration(struct ottl_eval *ev, struct ottl_args *a, struct ottl_value *out)
{
	struct str in = a->v[0].s;
	bool minus = in.n && in.p[0] == '-', good = true;
	double ns = 0;

	in = str_from_at(in, minus || (in.n && in.p[0] == '+'));
	if (str_eq(in, STR("0")))
		in = STR("0s");
	do
		good = read_span(&in, &ns);
	while (good && in.n);
	if (!good || ns >= 0x1p63)
		return ottl_fail(ev,
				 "invalid duration \"%.*s\": expected, for example, 1h30m or "
				 "1.5s",
				 STR_ARG(str_head(a->v[0].s, 60)));
	*out = (struct ottl_value){.kind = OTTL_DURATION, .i = (int64_t)(minus ? -ns : ns)};
	return 0;
}

static int return_part(struct ottl_args *a, double unit, struct ottl_value *out)
{
	*out = OTTL_VALUE_DOUBLE((double)a->v[0].i / unit);
	return 0;
}

static int run_hours(struct ottl_eval *ev, struct ottl_args *a, struct ottl_value *out)
{
	(void)ev;
	return return_part(a, 3600e9, out);
}

static int run_minutes(struct ottl_eval *ev, struct ottl_args *a, struct ottl_value *out)
{
	(void)ev;
	return return_part(a, 60e9, out);
}

static int run_seconds(struct ottl_eval *ev, struct ottl_args *a, struct ottl_value *out)
{
	(void)ev;
	return return_part(a, 1e9, out);
}

static int run_milliseconds(struct ottl_eval *ev, struct ottl_args *a, struct ottl_value *out)
{
	(void)ev;
	*out = OTTL_VALUE_INT(a->v[0].i / 1000000);
	return 0;
}

static int run_microseconds(struct ottl_eval *ev, struct ottl_args *a, struct ottl_value *out)
{
	(void)ev;
	*out = OTTL_VALUE_INT(a->v[0].i / 1000);
	return 0;
}

static int run_nanoseconds(struct ottl_eval *ev, struct ottl_args *a, struct ottl_value *out)
{
	(void)ev;
	*out = OTTL_VALUE_INT(a->v[0].i);
	return 0;
}

const struct ottl_function ottl_time_functions[] = {
	{"Time",
	 run_time,
	 {{"time", PARAM_STRING},
	  {"format", PARAM_STRING},
	  {"location", PARAM_STRING, .optional = true}}},
	{"FormatTime", run_format_time, {{"time", PARAM_TIME}, {"format", PARAM_STRING}}},
	{"Now", run_now},
	{"Unix", run_unix, {{"seconds", PARAM_INT}, {"nanoseconds", PARAM_INT, .optional = true}}},
	{"UnixNano", run_unix_nano, {{"time", PARAM_TIME}}},
	{"UnixMicro", run_unix_micro, {{"time", PARAM_TIME}}},
	{"UnixMilli", run_unix_milli, {{"time", PARAM_TIME}}},
	{"UnixSeconds", run_unix_seconds, {{"time", PARAM_TIME}}},
	{"TruncateTime", run_truncate_time, {{"time", PARAM_TIME}, {"duration", PARAM_DURATION}}},
	{"Year", run_year, {{"time", PARAM_TIME}}},
	{"Month", run_month, {{"time", PARAM_TIME}}},
	{"Day", run_day, {{"time", PARAM_TIME}}},
	{"Hour", run_hour, {{"time", PARAM_TIME}}},
	{"Minute", run_minute, {{"time", PARAM_TIME}}},
	{"Second", run_second, {{"time", PARAM_TIME}}},
	{"Nanosecond", run_nanosecond, {{"time", PARAM_TIME}}},
	{"Weekday", run_weekday, {{"time", PARAM_TIME}}},
	{"Duration", run_duration, {{"duration", PARAM_STRING}}},
	{"Hours", run_hours, {{"duration", PARAM_DURATION}}},
	{"Minutes", run_minutes, {{"duration", PARAM_DURATION}}},
	{"Seconds", run_seconds, {{"duration", PARAM_DURATION}}},
	{"Milliseconds", run_milliseconds, {{"duration", PARAM_DURATION}}},
	{"Microseconds", run_microseconds, {{"duration", PARAM_DURATION}}},
	{"Nanoseconds", run_nanoseconds, {{"duration", PARAM_DURATION}}},
	{.name = NULL},
};
