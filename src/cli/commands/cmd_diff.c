/* SPDX-License-Identifier: Apache-2.0 */
/* varve diff: compare two profiles, from files or from a server. */
#include <errno.h>
#include <stdio.h>

#include "cli/commands.h"
#include "cli/remote.h"
#include "cli/terminal/flame.h"
#include "cli/terminal/table.h"
#include "cli/terminal/units.h"
#include "cli/terminal/view.h"
#include "query/tree/diff.h"

struct diff_options {
	struct common_options common;
	struct input_options input;
	struct view_options view;
	uint64_t rows, width, depth;
	double min;
	unsigned sort; /* enum top_order */
	bool normalise, flame;
	/* Two selections of a server instead of two files. */
	struct remote_options remote;
	const char *baseline, *comparison, *time_range;
	const char *baseline_from, *baseline_to, *comparison_from, *comparison_to;
};

static const char *const sort_choices[] = {[TOP_BY_SELF] = "self", [TOP_BY_TOTAL] = "total", NULL};

#define AT(field) offsetof(struct diff_options, field)

static const struct option diff_options[] = {
	{"normalise", 'N', OPTION_FLAG, AT(normalise), NULL, NULL, NULL,
	 "compare shares: scale the first profile to the total of the second"},
	{"flame", 'F', OPTION_FLAG, AT(flame), NULL, NULL, NULL,
	 "draw a flame graph of the difference: red + grew, green - shrank"},
	{"rows", 'n', OPTION_COUNT, AT(rows), "N", "20", NULL, "number of rows; 0 shows all"},
	{"sort", 's', OPTION_CHOICE, AT(sort), "BY", "self", sort_choices,
	 "sort by the change of self or of total"},
	{"width", 'w', OPTION_COUNT, AT(width), "COLUMNS", NULL, NULL,
	 "width of the flame graph (default: the window, or 80)"},
	{"depth", 'd', OPTION_COUNT, AT(depth), "LEVELS", "0", NULL,
	 "depth of the flame graph; 0 draws all levels"},
	{"min", 'm', OPTION_PERCENT, AT(min), "PERCENT", "0.3", NULL,
	 "do not draw frames with a smaller share"},
	{0},
};

static const struct option selection_options[] = {
	{"baseline", 0, OPTION_TEXT, AT(baseline), "SELECTOR", NULL, NULL,
	 "the first selection: 'checkout{commit=\"abc\"}'"},
	{"comparison", 0, OPTION_TEXT, AT(comparison), "SELECTOR", NULL, NULL,
	 "the second selection"},
	{"time-range", 0, OPTION_TEXT, AT(time_range), "TIME", NULL, NULL,
	 "length of the time range of both, up to now: 1h"},
	{"baseline-from", 0, OPTION_TEXT, AT(baseline_from), "TIME", NULL, NULL,
	 "start of the baseline: now-1h, 2026-11-15T09:37:00Z (default: that of the comparison)"},
	{"baseline-to", 0, OPTION_TEXT, AT(baseline_to), "TIME", NULL, NULL,
	 "end of the baseline (default: that of the comparison)"},
	{"comparison-from", 0, OPTION_TEXT, AT(comparison_from), "TIME", "now-1h", NULL,
	 "start of the comparison"},
	{"comparison-to", 0, OPTION_TEXT, AT(comparison_to), "TIME", "now", NULL,
	 "end of the comparison"},
	{0},
};

static const struct option_group groups[] = {
	{"Options", common_options, AT(common)},
	{"Difference", diff_options, 0},
	{"Selection and grouping", view_options, AT(view)},
	{"Input", input_options, AT(input)},
	{"Selections of a server, instead of files", selection_options, 0},
	{"Server", remote_options, AT(remote)},
	{0},
};

static const struct diff_value *sorted_value(const struct diff_options *o,
					     const struct diff_row *row)
{
	return o->sort == TOP_BY_SELF ? &row->self : &row->total;
}

/* Return the change in percent of the value before; "new" or "gone" if it has none. */
static struct unit_text change_share(const struct diff_row *row, const struct diff_value *v)
{
	struct unit_text text = {""};

	if (row->kind == DIFF_NEW || row->kind == DIFF_GONE)
		snprintf(text.text, sizeof(text.text), "%s", diff_kind_name(row->kind));
	else if (v->before)
		snprintf(text.text, sizeof(text.text), "%+.1f%%",
			 100 * (double)v->delta / (double)magnitude_of(v->before));
	return text;
}

