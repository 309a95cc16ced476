/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parses pipelines: spansets with their operators, by(), coalesce(), select() and conditions on
 * aggregates. In spansets && and || have the same level, structural operators bind tighter.
 */
#include "query/traceql/syntax/traceql_parser.h"
#include "query/traceql/traceql_value.h"

enum { SPANSET_LOGIC = 1, SPANSET_STRUCTURE };

static const struct {
	const char *text;
	unsigned level;
	enum traceql_op op;
	bool negated, both;
} spanset_operators[] = {
	{"&&", SPANSET_LOGIC, TRACEQL_AND, false, false},
	{"||", SPANSET_LOGIC, TRACEQL_OR, false, false},
	{">", SPANSET_STRUCTURE, TRACEQL_CHILD, false, false},
	{">>", SPANSET_STRUCTURE, TRACEQL_DESCENDANT, false, false},
	{"<", SPANSET_STRUCTURE, TRACEQL_PARENT_OF, false, false},
	{"<<", SPANSET_STRUCTURE, TRACEQL_ANCESTOR, false, false},
	{"~", SPANSET_STRUCTURE, TRACEQL_SIBLING, false, false},
	{"!>", SPANSET_STRUCTURE, TRACEQL_CHILD, true, false},
	{"!>>", SPANSET_STRUCTURE, TRACEQL_DESCENDANT, true, false},
	{"!<", SPANSET_STRUCTURE, TRACEQL_PARENT_OF, true, false},
	{"!<<", SPANSET_STRUCTURE, TRACEQL_ANCESTOR, true, false},
	{"!~", SPANSET_STRUCTURE, TRACEQL_SIBLING, true, false},
	{"&>", SPANSET_STRUCTURE, TRACEQL_CHILD, false, true},
	{"&>>", SPANSET_STRUCTURE, TRACEQL_DESCENDANT, false, true},
	{"&<", SPANSET_STRUCTURE, TRACEQL_PARENT_OF, false, true},
	{"&<<", SPANSET_STRUCTURE, TRACEQL_ANCESTOR, false, true},
	{"&~", SPANSET_STRUCTURE, TRACEQL_SIBLING, false, true},
};

static const struct {
	const char *name;
	enum traceql_aggregate aggregate;
} aggregates[] = {
	{"count", TRACEQL_COUNT}, {"avg", TRACEQL_AVG}, {"min", TRACEQL_MIN},
	{"max", TRACEQL_MAX},	  {"sum", TRACEQL_SUM},
};

static int parse_spansets(struct traceql_parser *p, unsigned level, struct traceql_spanset **out);

/* Return the source text from `at` to the next token, without white space at the ends. */
static struct str source_text(const struct traceql_parser *p, uint32_t at)
{
	return str_trim(str_of(p->tokens.source.p + at, tq_peek(p, 0)->at - at));
}

/* ---- spansets ---- */

static struct traceql_spanset *new_spanset(struct traceql_parser *p, enum traceql_spanset_kind kind)
{
	struct traceql_spanset *s = arena_zalloc(p->query->arena, 1, sizeof(*s));

	if (s) {
		s->kind = kind;
		s->at = tq_peek(p, 0)->at;
	}
	return s;
}

/* { } or { expr } */
static int parse_filter(struct traceql_parser *p, struct traceql_spanset **out)
{
	struct traceql_spanset *s = new_spanset(p, TRACEQL_SPANSET_FILTER);
	int rc;

	if (!s)
		return -ENOMEM;
	*out = s;
	rc = tq_expect(p, "{");
	if (rc || tq_take(p, TRACEQL_OPERATOR, "}"))
		return rc;
	rc = tq_parse_expr(p, &s->filter);
	if (!rc && s->filter->type != TRACEQL_TYPE_BOOL && s->filter->type != TRACEQL_TYPE_ANY)
		rc = tq_error(p, s->filter->at,
			      "a filter must be a condition, or an attribute that is a bool");
	return rc ? rc : tq_expect(p, "}");
}

