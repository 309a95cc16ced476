/* SPDX-License-Identifier: Apache-2.0 */
/* varve query: query a server; tables and flame graphs are the same as for files. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/time_text.h"
#include "cli/commands.h"
#include "cli/commands/cmd_findings.h"
#include "cli/commands/cmd_flame.h"
#include "cli/commands/cmd_top.h"
#include "cli/output.h"
#include "cli/remote.h"
#include "cli/terminal/units.h"
#include "cli/views/drift_view.h"
#include "cli/views/log_view.h"
#include "cli/views/promql_view.h"
#include "cli/views/trace_list.h"
#include "cli/views/trace_view.h"

struct query_options {
	struct common_options common;
	struct remote_options remote;
	struct range_options range;
	struct span_options spans;
	struct view_options view;
	struct top_options top;
	struct flame_command_options flame;
	const char *output, *format, *step, *name, *aggregation, *function;
	struct option_list by;
	uint64_t limit;
	const char *severity, *regex;
	struct option_list text, contains, match;
	bool follow, instant;
};

#define AT(field) offsetof(struct query_options, field)

static const struct option query_options[] = {
	{"output", 'o', OPTION_TEXT, AT(output), "FILE", NULL, NULL,
	 "top, flame, profile: write the profile to a file, in the format of its name"},
	{"format", 'f', OPTION_TEXT, AT(format), "FORMAT", NULL, NULL,
	 "profile: pprof, otlp, folded, speedscope, ... (default: by the name of the file)"},
	{"by", 'b', OPTION_LIST, AT(by), "LABEL", NULL, NULL,
	 "series: one row per value of this label; can be repeated"},
	{"step", 0, OPTION_TEXT, AT(step), "TIME", NULL, NULL,
	 "series, promql: interval between points: 15s"},
	{"aggregation", 0, OPTION_TEXT, AT(aggregation), "sum|avg", NULL, NULL,
	 "series: aggregation of the values of a point"},
	{"limit", 0, OPTION_COUNT, AT(limit), "N", "0", NULL,
	 "series, promql: number of rows; 0: all"},
	{"instant", 0, OPTION_FLAG, AT(instant), NULL, NULL, NULL,
	 "promql: the values at the time of --to, instead of a chart"},
	{"name", 0, OPTION_TEXT, AT(name), "LABEL", NULL, NULL,
	 "labels: list the values of this label"},
	{"function", 0, OPTION_TEXT, AT(function), "NAME", NULL, NULL,
	 "spans: only spans that ran this function"},
	{0},
};

static const struct option log_options[] = {
	{"severity", 0, OPTION_TEXT, AT(severity), "LEVEL", NULL, NULL,
	 "the least severity: trace, debug, info, warn, error, fatal"},
	{"text", 0, OPTION_LIST, AT(text), "WORDS", NULL, NULL,
	 "a word or phrase that occurs, in any case; can be repeated"},
	{"contains", 0, OPTION_LIST, AT(contains), "TEXT", NULL, NULL,
	 "text that occurs, also within words; can be repeated"},
	{"regex", 0, OPTION_TEXT, AT(regex), "RE", NULL, NULL, "a regular expression that matches"},
	{"match", 0, OPTION_LIST, AT(match), "KEY=VALUE", NULL, NULL,
	 "an attribute; also !=, =~ and !~; can be repeated"},
	{"follow", 0, OPTION_FLAG, AT(follow), NULL, NULL, NULL,
	 "print new records as they arrive"},
	{0},
};

static const struct option_group groups[] = {
	{"Options", common_options, AT(common)},
	{"Server", remote_options, AT(remote)},
	{"Time range", range_options, AT(range)},
	{"Spans (top, flame, profile, series, spans)", span_options, AT(spans)},
	{"Output", query_options, 0},
	{"Logs (with -n, the newest N records)", log_options, 0},
	{"Table (top, spans, traces)", top_options, AT(top)},
	{"Flame graph (flame)", flame_options, AT(flame)},
	{"Selection and grouping (top, flame, findings)", view_options, AT(view)},
	{0},
};

struct query_run {
	struct cli *cli;
	const struct query_options *options;
	struct remote remote;
	struct buf path;  /* of the current request */
	const char *type; /* of profiles */
};

