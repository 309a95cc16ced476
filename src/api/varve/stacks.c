/* SPDX-License-Identifier: Apache-2.0 */
/* Queries answered from one exact call tree: tables of it, and parts cut from it for display. */
#include "api/merged.h"
#include "api/varve/json_fields.h"
#include "api/varve/samples.h"
#include "api/varve/varve.h"
#include "api/varve/view_query.h"
#include "query/spans.h"
#include "query/tree/diff.h"
#include "query/tree/sandwich.h"
#include "query/tree/top.h"
#include "query/wide.h"

static void put_frame_name(struct json_writer *w, const struct frame_name *name)
{
	put_text(w, "name", name->text);
	put_text(w, "file", name->file);
	put_text(w, "module", name->module);
	put_i64(w, "line", name->line);
}

/* Append the sums of the whole selection, and of what the filters keep. */
static void put_tree_sums(struct json_writer *w, const struct tree *t, enum tree_column column)
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

/* Return whether no frames are filtered out, which merging service by service requires. */
static bool has_all_frames(const struct view_query *q)
{
	const struct frame_filters *f = &q->tree.frames;

	return !q->tree.invert && !f->focus && !f->ignore && !f->hide && !f->show && !f->show_from;
}

/* Get all rows from the tree, or without it, service by service, if it does not fit into memory. */
static int find_top_rows(struct view_query *q, struct tree *t, struct top *all, struct err *e)
{
	struct store_missing *missing = q->s.select.limits.missing;
	struct err own = {0};
	int rc;

	q->s.wide = has_all_frames(q);
	rc = view_tree(t, q, NULL, &own);
	if (!rc)
		return merged_top(all, t, &q->s);
	if (rc != -ENOMEM || !q->s.wide || !missing || !missing->smaller) {
		*e = own;
		return rc;
	}
	missing->smaller = false; /* wide_top() includes all frames */
	tree_fini(t);
	rc = tree_init(t, &q->tree, q->s.select.limits.budget);
	return rc ? rc : wide_top(q->s.store, &q->s.select, t, all, e);
}

