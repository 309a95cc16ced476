/* SPDX-License-Identifier: Apache-2.0 */
/* varve findings: what an expert would notice in profiles, by rules (docs/findings.md). */
#include "cli/commands/cmd_findings.h"

#include <string.h>

#include "cli/commands.h"
#include "cli/terminal/units.h"
#include "query/findings/findings_json.h"

static const struct option_group groups[] = {
	{"Options", common_options, offsetof(struct findings_options, common)},
	{"Selection and grouping", view_options, offsetof(struct findings_options, view)},
	{"Input", input_options, offsetof(struct findings_options, input)},
	{0},
};

/* ---- the text ---- */

enum { TEXT_COLUMNS_MOST = 100, INDENT = 3, FOCUS_MOST = 200 };

/* Append a text in lines of the terminal's width, indented. */
static void put_wrapped(struct buf *out, const struct cli *cli, const char *text)
{
	size_t width = cli->out.columns < TEXT_COLUMNS_MOST ? cli->out.columns : TEXT_COLUMNS_MOST;
	struct str rest = str_from(text);
	size_t column = 0;

	while (rest.n) {
		struct str word = str_cut(&rest, ' ');

		if (column && column + 1 + word.n > width) {
			buf_put_char(out, '\n');
			column = 0;
		}
		buf_printf(out, "%*s%.*s", column ? 1 : INDENT, "", STR_ARG(word));
		column += (column ? 1 : INDENT) + word.n;
	}
	buf_put_char(out, '\n');
}

static void put_name(struct buf *out, const struct cli *cli, const struct tree *t, uint32_t name)
{
	text_put(out, t->names.rows.at[name].text, cli->out.charset);
}

static void put_evidence(struct buf *out, const struct cli *cli, const struct tree *t,
			 const struct findings *all, const struct finding *f, bool exact)
{
	for (uint32_t i = 0; i < f->evidence_n; i++) {
		buf_printf(out, "%*s%-12s %10s %7s  ", INDENT, "", i ? "" : f->rule->evidence,
			   unit_value(f->evidence[i].value, t->type.unit, exact).text,
			   unit_share((double)f->evidence[i].value, (double)all->total, 1).text);
		put_name(out, cli, t, f->evidence[i].name);
		buf_put_char(out, '\n');
	}
}

/* Append the option of flame and top that shows the stacks, unless a shell would need more quotes. */
static void put_focus(struct buf *out, const struct cli *cli, const struct tree *t,
		      const struct finding *f)
{
	struct buf focus = {0};

	finding_focus(&focus, t, f);
	if (focus.n <= FOCUS_MOST && str_find(buf_str(&focus), '\'') == focus.n) {
		buf_printf(out, "%*sshow it: varve flame --focus '", INDENT, "");
		text_put(out, buf_str(&focus), cli->out.charset);
		buf_put_str(out, STR("'\n"));
	}
	buf_fini(&focus);
}

static void put_finding(struct buf *out, const struct cli *cli, const struct tree *t,
			const struct findings *all, const struct finding *f, bool exact)
{
	const struct terminal *term = &cli->out;

	terminal_bold(out, term);
	buf_printf(out, "%u. %s: ", (unsigned)(f - all->rows.at) + 1, f->rule->title);
	terminal_plain(out, term);
	buf_printf(out, "%s, %s%s\n", unit_share((double)f->value, (double)all->total, 1).text,
		   f->rule->saves ? "at most " : "",
		   unit_value(f->value, t->type.unit, exact).text);
	buf_printf(out, "%*s", INDENT, "");
	for (uint32_t i = 0; i < f->function_n && i < 3; i++) {
		if (i)
			buf_put_str(out, STR(", "));
		put_name(out, cli, t, f->functions[i]);
	}
	buf_printf(out, "%s\n", f->function_n > 3 ? ", ..." : "");
	put_evidence(out, cli, t, all, f, exact);
	terminal_faint(out, term);
	put_wrapped(out, cli, f->rule->meaning);
	terminal_plain(out, term);
	put_wrapped(out, cli, f->rule->advice);
	if (f->hint)
		put_wrapped(out, cli, f->hint);
	put_focus(out, cli, t, f);
}

static void put_findings_json(struct buf *out, const struct view *v, const struct view_options *o,
			      const struct findings *all, int *rc)
{
	struct json_writer w = json_writer_to(out, 2);

	json_open_object(&w);
	view_json_type(&w, v, o);
	view_json_summary(&w, v, TREE_ONLY);
	/* the number of samples of the summary is exact; that of the rules is an estimate */
	json_put_key(&w, STR("evaluation"));
	json_open_object(&w);
	*rc = findings_put_json(&w, all, (struct tree *)&v->tree);
	json_close_object(&w);
	json_close_object(&w);
	buf_put_char(out, '\n');
}