/* ---- profiles ---- */

static struct remote_profiles profiles_of(struct query_run *q)
{
	const struct query_options *o = q->options;

	return (struct remote_profiles){&q->remote, q->type, o->range.from, o->range.to, &o->spans};
}

static const char *const everything = "{}";

/* Return the arguments after the kind of query, or "{}" in *room if there are none. */
static struct arguments selectors(const struct arguments *args, char **room)
{
	struct arguments rest = {.at = args->at + 1, .n = args->n - 1};

	if (!rest.n) {
		*room = (char *)everything;
		rest = (struct arguments){.at = room, .n = 1};
	}
	return rest;
}

/* Fetch the merged profile of each selector into a view, and append its text by `make`. */
static int show_profiles(struct query_run *q, struct buf *out, view_make *make, const void *options,
			 const struct arguments *args, struct err *e)
{
	static const struct input_options plain;
	struct remote_profiles profiles = profiles_of(q);
	struct view_options o = q->options->view;
	struct inputs in = {0};
	struct view v = {0};
	int rc;

	if (o.label.n)
		return err_set(e, -EINVAL, "put labels into the selector: 'name{label=\"value\"}'");
	o.type = NULL; /* applied by the server */
	rc = inputs_init(&in, q->cli, &plain, e);
	in.fetch = remote_fetch;
	in.fetch_arg = &profiles;
	if (!rc)
		rc = view_init(&v, q->cli, &o, e);
	if (!rc)
		rc = make(out, q->cli, &v, &in, options, args, e);
	view_fini(&v);
	inputs_fini(&in);
	return rc;
}

/* Write the merged profile to --output or append it. */
static int save_profile(struct query_run *q, struct buf *out, const struct arguments *args,
			struct err *e)
{
	const struct remote_profiles profiles = profiles_of(q);
	const struct query_options *o = q->options;
	const struct format *f = NULL;
	struct buf bytes = {0};
	int rc = 0;

	if (args->n != 1)
		return err_set(e, -EINVAL, "a file needs exactly one selector");
	if (o->format)
		rc = input_format(&f, o->format, e);
	else if (o->output)
		f = format_by_path(str_from(o->output));
	if (!rc && !o->output && isatty(STDOUT_FILENO))
		rc = err_set(e, -EINVAL, "name a file: -o profile.pb.gz");
	if (rc)
		return rc;
	remote_profile_path(&q->path, &profiles, args->at[0], f ? f->name : "pprof");
	rc = remote_request(&q->remote, NULL, &q->path, (struct str){0}, &bytes, e);
	if (!rc && o->output)
		rc = output_file(o->output, buf_str(&bytes), e);
	else if (!rc)
		buf_put_str(out, buf_str(&bytes));
	buf_fini(&bytes);
	return rc;
}

static int query_top(struct query_run *q, struct buf *out, const struct arguments *args,
		     struct err *e)
{
	struct top_options o = q->options->top;

	if (q->options->output)
		return save_profile(q, out, args, e);
	o.view = q->options->view;
	return show_profiles(q, out, make_top, &o, args, e);
}

static int query_flame(struct query_run *q, struct buf *out, const struct arguments *args,
		       struct err *e)
{
	struct flame_command_options o = q->options->flame;

	if (q->options->output)
		return save_profile(q, out, args, e);
	o.view = q->options->view;
	return show_profiles(q, out, make_flame, &o, args, e);
}