static void put_diff_table(struct buf *out, struct cli *cli, const struct view *v,
			   const struct diff_options *o, const struct diff *d, uint32_t n)
{
	struct str unit = v->tree.type.unit;
	bool exact = o->view.exact;
	struct table table;

	table_init(&table, out, &cli->out);
	table_head(&table, "before");
	table_head(&table, "after");
	table_head(&table, o->sort == TOP_BY_SELF ? "self change" : "total change");
	table_head(&table, "%");
	for (int pass = 0; pass < 2; pass++) {
		table_pass(&table, pass, view_group_name(o->view.group), o->view.group);
		for (uint32_t i = 0; i < n; i++) {
			const struct diff_value *value = sorted_value(o, &d->rows[i]);

			if (pass)
				view_put_change_color(out, cli, value->delta);
			table_value(&table, unit_value(value->before, unit, exact));
			table_value(&table, unit_value(value->after, unit, exact));
			table_value(&table, unit_change(value->delta, unit, exact));
			table_value(&table, change_share(&d->rows[i], value));
			if (pass)
				terminal_plain(out, &cli->out);
			table_name(&table, &v->tree.names.rows.at[d->rows[i].name]);
		}
	}
}

static void put_sides(struct buf *out, struct cli *cli, const struct view *v,
		      const struct diff_options *o, const struct diff *d,
		      const struct arguments *args)
{
	struct diff_value whole = diff_value_of(d, tree_total(&v->tree, 0).in);

	for (int i = 0; i < 2; i++) {
		buf_put_str(out, i ? STR("after  ") : STR("before "));
		view_put_title(out, cli, args->at[i], 1);
		view_put_summary(out, v, cli, i ? TREE_AFTER : TREE_BEFORE, o->view.exact);
		buf_put_char(out, '\n');
	}
	if (o->normalise)
		buf_put_str(out, STR("change: compared by share; before is scaled to after"));
	else
		buf_printf(out, "change: %s, %s",
			   unit_change(whole.delta, v->tree.type.unit, o->view.exact).text,
			   unit_share((double)whole.delta, (double)magnitude_of(whole.before), 1)
				   .text);
	buf_printf(out, "; %u grew, %u shrank, %u new, %u gone, %u the same\n", d->count[DIFF_GREW],
		   d->count[DIFF_SHRANK], d->count[DIFF_NEW], d->count[DIFF_GONE],
		   d->count[DIFF_SAME]);
}

static void put_before_after(struct json_writer *w, const char *key, const struct diff_value *v)
{
	json_put_key(w, str_from(key));
	json_open_object(w);
	json_put_key(w, STR("before"));
	json_put_i64(w, v->before);
	json_put_key(w, STR("after"));
	json_put_i64(w, v->after);
	json_put_key(w, STR("delta"));
	json_put_i64(w, v->delta);
	json_close_object(w);
}

static void write_diff_json(struct buf *out, const struct view *v, const struct diff_options *o,
			    const struct diff *d, uint32_t n)
{
	struct json_writer w = json_writer_to(out, 2);

	json_open_object(&w);
	view_json_type(&w, v, &o->view);
	json_put_key(&w, STR("normalised"));
	json_put_bool(&w, o->normalise);
	for (int i = 0; i < 2; i++) {
		json_put_key(&w, i ? STR("after") : STR("before"));
		json_open_object(&w);
		view_json_summary(&w, v, i ? TREE_AFTER : TREE_BEFORE);
		json_close_object(&w);
	}
	json_put_key(&w, STR("row_count"));
	json_put_u64(&w, d->n);
	json_put_key(&w, STR("rows"));
	json_open_array(&w);
	for (uint32_t i = 0; i < n; i++) {
		json_open_object(&w);
		view_json_name(&w, &v->tree.names.rows.at[d->rows[i].name]);
		json_put_key(&w, STR("kind"));
		json_put_string(&w, str_from(diff_kind_name(d->rows[i].kind)));
		put_before_after(&w, "self", &d->rows[i].self);
		put_before_after(&w, "total", &d->rows[i].total);
		json_close_object(&w);
	}
	json_close_array(&w);
	json_close_object(&w);
	buf_put_char(out, '\n');
}

static int put_flame(struct buf *out, struct cli *cli, struct view *v, const struct diff_options *o,
		     const struct diff *d, struct err *e)
{
	struct flame_options drawing = {
		.width = o->width ? (unsigned)o->width : cli->out.columns,
		.depth = o->depth,
		.min = o->min,
		.exact = o->view.exact,
		.terminal = &cli->out,
		.diff = d,
	};
	struct flame_count count;
	int rc = flame_draw(out, &v->tree, &drawing, &count);

	if (rc)
		return err_set(e, rc, "out of memory: raise --max-memory");
	view_put_left_out(out, cli, &count);
	return 0;
}

