/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Durations in brackets and after `offset`: literals, and expressions of them. After `offset` an
 * expression without parentheses is one term, possibly with a sign.
 */
#include <math.h>

#include "query/promql/syntax/promql_literal.h"
#include "query/promql/syntax/promql_parse_internal.h"

#define DURATION_MAX_S 9223372036.854775807

static struct promql_node *parse_sum(struct promql_parser *p, int min_level);

struct promql_node *promql_parse_literal(struct promql_parser *p)
{
	struct promql_token t = p->token;
	struct promql_node *node;
	double value = 0;
	int64_t ns = 0;
	int rc;

	if (t.type == PROMQL_TOK_NUMBER) {
		if (promql_parse_number(t.text, &value))
			return promql_fail(p, t.start, "error parsing number: invalid syntax");
	} else {
		rc = promql_parse_duration(t.text, &ns);
		if (rc == -ERANGE)
			return promql_fail(p, t.start, "duration out of range");
		if (rc)
			return promql_fail(p, t.start, "not a valid duration string: \"%.*s\"",
					   STR_ARG(str_head(t.text, 100)));
		value = (double)ns / 1e9;
	}
	promql_advance(p);
	node = promql_node_new(p, PROMQL_NUMBER, t.start);
	if (!node)
		return NULL;
	node->number.value = value;
	node->number.is_duration = t.type == PROMQL_TOK_DURATION;
	return node;
}

static bool out_of_range(double value)
{
	return value > DURATION_MAX_S || value < -DURATION_MAX_S;
}

static bool next_is_literal(const struct promql_parser *p)
{
	return promql_next_is(p, PROMQL_TOK_NUMBER) || promql_next_is(p, PROMQL_TOK_DURATION);
}

static struct promql_node *duration_literal(struct promql_parser *p)
{
	struct promql_node *node = promql_parse_literal(p);

	if (node && out_of_range(node->number.value))
		return promql_fail(p, node->start, "duration out of range");
	return node;
}

static struct promql_node *duration_node(struct promql_parser *p, uint32_t start, enum promql_op op,
					 struct promql_node *left, struct promql_node *right)
{
	struct promql_node *node = promql_node_new(p, PROMQL_DURATION, start);

	if (!node)
		return NULL;
	node->duration.op = op;
	node->duration.left = left;
	node->duration.right = right;
	if ((left && !promql_node_adopt(p, node, left)) ||
	    (right && !promql_node_adopt(p, node, right)))
		return NULL;
	return node;
}

/* Put the node in parentheses, which the printer shows. */
static struct promql_node *wrap(struct promql_parser *p, struct promql_node *node, uint32_t start)
{
	if (node->kind != PROMQL_DURATION) {
		node = duration_node(p, start, PROMQL_OP_ADD, NULL, node);
		if (!node)
			return NULL;
	}
	node->duration.in_parens = true;
	return node;
}

static struct promql_node *fail_here(struct promql_parser *p)
{
	return promql_unexpected(p, "subquery or range selector",
				 "number, duration, step(), or range()");
}

/* Parse step(), range(), min_of(a, b) or max_of(a, b). */
static struct promql_node *parse_call(struct promql_parser *p)
{
	enum promql_token_type type = p->token.type;
	uint32_t start = p->token.start;
	struct promql_node *left = NULL, *right = NULL;
	enum promql_op op = type == PROMQL_TOK_STEP	? PROMQL_OP_STEP
			    : type == PROMQL_TOK_RANGE	? PROMQL_OP_RANGE
			    : type == PROMQL_TOK_MIN_OF ? PROMQL_OP_MIN_OF
							: PROMQL_OP_MAX_OF;

	promql_advance(p);
	if (!promql_take(p, PROMQL_TOK_LEFT_PAREN))
		return fail_here(p);
	if (op == PROMQL_OP_MIN_OF || op == PROMQL_OP_MAX_OF) {
		left = parse_sum(p, 0);
		if (!left)
			return NULL;
		if (!promql_take(p, PROMQL_TOK_COMMA))
			return fail_here(p);
		right = parse_sum(p, 0);
		if (!right)
			return NULL;
	}
	if (!promql_take(p, PROMQL_TOK_RIGHT_PAREN))
		return fail_here(p);
	return duration_node(p, start, op, left, right);
}

static struct promql_node *parse_parens(struct promql_parser *p)
{
	uint32_t start = p->token.start;
	struct promql_node *node;

	promql_advance(p);
	node = parse_sum(p, 0);
	if (!node)
		return NULL;
	if (!promql_take(p, PROMQL_TOK_RIGHT_PAREN))
		return fail_here(p);
	return wrap(p, node, start);
}