static int parse_spanset_operand(struct traceql_parser *p, struct traceql_spanset **out)
{
	struct traceql_metrics *metrics = NULL;
	struct traceql_pipeline *pipeline = NULL;
	uint32_t at = tq_peek(p, 0)->at;
	int rc;

	if (tq_is(p, TRACEQL_OPERATOR, "{"))
		return parse_filter(p, out);
	if (!tq_take(p, TRACEQL_OPERATOR, "("))
		return tq_unexpected(p);
	rc = tq_parse_pipeline(p, &pipeline, &metrics);
	if (rc)
		return rc;
	if (metrics)
		return tq_error(p, at, "metrics cannot be an operand of spansets");
	rc = tq_expect(p, ")");
	if (rc)
		return rc;
	if (pipeline->stages.n == 1 && pipeline->stages.at[0].kind == TRACEQL_STAGE_SPANSETS) {
		*out = pipeline->stages.at[0].spansets;
		return 0;
	}
	*out = new_spanset(p, TRACEQL_SPANSET_PIPELINE);
	if (!*out)
		return -ENOMEM;
	(*out)->at = at;
	(*out)->pipeline = pipeline;
	return 0;
}

static size_t next_spanset_operator(const struct traceql_parser *p, unsigned level)
{
	for (size_t i = 0; i < countof(spanset_operators); i++)
		if (spanset_operators[i].level >= level &&
		    tq_is(p, TRACEQL_OPERATOR, spanset_operators[i].text))
			return i;
	return countof(spanset_operators);
}

static int parse_spansets(struct traceql_parser *p, unsigned level, struct traceql_spanset **out)
{
	size_t i;
	int rc = tq_enter(p);

	if (!rc)
		rc = parse_spanset_operand(p, out);
	while (!rc && (i = next_spanset_operator(p, level)) < countof(spanset_operators)) {
		struct traceql_spanset *s = new_spanset(p, TRACEQL_SPANSET_OP);

		if (!s)
			return -ENOMEM;
		s->op = spanset_operators[i].op;
		s->negated = spanset_operators[i].negated;
		s->both = spanset_operators[i].both;
		s->left = *out;
		tq_advance(p);
		rc = parse_spansets(p, spanset_operators[i].level + 1, &s->right);
		*out = s;
	}
	tq_leave(p);
	return rc;
}

/* ---- other stages ---- */

static bool is_aggregate(const struct traceql_parser *p, uint32_t ahead)
{
	const struct traceql_token *t = tq_peek(p, ahead);

	for (size_t i = 0; i < countof(aggregates); i++)
		if (t->kind == TRACEQL_WORD && str_eq(t->text, str_from(aggregates[i].name)))
			return true;
	return false;
}

/* Parse arithmetic of numbers into *out. */
int tq_parse_constant(struct traceql_parser *p, struct traceql_value *out)
{
	struct traceql_expr *x;
	int rc = tq_parse_expr(p, &x);

	if (rc)
		return rc;
	if (tq_refers_to_span(x) || !tq_is_numeric(x->type))
		return tq_error(p, x->at, "expected a number or a duration");
	return traceql_constant(x, out) ? 0 : tq_error(p, x->at, "division by zero");
}

/* count() > 2, avg(duration) >= 1s */
static int parse_aggregate(struct traceql_parser *p, struct traceql_stage *s)
{
	bool wrapped = tq_take(p, TRACEQL_OPERATOR, "(");
	const struct traceql_token *name = tq_peek(p, 0);
	int rc;

	s->kind = TRACEQL_STAGE_AGGREGATE;
	if (!is_aggregate(p, 0))
		return tq_unexpected(p);
	for (size_t i = 0; i < countof(aggregates); i++)
		if (str_eq(name->text, str_from(aggregates[i].name)))
			s->aggregate = aggregates[i].aggregate;
	tq_advance(p);
	rc = tq_expect(p, "(");
	if (!rc && s->aggregate != TRACEQL_COUNT) {
		rc = tq_parse_expr(p, &s->of);
		if (!rc && !tq_refers_to_span(s->of))
			rc = tq_error(p, s->of->at, "the argument of %.*s() must refer to the span",
				      STR_ARG(name->text));
		if (!rc && s->of->type != TRACEQL_TYPE_ANY && !tq_is_numeric(s->of->type))
			rc = tq_error(p, s->of->at, "the argument of %.*s() must be a number",
				      STR_ARG(name->text));
	}
	if (!rc)
		rc = tq_expect(p, ")");
	if (rc)
		return rc;
	s->name = source_text(p, name->at);
	if (wrapped)
		rc = tq_expect(p, ")");
	if (rc)
		return rc;
	s->op = tq_comparison(p);
	if (s->op == TRACEQL_OPS)
		return tq_peek(p, 0)->kind == TRACEQL_OPERATOR && !tq_is(p, TRACEQL_OPERATOR, "|")
			       ? tq_error(p, tq_peek(p, 0)->at,
					  "arithmetic of aggregates is not yet supported")
			       : tq_unexpected(p);
	tq_advance(p);
	if (is_aggregate(p, 0))
		return tq_error(p, tq_peek(p, 0)->at,
				"comparing two aggregates is not yet supported");
	return tq_parse_constant(p, &s->literal);
}

