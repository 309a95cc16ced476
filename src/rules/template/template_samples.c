/* SPDX-License-Identifier: Apache-2.0 */
/* Functions over results of queries, args and tmpl, and the methods of times and durations. */
#include <errno.h>
#include <stdlib.h>
#include <time.h>

#include "rules/template/template_functions.h"

#define SECOND ((int64_t)1000000000)

/* ---- queries ---- */

static int call_query(struct template_call *c)
{
	struct template_run *run = c->run;
	struct rule_template_sample *samples = NULL;
	const struct rule_template_sample **at;
	struct err e = {0};
	struct str expr;
	uint32_t n = 0;
	int rc = template_string_arg(c, 0, &expr);

	if (rc)
		return rc;
	if (!run->data->query)
		return template_call_fail(c, "queries are not possible here");
	if (++run->queries > RULE_TEMPLATE_QUERIES_MAX)
		return template_call_fail(c, "more than %d queries", RULE_TEMPLATE_QUERIES_MAX);
	rc = run->data->query(run->data->query_ctx, expr, run->arena, &samples, &n, &e);
	if (rc) {
		template_call_fail(c, "%s", e.text);
		return rc;
	}
	at = arena_alloc(run->arena, (size_t)n + 1, sizeof(const struct rule_template_sample *));
	if (!at)
		return -ENOMEM;
	for (uint32_t i = 0; i < n; i++)
		at[i] = &samples[i];
	*c->out = (struct template_value){.kind = TEMPLATE_SAMPLES, .samples = {at, n}};
	return 0;
}

static int call_first(struct template_call *c)
{
	struct template_samples samples = {0};
	int rc = template_samples_arg(c, 0, &samples);

	if (!rc && !samples.n)
		return template_call_fail(c, "first() called on vector with no elements");
	if (!rc)
		*c->out = (struct template_value){.kind = TEMPLATE_SAMPLE, .sample = samples.at[0]};
	return rc;
}

static struct label_set labels_of(const struct rule_template_sample *s)
{
	return (struct label_set){s->labels, s->label_count};
}

static int call_label(struct template_call *c)
{
	const struct rule_template_sample *s = NULL;
	struct str name;
	int rc = template_string_arg(c, 0, &name);

	if (!rc)
		rc = template_sample_arg(c, 1, &s);
	if (!rc)
		*c->out = template_string(template_label(labels_of(s), name));
	return rc;
}

static int call_value(struct template_call *c)
{
	const struct rule_template_sample *s = NULL;
	int rc = template_sample_arg(c, 0, &s);

	if (!rc)
		*c->out = template_float(s->value);
	return rc;
}

static int call_strvalue(struct template_call *c)
{
	const struct rule_template_sample *s = NULL;
	int rc = template_sample_arg(c, 0, &s);

	if (!rc)
		*c->out = template_string(template_label(labels_of(s), STR("__value__")));
	return rc;
}

struct sort_row {
	struct str key;
	uint32_t index;
	const struct rule_template_sample *sample;
};

static int compare_rows(const void *a, const void *b)
{
	const struct sort_row *x = a, *y = b;
	int order = str_cmp(x->key, y->key);

	return order ? order : x->index < y->index ? -1 : x->index > y->index;
}

/* Sorts in place, so that variables with the same result see it sorted, as in Prometheus. */
static int call_sort_by_label(struct template_call *c)
{
	struct template_samples samples;
	struct sort_row *rows;
	struct str name;
	int rc = template_string_arg(c, 0, &name);

	if (!rc)
		rc = template_samples_arg(c, 1, &samples);
	if (!rc)
		rc = template_step(c->run, samples.n);
	if (rc)
		return rc;
	rows = arena_alloc(c->run->arena, (size_t)samples.n + 1, sizeof(*rows));
	if (!rows)
		return -ENOMEM;
	for (uint32_t i = 0; i < samples.n; i++)
		rows[i] = (struct sort_row){template_label(labels_of(samples.at[i]), name), i,
					    samples.at[i]};
	qsort(rows, samples.n, sizeof(*rows), compare_rows);
	for (uint32_t i = 0; i < samples.n; i++)
		samples.at[i] = rows[i].sample;
	*c->out = c->args[1];
	return 0;
}

