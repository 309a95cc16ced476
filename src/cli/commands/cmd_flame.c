/* SPDX-License-Identifier: Apache-2.0 */
/* varve flame: a flame graph in the terminal, or as an HTML page. */
#include <errno.h>

#include "cli/commands.h"
#include "cli/commands/cmd_flame.h"
#include "cli/output.h"
#include "cli/terminal/flame.h"
#include "cli/terminal/page.h"
#include "cli/terminal/units.h"

#define AT(field) offsetof(struct flame_command_options, field)

const struct option flame_options[] = {
	{"width", 'w', OPTION_COUNT, AT(width), "COLUMNS", NULL, NULL,
	 "width of the flame graph (default: the window, or 80)"},
	{"depth", 'd', OPTION_COUNT, AT(depth), "LEVELS", "0", NULL,
	 "depth of the flame graph; 0 draws all levels"},
	{"min", 'm', OPTION_PERCENT, AT(min), "PERCENT", "0.3", NULL,
	 "do not draw frames with a smaller share"},
	{0},
};

static const struct option page_options[] = {
	{"output", 'o', OPTION_TEXT, AT(output), "PAGE.html", NULL, NULL,
	 "write a self-contained HTML page with flame graph, table and search"},
	{"nodes", 0, OPTION_COUNT, AT(nodes), "N", "200000", NULL,
	 "upper bound of frames per sample type of the page; 0: none"},
	{0},
};

static const struct option_group groups[] = {
	{"Options", common_options, AT(common)},
	{"Flame graph", flame_options, 0},
	{"Page", page_options, 0},
	{"Selection and grouping", view_options, AT(view)},
	{"Input", input_options, AT(input)},
	{0},
};

static void put_flame_json(struct buf *out, const struct view *v, const struct view_options *o)
{
	struct json_writer w = json_writer_to(out, 0);

	json_open_object(&w);
	view_json_type(&w, v, o);
	view_json_summary(&w, v, TREE_ONLY);
	json_put_key(&w, STR("nodes"));
	json_open_array(&w);
	for (uint32_t i = 0; i < v->tree.nodes.n; i++) {
		const struct tree_node *n = &v->tree.nodes.at[i];

		json_open_object(&w);
		json_put_key(&w, STR("id"));
		json_put_u64(&w, i);
		if (i) {
			json_put_key(&w, STR("parent"));
			json_put_u64(&w, n->parent);
			view_json_name(&w, &v->tree.names.rows.at[n->name]);
		}
		json_put_key(&w, STR("self"));
		json_put_i64(&w, tree_self(&v->tree, i).in[0]);
		json_put_key(&w, STR("total"));
		json_put_i64(&w, tree_total(&v->tree, i).in[0]);
		json_close_object(&w);
	}
	json_close_array(&w);
	json_close_object(&w);
	buf_put_char(out, '\n');
}

int make_flame(struct buf *out, struct cli *cli, struct view *v, struct inputs *in,
	       const void *options, const struct arguments *args, struct err *e)
{
	const struct flame_command_options *o = options;
	struct flame_options drawing = {
		.width = o->width ? (unsigned)o->width : cli->out.columns,
		.depth = o->depth,
		.min = o->min,
		.exact = o->view.exact,
		.terminal = &cli->out,
	};
	struct flame_count count;
	int rc = 0;

	for (int i = 0; i < args->n && !rc; i++)
		rc = view_add(v, in, args->at[i], TREE_ONLY, e);
	if (!rc)
		rc = view_finish(v, cli, e);
	if (rc)
		return rc;
	if (o->view.json) {
		put_flame_json(out, v, &o->view);
		return 0;
	}
	view_put_title(out, cli, args->at[0], args->n);
	view_put_summary(out, v, cli, TREE_ONLY, o->view.exact);
	buf_put_char(out, '\n');
	rc = flame_draw(out, &v->tree, &drawing, &count);
	if (rc)
		return err_set(e, rc, "out of memory: raise --max-memory");
	view_put_left_out(out, cli, &count);
	return 0;
}

static enum exit_code write_page(struct cli *cli, const struct flame_command_options *o,
				 const struct arguments *args)
{
	const struct page_options page = {&o->view, o->nodes};
	enum exit_code status = EXIT_COULD_NOT;
	struct inputs in = {0};
	struct buf out = {0};
	struct err e = {0};

	buf_init(&out, &cli->budget);
	if (inputs_init(&in, cli, &o->input, &e) || page_make(&out, cli, &in, &page, args, &e) ||
	    output_file(o->output, buf_str(&out), &e))
		cli_fail(cli, &e);
	else
		status = EXIT_DONE;
	buf_fini(&out);
	inputs_fini(&in);
	return status;
}

static enum exit_code run_flame(struct cli *cli, void *options, const struct arguments *args)
{
	const struct flame_command_options *o = options;

	if (!args->n)
		return cli_usage(cli, &command_flame, "name a profile, or - for stdin");
	if (o->width > TERMINAL_COLUMNS_MAX)
		return cli_usage(cli, &command_flame, "--width is at most 4096");
	if (o->output)
		return write_page(cli, o, args);
	return view_run(cli, &o->input, &o->view, make_flame, o, args);
}

const struct command command_flame = {
	.name = "flame",
	.summary = "a flame graph in the terminal, or as an HTML page",
	.arguments = "FILE...",
	.details =
		"The root is at the top; the width of a frame is its share, and callees are below\n"
		"their caller. Several files are summed. --json prints the complete tree. -o\n"
		"writes an HTML page with all sample types, a table and a search; it needs no\n"
		"server and no network.\n",
	.examples = "varve flame app.pb.gz\n"
		    "varve flame app.pb.gz -o app.html              # for the browser\n"
		    "varve flame app.pb.gz --focus handleRequest --show-from handleRequest\n"
		    "varve flame app.pb.gz --invert                 # who calls the hot functions\n"
		    "varve flame heap.pb.gz --type inuse_space --group file\n"
		    "varve flame app.pb.gz --color always | less -R\n",
	.groups = groups,
	.options_size = sizeof(struct flame_command_options),
	.run = run_flame,
};
