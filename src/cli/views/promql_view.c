/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/views/promql_view.h"

#include <math.h>

#include "cli/terminal/text.h"

enum { SPARK_COLUMNS = 40, VALUE_COLUMNS = 24 };

void sparkline_put(struct buf *out, const struct terminal *terminal, const double *values,
		   uint32_t n)
{
	static const char *const blocks[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
	static const char *const ascii[] = {"_", ".", "-", "~", "=", "+", "*", "#"};
	const char *const *marks = terminal->charset == TEXT_UTF8 ? blocks : ascii;
	double least = 0, most = 0;

	for (uint32_t i = 0; i < n; i++)
		if (isfinite(values[i])) {
			least = values[i] < least ? values[i] : least;
			most = values[i] > most ? values[i] : most;
		}
	for (uint32_t i = 0; i < n; i++) {
		/* halves: the difference of two doubles may exceed them */
		double all = most / 2 - least / 2, part = values[i] / 2 - least / 2;
		unsigned height = 0;

		if (isnan(values[i])) {
			buf_put_char(out, ' ');
			continue;
		}
		if (part >= all)
			height = all > 0 ? 7 : 0;
		else if (part > 0)
			height = (unsigned)(7 * (part / all) + 0.5);
		buf_put_str(out, str_from(marks[height < 8 ? height : 7]));
	}
}

/* ---- values ---- */

/* Append a number in the least width that shows it, right-aligned. */
static void put_value(struct buf *out, struct str text)
{
	double value;

	if (!str_to_double(text, &value) && text.n > 12 && isfinite(value))
		buf_printf(out, "%12.6g", value);
	else
		buf_printf(out, "%*s%.*s", (int)(text.n < 12 ? 12 - text.n : 0), "",
			   STR_ARG(str_head(text, VALUE_COLUMNS)));
}

static void put_metric(struct buf *out, const struct json_value *metric,
		       const struct terminal *terminal)
{
	const char *comma = "";
	bool others = false;

	terminal_bold(out, terminal);
	text_put(out, json_str(json_get(metric, STR("__name__"))), terminal->charset);
	terminal_plain(out, terminal);
	json_each_member(key, metric)
	{
		if (str_eq(json_str(key), STR("__name__")))
			continue;
		buf_put_str(out, others ? str_from(comma) : STR("{"));
		text_put(out, json_str(key), terminal->charset);
		buf_put_str(out, STR("=\""));
		text_put(out, json_str(json_member(key)), terminal->charset);
		buf_put_char(out, '"');
		others = true;
		comma = ", ";
	}
	if (others)
		buf_put_char(out, '}');
	else if (!json_get(metric, STR("__name__")))
		buf_put_str(out, STR("{}"));
	buf_put_char(out, '\n');
}

/* Append a native histogram: its count and sum. */
static void put_histogram(struct buf *out, const struct json_value *h)
{
	buf_put_str(out, STR("histogram of "));
	put_value(out, json_str(json_get(h, STR("count"))));
	buf_put_str(out, STR(", sum "));
	put_value(out, json_str(json_get(h, STR("sum"))));
}

static void put_instant(struct buf *out, const struct json_value *row,
			const struct terminal *terminal)
{
	const struct json_value *h = json_get(row, STR("histogram"));

	if (h)
		put_histogram(out, json_item(h, 1));
	else
		put_value(out, json_str(json_item(json_get(row, STR("value")), 1)));
	buf_put_str(out, STR("  "));
	put_metric(out, json_get(row, STR("metric")), terminal);
}

/* ---- charts ---- */

/* The times of all series of a result, in seconds. */
struct span {
	double first, last;
};

static double time_of(const struct json_value *sample)
{
	double t;

	return json_double(json_item(sample, 0), &t) ? 0 : t;
}

/* Return the value of a sample; of a histogram its count. */
static struct str value_of(const struct json_value *sample)
{
	const struct json_value *v = json_item(sample, 1), *count = json_get(v, STR("count"));

	return json_str(count ? count : v);
}

static const struct json_value *samples_of(const struct json_value *row)
{
	const struct json_value *values = json_get(row, STR("values"));

	return values ? values : json_get(row, STR("histograms"));
}

static struct span find_span(const struct json_value *rows)
{
	struct span s = {INFINITY, -INFINITY};

	json_each(row, rows)
	{
		const struct json_value *samples = samples_of(row);
		uint32_t n = json_count(samples);
		double first, last;

		if (!n)
			continue;
		first = time_of(json_item(samples, 0));
		last = time_of(json_item(samples, n - 1));
		s.first = first < s.first ? first : s.first;
		s.last = last > s.last ? last : s.last;
	}
	return s;
}

/* Append the last value and a chart; each character shows the largest of its samples. */
static void put_chart(struct buf *out, const struct json_value *row, const struct span *span,
		      const struct terminal *terminal)
{
	const struct json_value *samples = samples_of(row);
	double tops[SPARK_COLUMNS], seconds = span->last - span->first;
	struct str last = {0};

	for (unsigned i = 0; i < SPARK_COLUMNS; i++)
		tops[i] = NAN;
	json_each(sample, samples)
	{
		double at = seconds > 0 ? (time_of(sample) - span->first) / seconds : 0, value;
		unsigned column = at > 0 ? (unsigned)(at * (SPARK_COLUMNS - 1) + 0.5) : 0;
		double *top = &tops[column < SPARK_COLUMNS ? column : SPARK_COLUMNS - 1];

		last = value_of(sample);
		if (!str_to_double(last, &value) && !(value <= *top))
			*top = value;
	}
	put_value(out, last);
	buf_put_str(out, STR("  "));
	sparkline_put(out, terminal, tops, SPARK_COLUMNS);
	buf_put_str(out, STR("  "));
	put_metric(out, json_get(row, STR("metric")), terminal);
}

void promql_view_put(struct buf *out, const struct json_value *answer,
		     const struct terminal *terminal)
{
	const struct json_value *data = json_get(answer, STR("data"));
	const struct json_value *result = json_get(data, STR("result"));
	struct str type = json_str(json_get(data, STR("resultType")));
	struct span span;

	if (str_eq(type, STR("scalar")) || str_eq(type, STR("string"))) {
		text_put(out, json_str(json_item(result, 1)), terminal->charset);
		buf_put_char(out, '\n');
		return;
	}
	if (!json_count(result))
		buf_put_str(out, STR("no series in this time range\n"));
	span = find_span(result);
	json_each(row, result)
	{
		if (str_eq(type, STR("vector")))
			put_instant(out, row, terminal);
		else
			put_chart(out, row, &span, terminal);
	}
}

void promql_view_note(struct cli *cli, const struct json_value *answer)
{
	json_each(warning, json_get(answer, STR("warnings")))
		cli_note(cli, "%.*s", STR_ARG(json_str(warning)));
	json_each(info, json_get(answer, STR("infos")))
		cli_note(cli, "%.*s", STR_ARG(json_str(info)));
}
