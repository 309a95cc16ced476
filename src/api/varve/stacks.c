/* SPDX-License-Identifier: Apache-2.0 */
/* Answers made of one exact tree: tables first, pictures cut from it afterwards. */
#include "api/merged.h"
#include "api/varve/varve.h"
#include "query/spans.h"
#include "query/tree/diff.h"
#include "query/tree/sandwich.h"
#include "query/tree/top.h"
#include "query/wide.h"

static void put_name(struct json_writer *w, const struct frame_name *name)
{
	put_text(w, "name", name->text);
	put_text(w, "file", name->file);
	put_text(w, "module", name->module);
	put_i64(w, "line", name->line);
}

/* What the whole selection adds up to, and what the filters leave of it. */
static void put_sums(struct json_writer *w, const struct tree *t, enum tree_column column)
{
	put_i64(w, "total", t->sum[column].all);
	put_i64(w, "kept", t->sum[column].kept);
	put_u64(w, "stacks", t->sum[column].kept_samples);
}

static int read_sort(struct request *r, enum top_order *order, struct err *e)
{
	struct str text;
	int rc = request_param(r, "sort", &text, e);

	*order = str_eq(text, STR("total")) ? TOP_BY_TOTAL : TOP_BY_SELF;
	if (!rc && text.n && *order == TOP_BY_SELF && !str_eq(text, STR("self")))
		rc = err_set(e, -EINVAL, "sort: expected self or total, found \"%.*s\"",
			     STR_ARG(str_head(text, 40)));
	return rc;
}

enum { ROWS_DEFAULT = 100 };

/* ---- top ---- */

/* No frames are left out, so that a question about many services can be answered from one after the other. */
static bool has_all_frames(const struct view_ask *a)
{
	const struct frame_filters *f = &a->tree.frames;

	return !a->tree.invert && !f->focus && !f->ignore && !f->hide && !f->show && !f->show_from;
}

/* All rows: those of the tree, or where that does not fit the memory without it. */
static int find_rows(struct view_ask *a, struct tree *t, struct top *all, struct request *r,
		     struct err *e)
{
	struct store_missing *missing = a->s.select.limits.missing;
	struct err own = {0};
	int rc;

	a->s.wide = has_all_frames(a);
	rc = view_tree(t, a, NULL, r, &own);
	if (!rc)
		return merged_top(all, t, &a->s);
	if (rc != -ENOMEM || !a->s.wide || !missing || !missing->smaller) {
		*e = own;
		return rc;
	}
	missing->smaller = false; /* all are in it */
	tree_fini(t);
	rc = tree_init(t, &a->tree, a->s.select.limits.budget);
	return rc ? rc : wide_top(a->s.store, &a->s.select, t, all, e);
}

static int put_top(struct reply *out, struct view_ask *a, struct tree *t, const struct top *all,
		   uint64_t limit, enum top_order order)
{
	struct json_writer w;
	struct top top;
	int rc = top_first(&top, all, t, order, limit);

	if (rc)
		return rc;
	w = view_open(out, a);
	put_sums(&w, t, TREE_ONLY);
	put_u64(&w, "row_count", all->n);
	json_put_key(&w, STR("rows"));
	json_open_array(&w);
	for (uint32_t i = 0; i < top.n; i++) {
		json_open_object(&w);
		put_name(&w, &t->names.rows.at[top.rows[i].name]);
		put_i64(&w, "self", top.rows[i].self[0]);
		put_i64(&w, "total", top.rows[i].total[0]);
		json_close_object(&w);
	}
	json_close_array(&w);
	return view_close(&w);
}

int varve_top(struct request *r, struct reply *out, struct err *e)
{
	enum top_order order = TOP_BY_SELF;
	uint64_t limit = 0;
	struct tree t = {0};
	struct top all;
	struct view_ask a;
	int rc = view_ask_read(&a, &view_names_single, r, e);

	if (!rc)
		rc = request_u64(r, "n", ROWS_DEFAULT, &limit, e);
	if (!rc)
		rc = read_sort(r, &order, e);
	if (!rc)
		rc = find_rows(&a, &t, &all, r, e);
	if (!rc)
		rc = put_top(out, &a, &t, &all, limit, order);
	tree_fini(&t);
	view_ask_fini(&a);
	return rc;
}

/* ---- pictures ---- */

/* The shown part of a tree, as an object under this key. */
static int put_picture(struct json_writer *w, const char *key, struct tree *t,
		       const struct cut_options *o, bool both, struct request *r, struct err *e)
{
	struct cut cut;
	int rc = cut_of_tree(&cut, t, o, e);

	if (rc)
		return rc;
	json_put_key(w, str_from(key));
	json_open_object(w);
	put_texts(w, "path", o->path, cut.path_n);
	rc = put_nodes(w, t, &cut, both, r->arena);
	json_close_object(w);
	return rc;
}