/* Set the types of the service for findings: one of each kind of each profile. */
static int list_finding_types(struct query_run *q, struct finding_types *types,
			      const struct arguments *args, struct arena *arena, struct err *e)
{
	struct json doc;
	int rc;

	remote_path(&q->path, "/api/v1/types");
	remote_param(&q->path, "query", args->at[0]);
	remote_param(&q->path, "from", q->options->range.from);
	remote_param(&q->path, "to", q->options->range.to);
	rc = remote_json(&q->remote, NULL, &q->path, &doc, arena, e);
	if (rc)
		return rc;
	json_each(row, json_get(json_root(&doc), STR("types")))
	{
		struct str id = json_str(json_get(row, STR("id"))), rest = id;
		struct str profile = str_cut(&rest, ':');
		struct sample_type type = {.type = str_cut(&rest, ':')};

		type.unit = str_cut(&rest, ':');
		rc = rc ? rc : finding_types_add(types, profile, type, id, arena);
	}
	return rc;
}

static int query_findings(struct query_run *q, struct buf *out, const struct arguments *args,
			  struct err *e)
{
	struct findings_options o = {.view = q->options->view};
	struct finding_types types = {0};
	struct arena arena;
	int rc = 0;

	arena_init(&arena, &q->cli->budget);
	if (o.view.type)
		types = (struct finding_types){.at = {{.id = str_from(o.view.type)}}, .n = 1};
	else
		rc = list_finding_types(q, &types, args, &arena, e);
	if (!rc && !types.n)
		buf_put_str(out, STR("no profiles that rules apply to in this time range\n"));
	for (uint32_t i = 0; i < types.n && !rc; i++) {
		q->type = types.at[i].id.p;
		o.profile = types.at[i].profile;
		rc = show_profiles(q, out, make_findings, &o, args, e);
	}
	arena_fini(&arena);
	return rc;
}

/* ---- lists ---- */

/* Request JSON; with --json append it unchanged, else as `put` formats it. */
static int request_list(struct query_run *q, struct buf *out,
			void (*put)(struct query_run *q, struct buf *out,
				    const struct json_value *root),
			struct err *e)
{
	struct arena arena;
	struct json doc;
	int rc;

	arena_init(&arena, &q->cli->budget);
	if (q->options->view.json) {
		rc = remote_request(&q->remote, NULL, &q->path, (struct str){0}, out, e);
		buf_put_char(out, '\n');
	} else {
		rc = remote_json(&q->remote, NULL, &q->path, &doc, &arena, e);
		if (!rc)
			put(q, out, json_root(&doc));
	}
	arena_fini(&arena);
	return rc;
}

static void set_list_path(struct query_run *q, const char *path, const struct arguments *args)
{
	remote_path(&q->path, path);
	remote_param(&q->path, "query", args->at[0]);
	remote_param(&q->path, "from", q->options->range.from);
	remote_param(&q->path, "to", q->options->range.to);
}

static void put_text_line(struct query_run *q, struct buf *out, const struct json_value *text)
{
	text_put(out, json_str(text), q->cli->out.charset);
	buf_put_char(out, '\n');
}

static void put_services(struct query_run *q, struct buf *out, const struct json_value *root)
{
	json_each(service, json_get(root, STR("services")))
	{
		terminal_bold(out, &q->cli->out);
		text_put(out, json_str(json_get(service, STR("name"))), q->cli->out.charset);
		terminal_plain(out, &q->cli->out);
		buf_put_char(out, '\n');
		json_each(type, json_get(service, STR("types")))
		{
			buf_put_str(out, STR("  "));
			put_text_line(q, out, type);
		}
	}
}

static int query_services(struct query_run *q, struct buf *out, const struct arguments *args,
			  struct err *e)
{
	set_list_path(q, "/api/v1/services", args);
	return request_list(q, out, put_services, e);
}

static void put_types(struct query_run *q, struct buf *out, const struct json_value *root)
{
	json_each(type, json_get(root, STR("types")))
		put_text_line(q, out, json_get(type, STR("id")));
}

