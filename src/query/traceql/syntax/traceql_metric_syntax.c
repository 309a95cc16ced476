/* SPDX-License-Identifier: Apache-2.0 */
/* Parses metric functions, what follows them (topk, thresholds), and arithmetic between metrics. */
#include "query/traceql/syntax/traceql_parser.h"

enum { MATH_SUM = 1, MATH_PRODUCT };

enum { TOPK_MAX = 100000, COMPARE_TOP = 10, COMPARE_TOP_MAX = 1000 };

static const struct {
	const char *name;
	enum traceql_metric_kind kind;
	bool of;	 /* has an attribute as its argument */
	unsigned by_max; /* labels */
} functions[] = {
	{"rate", TRACEQL_RATE, false, TRACEQL_BY_MAX},
	{"count_over_time", TRACEQL_COUNT_OVER_TIME, false, TRACEQL_BY_MAX},
	{"min_over_time", TRACEQL_MIN_OVER_TIME, true, TRACEQL_BY_MAX},
	{"max_over_time", TRACEQL_MAX_OVER_TIME, true, TRACEQL_BY_MAX},
	{"sum_over_time", TRACEQL_SUM_OVER_TIME, true, TRACEQL_BY_MAX},
	{"avg_over_time", TRACEQL_AVG_OVER_TIME, true, TRACEQL_BY_MAX},
	{"histogram_over_time", TRACEQL_HISTOGRAM_OVER_TIME, true, TRACEQL_BY_MAX - 1},
	{"quantile_over_time", TRACEQL_QUANTILE_OVER_TIME, true, TRACEQL_BY_MAX - 1},
	{"compare", TRACEQL_COMPARE, false, 0},
};

static size_t function_of(const struct traceql_token *t)
{
	for (size_t i = 0; i < countof(functions); i++)
		if (t->kind == TRACEQL_WORD && str_eq(t->text, str_from(functions[i].name)))
			return i;
	return countof(functions);
}

bool tq_is_metric(const struct traceql_parser *p)
{
	return function_of(tq_peek(p, 0)) < countof(functions);
}

static double as_double(const struct traceql_value *v)
{
	return v->type == TRACEQL_TYPE_DOUBLE ? v->real : (double)v->number;
}

/* The attribute that is aggregated, and the quantiles. */
static int parse_arguments(struct traceql_parser *p, struct traceql_metrics *m)
{
	int rc = tq_parse_field(p, &m->of);

	if (!rc && m->of->type != TRACEQL_TYPE_ANY && !tq_is_numeric(m->of->type))
		rc = tq_error(p, m->of->at, "%.*s() needs a number", STR_ARG(m->function));
	if (rc || m->kind != TRACEQL_QUANTILE_OVER_TIME)
		return rc;
	while (!rc && tq_take(p, TRACEQL_OPERATOR, ",")) {
		struct traceql_value v;
		uint32_t at = tq_peek(p, 0)->at;

		rc = tq_parse_constant(p, &v);
		if (!rc &&
		    (as_double(&v) < 0 || as_double(&v) > 1 || v.type == TRACEQL_TYPE_DURATION))
			rc = tq_error(p, at, "quantiles must be between 0 and 1");
		if (!rc && m->quantile_count == TRACEQL_QUANTILES_MAX)
			rc = tq_error(p, at, "at most %d quantiles", TRACEQL_QUANTILES_MAX);
		if (!rc)
			m->quantiles[m->quantile_count++] = as_double(&v);
	}
	if (!rc && !m->quantile_count)
		rc = tq_error(p, tq_peek(p, 0)->at, "quantile_over_time() needs a quantile");
	return rc;
}

/* Read an integer argument of compare(). */
static int parse_compare_number(struct traceql_parser *p, int64_t *out)
{
	const struct traceql_token *t = tq_peek(p, 0);

	if (t->kind != TRACEQL_INT)
		return tq_unexpected(p);
	*out = t->number;
	tq_advance(p);
	return 0;
}