/* A tree whole, or cut; `needs` names a parameter that must be there, or is NULL. */
static int answer_picture(struct request *r, struct reply *out, bool cut, const char *needs,
			  struct err *e)
{
	struct cut_options o = {0};
	struct json_writer w;
	struct texts path;
	struct tree t = {0};
	struct view_ask a;
	struct str needed = {0};
	int rc = view_ask_read(&a, &view_names_single, r, e);

	if (!rc && needs)
		rc = request_param(r, needs, &needed, e);
	if (!rc && needs && !needed.n)
		rc = err_set(e, -EINVAL, "missing parameter: %s", needs);
	if (!rc && cut)
		rc = view_cut_read(r, &o, &path, e);
	if (!rc && has_all_frames(&a) && !frames_join(a.tree.group))
		selection_take_largest(&a.s, o.max_nodes);
	if (!rc)
		rc = view_tree(&t, &a, NULL, r, e);
	if (!rc) {
		w = view_open(out, &a);
		put_sums(&w, &t, TREE_ONLY);
		rc = put_picture(&w, "nodes", &t, &o, false, r, e);
	}
	if (!rc)
		rc = view_close(&w);
	tree_fini(&t);
	view_ask_fini(&a);
	return rc;
}

int varve_tree(struct request *r, struct reply *out, struct err *e)
{
	return answer_picture(r, out, false, NULL, e);
}

int varve_flame(struct request *r, struct reply *out, struct err *e)
{
	return answer_picture(r, out, true, NULL, e);
}

int varve_span(struct request *r, struct reply *out, struct err *e)
{
	return answer_picture(r, out, true, "span", e);
}

/* ---- callers and callees ---- */

/* What the matching functions have by themselves. 0 or -ENOMEM. */
static int sum_self(struct tree *t, struct selection *s, struct str function, int64_t *self)
{
	struct frame_ref ref = frame_ref_parse(function);
	struct top top;
	int rc = merged_top(&top, t, s);

	*self = 0;
	for (uint32_t i = 0; !rc && i < top.n; i++)
		if (frame_ref_matches(&ref, &t->names.rows.at[top.rows[i].name]))
			*self = add_wrapping(*self, top.rows[i].self[0], &t->wrapped);
	return rc;
}

static int put_sandwich(struct reply *out, struct view_ask *a, struct tree *t, struct str function,
			const struct cut_options *o, struct request *r, struct err *e)
{
	struct sandwich s;
	struct json_writer w;
	int64_t self;
	int rc = sandwich_of_tree(&s, t, function, e);

	if (!rc)
		rc = sum_self(t, &a->s, function, &self);
	if (!rc) {
		w = view_open(out, a);
		put_sums(&w, t, TREE_ONLY);
		put_text(&w, "function", function);
		put_i64(&w, "function_self", self);
		/* Nested calls of functions that match count once. */
		put_i64(&w, "function_total", tree_total(&s.callees, 0).in[0]);
		rc = put_picture(&w, "callers", &s.callers, o, false, r, e);
	}
	if (!rc)
		rc = put_picture(&w, "callees", &s.callees, o, false, r, e);
	sandwich_fini(&s);
	return rc ? rc : view_close(&w);
}

int varve_callers(struct request *r, struct reply *out, struct err *e)
{
	struct cut_options o = {0};
	struct str function = {0};
	struct texts path;
	struct tree t = {0};
	struct view_ask a;
	int rc = view_ask_read(&a, &view_names_single, r, e);

	/* Here it is not a filter: all stacks are looked at, so that shares are of the whole. */
	if (!rc) {
		function = a.s.filter.function;
		a.s.filter.function = (struct str){0};
		rc = view_cut_read(r, &o, &path, e);
	}
	if (!rc && !function.n)
		rc = err_set(e, -EINVAL, "missing parameter: function");
	if (!rc)
		rc = view_tree(&t, &a, NULL, r, e);
	if (!rc)
		rc = put_sandwich(out, &a, &t, function, &o, r, e);
	tree_fini(&t);
	view_ask_fini(&a);
	return rc;
}

/* ---- differences ---- */

static void put_change(struct json_writer *w, const char *key, const struct diff_value *v,
		       bool normalised)
{
	json_put_key(w, str_from(key));
	json_open_object(w);
	put_i64(w, "before", v->before);
	put_i64(w, "after", v->after);
	put_i64(w, "delta", v->delta);
	if (normalised)
		put_i64(w, "before_unscaled", v->unscaled);
	json_close_object(w);
}