static struct promql_node *parse_atom(struct promql_parser *p)
{
	if (next_is_literal(p))
		return duration_literal(p);
	if (promql_next_is(p, PROMQL_TOK_LEFT_PAREN))
		return parse_parens(p);
	if (p->token.type >= PROMQL_TOK_STEP && p->token.type <= PROMQL_TOK_MIN_OF)
		return parse_call(p);
	return fail_here(p);
}

static struct promql_node *apply_sign(struct promql_parser *p, enum promql_op sign, uint32_t start,
				      struct promql_node *node)
{
	if (node->kind == PROMQL_NUMBER) {
		if (sign == PROMQL_OP_SUB)
			node->number.value = -node->number.value;
		node->start = start;
		return node;
	}
	return sign == PROMQL_OP_SUB ? duration_node(p, start, sign, NULL, node) : node;
}

static bool next_is_sign(const struct promql_parser *p)
{
	return promql_next_is_op(p, PROMQL_OP_ADD) || promql_next_is_op(p, PROMQL_OP_SUB);
}

/* Return how strongly an operator binds, or 0 if it is none of durations. */
static int level_of(const struct promql_token *t)
{
	if (t->type != PROMQL_TOK_OP)
		return 0;
	switch (t->op) {
	case PROMQL_OP_ADD:
	case PROMQL_OP_SUB:
		return 1;
	case PROMQL_OP_MUL:
	case PROMQL_OP_DIV:
	case PROMQL_OP_MOD:
		return 2;
	case PROMQL_OP_POW:
		return 3;
	default:
		return 0;
	}
}

static struct promql_node *parse_signed(struct promql_parser *p)
{
	enum promql_op sign = p->token.op;
	uint32_t start = p->token.start;
	struct promql_node *node;

	if (!next_is_sign(p))
		return parse_atom(p);
	if (++p->depth > PROMQL_DEPTH_MAX)
		return promql_fail(p, start, "expression is nested too deeply");
	promql_advance(p);
	node = parse_sum(p, 3);
	p->depth--;
	return node ? apply_sign(p, sign, start, node) : NULL;
}

/* Parse operators that bind at least as strongly as `min_level`. */
static struct promql_node *parse_sum(struct promql_parser *p, int min_level)
{
	struct promql_node *left, *right;
	int level;

	if (++p->depth > PROMQL_DEPTH_MAX)
		return promql_fail(p, p->token.start, "expression is nested too deeply");
	left = parse_signed(p);
	while (left && (level = level_of(&p->token)) != 0 && level >= min_level) {
		struct promql_token op = p->token;

		promql_advance(p);
		right = parse_sum(p, level == 3 ? 3 : level + 1);
		if (!right)
			return NULL;
		if ((op.op == PROMQL_OP_DIV || op.op == PROMQL_OP_MOD) &&
		    right->kind == PROMQL_NUMBER && right->number.value == 0)
			return promql_fail(p, op.start, "%s by zero",
					   op.op == PROMQL_OP_DIV ? "division" : "modulo");
		left = duration_node(p, left->start, op.op, left, right);
	}
	p->depth--;
	return left;
}

/* Put a literal into *ns, anything else into *expr. */
static bool deliver(struct promql_node *node, int64_t *ns, struct promql_node **expr)
{
	double value;

	if (!node)
		return false;
	if (node->kind != PROMQL_NUMBER) {
		*expr = node;
		return true;
	}
	value = round(node->number.value * 1e9);
	*ns = value >= 0x1p63 ? INT64_MAX : value < -0x1p63 ? INT64_MIN : (int64_t)value;
	return true;
}

bool promql_parse_positive_duration(struct promql_parser *p, int64_t *ns, struct promql_node **expr)
{
	struct promql_node *node = parse_sum(p, 0);

	if (node && node->kind == PROMQL_NUMBER && !(node->number.value > 0))
		node = promql_fail(p, node->start, "duration must be greater than 0");
	return deliver(node, ns, expr);
}

bool promql_parse_offset(struct promql_parser *p, int64_t *ns, struct promql_node **expr)
{
	enum promql_op sign = p->token.op;
	uint32_t start = p->token.start;
	bool has_sign = next_is_sign(p);
	struct promql_node *node;

	if (has_sign)
		promql_advance(p);
	if (!next_is_literal(p) && !promql_next_is(p, PROMQL_TOK_LEFT_PAREN) &&
	    (p->token.type < PROMQL_TOK_STEP || p->token.type > PROMQL_TOK_MIN_OF)) {
		promql_unexpected(p, "offset", "number, duration, step(), or range()");
		return false;
	}
	node = parse_atom(p);
	if (node && has_sign)
		node = apply_sign(p, sign, start, node);
	return deliver(node, ns, expr);
}
