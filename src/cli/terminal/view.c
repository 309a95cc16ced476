/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Converts the options into the filters of a tree, and writes the texts around tables and pictures.
 */
#include "cli/terminal/view.h"

#include <errno.h>

#include "cli/terminal/units.h"

static const char *const group_choices[] = {
	[GROUP_FUNCTION] = "function", [GROUP_FILE_FUNCTION] = "filefunction",
	[GROUP_FILE] = "file",	       [GROUP_MODULE] = "module",
	[GROUP_LINE] = "line",	       [GROUP_ADDRESS] = "address",
	[GROUP_ADDRESS + 1] = NULL,
};

#define AT(field) offsetof(struct view_options, field)

const struct option view_options[] = {
	{"type", 0, OPTION_TEXT, AT(type), "TYPE", NULL, NULL,
	 "sample type: cpu, inuse_space, cpu/nanoseconds (default: that of the profile)"},
	{"group", 'g', OPTION_CHOICE, AT(group), "BY", "function", group_choices,
	 "unit of rows and frames"},
	{"invert", 'i', OPTION_FLAG, AT(invert), NULL, NULL, NULL,
	 "invert stacks: from the leaf to its callers"},
	{"focus", 0, OPTION_TEXT, AT(focus), "REGEX", NULL, NULL,
	 "keep only samples with a matching frame (function, file or module)"},
	{"ignore", 0, OPTION_TEXT, AT(ignore), "REGEX", NULL, NULL,
	 "drop samples with a matching frame"},
	{"hide", 0, OPTION_TEXT, AT(hide), "REGEX", NULL, NULL,
	 "remove matching frames from stacks"},
	{"show", 0, OPTION_TEXT, AT(show), "REGEX", NULL, NULL,
	 "remove all other frames from stacks"},
	{"show-from", 0, OPTION_TEXT, AT(show_from), "REGEX", NULL, NULL,
	 "remove the callers of the outermost matching frame"},
	{"all-frames", 0, OPTION_FLAG, AT(all_frames), NULL, NULL, NULL,
	 "keep frames that the profile itself asks to drop (pprof's drop_frames)"},
	{"ignore-case", 'I', OPTION_FLAG, AT(ignore_case), NULL, NULL, NULL,
	 "regular expressions ignore case"},
	{"label", 'l', OPTION_LIST, AT(label), "KEY=REGEX", NULL, NULL,
	 "keep only samples with this label; can be repeated"},
	{"exact", 0, OPTION_FLAG, AT(exact), NULL, NULL, NULL, "print plain numbers without units"},
	{"json", 0, OPTION_FLAG, AT(json), NULL, NULL, NULL, "print JSON"},
	{0},
};

const char *view_group_name(enum group_by group)
{
	return group_choices[group];
}

static int compile_option_regex(struct regex **out, const char *name, struct str pattern,
				bool ignore_case, struct err *e)
{
	int rc = regex_new(out, pattern, ignore_case ? REGEX_ANY_CASE : 0, e);

	if (rc)
		err_prefix(e, "--%s", name);
	return rc;
}

static int compile_filters(struct view *v, const struct view_options *o, struct err *e)
{
	struct frame_filters *f = &v->filters;
	const struct {
		struct regex **out;
		const char *name, *pattern;
	} rows[] = {
		{&f->focus, "focus", o->focus},
		{&f->ignore, "ignore", o->ignore},
		{&f->hide, "hide", o->hide},
		{&f->show, "show", o->show},
		{&f->show_from, "show-from", o->show_from},
	};
	int rc = 0;

	for (size_t i = 0; i < countof(rows) && !rc; i++)
		if (rows[i].pattern)
			rc = compile_option_regex(rows[i].out, rows[i].name,
						  str_from(rows[i].pattern), o->ignore_case, e);
	return rc;
}

static int compile_labels(struct view *v, const struct view_options *o, struct err *e)
{
	int rc = 0;

	for (unsigned i = 0; i < o->label.n && !rc; i++) {
		struct str value = str_from(o->label.at[i]);
		struct label_filter *label = &v->labels[v->label_count++];

		*label = (struct label_filter){.key = str_cut(&value, '=')};
		if (!label->key.n)
			return err_set(e, -EINVAL, "--label takes KEY=REGEX, not '%s'",
				       o->label.at[i]);
		if (value.p) /* without "=" any value matches */
			rc = compile_option_regex(&label->value, "label", value, o->ignore_case, e);
	}
	return rc;
}

int view_init(struct view *v, struct cli *cli, const struct view_options *o, struct err *e)
{
	*v = (struct view){0};

	int rc = compile_filters(v, o, e);

	if (!rc)
		rc = compile_labels(v, o, e);
	if (rc)
		return rc;

	struct tree_options tree = {
		.type = str_from(o->type ? o->type : ""),
		.group = o->group,
		.invert = o->invert,
		.all_frames = o->all_frames,
		.frames = v->filters,
		.labels = v->labels,
		.label_count = v->label_count,
	};

	rc = tree_init(&v->tree, &tree, &cli->budget);
	return rc ? err_set(e, rc, "out of memory: raise --max-memory") : 0;
}

void view_fini(struct view *v)
{
	struct regex *const filters[] = {v->filters.focus, v->filters.ignore, v->filters.hide,
					 v->filters.show, v->filters.show_from};

	for (size_t i = 0; i < countof(filters); i++)
		regex_free(filters[i]);
	for (unsigned i = 0; i < v->label_count; i++)
		regex_free(v->labels[i].value);
	tree_fini(&v->tree);
}

int view_add(struct view *v, struct inputs *in, const char *path, enum tree_column column,
	     struct err *e)
{
	struct input input = {0};
	int rc = input_read(&input, in, path, e);