static int make_diff(struct buf *out, struct cli *cli, struct view *v, struct inputs *in,
		     const void *options, const struct arguments *args, struct err *e)
{
	const struct diff_options *o = options;
	struct diff d;
	int rc = view_add(v, in, args->at[0], TREE_BEFORE, e);

	if (!rc)
		rc = view_add(v, in, args->at[1], TREE_AFTER, e);
	if (!rc)
		rc = view_finish(v, cli, e);
	if (!rc)
		rc = diff_of_tree(&d, &v->tree, o->normalise, e);
	if (rc == -ENOMEM)
		err_set(e, rc, "out of memory: raise --max-memory");
	if (rc)
		return rc;
	diff_sort(&d, o->sort);

	uint32_t changed = 0;

	while (changed < d.n && sorted_value(o, &d.rows[changed])->delta)
		changed++;

	uint32_t n = o->rows && o->rows < changed ? (uint32_t)o->rows : changed;

	if (o->view.json) {
		write_diff_json(out, v, o, &d, o->rows ? n : d.n);
		return 0;
	}
	put_sides(out, cli, v, o, &d, args);
	if (o->flame)
		return put_flame(out, cli, v, o, &d, e);
	put_diff_table(out, cli, v, o, &d, n);
	if (n < changed)
		buf_printf(out, "%u of %u rows that changed; -n 0 shows all\n", n, changed);
	return 0;
}

/* The two selections, which may have different time ranges. */
struct remote_sides {
	struct remote_profiles baseline, comparison;
	const char *baseline_selector; /* compared by address: both may have the same text */
};

static int fetch_side(void *arg, struct buf *out, const char *selector, struct err *e)
{
	struct remote_sides *s = arg;

	return remote_fetch(selector == s->baseline_selector ? &s->baseline : &s->comparison, out,
			    selector, e);
}

static int make_remote(struct buf *out, struct cli *cli, struct view *v, struct inputs *in,
		       const struct diff_options *o, struct err *e)
{
	char *sides[2] = {(char *)o->baseline, (char *)o->comparison};
	const struct arguments args = {.at = sides, .n = 2};
	struct view_options view = o->view;
	struct remote remote = {0};
	char from[64];
	struct remote_sides both = {
		.comparison = {&remote, o->view.type, o->comparison_from, o->comparison_to},
		.baseline_selector = o->baseline,
	};
	int rc = remote_open(&remote, &o->remote, cli, e);

	if (o->time_range) {
		snprintf(from, sizeof(from), "now-%s", o->time_range);
		both.comparison.from = from;
	}
	both.baseline = both.comparison;
	if (o->baseline_from)
		both.baseline.from = o->baseline_from;
	if (o->baseline_to)
		both.baseline.to = o->baseline_to;
	in->fetch = fetch_side;
	in->fetch_arg = &both;
	view.type = NULL; /* applied by the server */
	if (!rc)
		rc = view_init(v, cli, &view, e);
	if (!rc)
		rc = make_diff(out, cli, v, in, o, &args, e);
	in->fetch = NULL;
	in->fetch_arg = NULL;
	remote_close(&remote);
	return rc;
}

static enum exit_code run_remote(struct cli *cli, const struct diff_options *o)
{
	enum exit_code status = EXIT_COULD_NOT;
	struct buf out = {0};
	struct inputs in = {0};
	struct view v = {0};
	struct err e = {0};

	if (inputs_init(&in, cli, &o->input, &e) || make_remote(&out, cli, &v, &in, o, &e))
		cli_fail(cli, &e);
	else
		status = cli_print(cli, &out, EXIT_DONE);
	view_fini(&v);
	inputs_fini(&in);
	buf_fini(&out);
	return status;
}

static enum exit_code run_diff(struct cli *cli, void *options, const struct arguments *args)
{
	const struct diff_options *o = options;

	if (o->baseline && o->comparison && !args->n)
		return run_remote(cli, o);
	if (o->baseline || o->comparison)
		return cli_usage(cli, &command_diff,
				 "give both --baseline and --comparison, or two files");
	if (o->baseline_from || o->baseline_to)
		return cli_usage(cli, &command_diff,
				 "--baseline-from and --baseline-to require --baseline");
	if (args->n != 2)
		return cli_usage(cli, &command_diff, "name two profiles: before and after");
	if (o->width > TERMINAL_COLUMNS_MAX)
		return cli_usage(cli, &command_diff, "--width is at most 4096");
	return view_run(cli, &o->input, &o->view, make_diff, o, args);
}

const struct command command_diff = {
	.name = "diff",
	.summary = "compare two profiles: what grew, shrank, is new, is gone",
	.arguments = "BEFORE AFTER",
	.details = "Rows with the largest change come first. Compare profiles of different length\n"
		   "with --normalise.\n",
	.examples =
		"varve diff before.pb.gz after.pb.gz\n"
		"varve diff before.pb.gz after.pb.gz --sort total --normalise\n"
		"varve diff before.pb.gz after.pb.gz --flame    # red grew, green shrank\n"
		"varve diff --baseline 'shop{commit=\"abc\"}' --comparison 'shop{commit=\"def\"}' "
		"--time-range 1h\n"
		"varve diff --baseline shop --comparison shop --baseline-from now-25h "
		"--baseline-to now-24h\n"
		"varve diff a.pb.gz b.pb.gz --json | jq '.rows[] | select(.kind == \"new\")'\n",
	.groups = groups,
	.options_size = sizeof(struct diff_options),
	.run = run_diff,
};
