/* SPDX-License-Identifier: Apache-2.0 */
/*
 * parse_query: the tree of an expression as JSON, in the form that Prometheus' own page draws.
 * Durations are milliseconds; what is absent is null.
 */
#include "api/prometheus/prometheus_request.h"
#include "base/clock.h"
#include "query/promql/syntax/promql_functions.h"
#include "signal/metric/number_text.h"

static void put_node(struct json_writer *w, const struct promql_node *node);

static void put_text(struct json_writer *w, const char *key, struct str value)
{
	json_put_key(w, str_from(key));
	json_put_string(w, value);
}

static void put_flag(struct json_writer *w, const char *key, bool value)
{
	json_put_key(w, str_from(key));
	json_put_bool(w, value);
}

static void put_ms(struct json_writer *w, const char *key, int64_t ns)
{
	json_put_key(w, str_from(key));
	json_put_i64(w, ns / (int64_t)NS_PER_MS);
}

static void put_child(struct json_writer *w, const char *key, const struct promql_node *node)
{
	json_put_key(w, str_from(key));
	put_node(w, node);
}

static void put_names(struct json_writer *w, const char *key, const promql_names *names)
{
	json_put_key(w, str_from(key));
	json_open_array(w);
	for (uint32_t i = 0; i < names->n; i++)
		json_put_string(w, names->at[i]);
	json_close_array(w);
}

static void put_number(struct json_writer *w, double value)
{
	json_put_key(w, STR("val"));
	json_put_raw(w, STR("\""));
	number_text(w->out, value, NUMBER_PLAIN);
	buf_put_char(w->out, '"');
}

/* ---- durations ---- */

/* Return whether the node only puts parentheses around a number. */
static bool is_number_in_parens(const struct promql_node *n)
{
	return n->kind == PROMQL_DURATION && n->duration.op == PROMQL_OP_ADD && !n->duration.left &&
	       n->duration.right && n->duration.right->kind == PROMQL_NUMBER;
}

static void put_duration(struct json_writer *w, const struct promql_node *n)
{
	if (!n) {
		json_put_null(w);
		return;
	}
	if (is_number_in_parens(n))
		n = n->duration.right;
	json_open_object(w);
	if (n->kind == PROMQL_NUMBER) {
		put_text(w, "type", STR("numberLiteral"));
		put_number(w, n->number.value);
		put_flag(w, "duration", n->number.is_duration);
	} else {
		put_text(w, "type", STR("durationExpr"));
		put_text(w, "op", promql_op_text(n->duration.op));
		json_put_key(w, STR("lhs"));
		put_duration(w, n->duration.left);
		json_put_key(w, STR("rhs"));
		put_duration(w, n->duration.right);
		put_flag(w, "wrapped", n->duration.in_parens);
	}
	json_close_object(w);
}

static void put_duration_key(struct json_writer *w, const char *key, const struct promql_node *n)
{
	json_put_key(w, str_from(key));
	put_duration(w, n);
}

static void put_shift(struct json_writer *w, const struct promql_shift *s)
{
	put_ms(w, "offset", s->offset_ns);
	put_duration_key(w, "offsetExpr", s->offset_expr);
	json_put_key(w, STR("timestamp"));
	if (s->at_kind == PROMQL_AT_TIME)
		json_put_i64(w, s->at_ms);
	else
		json_put_null(w);
	json_put_key(w, STR("startOrEnd"));
	if (s->at_kind == PROMQL_AT_START || s->at_kind == PROMQL_AT_END)
		json_put_string(w, s->at_kind == PROMQL_AT_START ? STR("start") : STR("end"));
	else
		json_put_null(w);
}

/* ---- selectors ---- */

static void put_matchers(struct json_writer *w, const promql_matchers *list)
{
	static const char *const types[] = {"=", "!=", "=~", "!~"};

	json_put_key(w, STR("matchers"));
	json_open_array(w);
	for (uint32_t i = 0; i < list->n; i++) {
		json_open_object(w);
		put_text(w, "name", list->at[i].name);
		put_text(w, "type", str_from(types[list->at[i].type]));
		put_text(w, "value", list->at[i].value);
		json_close_object(w);
	}
	json_close_array(w);
}

static void put_selector(struct json_writer *w, const struct promql_node *n)
{
	put_text(w, "name", n->selector.name);
	put_shift(w, &n->selector.shift);
	put_matchers(w, &n->selector.matchers);
	put_flag(w, "anchored", n->selector.anchored);
	put_flag(w, "smoothed", n->selector.smoothed);
}

static void put_range(struct json_writer *w, const struct promql_node *n)
{
	put_text(w, "type", STR("matrixSelector"));
	put_selector(w, n->range.selector);
	put_ms(w, "range", n->range.range_ns);
	put_duration_key(w, "rangeExpr", n->range.range_expr);
}

static void put_subquery(struct json_writer *w, const struct promql_node *n)
{
	put_text(w, "type", STR("subquery"));
	put_child(w, "expr", n->subquery.expr);
	put_ms(w, "range", n->subquery.range_ns);
	put_duration_key(w, "rangeExpr", n->subquery.range_expr);
	put_ms(w, "step", n->subquery.step_ns);
	put_duration_key(w, "stepExpr", n->subquery.step_expr);
	put_shift(w, &n->subquery.shift);
}