/* ---- templates ---- */

static int call_args(struct template_call *c)
{
	struct template_args *args = arena_zalloc(c->run->arena, 1, sizeof(*args));

	if (!args)
		return -ENOMEM;
	args->at = c->args;
	args->n = c->n;
	for (uint32_t i = 0; i < c->n; i++)
		if (c->args[i].kind == TEMPLATE_ARGS && c->args[i].args->depth >= args->depth)
			args->depth = c->args[i].args->depth + 1;
	if (args->depth > TEMPLATE_ARGS_DEPTH_MAX)
		return template_call_fail(c, "args in args deeper than %d",
					  TEMPLATE_ARGS_DEPTH_MAX);
	*c->out = (struct template_value){.kind = TEMPLATE_ARGS, .args = args};
	return 0;
}

/* Execute the template of that name and return its output. */
static int call_tmpl(struct template_call *c)
{
	struct template_run *run = c->run;
	struct str name;
	size_t before = run->out.n;
	int rc = template_string_arg(c, 0, &name);

	if (!rc)
		rc = template_execute_named(run, name, &c->args[1]);
	if (!rc && buf_error(&run->out))
		rc = -ENOMEM;
	if (!rc)
		rc = template_keep(run, str_of(run->out.p + before, run->out.n - before), c->out);
	run->out.n = before;
	return rc;
}

const struct template_function template_sample_functions[] = {
	{"query", 1, 1, call_query},
	{"first", 1, 1, call_first},
	{"label", 2, 2, call_label},
	{"value", 1, 1, call_value},
	{"strvalue", 1, 1, call_strvalue},
	{"sortByLabel", 2, 2, call_sort_by_label},
	{"args", 0, TEMPLATE_ANY_COUNT, call_args},
	{"tmpl", 2, 2, call_tmpl},
	{0},
};

/* ---- methods: the first argument is the receiver ---- */

static int duration_arg(struct template_call *c, uint32_t i, int64_t *out)
{
	*out = 0;
	if (c->args[i].kind != TEMPLATE_DURATION && c->args[i].kind != TEMPLATE_INT)
		return template_call_fail(c, "expected time.Duration; got %s",
					  template_type_name(&c->args[i]));
	*out = c->args[i].i;
	return 0;
}

static int time_arg(struct template_call *c, uint32_t i, int64_t *out)
{
	*out = 0;
	if (c->args[i].kind != TEMPLATE_TIME)
		return template_call_fail(c, "expected time.Time; got %s",
					  template_type_name(&c->args[i]));
	*out = c->args[i].i;
	return 0;
}

static int time_add(struct template_call *c)
{
	int64_t by;
	int rc = duration_arg(c, 1, &by);

	*c->out = template_of(TEMPLATE_TIME, 0);
	if (!rc && __builtin_add_overflow(c->args[0].i, by, &c->out->i))
		rc = template_call_fail(c, "the time is out of range");
	return rc;
}

static int time_sub(struct template_call *c)
{
	int64_t other;
	int rc = time_arg(c, 1, &other);

	*c->out = template_of(TEMPLATE_DURATION, 0);
	if (!rc && __builtin_sub_overflow(c->args[0].i, other, &c->out->i))
		c->out->i = c->args[0].i < other ? INT64_MIN : INT64_MAX;
	return rc;
}

static int time_compare(struct template_call *c, int *order)
{
	int64_t other;
	int rc = time_arg(c, 1, &other);

	if (!rc)
		*order = c->args[0].i < other ? -1 : c->args[0].i > other;
	return rc;
}

static int time_before(struct template_call *c)
{
	int order = 0, rc = time_compare(c, &order);

	*c->out = template_bool(order < 0);
	return rc;
}

static int time_after(struct template_call *c)
{
	int order = 0, rc = time_compare(c, &order);

	*c->out = template_bool(order > 0);
	return rc;
}

