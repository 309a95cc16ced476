/* SPDX-License-Identifier: Apache-2.0 */
/* label_replace(), label_join(), and the sort functions. */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>

#include "query/promql/functions/promql_vector_call.h"

enum { GROUPS_MAX = 100 };

struct relabel {
	struct promql_sink sink, *next;
	struct promql_eval *ev;
	struct str target, source, template;
	struct regex *regex; /* of label_replace() */
	struct str separator;
	struct promql_node *call;
	struct buf text;
};

/* Append a group by its number or name. */
static void put_group(struct relabel *r, struct str name, const struct str *groups)
{
	uint32_t n = regex_group_count(r->regex);
	uint64_t number;

	if (!str_to_u64(name, 10, &number)) {
		if (number <= n && groups[number].p)
			buf_put_str(&r->text, groups[number]);
		return;
	}
	for (uint32_t i = 1; i <= n; i++)
		if (str_eq(regex_group_name(r->regex, i), name) && groups[i].p)
			buf_put_str(&r->text, groups[i]);
}

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* Expand $1, ${1} and ${name} of the template; $$ is a dollar sign. */
static void expand(struct relabel *r, const struct str *groups)
{
	struct str t = r->template;

	for (size_t i = 0; i < t.n;) {
		size_t from, to;
		bool braces;

		if (t.p[i] != '$' || i + 1 == t.n) {
			buf_put_char(&r->text, t.p[i++]);
			continue;
		}
		if (t.p[i + 1] == '$') {
			buf_put_char(&r->text, '$');
			i += 2;
			continue;
		}
		braces = t.p[i + 1] == '{';
		from = to = i + 1 + braces;
		while (to < t.n && is_word(t.p[to]))
			to++;
		if (to == from || (braces && (to == t.n || t.p[to] != '}'))) {
			buf_put_char(&r->text, t.p[i++]);
			continue;
		}
		put_group(r, str_of(t.p + from, to - from), groups);
		i = to + braces;
	}
}

/* Set the label to the text, and emit. */
static int set_label(struct relabel *r, struct promql_series *s)
{
	struct promql_query *q = r->ev->q;
	struct str value;

	if (buf_error(&r->text) || arena_copy_str(q->arena, buf_str(&r->text), &value))
		return promql_no_space(q);
	s->labels = promql_labels_set(&q->labels, s->labels, r->target, value);
	if (!s->labels)
		return promql_no_space(q);
	if (str_eq(r->target, STR("__name__")))
		s->drops_name = false;
	return 0;
}

static int replace_emit(struct promql_sink *sink, struct promql_series *s)
{
	struct relabel *r = (struct relabel *)sink;
	struct str groups[GROUPS_MAX + 1];
	struct str value = promql_labels_get(s->labels, r->source);
	int rc = regex_capture(r->regex, value.p ? value : STR(""), 0, groups, r->ev->q->e);

	if (rc < 0)
		return rc;
	if (rc == 1) {
		buf_rewind(&r->text);
		expand(r, groups);
		rc = set_label(r, s);
		if (rc)
			return rc;
	}
	return promql_emit(r->next, s);
}

static int join_emit(struct promql_sink *sink, struct promql_series *s)
{
	struct relabel *r = (struct relabel *)sink;
	int rc;

	buf_rewind(&r->text);
	for (uint32_t i = 3; i < r->call->call.args.n; i++) {
		if (i > 3)
			buf_put_str(&r->text, r->separator);
		buf_put_str(&r->text, promql_labels_get(s->labels,
							promql_text_arg(r->call->call.args.at[i])));
	}
	rc = set_label(r, s);
	return rc ? rc : promql_emit(r->next, s);
}

static bool is_label_name(struct str name)
{
	return name.n && str_utf8_valid(name) == name.n;
}

static int run(struct relabel *r, struct promql_sink *sink)
{
	struct promql_matrix merged;
	int rc;

	promql_matrix_init(&merged, r->ev->q, r->ev->grid.n, true);
	r->next = &merged.sink;
	rc = promql_eval_node(r->ev, r->call->call.args.at[0], &r->sink);
	if (!rc)
		rc = promql_matrix_emit(&merged, sink);
	promql_matrix_fini(&merged);
	buf_fini(&r->text);
	return rc;
}

int promql_eval_label_replace(struct promql_eval *ev, struct promql_node *call,
			      struct promql_sink *sink)
{
	struct relabel r = {.sink.emit = replace_emit, .ev = ev, .call = call};
	struct promql_node *const *args = call->call.args.at;
	struct str pattern = promql_text_arg(args[4]);
	int rc;

	r.target = promql_text_arg(args[1]);
	r.template = promql_text_arg(args[2]);
	r.source = promql_text_arg(args[3]);
	if (regex_new(&r.regex, pattern, REGEX_CAPTURE | REGEX_WHOLE | REGEX_DOT_ALL, NULL) ||
	    regex_group_count(r.regex) > GROUPS_MAX) {
		regex_free(r.regex);
		return promql_error(ev->q, -EDOM,
				    "invalid regular expression in label_replace(): %.*s",
				    STR_ARG(str_head(pattern, 200)));
	}
	if (is_label_name(r.target))
		rc = run(&r, sink);
	else
		rc = promql_error(ev->q, -EDOM,
				  "invalid destination label name in label_replace(): %.*s",
				  STR_ARG(str_head(r.target, 200)));
	regex_free(r.regex);
	return rc;
}