static int query_types(struct query_run *q, struct buf *out, const struct arguments *args,
		       struct err *e)
{
	set_list_path(q, "/api/v1/types", args);
	return request_list(q, out, put_types, e);
}

static void put_label_names(struct query_run *q, struct buf *out, const struct json_value *root)
{
	const struct json_value *values = json_get(root, STR("values"));

	json_each(name, values ? values : json_get(root, STR("labels")))
		put_text_line(q, out, name);
}

static int query_labels(struct query_run *q, struct buf *out, const struct arguments *args,
			struct err *e)
{
	const char *name = q->options->name;

	set_list_path(q, name ? "/api/v1/label-values" : "/api/v1/labels", args);
	remote_param(&q->path, "name", name);
	return request_list(q, out, put_label_names, e);
}

/* ---- series ---- */

enum { SPARK_COLUMNS = 40 };

static double point_value(const struct json_value *point)
{
	double value = 0;

	if (json_double(json_item(point, 1), &value))
		value = 0;
	return value;
}

/* Append a sparkline; each character shows the largest of its points. */
static void put_sparkline(struct query_run *q, struct buf *out, const struct json_value *points)
{
	uint32_t n = json_count(points), columns = n < SPARK_COLUMNS ? n : SPARK_COLUMNS, i = 0;
	double tops[SPARK_COLUMNS] = {0};

	if (!n)
		return;
	json_each(point, points)
	{
		double value = point_value(point), *top = &tops[(uint64_t)i++ * columns / n];

		*top = value > *top ? value : *top;
	}
	sparkline_put(out, &q->cli->out, tops, columns);
}

static void put_row_labels(struct query_run *q, struct buf *out, const struct json_value *labels)
{
	const char *comma = "";

	buf_put_char(out, '{');
	json_each_member(key, labels)
	{
		buf_put_str(out, str_from(comma));
		text_put(out, json_str(key), q->cli->out.charset);
		buf_put_char(out, '=');
		text_put(out, json_str(json_member(key)), q->cli->out.charset);
		comma = ", ";
	}
	buf_put_char(out, '}');
}

static void put_series(struct query_run *q, struct buf *out, const struct json_value *root)
{
	struct str unit = json_str(json_get(root, STR("unit")));

	json_each(row, json_get(root, STR("rows")))
	{
		const struct json_value *points = json_get(row, STR("points"));
		double total = 0;

		if (json_double(json_get(row, STR("total")), &total))
			total = 0;
		buf_printf(out, "%12s  ",
			   unit_value((int64_t)total, unit, q->options->view.exact).text);
		put_sparkline(q, out, points);
		buf_put_str(out, STR("  "));
		put_row_labels(q, out, json_get(row, STR("labels")));
		buf_put_char(out, '\n');
	}
}

static int query_series(struct query_run *q, struct buf *out, const struct arguments *args,
			struct err *e)
{
	const struct query_options *o = q->options;
	char limit[32];

	set_list_path(q, "/api/v1/series", args);
	remote_param(&q->path, "type", o->view.type);
	remote_param(&q->path, "step", o->step);
	remote_param(&q->path, "aggregation", o->aggregation);
	remote_param(&q->path, "focus", o->view.focus);
	remote_param(&q->path, "ignore", o->view.ignore);
	remote_span_params(&q->path, &o->spans);
	snprintf(limit, sizeof(limit), "%llu", (unsigned long long)o->limit);
	remote_param(&q->path, "limit", limit);
	for (unsigned i = 0; i < o->by.n; i++)
		remote_param(&q->path, "by", o->by.at[i]);
	return request_list(q, out, put_series, e);
}

/* ---- a trace ---- */

#define PROFILE_NS (3600 * NS_PER_SECOND)

/* Request the cost of the spans; without profiles there is none. */
static int request_cost(struct query_run *q, struct trace_waterfall *t, const char *id,
			struct err *e)
{
	struct json doc;
	char from[32], to[32];
	int rc;