static int time_equal(struct template_call *c)
{
	int order = 0, rc = time_compare(c, &order);

	*c->out = template_bool(!order);
	return rc;
}

static int time_format(struct template_call *c)
{
	struct str layout;
	int rc = template_string_arg(c, 1, &layout);

	if (rc)
		return rc;
	template_put_layout(template_scratch(c), c->args[0].i, layout);
	return template_return_text(c);
}

static int return_string(struct template_call *c)
{
	template_put_value(template_scratch(c), &c->args[0]);
	return template_return_text(c);
}

/* Round toward minus infinity, as seconds of times before 1970. */
static int64_t floor_div(int64_t a, int64_t b)
{
	return a / b - (a % b < 0);
}

static int time_unix(struct template_call *c)
{
	*c->out = template_int(floor_div(c->args[0].i, SECOND));
	return 0;
}

static int time_unix_milli(struct template_call *c)
{
	*c->out = template_int(floor_div(c->args[0].i, 1000000));
	return 0;
}

static int time_unix_micro(struct template_call *c)
{
	*c->out = template_int(floor_div(c->args[0].i, 1000));
	return 0;
}

static int time_unix_nano(struct template_call *c)
{
	*c->out = template_int(c->args[0].i);
	return 0;
}

static int time_utc(struct template_call *c)
{
	*c->out = c->args[0];
	return 0;
}

static struct tm calendar(const struct template_call *c)
{
	time_t seconds = (time_t)floor_div(c->args[0].i, SECOND);
	struct tm tm = {0};

	gmtime_r(&seconds, &tm);
	return tm;
}

static int time_year(struct template_call *c)
{
	*c->out = template_int(calendar(c).tm_year + 1900);
	return 0;
}

static int time_month(struct template_call *c)
{
	*c->out = template_of(TEMPLATE_MONTH, calendar(c).tm_mon + 1);
	return 0;
}

static int time_day(struct template_call *c)
{
	*c->out = template_int(calendar(c).tm_mday);
	return 0;
}

static int time_weekday(struct template_call *c)
{
	*c->out = template_of(TEMPLATE_WEEKDAY, calendar(c).tm_wday);
	return 0;
}

static int time_year_day(struct template_call *c)
{
	*c->out = template_int(calendar(c).tm_yday + 1);
	return 0;
}

static int time_hour(struct template_call *c)
{
	*c->out = template_int(calendar(c).tm_hour);
	return 0;
}

static int time_minute(struct template_call *c)
{
	*c->out = template_int(calendar(c).tm_min);
	return 0;
}

static int time_second(struct template_call *c)
{
	*c->out = template_int(calendar(c).tm_sec);
	return 0;
}

/* Whole units and their fraction are added, as in Go: the sum is rounded once. */
static int duration_float(struct template_call *c, int64_t unit)
{
	int64_t n = c->args[0].i, whole = n / unit, rest = n % unit;

	*c->out = template_float((double)whole + (double)rest / (double)unit);
	return 0;
}

static int duration_seconds(struct template_call *c)
{
	return duration_float(c, SECOND);
}

static int duration_minutes(struct template_call *c)
{
	return duration_float(c, 60 * SECOND);
}

static int duration_hours(struct template_call *c)
{
	return duration_float(c, 3600 * SECOND);
}

static int duration_milliseconds(struct template_call *c)
{
	*c->out = template_int(c->args[0].i / 1000000);
	return 0;
}

static int duration_microseconds(struct template_call *c)
{
	*c->out = template_int(c->args[0].i / 1000);
	return 0;
}

static int duration_nanoseconds(struct template_call *c)
{
	*c->out = template_int(c->args[0].i);
	return 0;
}

static int duration_abs(struct template_call *c)
{
	int64_t n = c->args[0].i;

	*c->out = template_of(TEMPLATE_DURATION, n == INT64_MIN ? INT64_MAX : n < 0 ? -n : n);
	return 0;
}

