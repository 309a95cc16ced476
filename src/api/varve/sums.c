/* SPDX-License-Identifier: Apache-2.0 */
/* Sums over a whole (sub)tree for pages that show only a part of it: what a search finds, and self values by package. */
#include "api/varve/varve.h"
#include "query/tree/subtree_sums.h"

#include <ctype.h>

/* Places that are listed; the self values of the others are added up. */
enum { PLACES_MAX = 20000 };

struct sums_ask {
	struct view_ask sides[2];
	/* Two: what is found is summed on both sides of a difference. */
	bool both;
	bool places;
	/* NULL: nothing is searched for. */
	struct regex *search;
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

/* Is it about a difference? */
static int read_both(struct sums_ask *a, struct request *r, struct err *e)
{
	static const char *const names[] = {"before", "after", "before_file", "after_file"};
	int rc = 0;

	for (size_t i = 0; i < countof(names) && !rc; i++)
		rc = has_param(r, names[i], &a->both, e);
	return rc;
}

/* Text is looked for as it is, in any case: all that could mean something else is escaped. */
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

static int read_search(struct sums_ask *a, struct request *r, struct err *e)
{
	struct str text, expression;
	int rc = request_param(r, "search", &text, e);

	if (!rc)
		rc = request_param(r, "expression", &expression, e);
	if (!rc && text.n && expression.n)
		return err_set(e, -EINVAL, "search and expression: only one of them");
	if (!rc && text.n)
		rc = compile_text(&a->search, text, e);
	else if (!rc && expression.n)
		rc = regex_new(&a->search, expression, 0, e);
	if (rc == -EINVAL)
		err_prefix(e, "%s", text.n ? "search" : "expression");
	return rc;
}

static int read_sums(struct sums_ask *a, struct request *r, struct err *e)
{
	int rc = read_both(a, r, e);

	if (!rc)
		rc = a->both ? view_pair_read(a->sides, r, e)
			     : view_ask_read(&a->sides[0], &view_names_single, r, e);
	if (!rc)
		rc = read_search(a, r, e);
	if (!rc)
		rc = request_flag(r, "places", &a->places, e);
	if (!rc && a->both && a->places)
		rc = err_set(e, -EINVAL, "places: not of a difference");
	return rc ? rc : view_cut_read(r, &a->root, &a->path, e);
}

/* Of a difference `total` is after, as in its tree. */
static void put_values(struct json_writer *w, bool both, struct tree_values values)
{
	put_i64(w, "total", values.in[both ? TREE_AFTER : TREE_ONLY]);
	if (both)
		put_i64(w, "before_total", values.in[TREE_BEFORE]);
}

static int put_match(struct json_writer *w, const struct sums_ask *a, struct tree *t, uint32_t root,
		     struct err *e)
{
	struct match_sum sum;
	int rc = match_sum_of(&sum, t, root, a->search, e);

	if (rc)
		return rc;
	json_put_key(w, STR("match"));
	json_open_object(w);
	put_u64(w, "frames", sum.frames);
	put_values(w, a->both, sum.total);
	json_close_object(w);
	return 0;
}

static void put_column(struct json_writer *w, const char *key, const struct places *p,
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
	put_column(w, "names", &places, t, n);
	put_column(w, "files", &places, t, n);
	put_column(w, "modules", &places, t, n);
	json_put_key(w, STR("self"));
	json_open_array(w);
	for (uint32_t i = 0; i < n; i++)
		json_put_i64(w, places.rows.at[i].self);
	json_close_array(w);
	put_i64(w, "rest", rest);
	json_close_object(w);
	return 0;
}

static int put_sums(struct reply *out, struct sums_ask *a, struct tree *t, struct err *e)
{
	struct json_writer w;
	uint32_t root, path_n;
	int rc = cut_find_root(t, &a->root, &root, &path_n, e);

	if (rc)
		return rc;
	a->sides[a->both].s.moment = a->sides[0].s.moment; /* of both */
	w = view_open(out, &a->sides[a->both]);
	put_texts(&w, "path", a->root.path, path_n);
	put_values(&w, a->both, tree_total(t, root));
	if (a->search)
		rc = put_match(&w, a, t, root, e);
	if (!rc && a->places)
		rc = put_places(&w, t, root);
	return rc ? rc : view_close(&w);
}

int varve_sums(struct request *r, struct reply *out, struct err *e)
{
	struct sums_ask a = {0};
	struct tree t = {0};
	int rc = read_sums(&a, r, e);

	if (!rc)
		rc = view_tree(&t, &a.sides[0], a.both ? &a.sides[1] : NULL, r, e);
	if (!rc)
		rc = put_sums(out, &a, &t, e);
	tree_fini(&t);
	regex_free(a.search);
	view_ask_fini(&a.sides[0]);
	view_ask_fini(&a.sides[1]);
	return rc;
}