	/* a profile that begins before the trace has samples of it */
	snprintf(from, sizeof(from), "%llu",
		 (unsigned long long)(t->start > PROFILE_NS ? t->start - PROFILE_NS : 1));
	snprintf(to, sizeof(to), "%llu", (unsigned long long)t->end + 1);
	buf_clear(&q->path);
	remote_path(&q->path, "/api/v1/spans");
	remote_param(&q->path, "trace", id);
	remote_param(&q->path, "type", q->options->view.type);
	remote_param(&q->path, "from", from);
	remote_param(&q->path, "to", to);
	remote_param(&q->path, "n", "0");
	rc = remote_json(&q->remote, NULL, &q->path, &doc, &t->arena, e);
	if (rc == -ENOENT) {
		*e = (struct err){0};
		return 0;
	}
	if (!rc)
		trace_waterfall_cost(t, json_root(&doc));
	return rc;
}

static int query_trace(struct query_run *q, struct buf *out, const struct arguments *args,
		       struct err *e)
{
	struct trace_waterfall t;
	struct json doc;
	int rc;

	if (args->n != 1 || strcmp(args->at[0], everything) == 0)
		return err_set(e, -EINVAL, "trace needs one trace id: varve query trace ID");
	trace_waterfall_init(&t, &q->cli->budget);
	remote_path(&q->path, "/api/v1/trace/otlp");
	remote_param(&q->path, "trace", args->at[0]);
	if (q->options->view.json) {
		rc = remote_request(&q->remote, NULL, &q->path, (struct str){0}, out, e);
		buf_put_char(out, '\n');
	} else {
		rc = remote_json(&q->remote, NULL, &q->path, &doc, &t.arena, e);
		if (!rc)
			rc = trace_waterfall_read(&t, json_root(&doc));
		if (!rc)
			rc = request_cost(q, &t, args->at[0], e);
		if (!rc)
			rc = trace_waterfall_put(&t, out, &q->cli->out, q->options->view.exact);
	}
	trace_waterfall_fini(&t);
	return rc;
}

/* ---- traces and spans ---- */

static void add_rows_param(struct query_run *q, const char *name)
{
	char rows[32];

	snprintf(rows, sizeof(rows), "%llu", (unsigned long long)q->options->top.rows);
	remote_param(&q->path, name, rows);
}

static void put_traces(struct query_run *q, struct buf *out, const struct json_value *root)
{
	trace_list_put(out, root, &q->cli->out, q->options->view.exact);
}

static int query_traces(struct query_run *q, struct buf *out, const struct arguments *args,
			struct err *e)
{
	const struct range_options *range = &q->options->range;

	if (args->n != 1)
		return err_set(e, -EINVAL,
			       "traces needs one TraceQL query: varve query traces '{ duration > "
			       "1s }'");
	remote_path(&q->path, "/api/search");
	remote_param(&q->path, "q", args->at[0]);
	remote_param(&q->path, "start", range->from || range->to ? range->from : "now-1h");
	remote_param(&q->path, "end", range->to);
	if (q->options->top.rows)
		add_rows_param(q, "limit");
	else
		remote_param(&q->path, "limit", "10000");
	return request_list(q, out, put_traces, e);
}

static void put_spans(struct query_run *q, struct buf *out, const struct json_value *root)
{
	span_list_put(out, root, &q->cli->out, q->options->view.exact);
}

static int query_spans(struct query_run *q, struct buf *out, const struct arguments *args,
		       struct err *e)
{
	const struct query_options *o = q->options;

	set_list_path(q, "/api/v1/spans", args);
	remote_param(&q->path, "type", o->view.type);
	remote_param(&q->path, "function", o->function);
	remote_param(&q->path, "focus", o->view.focus);
	remote_param(&q->path, "ignore", o->view.ignore);
	remote_span_params(&q->path, &o->spans);
	add_rows_param(q, "n");
	return request_list(q, out, put_spans, e);
}

/* ---- PromQL ---- */

enum { CHART_STEPS = 240 };