static int truncate_to(struct template_call *c, bool round)
{
	int64_t unit, n = c->args[0].i, rest;
	int rc = duration_arg(c, 1, &unit);

	*c->out = c->args[0];
	if (rc || unit <= 0)
		return rc;
	rest = n % unit;
	n -= rest;
	if (round && llabs(rest) >= unit - llabs(rest) &&
	    __builtin_add_overflow(n, rest < 0 ? -unit : unit, &n))
		n = rest < 0 ? INT64_MIN : INT64_MAX;
	c->out->i = n;
	return 0;
}

static int duration_truncate(struct template_call *c)
{
	return truncate_to(c, false);
}

static int duration_round(struct template_call *c)
{
	return truncate_to(c, true);
}

static const struct {
	enum template_kind kind;
	struct template_function method; /* counts include the receiver */
} methods[] = {
	{TEMPLATE_TIME, {"Format", 2, 2, time_format}},
	{TEMPLATE_TIME, {"String", 1, 1, return_string}},
	{TEMPLATE_TIME, {"Add", 2, 2, time_add}},
	{TEMPLATE_TIME, {"Sub", 2, 2, time_sub}},
	{TEMPLATE_TIME, {"Before", 2, 2, time_before}},
	{TEMPLATE_TIME, {"After", 2, 2, time_after}},
	{TEMPLATE_TIME, {"Equal", 2, 2, time_equal}},
	{TEMPLATE_TIME, {"UTC", 1, 1, time_utc}},
	{TEMPLATE_TIME, {"Unix", 1, 1, time_unix}},
	{TEMPLATE_TIME, {"UnixMilli", 1, 1, time_unix_milli}},
	{TEMPLATE_TIME, {"UnixMicro", 1, 1, time_unix_micro}},
	{TEMPLATE_TIME, {"UnixNano", 1, 1, time_unix_nano}},
	{TEMPLATE_TIME, {"Year", 1, 1, time_year}},
	{TEMPLATE_TIME, {"Month", 1, 1, time_month}},
	{TEMPLATE_TIME, {"Day", 1, 1, time_day}},
	{TEMPLATE_TIME, {"Weekday", 1, 1, time_weekday}},
	{TEMPLATE_TIME, {"YearDay", 1, 1, time_year_day}},
	{TEMPLATE_TIME, {"Hour", 1, 1, time_hour}},
	{TEMPLATE_TIME, {"Minute", 1, 1, time_minute}},
	{TEMPLATE_TIME, {"Second", 1, 1, time_second}},
	{TEMPLATE_DURATION, {"String", 1, 1, return_string}},
	{TEMPLATE_DURATION, {"Seconds", 1, 1, duration_seconds}},
	{TEMPLATE_DURATION, {"Minutes", 1, 1, duration_minutes}},
	{TEMPLATE_DURATION, {"Hours", 1, 1, duration_hours}},
	{TEMPLATE_DURATION, {"Milliseconds", 1, 1, duration_milliseconds}},
	{TEMPLATE_DURATION, {"Microseconds", 1, 1, duration_microseconds}},
	{TEMPLATE_DURATION, {"Nanoseconds", 1, 1, duration_nanoseconds}},
	{TEMPLATE_DURATION, {"Abs", 1, 1, duration_abs}},
	{TEMPLATE_DURATION, {"Truncate", 2, 2, duration_truncate}},
	{TEMPLATE_DURATION, {"Round", 2, 2, duration_round}},
	{TEMPLATE_MONTH, {"String", 1, 1, return_string}},
	{TEMPLATE_WEEKDAY, {"String", 1, 1, return_string}},
};

int template_method(struct template_call *c)
{
	for (size_t i = 0; i < countof(methods); i++) {
		const struct template_function *m = &methods[i].method;

		if (methods[i].kind != c->args[0].kind || strcmp(m->name, c->name) != 0)
			continue;
		if ((int)c->n < m->min || (int)c->n > m->max)
			return template_run_fail(c->run,
						 "wrong number of args for %s: want %d got %u",
						 m->name, m->min - 1, c->n - 1);
		return m->run(c);
	}
	return -ENOENT;
}
