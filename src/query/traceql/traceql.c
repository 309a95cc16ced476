/* SPDX-License-Identifier: Apache-2.0 */
/* Compiles a query: parses it as a whole, reads its hints, and lists what answers show of spans. */
#include "query/traceql/traceql.h"

#include "query/traceql/syntax/traceql_parser.h"

/* ---- hints ---- */

/* Unknown names and wrong types are ignored, as Tempo does. */
static void apply_hint(struct traceql_hints *h, struct str name, const struct traceql_token *value)
{
	bool truth = value->kind == TRACEQL_WORD && str_eq(value->text, STR("true"));
	bool is_bool = truth || (value->kind == TRACEQL_WORD && str_eq(value->text, STR("false")));

	if (str_eq(name, STR("most_recent")) && is_bool)
		h->most_recent = truth;
	if (!str_eq(name, STR("exemplars")))
		return;
	if (is_bool)
		h->exemplars_off = !truth;
	else if (value->kind == TRACEQL_INT && value->number > 0 && value->number < UINT32_MAX)
		h->exemplars = (uint32_t)value->number;
}

/* with(name = value, ...), as often as it comes */
static int parse_hints(struct traceql_parser *p)
{
	int rc = 0;

	while (!rc && tq_take(p, TRACEQL_WORD, "with")) {
		rc = tq_expect(p, "(");
		while (!rc) {
			const struct traceql_token *name = tq_peek(p, 0), *value;

			if (name->kind != TRACEQL_WORD)
				return tq_unexpected(p);
			tq_advance(p);
			rc = tq_expect(p, "=");
			tq_take(p, TRACEQL_OPERATOR, "-");
			value = tq_peek(p, 0);
			if (!rc && value->kind > TRACEQL_WORD)
				rc = tq_unexpected(p);
			if (rc || value->kind == TRACEQL_END)
				return rc ? rc : tq_unexpected(p);
			apply_hint(&p->query->hints, name->text, value);
			tq_advance(p);
			if (!tq_take(p, TRACEQL_OPERATOR, ","))
				break;
		}
		if (!rc)
			rc = tq_expect(p, ")");
	}
	return rc;
}

/* ---- what answers show ---- */

/* Fields that answers have anyway, or that are of the trace as a whole. */
static bool is_shown(const struct traceql *q, const struct traceql_expr *x)
{
	if (x->kind == TRACEQL_EXPR_FIELD) {
		const struct trace_field *f = &q->fields.at[x->field];

		return f->scope != TRACE_SCOPE_INTRINSIC || f->intrinsic != TRACE_SPAN_NAME;
	}
	if (x->kind == TRACEQL_EXPR_BUILTIN)
		return x->builtin == TRACEQL_STATUS || x->builtin == TRACEQL_KIND ||
		       x->builtin == TRACEQL_PARENT_ID || x->builtin == TRACEQL_CHILD_COUNT ||
		       x->builtin >= TRACEQL_NESTED_LEFT;
	return x->kind == TRACEQL_EXPR_UNSCOPED;
}

static int show_expr(struct traceql *q, struct traceql_expr *x)
{
	int rc;

	if (!x || x->kind == TRACEQL_EXPR_LITERAL)
		return 0;
	if (x->kind == TRACEQL_EXPR_BINARY || x->kind == TRACEQL_EXPR_NOT ||
	    x->kind == TRACEQL_EXPR_MINUS) {
		rc = show_expr(q, x->left);
		return rc ? rc : show_expr(q, x->right);
	}
	if (!is_shown(q, x))
		return 0;
	for (uint32_t i = 0; i < q->shown.n; i++)
		if (str_eq(q->shown.at[i]->name, x->name))
			return 0;
	return vec_push(q->arena, &q->shown, x);
}

static int show_pipeline(struct traceql *q, const struct traceql_pipeline *p);

static int show_spansets(struct traceql *q, const struct traceql_spanset *s)
{
	int rc;

	if (s->kind == TRACEQL_SPANSET_FILTER)
		return show_expr(q, s->filter);
	if (s->kind == TRACEQL_SPANSET_PIPELINE)
		return show_pipeline(q, s->pipeline);
	rc = show_spansets(q, s->left);
	return rc ? rc : show_spansets(q, s->right);
}

static int show_pipeline(struct traceql *q, const struct traceql_pipeline *p)
{
	int rc = 0;

	for (uint32_t i = 0; !rc && i < p->stages.n; i++) {
		const struct traceql_stage *s = &p->stages.at[i];

		rc = s->kind == TRACEQL_STAGE_SPANSETS ? show_spansets(q, s->spansets)
						       : show_expr(q, s->of);
	}
	return rc;
}

/* Remove from q->shown, the list of select(), what answers have anyway. */
static int list_shown(struct traceql *q)
{
	uint32_t selected = q->shown.n;
	struct traceql_expr **list = q->shown.at;
	int rc = 0;

	q->shown.n = q->shown.cap = 0;
	q->shown.at = NULL;
	for (uint32_t i = 0; !rc && i < selected; i++)
		rc = show_expr(q, list[i]);
	q->selected = q->shown.n;
	return rc ? rc : show_pipeline(q, q->pipeline);
}

/* ---- compilation ---- */

static int parse_query(struct traceql_parser *p)
{
	struct traceql *q = p->query;
	struct traceql_pipeline *pipeline = NULL;
	int rc;

	if (tq_math_follows(p)) {
		rc = tq_parse_metrics_math(p, &q->metrics);
	} else {
		rc = tq_parse_pipeline(p, &pipeline, &q->metrics);
		if (!rc && !q->metrics)
			q->pipeline = pipeline;
	}
	if (!rc)
		rc = parse_hints(p);
	if (!rc && tq_peek(p, 0)->kind != TRACEQL_END)
		rc = tq_unexpected(p);
	return rc;
}

/* Names and services of roots, and of spans, are in every answer. */
static int add_root_fields(struct traceql_parser *p)
{
	static const struct trace_field name = {.scope = TRACE_SCOPE_INTRINSIC,
						.intrinsic = TRACE_SPAN_NAME};
	static const struct trace_field service = {.scope = TRACE_SCOPE_INTRINSIC,
						   .intrinsic = TRACE_SERVICE_NAME};
	int rc = tq_add_field(p, &name, &p->query->root_name);

	return rc ? rc : tq_add_field(p, &service, &p->query->root_service);
}

int traceql_compile(struct traceql *q, struct str text, struct arena *a, struct err *e)
{
	struct traceql_parser p = {.query = q, .e = e};
	int rc;

	*q = (struct traceql){.arena = a, .source = text};
	if (text.n > TRACEQL_TEXT_MAX)
		return err_set(e, -EINVAL, "the query has %zu bytes, more than %d", text.n,
			       TRACEQL_TEXT_MAX);
	rc = traceql_tokenize(&p.tokens, text, a, e);
	if (!rc)
		rc = add_root_fields(&p);
	if (!rc)
		rc = parse_query(&p);
	if (!rc && q->pipeline)
		rc = list_shown(q);
	if (rc)
		traceql_fini(q);
	return rc;
}

void traceql_fini(struct traceql *q)
{
	for (uint32_t i = 0; i < q->regexes.n; i++)
		regex_free(q->regexes.at[i]);
	q->regexes.n = 0;
}