/* Append a time as seconds, as Prometheus' API has it. */
static int add_time_param(struct query_run *q, const char *name, const char *text, uint64_t now,
			  uint64_t *ns, struct err *e)
{
	char seconds[40];
	int rc = time_parse(str_from(text), now, ns, e);

	if (rc)
		return rc;
	snprintf(seconds, sizeof(seconds), "%llu.%03llu", (unsigned long long)(*ns / NS_PER_SECOND),
		 (unsigned long long)(*ns % NS_PER_SECOND / NS_PER_MS));
	remote_param(&q->path, name, seconds);
	return 0;
}

/* Set the path: a query of a range, or with --instant of its end. */
static int set_promql_path(struct query_run *q, const char *text, struct err *e)
{
	const struct query_options *o = q->options;
	uint64_t now = clock_realtime_ns(), from, to, step;
	char number[32];
	int rc;

	remote_path(&q->path,
		    o->instant ? "/prometheus/api/v1/query" : "/prometheus/api/v1/query_range");
	remote_param(&q->path, "query", text);
	snprintf(number, sizeof(number), "%llu", (unsigned long long)o->limit);
	remote_param(&q->path, "limit", number);
	rc = add_time_param(q, o->instant ? "time" : "end", o->range.to, now, &to, e);
	if (rc || o->instant)
		return rc;
	rc = add_time_param(q, "start", o->range.from, now, &from, e);
	if (rc)
		return rc;
	step = (to > from ? to - from : 0) / NS_PER_SECOND / CHART_STEPS;
	snprintf(number, sizeof(number), "%llu", (unsigned long long)(step ? step : 1));
	remote_param(&q->path, "step", o->step ? o->step : number);
	return 0;
}

static void put_promql(struct query_run *q, struct buf *out, const struct json_value *root)
{
	promql_view_note(q->cli, root);
	promql_view_put(out, root, &q->cli->out);
}

static int query_promql(struct query_run *q, struct buf *out, const struct arguments *args,
			struct err *e)
{
	int rc;

	if (args->n != 1 || strcmp(args->at[0], everything) == 0)
		return err_set(e, -EINVAL,
			       "promql needs one expression: varve query promql 'rate(x[5m])'");
	rc = set_promql_path(q, args->at[0], e);
	return rc ? rc : request_list(q, out, put_promql, e);
}

/* ---- logs ---- */

enum { LOGS_ALL = 10000, FOLLOW_MS = 1000 };

static void set_logs_path(struct query_run *q, const struct arguments *args, const char *from)
{
	const struct query_options *o = q->options;
	char limit[32];

	buf_clear(&q->path);
	remote_path(&q->path, "/api/v1/logs");
	for (int i = 0; i < args->n; i++)
		if (strcmp(args->at[i], everything) != 0)
			remote_param(&q->path, "service", args->at[i]);
	remote_param(&q->path, "from", from);
	remote_param(&q->path, "to", o->range.to);
	remote_param(&q->path, "severity", o->severity);
	remote_param(&q->path, "regex", o->regex);
	for (unsigned i = 0; i < o->text.n; i++)
		remote_param(&q->path, "text", o->text.at[i]);
	for (unsigned i = 0; i < o->contains.n; i++)
		remote_param(&q->path, "contains", o->contains.at[i]);
	for (unsigned i = 0; i < o->match.n; i++)
		remote_param(&q->path, "match", o->match.at[i]);
	for (unsigned i = 0; i < o->spans.trace.n; i++)
		remote_param(&q->path, "trace", o->spans.trace.at[i]);
	for (unsigned i = 0; i < o->spans.span.n; i++)
		remote_param(&q->path, "span", o->spans.span.at[i]);
	snprintf(limit, sizeof(limit), "%llu",
		 (unsigned long long)(o->top.rows ? o->top.rows : LOGS_ALL));
	remote_param(&q->path, "limit", limit);
}

