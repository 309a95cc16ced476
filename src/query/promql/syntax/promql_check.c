/* SPDX-License-Identifier: Apache-2.0 */
/* Types and rules that the grammar does not express. */
#include <stdio.h>

#include "query/promql/syntax/promql_functions.h"
#include "query/promql/syntax/promql_parse_internal.h"

static bool check(struct promql_parser *p, struct promql_node *node);

/* Check that the node has the type that `context` needs. */
static bool expect(struct promql_parser *p, struct promql_node *node, enum promql_type want,
		   const char *context)
{
	enum promql_type type = promql_type_of(node);

	if (!check(p, node))
		return false;
	if (type == want)
		return true;
	promql_fail(p, node->start, "expected type %s in %s, got %s", promql_type_name(want),
		    context, promql_type_name(type));
	return false;
}

static bool check_aggregate(struct promql_parser *p, struct promql_node *node)
{
	if (!expect(p, node->aggregate.expr, PROMQL_VECTOR, "aggregation expression"))
		return false;
	return !node->aggregate.param ||
	       expect(p, node->aggregate.param,
		      node->aggregate.op == PROMQL_AGG_COUNT_VALUES ? PROMQL_STRING : PROMQL_SCALAR,
		      "aggregation parameter");
}

/* A label must not be in on() and group_left() at once. */
static bool check_labels(struct promql_parser *p, const struct promql_node *node)
{
	const struct promql_matching *m = &node->binary.matching;

	for (uint32_t i = 0; m->on && i < m->labels.n; i++)
		for (uint32_t k = 0; k < m->include.n; k++)
			if (str_eq(m->labels.at[i], m->include.at[k])) {
				promql_fail(p, node->binary.op_start,
					    "label \"%.*s\" must not occur in ON and GROUP clause "
					    "at once",
					    STR_ARG(str_head(m->labels.at[i], 100)));
				return false;
			}
	return true;
}

static bool is_operand(enum promql_type type)
{
	return type == PROMQL_SCALAR || type == PROMQL_VECTOR;
}

static const char *matching_error(struct promql_node *node, bool vectors)
{
	struct promql_matching *m = &node->binary.matching;
	bool fills = m->fill_left || m->fill_right;

	if (!vectors) {
		if (m->labels.n)
			return "vector matching only allowed between instant vectors";
		if (fills)
			return "filling in missing series only allowed between instant vectors";
		return NULL;
	}
	node->binary.is_matched = true;
	if (!promql_op_is_set(node->binary.op))
		return NULL;
	if (m->card == PROMQL_MANY_TO_ONE || m->card == PROMQL_ONE_TO_MANY)
		return "no grouping allowed for set operation";
	m->card = PROMQL_MANY_TO_MANY;
	return fills ? "filling in missing series not allowed for set operators" : NULL;
}

static bool check_binary(struct promql_parser *p, struct promql_node *node)
{
	struct promql_node *left = node->binary.left, *right = node->binary.right;
	enum promql_type lt = promql_type_of(left), rt = promql_type_of(right);
	enum promql_op op = node->binary.op;
	const char *reason;

	if (!check(p, left) || !check(p, right))
		return false;
	if (node->binary.returns_bool && !promql_op_compares(op))
		return promql_fail(p, node->binary.op_start,
				   "bool modifier can only be used on comparison operators");
	if (promql_op_compares(op) && !node->binary.returns_bool && lt == PROMQL_SCALAR &&
	    rt == PROMQL_SCALAR)
		return promql_fail(p, node->binary.op_start,
				   "comparisons between scalars must use BOOL modifier");
	if (!check_labels(p, node))
		return false;
	if (!is_operand(lt) || !is_operand(rt))
		return promql_fail(p, is_operand(lt) ? right->start : left->start,
				   "binary expression must contain only scalar and instant vector "
				   "types");
	reason = matching_error(node, lt == PROMQL_VECTOR && rt == PROMQL_VECTOR);
	if (reason && promql_op_is_set(op) && node->binary.is_matched &&
	    node->binary.matching.card != PROMQL_MANY_TO_MANY)
		return promql_fail(p, node->start, "no grouping allowed for \"%.*s\" operation",
				   STR_ARG(promql_op_text(op)));
	if (reason)
		return promql_fail(p, node->start, "%s", reason);
	if (promql_op_is_set(op) && !node->binary.is_matched)
		return promql_fail(p, node->start,
				   "set operator \"%.*s\" not allowed in binary scalar expression",
				   STR_ARG(promql_op_text(op)));
	if ((op == PROMQL_OP_TRIM_LOWER || op == PROMQL_OP_TRIM_UPPER) && lt == PROMQL_SCALAR &&
	    rt == PROMQL_SCALAR)
		return promql_fail(p, node->start,
				   "operator \"%.*s\" not allowed for Scalar operations",
				   STR_ARG(promql_op_text(op)));
	return true;
}

