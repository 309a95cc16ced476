/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sums over a whole tree or subtree, for clients that show only a part of it: the frames that match
 * a search, and self values by place (function, file, module).
 */
#include <ctype.h>

#include "api/varve/json_fields.h"
#include "api/varve/varve.h"
#include "api/varve/view_query.h"
#include "query/tree/subtree_sums.h"

/* Number of places listed; the self values of the others are summed. */
enum { PLACES_MAX = 20000 };

struct sums_query {
	struct view_query sides[2];
	/* A difference: both sides are used. */
	bool both;
	bool places;
	struct regex *search; /* NULL: no search */
	struct cut_options root;
	struct texts path;
};

static int has_param(struct request *r, const char *name, bool *out, struct err *e)
{
	struct str text;
	int rc = request_param(r, name, &text, e);

	*out |= text.n > 0;
	return rc;
}

/* Set q->both if the query is a difference. */
static int read_both(struct sums_query *q, struct request *r, struct err *e)
{
	static const char *const names[] = {"before", "after", "before_file", "after_file"};
	int rc = 0;

	for (size_t i = 0; i < countof(names) && !rc; i++)
		rc = has_param(r, names[i], &q->both, e);
	return rc;
}

/* Compile a case-insensitive expression that matches literal text. */
static int compile_text(struct regex **out, struct str text, struct err *e)
{
	struct buf pattern = {0};
	int rc;

	for (size_t i = 0; i < text.n; i++) {
		unsigned char c = (unsigned char)text.p[i];
		bool plain = c >= 0x80 || isalnum(c);

		if (!plain)
			buf_put_char(&pattern, '\\');
		buf_put_char(&pattern, text.p[i]);
	}
	rc = buf_error(&pattern);
	if (!rc)
		rc = regex_new(out, buf_str(&pattern), REGEX_ANY_CASE, e);
	buf_fini(&pattern);
	return rc;
}

static int read_search(struct sums_query *q, struct request *r, struct err *e)
{
	struct str text, expression;
	int rc = request_param(r, "search", &text, e);

	if (!rc)
		rc = request_param(r, "expression", &expression, e);
	if (!rc && text.n && expression.n)
		return err_set(e, -EINVAL, "search and expression exclude each other");
	if (!rc && text.n)
		rc = compile_text(&q->search, text, e);
	else if (!rc && expression.n)
		rc = regex_new(&q->search, expression, 0, e);
	if (rc == -EINVAL)
		err_prefix(e, "%s", text.n ? "search" : "expression");
	return rc;
}

static int read_sums(struct sums_query *q, struct request *r, struct err *e)
{
	int rc = read_both(q, r, e);

	if (!rc)
		rc = q->both ? view_pair_read(q->sides, r, e)
			     : view_query_read(&q->sides[0], &view_names_single, r, e);
	if (!rc)
		rc = read_search(q, r, e);
	if (!rc)
		rc = request_flag(r, "places", &q->places, e);
	if (!rc && q->both && q->places)
		rc = err_set(e, -EINVAL, "places: not supported for a difference");
	return rc ? rc : view_cut_read(r, &q->root, &q->path, e);
}

/* Append the totals; for a difference `total` is the value after, as in its tree. */
static void put_totals(struct json_writer *w, bool both, struct tree_values values)
{
	put_i64(w, "total", values.in[both ? TREE_AFTER : TREE_ONLY]);
	if (both)
		put_i64(w, "before_total", values.in[TREE_BEFORE]);
}

static int put_match(struct json_writer *w, const struct sums_query *q, struct tree *t,
		     uint32_t root, struct err *e)
{
	struct match_sum sum;
	int rc = match_sum_of(&sum, t, root, q->search, e);

	if (rc)
		return rc;
	json_put_key(w, STR("match"));
	json_open_object(w);
	put_u64(w, "frames", sum.frames);
	put_totals(w, q->both, sum.total);
	json_close_object(w);
	return 0;
}

static void put_place_column(struct json_writer *w, const char *key, const struct places *p,
			     const struct tree *t, uint32_t n)
{
	json_put_key(w, str_from(key));
	json_open_array(w);
	for (uint32_t i = 0; i < n; i++) {
		const struct frame_name *name = &t->names.rows.at[p->rows.at[i].name];

		json_put_string(w, key[0] == 'n'   ? name->text
				   : key[0] == 'f' ? name->file
						   : name->module);
	}
	json_close_array(w);
}

static int put_places(struct json_writer *w, struct tree *t, uint32_t root)
{
	struct places places;
	uint32_t n;
	int64_t rest = 0;
	int rc = places_of(&places, t, root);

	if (rc)
		return rc;
	n = places.rows.n < PLACES_MAX ? places.rows.n : PLACES_MAX;
	for (uint32_t i = n; i < places.rows.n; i++)
		rest = add_wrapping(rest, places.rows.at[i].self, &t->wrapped);
	json_put_key(w, STR("places"));
	json_open_object(w);
	put_place_column(w, "names", &places, t, n);
	put_place_column(w, "files", &places, t, n);
	put_place_column(w, "modules", &places, t, n);
	json_put_key(w, STR("self"));
	json_open_array(w);
	for (uint32_t i = 0; i < n; i++)
		json_put_i64(w, places.rows.at[i].self);
	json_close_array(w);
	put_i64(w, "rest", rest);
	json_close_object(w);
	return 0;
}

static int put_sums_response(struct reply *out, struct sums_query *q, struct tree *t, struct err *e)
{
	struct json_writer w;
	uint32_t root, path_n;
	int rc = cut_find_root(t, &q->root, &root, &path_n, e);

	if (rc)
		return rc;
	q->sides[q->both].s.versions = q->sides[0].s.versions; /* they include both sides */
	w = view_open(out, &q->sides[q->both]);
	put_texts(&w, "path", q->root.path, path_n);
	put_totals(&w, q->both, tree_total(t, root));
	if (q->search)
		rc = put_match(&w, q, t, root, e);
	if (!rc && q->places)
		rc = put_places(&w, t, root);
	return rc ? rc : view_close(&w);
}

int varve_sums(struct request *r, struct reply *out, struct err *e)
{
	struct sums_query q = {0};
	struct tree t = {0};
	int rc = read_sums(&q, r, e);

	if (!rc)
		rc = view_tree(&t, &q.sides[0], q.both ? &q.sides[1] : NULL, e);
	if (!rc)
		rc = put_sums_response(out, &q, &t, e);
	tree_fini(&t);
	regex_free(q.search);
	view_query_fini(&q.sides[0]);
	view_query_fini(&q.sides[1]);
	return rc;
}