/* Request the records and append them; set *last to the time of the newest one, if there is one. */
static int request_logs(struct query_run *q, struct buf *out, uint64_t *last, struct err *e)
{
	struct arena arena;
	struct json doc;
	int rc;

	arena_init(&arena, &q->cli->budget);
	rc = remote_json(&q->remote, NULL, &q->path, &doc, &arena, e);
	if (!rc) {
		const struct json_value *newest =
			json_item(json_get(json_root(&doc), STR("logs")), 0);

		log_view_put(out, &q->cli->out, json_root(&doc));
		(void)!json_u64(json_get(newest, STR("time")), last);
	}
	arena_fini(&arena);
	return rc;
}

/* Print the records so far, then new ones, until the program is interrupted. */
static int follow_logs(struct query_run *q, struct buf *out, const struct arguments *args,
		       struct err *e)
{
	const struct timespec pause = {FOLLOW_MS / 1000, FOLLOW_MS % 1000 * 1000000};
	const char *from = q->options->range.from;
	char next[32];
	int rc = 0;

	for (uint64_t last = 0; !rc; nanosleep(&pause, NULL)) {
		set_logs_path(q, args, from);
		rc = request_logs(q, out, &last, e);
		if (!rc && last) {
			snprintf(next, sizeof(next), "%llu", (unsigned long long)last + 1);
			from = next;
		}
		if (!rc && cli_print(q->cli, out, EXIT_DONE) != EXIT_DONE)
			rc = err_set(e, -EPIPE, "the output cannot be written");
		buf_clear(out);
	}
	return rc;
}

static int query_logs(struct query_run *q, struct buf *out, const struct arguments *args,
		      struct err *e)
{
	uint64_t last = 0;
	int rc;

	if (q->options->follow && !q->options->view.json)
		return follow_logs(q, out, args, e);
	set_logs_path(q, args, q->options->range.from);
	if (!q->options->view.json)
		return request_logs(q, out, &last, e);
	rc = remote_request(&q->remote, NULL, &q->path, (struct str){0}, out, e);
	buf_put_char(out, '\n');
	return rc;
}

/* ---- drift ---- */

static void put_drift(struct query_run *q, struct buf *out, const struct json_value *root)
{
	drift_view_put(out, &q->cli->out, root);
}

static int query_drift(struct query_run *q, struct buf *out, const struct arguments *args,
		       struct err *e)
{
	remote_path(&q->path, "/api/v1/drift");
	if (strcmp(args->at[0], everything) != 0)
		remote_param(&q->path, "service", args->at[0]);
	remote_param(&q->path, "type", q->options->view.type);
	remote_param(&q->path, "from", q->options->range.from);
	remote_param(&q->path, "to", q->options->range.to);
	return request_list(q, out, put_drift, e);
}

/* ---- the command ---- */

static const struct {
	const char *name;
	int (*run)(struct query_run *q, struct buf *out, const struct arguments *args,
		   struct err *e);
} query_kinds[] = {
	{"top", query_top},	      {"flame", query_flame},	    {"profile", save_profile},
	{"findings", query_findings}, {"series", query_series},	    {"labels", query_labels},
	{"types", query_types},	      {"services", query_services}, {"trace", query_trace},
	{"traces", query_traces},     {"spans", query_spans},	    {"logs", query_logs},
	{"promql", query_promql},     {"drift", query_drift},
};