static int parse_by(struct traceql_parser *p, struct traceql_stage *s)
{
	uint32_t at = tq_peek(p, 0)->at;
	int rc;

	s->kind = TRACEQL_STAGE_BY;
	tq_advance(p);
	rc = tq_expect(p, "(");
	if (!rc)
		rc = tq_parse_expr(p, &s->of);
	if (!rc && !tq_refers_to_span(s->of))
		rc = tq_error(p, s->of->at, "the argument of by() must refer to the span");
	if (!rc)
		rc = tq_expect(p, ")");
	if (!rc)
		s->name = source_text(p, at);
	return rc;
}

static int parse_select(struct traceql_parser *p, struct traceql_stage *s)
{
	struct traceql *q = p->query;
	int rc;

	s->kind = TRACEQL_STAGE_SELECT;
	tq_advance(p);
	rc = tq_expect(p, "(");
	while (!rc) {
		struct traceql_expr *x;

		rc = tq_parse_field(p, &x);
		if (!rc)
			rc = vec_push(q->arena, &q->shown, x);
		if (rc || !tq_take(p, TRACEQL_OPERATOR, ","))
			break;
	}
	return rc ? rc : tq_expect(p, ")");
}

/* Return whether an aggregate, not a spanset, is behind the open parentheses. */
static bool aggregate_follows(const struct traceql_parser *p)
{
	uint32_t ahead = 0;

	while (tq_peek(p, ahead)->kind == TRACEQL_OPERATOR &&
	       str_eq(tq_peek(p, ahead)->text, STR("(")))
		ahead++;
	return is_aggregate(p, ahead);
}

static int parse_stage(struct traceql_parser *p, struct traceql_stage *s, bool first)
{
	const struct traceql_token *t = tq_peek(p, 0);
	int rc;

	*s = (struct traceql_stage){0};
	if (tq_is(p, TRACEQL_WORD, "by"))
		return parse_by(p, s);
	if (tq_is(p, TRACEQL_WORD, "select"))
		return parse_select(p, s);
	if (!first && tq_take(p, TRACEQL_WORD, "coalesce")) {
		s->kind = TRACEQL_STAGE_COALESCE;
		rc = tq_expect(p, "(");
		return rc ? rc : tq_expect(p, ")");
	}
	if (aggregate_follows(p))
		return parse_aggregate(p, s);
	if (t->kind == TRACEQL_INT || t->kind == TRACEQL_FLOAT || t->kind == TRACEQL_DURATION)
		return tq_error(p, t->at,
				"a constant on the left of a condition on aggregates is "
				"not yet supported: write the aggregate first");
	s->kind = TRACEQL_STAGE_SPANSETS;
	return parse_spansets(p, SPANSET_LOGIC, &s->spansets);
}

/* Structural operators need whole traces, which by() has taken apart. */
static int check_after_by(struct traceql_parser *p, const struct traceql_spanset *s)
{
	int rc;

	if (!s || s->kind != TRACEQL_SPANSET_OP)
		return 0;
	if (s->op != TRACEQL_AND && s->op != TRACEQL_OR)
		return tq_error(p, s->at,
				"structural operators are not possible after by(): "
				"consider using coalesce()");
	rc = check_after_by(p, s->left);
	return rc ? rc : check_after_by(p, s->right);
}

int tq_parse_pipeline(struct traceql_parser *p, struct traceql_pipeline **pipeline,
		      struct traceql_metrics **metrics)
{
	struct traceql_pipeline *out = arena_zalloc(p->query->arena, 1, sizeof(*out));
	bool grouped = false;
	int rc = out ? tq_enter(p) : -ENOMEM;

	*metrics = NULL;
	*pipeline = out;
	while (!rc) {
		struct traceql_stage s;

		if (out->stages.n && tq_is_metric(p)) {
			rc = tq_parse_metric(p, out, metrics);
			break;
		}
		rc = parse_stage(p, &s, !out->stages.n);
		if (!rc && grouped && s.kind == TRACEQL_STAGE_SPANSETS)
			rc = check_after_by(p, s.spansets);
		grouped =
			s.kind == TRACEQL_STAGE_BY || (grouped && s.kind != TRACEQL_STAGE_COALESCE);
		if (!rc)
			rc = vec_push(p->query->arena, &out->stages, s);
		if (rc || !tq_take(p, TRACEQL_OPERATOR, "|"))
			break;
	}
	tq_leave(p);
	return rc;
}