int promql_eval_label_join(struct promql_eval *ev, struct promql_node *call,
			   struct promql_sink *sink)
{
	struct relabel r = {.sink.emit = join_emit, .ev = ev, .call = call};
	struct promql_node *const *args = call->call.args.at;

	r.target = promql_text_arg(args[1]);
	r.separator = promql_text_arg(args[2]);
	for (uint32_t i = 3; i < call->call.args.n; i++)
		if (!is_label_name(promql_text_arg(args[i])))
			return promql_error(ev->q, -EDOM,
					    "invalid source label name in label_join(): %.*s",
					    STR_ARG(str_head(promql_text_arg(args[i]), 200)));
	if (!is_label_name(r.target))
		return promql_error(ev->q, -EDOM,
				    "invalid destination label name in label_join(): %.*s",
				    STR_ARG(str_head(r.target, 200)));
	return run(&r, sink);
}

/* Sorting. */

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Cut the next run of digits or of other characters. */
static struct str cut_run(struct str *rest)
{
	size_t n = 1;
	struct str run;

	while (n < rest->n && is_digit(rest->p[n]) == is_digit(rest->p[0]))
		n++;
	run = str_of(rest->p, n);
	*rest = str_from_at(*rest, n);
	return run;
}

/* Compare texts with numbers in them by the values of the numbers. */
static int compare_natural(struct str a, struct str b)
{
	while (a.n && b.n) {
		struct str x = cut_run(&a), y = cut_run(&b);
		int order;

		if (is_digit(x.p[0]) && is_digit(y.p[0])) {
			struct str p = x, q = y;

			while (p.n > 1 && p.p[0] == '0')
				p = str_from_at(p, 1);
			while (q.n > 1 && q.p[0] == '0')
				q = str_from_at(q, 1);
			order = p.n != q.n ? (p.n > q.n) - (p.n < q.n) : str_cmp(p, q);
			if (!order)
				order = (x.n > y.n) - (x.n < y.n);
		} else {
			order = str_cmp(x, y);
		}
		if (order)
			return order;
	}
	return (a.n > 0) - (b.n > 0);
}

static int compare_series(const void *a, const void *b, void *arg)
{
	const struct promql_series *x = a, *y = b;
	const struct promql_node *call = arg;
	enum promql_function_id id = call->call.function->id;
	int order = 0;

	if (id == PROMQL_FN_SORT || id == PROMQL_FN_SORT_DESC) {
		double p = x->floats[0], q = y->floats[0];

		if (isnan(p) || isnan(q))
			return isnan(p) - isnan(q);
		order = (p > q) - (p < q);
		return id == PROMQL_FN_SORT ? order : -order;
	}
	for (uint32_t i = 1; i < call->call.args.n && !order; i++) {
		struct str name = promql_text_arg(call->call.args.at[i]);
		struct str p = promql_labels_get(x->labels, name);
		struct str q = promql_labels_get(y->labels, name);

		order = str_eq(p, q) ? 0 : compare_natural(p, q);
	}
	if (!order)
		order = promql_labels_compare(x->labels, y->labels);
	return id == PROMQL_FN_SORT_BY_LABEL ? order : -order;
}

int promql_eval_sort(struct promql_eval *ev, struct promql_node *call, struct promql_sink *sink)
{
	enum promql_function_id id = call->call.function->id;
	bool by_value = id == PROMQL_FN_SORT || id == PROMQL_FN_SORT_DESC;
	struct promql_matrix m;
	int rc = 0;

	if (ev->grid.n > 1 &&
	    promql_annotate(ev->q->annotations, PROMQL_WARNING, call->start,
			    "sort is ineffective for range queries since results are always "
			    "ordered by labels"))
		return promql_no_space(ev->q);
	promql_matrix_init(&m, ev->q, ev->grid.n, false);
	rc = promql_matrix_eval(&m, ev, call->call.args.at[0]);
	for (uint32_t i = 0; by_value && i < m.list.n; i++)
		m.list.at[i].histograms = NULL;
	for (uint32_t i = 0; i < m.list.n;) {
		if (by_value && promql_series_is_empty(&m.list.at[i], ev->grid.n))
			memmove(&m.list.at[i], &m.list.at[i + 1],
				(--m.list.n - i) * sizeof(*m.list.at));
		else
			i++;
	}
	if (!rc && ev->grid.n == 1 && m.list.n)
		qsort_r(m.list.at, m.list.n, sizeof(*m.list.at), compare_series, call);
	if (!rc)
		rc = promql_matrix_emit(&m, sink);
	promql_matrix_fini(&m);
	return rc;
}