/* Return why an option does not fit the kind of query, instead of ignoring it silently, or NULL. */
static const char *misplaced_option(const struct query_options *o, const char *what)
{
	bool promql = strcmp(what, "promql") == 0;

	if (promql && (o->by.n || o->aggregation))
		return "--by and --aggregation are for series; PromQL has sum by (label) (...)";
	if (promql && o->instant && o->step)
		return "--step is for charts: leave out --instant";
	if (!promql && o->instant)
		return "--instant is for promql";
	if (!promql && strcmp(what, "series") != 0 &&
	    (o->by.n || o->step || o->aggregation || o->limit))
		return "--by, --step, --aggregation and --limit are for series; top and flame are "
		       "grouped with --group";
	if (strcmp(what, "labels") != 0 && o->name)
		return "--name is for labels";
	if (strcmp(what, "spans") != 0 && o->function)
		return "--function is for spans; top and flame have --focus";
	if (strcmp(what, "traces") == 0 && (o->spans.traces || o->spans.span.n || o->spans.trace.n))
		return "traces has its query as its argument";
	if (strcmp(what, "logs") != 0 &&
	    (o->severity || o->regex || o->text.n || o->contains.n || o->match.n || o->follow))
		return "--severity, --text, --contains, --regex, --match and --follow are for logs";
	return NULL;
}

#define KINDS                                                                                      \
	"top, flame, findings, profile, series, trace, traces, spans, logs, promql, drift, "       \
	"labels, types or services"

static enum exit_code run_query(struct cli *cli, void *options, const struct arguments *args)
{
	struct query_run q = {.cli = cli, .options = options};
	enum exit_code status = EXIT_COULD_NOT;
	struct arguments rest;
	struct buf out = {0};
	struct err e = {0};
	const char *misplaced;
	size_t which = 0;
	char *room;

	if (!args->n)
		return cli_usage(cli, &command_query, "missing argument: " KINDS);
	while (which < countof(query_kinds) && strcmp(query_kinds[which].name, args->at[0]) != 0)
		which++;
	if (which == countof(query_kinds))
		return cli_usage(cli, &command_query, "expected " KINDS);
	misplaced = misplaced_option(options, args->at[0]);
	if (misplaced)
		return cli_usage(cli, &command_query, misplaced);
	rest = selectors(args, &room);
	q.type = q.options->view.type;
	if (remote_open(&q.remote, &q.options->remote, cli, &e) ||
	    query_kinds[which].run(&q, &out, &rest, &e))
		cli_fail(cli, &e);
	else
		status = cli_print(cli, &out, EXIT_DONE);
	remote_close(&q.remote);
	buf_fini(&q.path);
	buf_fini(&out);
	return status;
}

const struct command command_query = {
	.name = "query",
	.summary = "query a server: top, flame, findings, profile, series, trace, traces, spans, "
		   "logs, promql, drift, labels, types, services",
	.arguments = "WHAT [SELECTOR]",
	.details =
		"A selector is a service and labels: 'checkout{env=\"prod\", pod=~\"a.*\"}'.\n"
		"Without a selector all data is queried. Sums are exact; gauges such as heap in\n"
		"use are averaged over time. traces has a TraceQL query instead "
		"(docs/traceql.md),\n"
		"promql an expression over metrics (docs/promql.md).\n",
	.examples = "varve query top 'checkout{env=\"prod\"}' --type cpu --from now-1h -n 30\n"
		    "varve query flame checkout --from now-1h -o out.pb.gz   # or .folded, ...\n"
		    "varve query findings checkout   # what stands out, by rules\n"
		    "varve query series checkout --by pod --step 15s\n"
		    "varve query trace 6a79c344d31b4e58a0c2b4a1d1f9e7c3   # spans with durations "
		    "and cost\n"
		    "varve query traces '{ span.http.route = \"/pay\" && duration > 1s }' -n 5\n"
		    "varve query flame --traces '{ duration > 1s }'   # what slow spans did\n"
		    "varve query spans checkout --function parse_json   # which spans ran it\n"
		    "varve query logs checkout --severity error --text timeout --from now-1h\n"
		    "varve query promql 'sum by (route) (rate(http_requests_total[5m]))' --from "
		    "now-1h\n"
		    "varve query drift checkout --from now-7d   # functions whose cost changed\n"
		    "varve query labels --name pod\n"
		    "varve query services --url http://profiles:4040\n",
	.groups = groups,
	.options_size = sizeof(struct query_options),
	.run = run_query,
};