static void put_changes(struct json_writer *w, const struct diff *d, const struct tree *t,
			uint64_t limit, bool normalised)
{
	json_put_key(w, STR("changes"));
	json_open_object(w);
	for (unsigned i = 0; i <= DIFF_GONE; i++)
		put_u64(w, diff_kind_name((enum diff_kind)i), d->count[i]);
	json_close_object(w);
	put_u64(w, "row_count", d->n);
	json_put_key(w, STR("rows"));
	json_open_array(w);
	for (uint32_t i = 0; i < d->n && (!limit || i < limit); i++) {
		json_open_object(w);
		put_name(w, &t->names.rows.at[d->rows[i].name]);
		put_text(w, "kind", str_from(diff_kind_name(d->rows[i].kind)));
		put_change(w, "self", &d->rows[i].self, normalised);
		put_change(w, "total", &d->rows[i].total, normalised);
		json_close_object(w);
	}
	json_close_array(w);
}

struct diff_ask {
	struct view_ask sides[2];
	uint64_t limit;
	enum top_order order;
	bool normalise, flame;
	struct cut_options cut;
	struct texts path;
};

static int read_diff(struct diff_ask *d, struct request *r, struct err *e)
{
	int rc = view_pair_read(d->sides, r, e);

	if (!rc)
		rc = request_u64(r, "n", ROWS_DEFAULT, &d->limit, e);
	if (!rc)
		rc = read_sort(r, &d->order, e);
	if (!rc)
		rc = request_flag(r, "normalise", &d->normalise, e);
	if (!rc)
		rc = request_flag(r, "flame", &d->flame, e);
	return rc ? rc : view_cut_read(r, &d->cut, &d->path, e);
}

static int put_diff(struct reply *out, struct diff_ask *d, struct tree *t, struct request *r,
		    struct err *e)
{
	static const char *const keys[2] = {"before", "after"};
	struct json_writer w;
	struct diff diff;
	struct top top;
	int rc = merged_top(&top, t, &d->sides[0].s);

	if (!rc)
		rc = diff_of_top(&diff, t, &top, d->normalise, e);
	if (rc)
		return rc;
	diff_sort_first(&diff, d->order, d->limit);
	w = view_open(out, &d->sides[1]);
	put_flag(&w, "normalised", d->normalise);
	for (unsigned i = 0; i < 2; i++) {
		json_put_key(&w, str_from(keys[i]));
		json_open_object(&w);
		put_sums(&w, t, (enum tree_column)i);
		json_close_object(&w);
	}
	put_changes(&w, &diff, t, d->limit, d->normalise);
	if (d->flame)
		rc = put_picture(&w, "flame", t, &d->cut, true, r, e);
	return rc ? rc : view_close(&w);
}

int varve_diff(struct request *r, struct reply *out, struct err *e)
{
	struct diff_ask d = {0};
	struct tree t = {0};
	int rc = read_diff(&d, r, e);

	if (!rc)
		rc = view_tree(&t, &d.sides[0], &d.sides[1], r, e);
	if (!rc)
		rc = put_diff(out, &d, &t, r, e);
	tree_fini(&t);
	view_ask_fini(&d.sides[0]);
	view_ask_fini(&d.sides[1]);
	return rc;
}

/* ---- a trace: its spans, and all they did ---- */

static void put_spans(struct json_writer *w, const struct spans *spans)
{
	json_put_key(w, STR("spans"));
	json_open_array(w);
	for (uint32_t i = 0; i < spans->rows.n; i++) {
		json_open_object(w);
		put_hex(w, "id", spans->rows.at[i].link.span_id, 8);
		put_i64(w, "total", spans->rows.at[i].total);
		json_close_object(w);
	}
	json_close_array(w);
}

int varve_trace(struct request *r, struct reply *out, struct err *e)
{
	struct cut_options o = {0};
	struct spans spans = {0};
	struct json_writer w;
	struct texts path;
	struct tree t = {0};
	struct view_ask a;
	int rc = view_ask_read(&a, &view_names_single, r, e);

	if (!rc && !a.s.trace_n)
		rc = err_set(e, -EINVAL, "missing parameter: trace");
	if (!rc)
		rc = view_cut_read(r, &o, &path, e);
	if (!rc)
		rc = view_tree(&t, &a, NULL, r, e);
	if (!rc)
		rc = view_spans(&spans, &a, r, e);
	if (!rc) {
		w = view_open(out, &a);
		put_sums(&w, &t, TREE_ONLY);
		put_spans(&w, &spans);
		rc = put_picture(&w, "nodes", &t, &o, false, r, e);
	}
	if (!rc)
		rc = view_close(&w);
	spans_fini(&spans);
	tree_fini(&t);
	view_ask_fini(&a);
	return rc;
}