/* ---- operators and calls ---- */

static struct str type_text(enum promql_type type)
{
	static const char *const names[] = {"none", "scalar", "vector", "matrix", "string"};

	return str_from(names[type]);
}

static void put_call(struct json_writer *w, const struct promql_node *n)
{
	const struct promql_function *f = n->call.function;

	put_text(w, "type", STR("call"));
	json_put_key(w, STR("func"));
	json_open_object(w);
	put_text(w, "name", f->name);
	json_put_key(w, STR("argTypes"));
	json_open_array(w);
	for (uint32_t i = 0; i < f->arg_count; i++)
		json_put_string(w, type_text(f->args[i]));
	json_close_array(w);
	json_put_key(w, STR("variadic"));
	json_put_i64(w, f->variadic);
	put_text(w, "returnType", type_text(f->result));
	json_close_object(w);
	json_put_key(w, STR("args"));
	json_open_array(w);
	for (uint32_t i = 0; i < n->call.args.n; i++)
		put_node(w, n->call.args.at[i]);
	json_close_array(w);
}

static void put_aggregation(struct json_writer *w, const struct promql_node *n)
{
	put_text(w, "type", STR("aggregation"));
	put_text(w, "op", promql_aggregator_text(n->aggregate.op));
	put_child(w, "expr", n->aggregate.expr);
	put_child(w, "param", n->aggregate.param);
	put_names(w, "grouping", &n->aggregate.labels);
	put_flag(w, "without", n->aggregate.without);
}

static void put_fill(struct json_writer *w, const char *side, bool filled, double value)
{
	json_put_key(w, str_from(side));
	if (filled)
		json_put_double(w, value);
	else
		json_put_null(w);
}

static void put_matching(struct json_writer *w, const struct promql_matching *m)
{
	static const char *const cards[] = {"one-to-one", "many-to-one", "one-to-many",
					    "many-to-many"};

	json_open_object(w);
	put_text(w, "card", str_from(cards[m->card]));
	put_names(w, "labels", &m->labels);
	put_flag(w, "on", m->on);
	put_names(w, "include", &m->include);
	json_put_key(w, STR("fillValues"));
	json_open_object(w);
	put_fill(w, "lhs", m->fill_left, m->fill_left_value);
	put_fill(w, "rhs", m->fill_right, m->fill_right_value);
	json_close_object(w);
	json_close_object(w);
}

static void put_binary(struct json_writer *w, const struct promql_node *n)
{
	put_text(w, "type", STR("binaryExpr"));
	put_text(w, "op", promql_op_text(n->binary.op));
	put_child(w, "lhs", n->binary.left);
	put_child(w, "rhs", n->binary.right);
	json_put_key(w, STR("matching"));
	if (n->binary.is_matched)
		put_matching(w, &n->binary.matching);
	else
		json_put_null(w);
	put_flag(w, "bool", n->binary.returns_bool);
}

static void put_members(struct json_writer *w, const struct promql_node *n)
{
	switch (n->kind) {
	case PROMQL_NUMBER:
		put_text(w, "type", STR("numberLiteral"));
		put_number(w, n->number.value);
		break;
	case PROMQL_TEXT:
		put_text(w, "type", STR("stringLiteral"));
		put_text(w, "val", n->text);
		break;
	case PROMQL_SELECTOR:
		put_text(w, "type", STR("vectorSelector"));
		put_selector(w, n);
		break;
	case PROMQL_RANGE:
		put_range(w, n);
		break;
	case PROMQL_SUBQUERY:
		put_subquery(w, n);
		break;
	case PROMQL_CALL:
		put_call(w, n);
		break;
	case PROMQL_AGGREGATE:
		put_aggregation(w, n);
		break;
	case PROMQL_BINARY:
		put_binary(w, n);
		break;
	case PROMQL_UNARY:
		put_text(w, "type", STR("unaryExpr"));
		put_text(w, "op", promql_op_text(n->unary.op));
		put_child(w, "expr", n->unary.expr);
		break;
	case PROMQL_PAREN:
	case PROMQL_INVARIANT:
		put_text(w, "type", STR("parenExpr"));
		put_child(w, "expr", n->inner);
		break;
	case PROMQL_DURATION:
		break;
	}
}

/* The depth of the tree is limited by the parser. */
static void put_node(struct json_writer *w, const struct promql_node *n)
{
	if (!n) {
		json_put_null(w);
		return;
	}
	if (n->kind == PROMQL_DURATION) {
		put_duration(w, n);
		return;
	}
	json_open_object(w);
	put_members(w, n);
	json_close_object(w);
}

int prometheus_parse_query(struct request *r, struct reply *out, struct err *e)
{
	struct promql_expr expr = {0};
	struct json_writer w;
	int rc = prometheus_read_query(r, &expr, e);

	if (!rc) {
		w = prometheus_open(out);
		put_node(&w, expr.root);
		rc = prometheus_close(&w, r, false);
	}
	promql_expr_fini(&expr);
	return rc;
}