static int put_top(struct reply *out, struct view_query *q, struct tree *t, const struct top *all,
		   uint64_t limit, enum top_order order)
{
	struct json_writer w;
	struct top top;
	int rc = top_first(&top, all, t, order, limit);

	if (rc)
		return rc;
	w = view_open(out, q);
	put_tree_sums(&w, t, TREE_ONLY);
	put_u64(&w, "row_count", all->n);
	json_put_key(&w, STR("rows"));
	json_open_array(&w);
	for (uint32_t i = 0; i < top.n; i++) {
		json_open_object(&w);
		put_frame_name(&w, &t->names.rows.at[top.rows[i].name]);
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
	struct view_query q;
	int rc = view_query_read(&q, &view_names_single, r, e);

	if (!rc)
		rc = request_u64(r, "n", ROWS_DEFAULT, &limit, e);
	if (!rc)
		rc = read_sort(r, &order, e);
	if (!rc)
		rc = find_top_rows(&q, &t, &all, e);
	if (!rc)
		rc = put_top(out, &q, &t, &all, limit, order);
	tree_fini(&t);
	view_query_fini(&q);
	return rc;
}

/* ---- trees ---- */

/* Append the shown part of a tree as an object under this key. */
static int put_tree_part(struct json_writer *w, const char *key, struct tree *t,
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

/* Answer with a tree, whole or cut; `needs` is the name of a required parameter, or NULL. */
static int answer_tree(struct request *r, struct reply *out, bool cut, const char *needs,
		       struct err *e)
{
	struct cut_options o = {0};
	struct json_writer w;
	struct texts path;
	struct tree t = {0};
	struct view_query q;
	struct str needed = {0};
	int rc = view_query_read(&q, &view_names_single, r, e);

	if (!rc && needs)
		rc = request_param(r, needs, &needed, e);
	if (!rc && needs && !needed.n)
		rc = err_set(e, -EINVAL, "missing parameter: %s", needs);
	if (!rc && cut)
		rc = view_cut_read(r, &o, &path, e);
	if (!rc && has_all_frames(&q) && !frames_join(q.tree.group))
		selection_allow_largest(&q.s, o.max_nodes);
	if (!rc)
		rc = view_tree(&t, &q, NULL, e);
	if (!rc) {
		w = view_open(out, &q);
		put_tree_sums(&w, &t, TREE_ONLY);
		rc = put_tree_part(&w, "nodes", &t, &o, false, r, e);
	}
	if (!rc)
		rc = view_close(&w);
	tree_fini(&t);
	view_query_fini(&q);
	return rc;
}

int varve_tree(struct request *r, struct reply *out, struct err *e)
{
	return answer_tree(r, out, false, NULL, e);
}

int varve_flame(struct request *r, struct reply *out, struct err *e)
{
	return answer_tree(r, out, true, NULL, e);
}

int varve_span(struct request *r, struct reply *out, struct err *e)
{
	return answer_tree(r, out, true, "span", e);
}

/* ---- callers and callees ---- */

/* Sum the self values of the matching functions. Return 0 or -ENOMEM. */
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

static int put_sandwich(struct reply *out, struct view_query *q, struct tree *t,
			struct str function, const struct cut_options *o, struct request *r,
			struct err *e)
{
	struct sandwich s;
	struct json_writer w;
	int64_t self;
	int rc = sandwich_of_tree(&s, t, function, e);

	if (!rc)
		rc = sum_self(t, &q->s, function, &self);
	if (!rc) {
		w = view_open(out, q);
		put_tree_sums(&w, t, TREE_ONLY);
		put_text(&w, "function", function);
		put_i64(&w, "function_self", self);
		/* nested calls of matching functions count once */
		put_i64(&w, "function_total", tree_total(&s.callees, 0).in[0]);
		rc = put_tree_part(&w, "callers", &s.callers, o, false, r, e);
	}
	if (!rc)
		rc = put_tree_part(&w, "callees", &s.callees, o, false, r, e);
	sandwich_fini(&s);
	return rc ? rc : view_close(&w);
}

int varve_callers(struct request *r, struct reply *out, struct err *e)
{
	struct cut_options o = {0};
	struct str function = {0};
	struct texts path;
	struct tree t = {0};
	struct view_query q;
	int rc = view_query_read(&q, &view_names_single, r, e);

	/*
	 * here `function` is not a filter: all stacks are merged, so that shares refer to the whole
	 */
	if (!rc) {
		function = q.s.filter.function;
		q.s.filter.function = (struct str){0};
		rc = view_cut_read(r, &o, &path, e);
	}
	if (!rc && !function.n)
		rc = err_set(e, -EINVAL, "missing parameter: function");
	if (!rc)
		rc = view_tree(&t, &q, NULL, e);
	if (!rc)
		rc = put_sandwich(out, &q, &t, function, &o, r, e);
	tree_fini(&t);
	view_query_fini(&q);
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
		put_frame_name(w, &t->names.rows.at[d->rows[i].name]);
		put_text(w, "kind", str_from(diff_kind_name(d->rows[i].kind)));
		put_change(w, "self", &d->rows[i].self, normalised);
		put_change(w, "total", &d->rows[i].total, normalised);
		json_close_object(w);
	}
	json_close_array(w);
}

struct diff_query {
	struct view_query sides[2];
	uint64_t limit;
	enum top_order order;
	bool normalise, flame;
	struct cut_options cut;
	struct texts path;
};

static int read_diff(struct diff_query *d, struct request *r, struct err *e)
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

static int put_diff_response(struct reply *out, struct diff_query *d, struct tree *t,
			     struct request *r, struct err *e)
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
		put_tree_sums(&w, t, (enum tree_column)i);
		json_close_object(&w);
	}
	put_changes(&w, &diff, t, d->limit, d->normalise);
	if (d->flame)
		rc = put_tree_part(&w, "flame", t, &d->cut, true, r, e);
	return rc ? rc : view_close(&w);
}

int varve_diff(struct request *r, struct reply *out, struct err *e)
{
	struct diff_query d = {0};
	struct tree t = {0};
	int rc = read_diff(&d, r, e);

	if (!rc)
		rc = view_tree(&t, &d.sides[0], &d.sides[1], e);
	if (!rc)
		rc = put_diff_response(out, &d, &t, r, e);
	tree_fini(&t);
	view_query_fini(&d.sides[0]);
	view_query_fini(&d.sides[1]);
	return rc;
}

/* ---- a trace: its spans and their call tree ---- */

static void put_span_totals(struct json_writer *w, const struct spans *spans)
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
	struct view_query q;
	int rc = view_query_read(&q, &view_names_single, r, e);

	if (!rc && !q.s.trace_n)
		rc = err_set(e, -EINVAL, "missing parameter: trace");
	if (!rc)
		rc = view_cut_read(r, &o, &path, e);
	if (!rc)
		rc = view_tree(&t, &q, NULL, e);
	if (!rc)
		rc = view_spans(&spans, &q, r, e);
	if (!rc) {
		w = view_open(out, &q);
		put_tree_sums(&w, &t, TREE_ONLY);
		put_span_totals(&w, &spans);
		rc = put_tree_part(&w, "nodes", &t, &o, false, r, e);
	}
	if (!rc)
		rc = view_close(&w);
	spans_fini(&spans);
	tree_fini(&t);
	view_query_fini(&q);
	return rc;
}
