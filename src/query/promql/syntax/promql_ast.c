/* SPDX-License-Identifier: Apache-2.0 */
#include "query/promql/syntax/promql_ast.h"

#include "query/promql/syntax/promql_functions.h"

enum promql_type promql_type_of(const struct promql_node *node)
{
	switch (node->kind) {
	case PROMQL_NUMBER:
	case PROMQL_DURATION:
		return PROMQL_SCALAR;
	case PROMQL_TEXT:
		return PROMQL_STRING;
	case PROMQL_SELECTOR:
	case PROMQL_AGGREGATE:
		return PROMQL_VECTOR;
	case PROMQL_RANGE:
	case PROMQL_SUBQUERY:
		return PROMQL_MATRIX;
	case PROMQL_CALL:
		return node->call.function->result;
	case PROMQL_BINARY:
		return promql_type_of(node->binary.left) == PROMQL_SCALAR &&
				       promql_type_of(node->binary.right) == PROMQL_SCALAR
			       ? PROMQL_SCALAR
			       : PROMQL_VECTOR;
	case PROMQL_UNARY:
		return promql_type_of(node->unary.expr);
	case PROMQL_PAREN:
	case PROMQL_INVARIANT:
		return promql_type_of(node->inner);
	}
	return PROMQL_NONE;
}

const char *promql_type_name(enum promql_type type)
{
	static const char *const names[] = {"none", "scalar", "instant vector", "range vector",
					    "string"};

	return names[type];
}

struct str promql_op_text(enum promql_op op)
{
	static const struct str texts[] = {
		STR_INIT(""),	   STR_INIT("+"),      STR_INIT("-"),	   STR_INIT("*"),
		STR_INIT("/"),	   STR_INIT("%"),      STR_INIT("^"),	   STR_INIT("atan2"),
		STR_INIT("=="),	   STR_INIT("!="),     STR_INIT("<"),	   STR_INIT("<="),
		STR_INIT(">"),	   STR_INIT(">="),     STR_INIT("</"),	   STR_INIT(">/"),
		STR_INIT("and"),   STR_INIT("or"),     STR_INIT("unless"), STR_INIT("step"),
		STR_INIT("range"), STR_INIT("min_of"), STR_INIT("max_of"),
	};

	return texts[op];
}

struct str promql_aggregator_text(enum promql_aggregator op)
{
	static const struct str texts[] = {
		STR_INIT("sum"),     STR_INIT("avg"),	       STR_INIT("count"),
		STR_INIT("min"),     STR_INIT("max"),	       STR_INIT("group"),
		STR_INIT("stddev"),  STR_INIT("stdvar"),       STR_INIT("topk"),
		STR_INIT("bottomk"), STR_INIT("count_values"), STR_INIT("quantile"),
		STR_INIT("limitk"),  STR_INIT("limit_ratio"),
	};

	return texts[op];
}

int promql_matches(const struct promql_matcher *m, struct str value, struct err *e)
{
	int rc;

	switch (m->type) {
	case PROMQL_MATCH_EQ:
		return str_eq(m->value, value);
	case PROMQL_MATCH_NE:
		return !str_eq(m->value, value);
	default:
		rc = regex_match(m->regex, value, e);
		if (rc < 0)
			return rc;
		return (rc == 1) == (m->type == PROMQL_MATCH_RE);
	}
}

struct promql_node *promql_unwrap(struct promql_node *node)
{
	while (node && node->kind == PROMQL_PAREN)
		node = node->inner;
	return node;
}

int promql_each_selector(const struct promql_node *n, promql_visit_selector *visit, void *ctx)
{
	int rc = 0;

	switch (n->kind) {
	case PROMQL_SELECTOR:
		return visit(ctx, n);
	case PROMQL_RANGE:
		return promql_each_selector(n->range.selector, visit, ctx);
	case PROMQL_SUBQUERY:
		return promql_each_selector(n->subquery.expr, visit, ctx);
	case PROMQL_CALL:
		for (uint32_t i = 0; i < n->call.args.n && !rc; i++)
			rc = promql_each_selector(n->call.args.at[i], visit, ctx);
		return rc;
	case PROMQL_AGGREGATE:
		if (n->aggregate.param)
			rc = promql_each_selector(n->aggregate.param, visit, ctx);
		return rc ? rc : promql_each_selector(n->aggregate.expr, visit, ctx);
	case PROMQL_BINARY:
		rc = promql_each_selector(n->binary.left, visit, ctx);
		return rc ? rc : promql_each_selector(n->binary.right, visit, ctx);
	case PROMQL_UNARY:
		return promql_each_selector(n->unary.expr, visit, ctx);
	case PROMQL_PAREN:
	case PROMQL_INVARIANT:
		return promql_each_selector(n->inner, visit, ctx);
	default:
		return 0;
	}
}