int make_findings(struct buf *out, struct cli *cli, struct view *v, struct inputs *in,
		  const void *options, const struct arguments *args, struct err *e)
{
	const struct findings_options *o = options;
	const struct view_options *view = &o->view;
	struct findings all;
	int rc = 0;

	if (view->invert || (view->group != GROUP_FUNCTION && view->group != GROUP_FILE_FUNCTION))
		return err_set(e, -EINVAL,
			       "findings are of functions: leave out --invert and --group");
	for (int i = 0; i < args->n && !rc; i++)
		rc = view_add(v, in, args->at[i], TREE_ONLY, e);
	if (!rc)
		rc = view_finish(v, cli, e);
	if (rc)
		return rc;
	if (findings_of_tree(&all, &v->tree, finding_kind_of(o->profile, v->tree.type)))
		return err_set(e, -ENOMEM, "out of memory: raise --max-memory");
	if (view->json) {
		put_findings_json(out, v, view, &all, &rc);
		return rc;
	}
	view_put_title(out, cli, args->at[0], args->n);
	view_put_summary(out, v, cli, TREE_ONLY, view->exact);
	buf_put_char(out, '\n');
	for (uint32_t i = 0; i < all.rows.n; i++)
		put_finding(out, cli, &v->tree, &all, &all.rows.at[i], view->exact);
	if (!all.rows.n)
		buf_printf(out,
			   all.kind ? "no findings by %u rules\n"
				    : "no rule applies to this sample type\n",
			   all.rules);
	return 0;
}

/* ---- sample types ---- */

static bool is_count(struct str unit)
{
	return !unit.n || str_eq(unit, STR("count")) || str_eq(unit, STR("1"));
}

/*
 * Return the entry of the same profile and kind, or types->n. Counts of samples are of the kind of the
 * time beside them.
 */
static uint32_t find_kind(const struct finding_types *types, struct str profile,
			  enum finding_kind kind, bool count)
{
	static const unsigned times = FINDING_CPU | FINDING_WALL;
	uint32_t at = 0;

	for (; at < types->n; at++) {
		const struct finding_type *known = &types->at[at];
		bool same = known->kind == kind ||
			    ((count || known->count) && kind & times && known->kind & times);

		if (same && str_eq(known->profile, profile))
			break;
	}
	return at;
}

int finding_types_add(struct finding_types *types, struct str profile, struct sample_type type,
		      struct str id, struct arena *arena)
{
	struct finding_type new = {.kind = finding_kind_of(profile, type),
				   .count = is_count(type.unit)};
	uint32_t at = find_kind(types, profile, new.kind, new.count);
	int rc;

	if (!new.kind || at == FINDING_TYPES_MAX || (at < types->n && new.count))
		return 0;
	rc = arena_copy_str(arena, profile, &new.profile);
	if (!rc)
		rc = arena_printf(arena, &new.id, "%.*s%c", STR_ARG(id), 0);
	if (rc)
		return rc;
	types->n += at == types->n;
	types->at[at] = new;
	return 0;
}

static int add_types_of_batch(struct finding_types *types, const struct profile_batch *b,
			      struct arena *arena)
{
	int rc = 0;

	for (uint32_t i = 0; i < b->profiles.n && !rc; i++) {
		struct sample_type type = {string_of(b, b->profiles.at[i].sample_type.type),
					   string_of(b, b->profiles.at[i].sample_type.unit)};
		struct str id;

		rc = arena_printf(arena, &id, "%.*s/%.*s", STR_ARG(type.type), STR_ARG(type.unit));
		if (!rc)
			rc = finding_types_add(types, (struct str){0}, type, id, arena);
	}
	return rc;
}

/* Set the types of the first file; none for stdin, which can be read only once. */
static int list_types(struct finding_types *types, struct cli *cli,
		      const struct findings_options *o, const char *path, struct arena *arena,
		      struct err *e)
{
	struct input input = {0};
	struct inputs in = {0};
	int rc;

	if (strcmp(path, "-") == 0)
		return 0;
	rc = inputs_init(&in, cli, &o->input, e);
	if (!rc)
		rc = input_read(&input, &in, path, e);
	if (!rc && add_types_of_batch(types, &input.batch, arena))
		rc = err_set(e, -ENOMEM, "out of memory: raise --max-memory");
	input_fini(&input);
	inputs_fini(&in);
	return rc;
}

static enum exit_code run_findings(struct cli *cli, void *options, const struct arguments *args)
{
	struct findings_options *o = options;
	struct finding_types types = {0};
	enum exit_code status = EXIT_DONE;
	struct arena arena;
	struct err e = {0};
	int rc = 0;

	if (!args->n)
		return cli_usage(cli, &command_findings, "name a profile, or - for stdin");
	arena_init(&arena, &cli->budget);
	if (!o->view.type)
		rc = list_types(&types, cli, o, args->at[0], &arena, &e);
	if (rc)
		status = cli_fail(cli, &e);
	else if (!types.n)
		status = view_run(cli, &o->input, &o->view, make_findings, o, args);
	for (uint32_t i = 0; !rc && i < types.n && status == EXIT_DONE; i++) {
		o->view.type = types.at[i].id.p;
		status = view_run(cli, &o->input, &o->view, make_findings, o, args);
	}
	arena_fini(&arena);
	return status;
}

const struct command command_findings = {
	.name = "findings",
	.summary = "what stands out in a profile, by rules, and what it could save at most",
	.arguments = "FILE...",
	.details =
		"Looks for one function with most of the time, garbage collection, allocation,\n"
		"locks, recursion, expressions that are compiled per call, debug builds and the\n"
		"like, in all sample types of the first file, or that of --type. Reports nothing\n"
		"unless there are enough samples (docs/findings.md). Several files are summed.\n",
	.examples = "varve findings app.pb.gz\n"
		    "varve findings heap.pb.gz --type alloc_space\n"
		    "varve findings app.pb.gz --json | jq '.evaluation.findings[].title'\n"
		    "varve query findings checkout --from now-1h    # of a server\n",
	.groups = groups,
	.options_size = sizeof(struct findings_options),
	.run = run_findings,
};
