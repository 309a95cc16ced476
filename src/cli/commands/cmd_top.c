/* SPDX-License-Identifier: Apache-2.0 */
/* varve top: the exact table of self and total values by function. */
#include <stdio.h>

#include "cli/commands.h"
#include "cli/commands/cmd_top.h"
#include "cli/terminal/table.h"
#include "cli/terminal/units.h"
#include "query/tree/top.h"

static const char *const sort_choices[] = {[TOP_BY_SELF] = "self", [TOP_BY_TOTAL] = "total", NULL};

const struct option top_options[] = {
	{"rows", 'n', OPTION_COUNT, offsetof(struct top_options, rows), "N", "20", NULL,
	 "number of rows; 0 shows all"},
	{"sort", 's', OPTION_CHOICE, offsetof(struct top_options, sort), "BY", "self", sort_choices,
	 "sort by self or total"},
	{0},
};

static const struct option live_options[] = {
	{"live", 0, OPTION_FLAG, offsetof(struct top_options, live), NULL, NULL, NULL,
	 "show a service of a server, or a URL of net/http/pprof, again and again"},
	{0},
};

static const struct option_group groups[] = {
	{"Options", common_options, offsetof(struct top_options, common)},
	{"Table", top_options, 0},
	{"Selection and grouping", view_options, offsetof(struct top_options, view)},
	{"Input", input_options, offsetof(struct top_options, input)},
	{"Live", live_options, 0},
	{"Times (--live)", live_times_options, offsetof(struct top_options, times)},
	{"Server (--live)", remote_options, offsetof(struct top_options, remote)},
	{0},
};

static void put_row(struct table *table, const struct view *v, const struct top_row *row,
		    bool exact)
{
	struct str unit = v->tree.type.unit;
	double whole = (double)v->tree.sum[0].magnitude;

	table_value(table, unit_value(row->self[0], unit, exact));
	table_value(table, unit_share((double)row->self[0], whole, 2));
	table_value(table, unit_value(row->total[0], unit, exact));
	table_value(table, unit_share((double)row->total[0], whole, 2));
	table_name(table, &v->tree.names.rows.at[row->name]);
}

static void put_table(struct buf *out, struct cli *cli, const struct view *v,
		      const struct top_options *o, const struct top *top, uint32_t n)
{
	struct str unit = v->tree.type.unit;
	struct table table;
	int64_t shown = 0;
	bool wrapped = false;

	table_init(&table, out, &cli->out);
	table_head(&table, "self");
	table_head(&table, "%");
	table_head(&table, "total");
	table_head(&table, "%");
	for (int pass = 0; pass < 2; pass++) { /* measure, then write */
		table_pass(&table, pass, view_group_name(o->view.group), o->view.group);
		for (uint32_t i = 0; i < n; i++)
			put_row(&table, v, &top->rows[i], o->view.exact);
	}
	for (uint32_t i = 0; i < n; i++)
		shown = add_wrapping(shown, top->rows[i].self[0], &wrapped);
	if (n < top->n)
		buf_printf(out, "%u of %u rows: %s of %s in self; -n 0 shows all\n", n, top->n,
			   unit_value(shown, unit, o->view.exact).text,
			   unit_value(v->tree.sum[0].kept, unit, o->view.exact).text);
}

static void put_top_json(struct buf *out, const struct view *v, const struct top_options *o,
			 const struct top *top, uint32_t n)
{
	struct json_writer w = json_writer_to(out, 2);

	json_open_object(&w);
	view_json_type(&w, v, &o->view);
	view_json_summary(&w, v, TREE_ONLY);
	json_put_key(&w, STR("row_count"));
	json_put_u64(&w, top->n);
	json_put_key(&w, STR("rows"));
	json_open_array(&w);
	for (uint32_t i = 0; i < n; i++) {
		json_open_object(&w);
		view_json_name(&w, &v->tree.names.rows.at[top->rows[i].name]);
		json_put_key(&w, STR("self"));
		json_put_i64(&w, top->rows[i].self[0]);
		json_put_key(&w, STR("total"));
		json_put_i64(&w, top->rows[i].total[0]);
		json_close_object(&w);
	}
	json_close_array(&w);
	json_close_object(&w);
	buf_put_char(out, '\n');
}

int make_top(struct buf *out, struct cli *cli, struct view *v, struct inputs *in,
	     const void *options, const struct arguments *args, struct err *e)
{
	const struct top_options *o = options;
	struct top top;
	int rc = 0;

	for (int i = 0; i < args->n && !rc; i++)
		rc = view_add(v, in, args->at[i], TREE_ONLY, e);
	if (!rc)
		rc = view_finish(v, cli, e);
	if (rc)
		return rc;
	if (top_of_tree(&top, &v->tree))
		return err_set(e, -ENOMEM, "out of memory: raise --max-memory");
	top_sort(&top, &v->tree, o->sort);

	uint32_t n = o->rows && o->rows < top.n ? (uint32_t)o->rows : top.n;

	if (o->view.json) {
		put_top_json(out, v, o, &top, n);
		return 0;
	}
	view_put_title(out, cli, args->at[0], args->n);
	view_put_summary(out, v, cli, TREE_ONLY, o->view.exact);
	buf_put_char(out, '\n');
	put_table(out, cli, v, o, &top, n);
	return 0;
}

static enum exit_code run_top(struct cli *cli, void *options, const struct arguments *args)
{
	const struct top_options *o = options;

	if (o->live && (args->n != 1 || o->view.json))
		return cli_usage(cli, &command_top,
				 "--live needs one service or URL, and no --json");
	if (o->live)
		return live_run(cli, &o->remote, &o->times, &o->view,
				o->sort == TOP_BY_TOTAL ? LIVE_BY_TOTAL : LIVE_BY_SELF,
				args->at[0]);
	if (!args->n)
		return cli_usage(cli, &command_top, "name a profile, or - for stdin");
	return view_run(cli, &o->input, &o->view, make_top, o, args);
}

const struct command command_top = {
	.name = "top",
	.summary = "the most expensive functions: exact self, total and share",
	.arguments = "FILE...",
	.details = "Self is the value of a function itself, total includes its callees; recursive\n"
		   "calls count once. Several files are summed.\n",
	.examples =
		"varve top app.pb.gz                            # by self\n"
		"varve top app.pb.gz -n 50 --sort total         # by total\n"
		"varve top heap.pb.gz --type alloc_space        # another sample type\n"
		"varve top app.pb.gz --focus 'http' --group line\n"
		"varve top app.pb.gz --label thread=worker --json | jq '.rows[0]'\n"
		"perf script | varve top -\n"
		"varve top --live checkout                      # of a server, like varve watch\n",
	.groups = groups,
	.options_size = sizeof(struct top_options),
	.run = run_top,
};
