/* SPDX-License-Identifier: Apache-2.0 */
/* Compiles incomplete filters: the tokens are repaired, and the text of them is compiled. */
#include "query/attributes/tag_filter.h"

#include "base/buf.h"
#include "query/traceql/syntax/traceql_lexer.h"
#include "query/traceql/traceql.h"

/* ---- repair ---- */

static bool is_operator(const struct traceql_token *t, const char *const *texts, size_t n)
{
	for (size_t i = 0; t->kind == TRACEQL_OPERATOR && i < n; i++)
		if (str_eq(t->text, str_from(texts[i])))
			return true;
	return false;
}

static bool is_comparison(const struct traceql_token *t)
{
	static const char *const texts[] = {"=", "!=", "=~", "!~", ">", ">=", "<", "<="};

	return is_operator(t, texts, countof(texts));
}

static bool ends_operand(const struct traceql_token *t)
{
	static const char *const texts[] = {"}", ")", "&&", "||", "|"};

	return t->kind == TRACEQL_END || is_operator(t, texts, countof(texts));
}

static bool is_pipe(const struct traceql_token *t)
{
	return t->kind == TRACEQL_OPERATOR && str_eq(t->text, STR("|"));
}

/* Append the query up to its first pipe, with incomplete comparisons replaced. */
static void put_repaired(struct buf *out, const struct traceql_tokens *tokens)
{
	const struct traceql_token *t = tokens->list.at;
	uint32_t n = tokens->list.n - 1; /* the last one is the end */
	unsigned open = 0;

	for (uint32_t i = 0; i < n && !is_pipe(&t[i]);) {
		bool field = t[i].kind == TRACEQL_ATTRIBUTE || t[i].kind == TRACEQL_WORD;

		if (field && i + 1 < n && is_comparison(&t[i + 1]) && ends_operand(&t[i + 2])) {
			buf_put_str(out, STR(" true "));
			i += 2;
			continue;
		}
		if (t[i].kind == TRACEQL_OPERATOR && str_eq(t[i].text, STR("{")))
			open++;
		if (t[i].kind == TRACEQL_OPERATOR && str_eq(t[i].text, STR("}")) && open)
			open--;
		buf_put(out, tokens->source.p + t[i].at, t[i + 1].at - t[i].at);
		i++;
	}
	while (open--)
		buf_put_str(out, STR("\n}"));
}

/* Write the text of the whole query; `{}` if the filter has no tokens. */
static int write_query(struct str filter, struct str field, struct arena *a, struct str *out)
{
	struct traceql_tokens tokens = {0};
	struct err ignored = {0};
	struct buf text = {0};
	int rc = traceql_tokenize(&tokens, filter, a, &ignored);

	buf_init(&text, a->budget);
	if (!rc && filter.n)
		put_repaired(&text, &tokens);
	if (!text.n)
		buf_put_str(&text, STR("{}"));
	if (field.n)
		buf_printf(&text, "\n| rate() by (%.*s)", STR_ARG(field));
	else
		buf_put_str(&text, STR("\n| rate()"));
	rc = rc == -EINVAL ? 0 : rc;
	if (!rc)
		rc = buf_error(&text);
	if (!rc)
		rc = arena_copy_str(a, buf_str(&text), out);
	buf_fini(&text);
	return rc;
}

/* ---- the filter ---- */

static bool is_bare(const struct traceql_expr *x)
{
	return x->kind == TRACEQL_EXPR_FIELD || x->kind == TRACEQL_EXPR_UNSCOPED ||
	       x->kind == TRACEQL_EXPR_BUILTIN;
}

static bool is_true(const struct traceql_expr *x)
{
	return x->kind == TRACEQL_EXPR_LITERAL && x->literal.type == TRACEQL_TYPE_BOOL &&
	       x->literal.truth;
}

/* Make attributes alone true, and remove what that makes superfluous. Depth: the parser's limit. */
static struct traceql_expr *simplify(struct traceql_expr *x)
{
	bool both;

	if (is_bare(x)) {
		x->kind = TRACEQL_EXPR_LITERAL;
		x->type = TRACEQL_TYPE_BOOL;
		x->on_event = x->on_link = false;
		x->literal = (struct traceql_value){.type = TRACEQL_TYPE_BOOL, .truth = true};
	}
	if (x->kind != TRACEQL_EXPR_BINARY || (x->op != TRACEQL_AND && x->op != TRACEQL_OR))
		return x;
	x->left = simplify(x->left);
	x->right = simplify(x->right);
	both = x->op == TRACEQL_AND;
	if (is_true(x->left))
		return both ? x->right : x->left;
	if (is_true(x->right))
		return both ? x->left : x->right;
	return x;
}

/* Take the filter of the compiled query; false if it is something else. */
static bool take_filter(struct tag_filter *f)
{
	const struct traceql_metrics *m = f->query.metrics;
	const struct traceql_spanset *s;

	if (!m || !m->pipeline || m->pipeline->stages.n != 1 ||
	    m->pipeline->stages.at[0].kind != TRACEQL_STAGE_SPANSETS)
		return false;
	s = m->pipeline->stages.at[0].spansets;
	if (s->kind != TRACEQL_SPANSET_FILTER || !s->filter)
		return false;
	f->filter = simplify(s->filter);
	return !is_true(f->filter);
}

/* Check that the field is one token, so that it cannot be another query. */
static int check_field(struct str field, struct arena *a, struct err *e)
{
	struct traceql_tokens tokens;
	int rc = traceql_tokenize(&tokens, field, a, e);

	if (!rc && (tokens.list.n != 2 || (tokens.list.at[0].kind != TRACEQL_ATTRIBUTE &&
					   tokens.list.at[0].kind != TRACEQL_WORD)))
		rc = err_set(e, -EINVAL, "expected an attribute such as span.http.method or .x");
	if (rc == -EINVAL)
		err_prefix(e, "invalid tag %.*s", STR_ARG(str_head(field, 100)));
	return rc;
}

static int compile_filter(struct tag_filter *f, struct str text, struct str field, struct arena *a,
			  struct err *e)
{
	struct str query;
	int rc = write_query(text, field, a, &query);

	return rc ? rc : traceql_compile(&f->query, query, a, e);
}

int tag_filter_init(struct tag_filter *f, struct str text, struct str field, struct arena *a,
		    struct err *e)
{
	struct err ignored = {0};
	int rc;

	*f = (struct tag_filter){0};
	rc = field.n ? check_field(field, a, e) : 0;
	if (rc)
		return rc;
	rc = compile_filter(f, text, field, a, &ignored);
	if (rc == -EINVAL) { /* the filter, or else the field */
		rc = compile_filter(f, STR("{}"), field, a, e);
		if (rc == -EINVAL)
			err_prefix(e, "invalid tag %.*s", STR_ARG(str_head(field, 100)));
	}
	if (rc)
		return rc;
	f->all = !take_filter(f);
	if (field.n)
		f->field = f->query.metrics->by[0];
	return 0;
}

void tag_filter_fini(struct tag_filter *f)
{
	traceql_fini(&f->query);
}