/* compare({filter}, top, from, to) */
static int parse_compare(struct traceql_parser *p, struct traceql_metrics *m)
{
	int64_t numbers[3] = {COMPARE_TOP, 0, 0};
	uint32_t at = tq_peek(p, 0)->at;
	unsigned n = 0;
	int rc = tq_expect(p, "{");

	if (!rc && !tq_is(p, TRACEQL_OPERATOR, "}")) {
		rc = tq_parse_expr(p, &m->selection);
		if (!rc && m->selection->type != TRACEQL_TYPE_BOOL &&
		    m->selection->type != TRACEQL_TYPE_ANY)
			rc = tq_error(p, at, "the selection of compare() must be a condition");
	}
	if (!rc)
		rc = tq_expect(p, "}");
	while (!rc && n < countof(numbers) && tq_take(p, TRACEQL_OPERATOR, ","))
		rc = parse_compare_number(p, &numbers[n++]);
	if (rc)
		return rc;
	if (numbers[0] < 1 || numbers[0] > COMPARE_TOP_MAX)
		return tq_error(p, at, "compare() takes 1 to %d values", COMPARE_TOP_MAX);
	if (n == 2 || numbers[1] < 0 || (n == 3 && numbers[1] >= numbers[2]))
		return tq_error(p, at, "compare() takes a start before its end, in nanoseconds");
	m->top = (uint32_t)numbers[0];
	m->from = (uint64_t)numbers[1];
	m->to = (uint64_t)numbers[2];
	return 0;
}

static int parse_labels(struct traceql_parser *p, struct traceql_metrics *m, unsigned most)
{
	int rc;

	if (!tq_take(p, TRACEQL_WORD, "by"))
		return 0;
	rc = tq_expect(p, "(");
	while (!rc) {
		if (m->by_count >= most)
			return tq_error(p, tq_peek(p, 0)->at,
					"%.*s() takes at most %u labels in by()",
					STR_ARG(m->function), most);
		rc = tq_parse_field(p, &m->by[m->by_count]);
		m->by_count++;
		if (rc || !tq_take(p, TRACEQL_OPERATOR, ","))
			break;
	}
	return rc ? rc : tq_expect(p, ")");
}

/* | topk(n), | bottomk(n), or a comparison with a constant, without a pipe */
static int parse_second(struct traceql_parser *p, struct traceql_second *s)
{
	bool top = tq_is(p, TRACEQL_WORD, "topk");
	struct traceql_value v;
	int rc;

	if (!top && !tq_is(p, TRACEQL_WORD, "bottomk")) {
		s->kind = TRACEQL_THRESHOLD;
		s->op = tq_comparison(p);
		if (s->op == TRACEQL_OPS)
			return tq_unexpected(p);
		tq_advance(p);
		rc = tq_parse_constant(p, &v);
		s->number = rc ? 0 : as_double(&v);
		if (!rc && v.type == TRACEQL_TYPE_DURATION)
			s->number /= 1e9;
		return rc;
	}
	s->kind = top ? TRACEQL_TOPK : TRACEQL_BOTTOMK;
	tq_advance(p);
	rc = tq_expect(p, "(");
	if (!rc && (tq_peek(p, 0)->kind != TRACEQL_INT || tq_peek(p, 0)->number < 1 ||
		    tq_peek(p, 0)->number > TOPK_MAX))
		rc = tq_error(p, tq_peek(p, 0)->at, "%s() takes a number from 1 to %d",
			      top ? "topk" : "bottomk", TOPK_MAX);
	if (rc)
		return rc;
	s->number = (double)tq_peek(p, 0)->number;
	tq_advance(p);
	return tq_expect(p, ")");
}

static int parse_seconds(struct traceql_parser *p, struct traceql_metrics *m)
{
	int rc = 0;

	while (!rc) {
		bool pipe = tq_is(p, TRACEQL_OPERATOR, "|");
		uint32_t at = tq_peek(p, 0)->at;

		if (!pipe && tq_comparison(p) == TRACEQL_OPS)
			break;
		if (m->kind == TRACEQL_COMPARE && m->pipeline)
			return tq_error(p, at, "nothing can follow compare()");
		if (m->second_count == TRACEQL_SECONDS_MAX)
			return tq_error(p, at, "at most %d stages can follow a metric function",
					TRACEQL_SECONDS_MAX);
		if (pipe)
			tq_advance(p);
		rc = parse_second(p, &m->seconds[m->second_count++]);
	}
	return rc;
}

int tq_parse_metric(struct traceql_parser *p, struct traceql_pipeline *pipeline,
		    struct traceql_metrics **out)
{
	size_t f = function_of(tq_peek(p, 0));
	struct traceql_metrics *m = arena_zalloc(p->query->arena, 1, sizeof(*m));
	int rc;

	*out = m;
	if (!m)
		return -ENOMEM;
	m->pipeline = pipeline;
	m->kind = functions[f].kind;
	m->function = str_from(functions[f].name);
	tq_advance(p);
	rc = tq_expect(p, "(");
	if (!rc && m->kind == TRACEQL_COMPARE)
		rc = parse_compare(p, m);
	else if (!rc && functions[f].of)
		rc = parse_arguments(p, m);
	if (!rc)
		rc = tq_expect(p, ")");
	if (!rc)
		rc = parse_labels(p, m, functions[f].by_max);
	return rc ? rc : parse_seconds(p, m);
}

