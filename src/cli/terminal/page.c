/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One view per sample type, filled from all files in one pass; then JSON between the two halves of
 * the single page of the web UI.
 */
#include "cli/terminal/page.h"

#include <errno.h>

#include "api/ui.h"
#include "api/varve/json_fields.h"
#include "cli/version.h"
#include "query/tree/top.h"

enum { TYPES_MAX = 32, ROWS_MAX = 5000 };

struct page {
	struct cli *cli;
	const struct page_options *options;
	struct arena arena;
	struct view *types; /* in order of first occurrence */
	uint32_t type_n, initial;
};

/* ---- trees ---- */

static int find_or_add_type(struct page *p, struct sample_type type, struct view **out,
			    struct err *e)
{
	struct view_options options = *p->options->view;
	int rc;

	for (uint32_t i = 0; i < p->type_n; i++) {
		*out = &p->types[i];
		if (str_eq((*out)->tree.type.type, type.type) &&
		    str_eq((*out)->tree.type.unit, type.unit))
			return 0;
	}
	if (p->type_n == TYPES_MAX)
		return err_set(e, -EOVERFLOW, "more than %d sample types: choose one with --type",
			       TYPES_MAX);
	*out = &p->types[p->type_n++];
	options.type = NULL; /* set below, with its unit */
	rc = view_init(*out, p->cli, &options, e);
	if (!rc && tree_set_type(&(*out)->tree, type.type, type.unit))
		rc = err_set(e, -ENOMEM, "out of memory: raise --max-memory");
	return rc;
}

/* Return true if an earlier profile has the same type: tree_add() has then added this one too. */
static bool seen_before(const struct profile_batch *b, uint32_t profile, struct sample_type type)
{
	for (uint32_t i = 0; i < profile; i++)
		if (sample_type_is(b, &b->profiles.at[i], type))
			return true;
	return false;
}

static int add_type_of_batch(struct page *p, const struct profile_batch *b, struct sample_type type,
			     struct err *e)
{
	struct view *v;
	int rc = find_or_add_type(p, type, &v, e);

	return rc ? rc : tree_add(&v->tree, b, TREE_ONLY, e);
}

static int add_batch(struct page *p, const struct input *input, struct err *e)
{
	const struct profile_batch *b = &input->batch;
	const char *wanted = p->options->view->type;
	bool last = str_starts(str_from(input->format->name), STR("pprof"));
	struct sample_type chosen;
	int rc = sample_type_pick(&chosen, b, str_from(wanted ? wanted : ""), last, e);

	if (!rc && wanted)
		return add_type_of_batch(p, b, chosen, e);
	for (uint32_t i = 0; i < b->profiles.n && !rc; i++) {
		struct sample_type type = {string_of(b, b->profiles.at[i].sample_type.type),
					   string_of(b, b->profiles.at[i].sample_type.unit)};

		if (!seen_before(b, i, type))
			rc = add_type_of_batch(p, b, type, e);
	}
	/* The first file decides which type is shown initially. */
	for (uint32_t i = 0; i < p->type_n && !rc && p->initial == UINT32_MAX; i++)
		if (str_eq(p->types[i].tree.type.type, chosen.type) &&
		    str_eq(p->types[i].tree.type.unit, chosen.unit))
			p->initial = i;
	return rc;
}

static int add_file(struct page *p, struct inputs *in, const char *path, struct err *e)
{
	struct input input = {0};
	int rc = input_read(&input, in, path, e);

	if (!rc) {
		rc = add_batch(p, &input, e);
		if (rc)
			err_prefix(e, "%s", path);
	}
	input_fini(&input);
	return rc;
}

/* ---- JSON ---- */

static int put_top_rows(struct json_writer *w, struct tree *t)
{
	struct top top;
	int rc = top_of_tree(&top, t);

	if (rc)
		return rc;
	top_sort(&top, t, TOP_BY_SELF);
	put_u64(w, "row_count", top.n);
	json_put_key(w, STR("rows"));
	json_open_array(w);
	for (uint32_t i = 0; i < top.n && i < ROWS_MAX; i++) {
		const struct frame_name *name = &t->names.rows.at[top.rows[i].name];

		json_open_object(w);
		put_text(w, "name", name->text);
		put_text(w, "file", name->file);
		put_text(w, "module", name->module);
		put_i64(w, "self", top.rows[i].self[0]);
		put_i64(w, "total", top.rows[i].total[0]);
		json_close_object(w);
	}
	json_close_array(w);
	return 0;
}