	if (!rc) {
		/* Like go tool pprof: the last type, unless the file names one. */
		v->tree.options.last_type = str_starts(str_from(input.format->name), STR("pprof"));
		rc = tree_add(&v->tree, &input.batch, column, e);
		if (rc)
			err_prefix(e, "%s", path);
	}
	input_fini(&input);
	return rc;
}

int view_finish(struct view *v, struct cli *cli, struct err *e)
{
	struct tree *t = &v->tree;
	const struct tree_sum *sum = t->sum;

	if (tree_finish(t))
		return err_set(e, -ENOMEM, "out of memory: raise --max-memory");
	if (t->wrapped)
		cli_note(cli, "warning: sums of values exceed 64 bits and have wrapped");
	if (sum[0].samples + sum[1].samples && !(sum[0].kept_samples + sum[1].kept_samples) &&
	    sum[0].magnitude + sum[1].magnitude)
		cli_note(cli, "no sample passes the filters");
	return 0;
}

static void put_type(struct buf *out, const struct tree *t, enum text_charset charset, bool exact)
{
	text_put(out, t->type.type.n ? t->type.type : STR("samples"), charset);
	if (exact && t->type.unit.n) {
		buf_put_char(out, '/');
		text_put(out, t->type.unit, charset);
	}
}

void view_put_summary(struct buf *out, const struct view *v, const struct cli *cli,
		      enum tree_column column, bool exact)
{
	const struct tree *t = &v->tree;
	const struct tree_sum *sum = &t->sum[column];
	struct str unit = t->type.unit;

	put_type(out, t, cli->out.charset, exact);
	buf_printf(out, " %s", unit_value(sum->all, unit, exact).text);
	if (sum->duration_nano && sum->duration_nano <= INT64_MAX)
		buf_printf(out, " in %s",
			   unit_value((int64_t)sum->duration_nano, STR("ns"), false).text);
	buf_printf(out, ", %s %s", unit_value((int64_t)sum->samples, STR("count"), exact).text,
		   sum->samples == 1 ? "sample" : "samples");
	if (sum->kept != sum->all)
		buf_printf(out, "; the filters keep %s, %s",
			   unit_value(sum->kept, unit, exact).text,
			   unit_share((double)sum->kept, (double)sum->magnitude, 1).text);
}

void view_json_summary(struct json_writer *w, const struct view *v, enum tree_column column)
{
	const struct tree_sum *sum = &v->tree.sum[column];

	json_put_key(w, STR("total"));
	json_put_i64(w, sum->all);
	json_put_key(w, STR("kept"));
	json_put_i64(w, sum->kept);
	json_put_key(w, STR("samples"));
	json_put_u64(w, sum->samples);
	json_put_key(w, STR("profiles"));
	json_put_u64(w, sum->profiles);
	json_put_key(w, STR("duration_nano"));
	json_put_u64(w, sum->duration_nano);
}

void view_json_type(struct json_writer *w, const struct view *v, const struct view_options *o)
{
	json_put_key(w, STR("type"));
	json_put_string(w, v->tree.type.type);
	json_put_key(w, STR("unit"));
	json_put_string(w, v->tree.type.unit);
	json_put_key(w, STR("group"));
	json_put_string(w, str_from(view_group_name(o->group)));
	json_put_key(w, STR("inverted"));
	json_put_bool(w, o->invert);
}

void view_json_name(struct json_writer *w, const struct frame_name *name)
{
	json_put_key(w, STR("name"));
	json_put_string(w, name->text);
	if (name->file.n) {
		json_put_key(w, STR("file"));
		json_put_string(w, name->file);
	}
	if (name->module.n) {
		json_put_key(w, STR("module"));
		json_put_string(w, name->module);
	}
}

void view_put_title(struct buf *out, const struct cli *cli, const char *path, int n)
{
	terminal_bold(out, &cli->out);
	text_put(out, str_from(strcmp(path, "-") == 0 ? "stdin" : path), cli->out.charset);
	terminal_plain(out, &cli->out);
	if (n > 1)
		buf_printf(out, " and %d more", n - 1);
	buf_put_str(out, STR(": "));
}

void view_put_left_out(struct buf *out, const struct cli *cli, const struct flame_count *count)
{
	if (!count->small && !count->deep)
		return;
	terminal_faint(out, &cli->out);
	if (count->small)
		buf_printf(out, "%llu %s under %.2g%% not shown", (unsigned long long)count->small,
			   count->small == 1 ? "frame" : "frames", count->least);
	if (count->deep)
		buf_printf(out, "%s%llu deeper than --depth not shown", count->small ? ", " : "",
			   (unsigned long long)count->deep);
	terminal_plain(out, &cli->out);
	buf_put_char(out, '\n');
}

void view_put_change_color(struct buf *out, const struct cli *cli, int64_t delta)
{
	if (delta)
		terminal_foreground(out, &cli->out,
				    delta > 0 ? (struct rgb){255, 100, 100}
					      : (struct rgb){80, 200, 100});
}

enum exit_code view_run(struct cli *cli, const struct input_options *input,
			const struct view_options *view, view_make *make, const void *options,
			const struct arguments *args)
{
	enum exit_code status = EXIT_COULD_NOT;
	struct buf out = {0};
	struct inputs in = {0};
	struct view v = {0};
	struct err e = {0};

	if (inputs_init(&in, cli, input, &e) || view_init(&v, cli, view, &e) ||
	    make(&out, cli, &v, &in, options, args, &e))
		cli_fail(cli, &e);
	else
		status = cli_print(cli, &out, EXIT_DONE);
	view_fini(&v);
	inputs_fini(&in);
	buf_fini(&out);
	return status;
}