static bool check_arg_count(struct promql_parser *p, const struct promql_node *node)
{
	const struct promql_function *f = node->call.function;
	uint32_t n = node->call.args.n;

	if (!f->variadic && n != f->arg_count)
		return promql_fail(p, node->start,
				   "expected %u argument(s) in call to \"%.*s\", got %u",
				   f->arg_count, STR_ARG(f->name), n);
	if (f->variadic && n + 1 < f->arg_count)
		return promql_fail(p, node->start,
				   "expected at least %u argument(s) in call to \"%.*s\", got %u",
				   f->arg_count - 1, STR_ARG(f->name), n);
	if (f->variadic > 0 && n > (unsigned)(f->arg_count - 1 + f->variadic))
		return promql_fail(p, node->start,
				   "expected at most %u argument(s) in call to \"%.*s\", got %u",
				   (unsigned)(f->arg_count - 1 + f->variadic), STR_ARG(f->name), n);
	return true;
}

static bool check_call(struct promql_parser *p, struct promql_node *node)
{
	const struct promql_function *f = node->call.function;
	char context[96];

	snprintf(context, sizeof(context), "call to function \"%.*s\"", STR_ARG(f->name));
	if (!check_arg_count(p, node))
		return false;
	if (f->id == PROMQL_FN_INFO && node->call.args.n > 1) {
		struct promql_node *selector = node->call.args.at[1];

		if (promql_type_of(selector) != PROMQL_VECTOR)
			return promql_fail(p, node->start, "expected type %s in %s, got %s",
					   promql_type_name(PROMQL_VECTOR), context,
					   promql_type_name(promql_type_of(selector)));
		if (selector->kind != PROMQL_SELECTOR)
			return promql_fail(p, selector->start, "expected label selectors only");
		if (selector->selector.name.n)
			return promql_fail(p, selector->start,
					   "expected label selectors only, got vector selector "
					   "instead");
		selector->selector.allows_empty = true;
	}
	for (uint32_t i = 0; i < node->call.args.n; i++) {
		uint32_t k = i < f->arg_count ? i : f->arg_count - 1u;

		if (!expect(p, node->call.args.at[i], f->args[k], context))
			return false;
	}
	return true;
}

static bool check_selector(struct promql_parser *p, const struct promql_node *node)
{
	const promql_matchers *list = &node->selector.matchers;

	for (uint32_t i = 0; node->selector.name.n && i + 1 < list->n; i++)
		if (str_eq(list->at[i].name, STR("__name__")))
			return promql_fail(p, node->start,
					   "metric name must not be set twice: \"%.*s\" or "
					   "\"%.*s\"",
					   STR_ARG(str_head(node->selector.name, 100)),
					   STR_ARG(str_head(list->at[i].value, 100)));
	if (node->selector.name.n || node->selector.allows_empty)
		return true;
	for (uint32_t i = 0; i < list->n; i++)
		if (!promql_matches(&list->at[i], (struct str){0}, NULL))
			return true;
	return promql_fail(p, node->start,
			   "vector selector must contain at least one non-empty matcher");
}

static bool check(struct promql_parser *p, struct promql_node *node)
{
	enum promql_type type;

	switch (node->kind) {
	case PROMQL_AGGREGATE:
		return check_aggregate(p, node);
	case PROMQL_BINARY:
		return check_binary(p, node);
	case PROMQL_CALL:
		return check_call(p, node);
	case PROMQL_PAREN:
	case PROMQL_INVARIANT:
		return check(p, node->inner);
	case PROMQL_UNARY:
		if (!check(p, node->unary.expr))
			return false;
		type = promql_type_of(node->unary.expr);
		if (is_operand(type))
			return true;
		return promql_fail(p, node->start,
				   "unary expression only allowed on expressions of type scalar or "
				   "instant vector, got \"%s\"",
				   promql_type_name(type));
	case PROMQL_SUBQUERY:
		if (!check(p, node->subquery.expr))
			return false;
		type = promql_type_of(node->subquery.expr);
		if (type == PROMQL_VECTOR)
			return true;
		return promql_fail(p, node->start,
				   "subquery is only allowed on instant vector, got %s instead",
				   type == PROMQL_MATRIX ? "matrix" : promql_type_name(type));
	case PROMQL_RANGE:
		return check(p, node->range.selector);
	case PROMQL_SELECTOR:
		return check_selector(p, node);
	default:
		return true;
	}
}

bool promql_check(struct promql_parser *p, struct promql_node *root)
{
	return check(p, root);
}