static int put_page_profile(struct json_writer *w, const struct page *p, struct view *v,
			    struct err *e)
{
	const struct cut_options cutting = {.max_nodes = p->options->max_nodes};
	struct tree *t = &v->tree;
	struct cut cut;
	int rc = view_finish(v, p->cli, e);

	if (!rc)
		rc = cut_of_tree(&cut, t, &cutting, e);
	if (rc)
		return rc;
	json_open_object(w);
	view_json_type(w, v, p->options->view);
	view_json_summary(w, v, TREE_ONLY);
	json_put_key(w, STR("nodes"));
	json_open_object(w);
	put_texts(w, "path", NULL, 0);
	rc = put_nodes(w, t, &cut, false, &t->arena);
	json_close_object(w);
	if (!rc)
		rc = put_top_rows(w, t);
	json_close_object(w);
	return rc;
}

/* Types without values are omitted, except the initial one. */
static int put_data(struct buf *out, struct page *p, const struct arguments *args, struct err *e)
{
	const char *path = strcmp(args->at[0], "-") == 0 ? "stdin" : args->at[0];
	struct json_writer w = json_writer_to(out, 0);
	uint32_t shown = 0, initial = 0;
	struct buf title = {0};
	int rc = 0;

	json_open_object(&w);
	json_put_key(&w, STR("profiles"));
	json_open_array(&w);
	for (uint32_t i = 0; i < p->type_n && !rc; i++) {
		if (!p->types[i].tree.sum[0].magnitude && i != p->initial)
			continue;
		if (i == p->initial)
			initial = shown;
		rc = put_page_profile(&w, p, &p->types[i], e);
		shown++;
	}
	json_close_array(&w);
	put_u64(&w, "initial", initial);
	put_text(&w, "version", str_from(version_build));
	buf_put_str(&title, str_from(path));
	if (args->n > 1)
		buf_printf(&title, " and %d more", args->n - 1);
	put_text(&w, "title", buf_str(&title));
	buf_fini(&title);
	json_close_object(&w);
	return rc;
}

/*
 * Append JSON for a script element. "<" can only occur in strings; it is escaped as \u003c so that
 * no name can end the element or begin a comment.
 */
static void put_script_json(struct buf *out, struct str json)
{
	while (json.n) {
		const char *at = memchr(json.p, '<', json.n);
		size_t n = at ? (size_t)(at - json.p) : json.n;

		buf_put(out, json.p, n);
		if (at)
			buf_put_str(out, STR("\\u003c"));
		json = str_of(json.p + n + (at != NULL), json.n - n - (at != NULL));
	}
}

static int put_page(struct buf *out, struct page *p, const struct arguments *args, struct err *e)
{
	struct buf data = {0};
	struct str head, tail;
	int rc;

	buf_init(&data, &p->cli->budget);
	rc = ui_single_page(&head, &tail, e);
	if (!rc)
		rc = put_data(&data, p, args, e);
	if (!rc) {
		buf_put_str(out, head);
		put_script_json(out, buf_str(&data));
		buf_put_str(out, tail);
		rc = buf_error(&data) ? -ENOMEM : buf_error(out);
	}
	buf_fini(&data);
	return rc;
}

int page_make(struct buf *out, struct cli *cli, struct inputs *in, const struct page_options *o,
	      const struct arguments *args, struct err *e)
{
	struct page p = {.cli = cli, .options = o, .initial = UINT32_MAX};
	int rc = 0;

	arena_init(&p.arena, &cli->budget);
	p.types = arena_zalloc(&p.arena, TYPES_MAX, sizeof(*p.types));
	if (!p.types)
		rc = -ENOMEM;
	for (int i = 0; i < args->n && !rc; i++)
		rc = add_file(&p, in, args->at[i], e);
	if (!rc)
		rc = put_page(out, &p, args, e);
	if (rc == -ENOMEM)
		err_set(e, rc, "out of memory: raise --max-memory");
	for (uint32_t i = 0; i < p.type_n; i++)
		view_fini(&p.types[i]);
	arena_fini(&p.arena);
	return rc;
}