/* ---- arithmetic between metrics ---- */

static enum traceql_op math_operator(const struct traceql_parser *p, unsigned level)
{
	static const struct {
		const char *text;
		unsigned level;
		enum traceql_op op;
	} operators[] = {
		{"+", MATH_SUM, TRACEQL_ADD},
		{"-", MATH_SUM, TRACEQL_SUB},
		{"*", MATH_PRODUCT, TRACEQL_MUL},
		{"/", MATH_PRODUCT, TRACEQL_DIV},
	};

	for (size_t i = 0; i < countof(operators); i++)
		if (operators[i].level == level && tq_is(p, TRACEQL_OPERATOR, operators[i].text))
			return operators[i].op;
	return TRACEQL_OPS;
}

static int parse_math_operand(struct traceql_parser *p, struct traceql_metrics **out);

bool tq_math_follows(const struct traceql_parser *p)
{
	const struct traceql_token *t = tq_peek(p, 0);
	unsigned depth = 0;

	if (t->kind == TRACEQL_INT || t->kind == TRACEQL_FLOAT || tq_is(p, TRACEQL_OPERATOR, "-"))
		return true;
	if (!tq_is(p, TRACEQL_OPERATOR, "("))
		return false;
	for (uint32_t i = 0; (t = tq_peek(p, i))->kind != TRACEQL_END; i++) {
		if (function_of(t) < countof(functions))
			return depth > 0;
		if (t->kind != TRACEQL_OPERATOR)
			continue;
		if (str_eq(t->text, STR("(")))
			depth++;
		else if (str_eq(t->text, STR(")")) && !depth--)
			return false;
	}
	return false;
}

/* Parse operators of the level, and of higher ones on the right, after *m. */
static int parse_math(struct traceql_parser *p, struct traceql_metrics **m, unsigned level)
{
	enum traceql_op op;
	int rc = 0;

	if (level == MATH_SUM)
		rc = parse_math(p, m, MATH_PRODUCT);
	while (!rc && (op = math_operator(p, level)) != TRACEQL_OPS) {
		struct traceql_metrics *x = arena_zalloc(p->query->arena, 1, sizeof(*x));

		if (!x)
			return -ENOMEM;
		x->op = op;
		x->left = *m;
		tq_advance(p);
		rc = parse_math_operand(p, &x->right);
		if (!rc && level == MATH_SUM)
			rc = parse_math(p, &x->right, MATH_PRODUCT);
		*m = x;
	}
	return rc;
}

static int parse_constant_operand(struct traceql_parser *p, struct traceql_metrics **out)
{
	bool minus = tq_take(p, TRACEQL_OPERATOR, "-");
	const struct traceql_token *t = tq_peek(p, 0);
	struct traceql_metrics *m;

	if (t->kind != TRACEQL_INT && t->kind != TRACEQL_FLOAT)
		return tq_unexpected(p);
	m = arena_zalloc(p->query->arena, 1, sizeof(*m));
	if (!m)
		return -ENOMEM;
	m->is_constant = true;
	m->constant = t->kind == TRACEQL_INT ? (double)t->number : t->real;
	m->constant = minus ? -m->constant : m->constant;
	tq_advance(p);
	*out = m;
	return 0;
}

/* A constant, or metrics in parentheses. */
static int parse_math_operand(struct traceql_parser *p, struct traceql_metrics **out)
{
	struct traceql_pipeline *pipeline;
	uint32_t at = tq_peek(p, 0)->at;
	int rc = tq_enter(p);

	if (rc || !tq_take(p, TRACEQL_OPERATOR, "(")) {
		tq_leave(p);
		return rc ? rc : parse_constant_operand(p, out);
	}
	if (tq_math_follows(p)) {
		rc = parse_math_operand(p, out);
		if (!rc)
			rc = parse_math(p, out, MATH_SUM);
	} else {
		rc = tq_parse_pipeline(p, &pipeline, out);
		if (!rc && !*out)
			rc = tq_error(p, at, "expected a metric function before the )");
	}
	if (!rc)
		rc = tq_expect(p, ")");
	tq_leave(p);
	return rc;
}

int tq_parse_metrics_math(struct traceql_parser *p, struct traceql_metrics **out)
{
	int rc = parse_math_operand(p, out);

	if (!rc)
		rc = parse_math(p, out, MATH_SUM);
	if (!rc && (*out)->is_constant)
		rc = tq_error(p, 0, "expected a query, not a constant");
	return rc ? rc : parse_seconds(p, *out);
}
