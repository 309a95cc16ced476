/* SPDX-License-Identifier: Apache-2.0 */
/* Expressions, by operator precedence; errors with their positions. */
#include "query/promql/syntax/promql_parser.h"

#include <stdarg.h>
#include <stdio.h>

#include "query/promql/syntax/promql_parse_internal.h"

static struct promql_node *parse_binary(struct promql_parser *p, int min_level);

void promql_put_position(struct buf *b, struct str query, uint32_t at)
{
	uint32_t line = 1, start = 0;

	for (uint32_t i = 0; i < at && i < query.n; i++)
		if (query.p[i] == '\n') {
			line++;
			start = i + 1;
		}
	buf_printf(b, "%u:%u", line, at - start + 1);
}

void *promql_fail(struct promql_parser *p, uint32_t at, const char *fmt, ...)
{
	char text[ERR_TEXT_MAX];
	struct buf position = {0};
	va_list args;

	if (p->rc)
		return NULL;
	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	promql_put_position(&position, p->lexer.text, at);
	p->rc = err_set(p->e, -EINVAL, "%.*s: parse error: %s", STR_ARG(buf_str(&position)), text);
	buf_fini(&position);
	return NULL;
}

void *promql_no_memory(struct promql_parser *p)
{
	if (!p->rc)
		p->rc = err_set(p->e, -ENOMEM, "out of memory for the expression");
	return NULL;
}

void *promql_unexpected(struct promql_parser *p, const char *context, const char *expected)
{
	struct buf b = {0};

	if (p->token.type == PROMQL_TOK_ERROR)
		return promql_fail(p, p->token.start, "%s", p->lexer.error);
	promql_token_describe(&b, &p->token);
	promql_fail(p, p->token.start, "unexpected %.*s%s%s%s%s", STR_ARG(buf_str(&b)),
		    *context ? " in " : "", context, *expected ? ", expected " : "", expected);
	buf_fini(&b);
	return NULL;
}

void promql_advance(struct promql_parser *p)
{
	p->end = p->token.start + (uint32_t)p->token.text.n;
	promql_lexer_next(&p->lexer, &p->token);
	if (p->token.type == PROMQL_TOK_ERROR)
		promql_fail(p, p->token.start, "%s", p->lexer.error);
}

bool promql_take(struct promql_parser *p, enum promql_token_type type)
{
	if (p->token.type != type)
		return false;
	promql_advance(p);
	return true;
}

struct promql_node *promql_node_new(struct promql_parser *p, enum promql_kind kind, uint32_t start)
{
	struct promql_node *node;

	if (++p->nodes > PROMQL_NODES_MAX)
		return promql_fail(p, start, "expression has too many parts");
	node = arena_zalloc(&p->expr->arena, 1, sizeof(*node));
	if (!node)
		return promql_no_memory(p);
	node->kind = kind;
	node->start = start;
	node->end = p->end;
	return node;
}

bool promql_node_adopt(struct promql_parser *p, struct promql_node *node,
		       const struct promql_node *child)
{
	if (child->depth >= node->depth)
		node->depth = (uint16_t)(child->depth + 1);
	if (node->depth > PROMQL_DEPTH_MAX) {
		promql_fail(p, node->start, "expression is nested too deeply");
		return false;
	}
	return true;
}

bool promql_is_plain_label(struct str name)
{
	if (!name.n || (name.p[0] >= '0' && name.p[0] <= '9'))
		return false;
	for (size_t i = 0; i < name.n; i++) {
		char c = name.p[i];

		if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
		      c == '_'))
			return false;
	}
	return true;
}

static int level_of(const struct promql_token *t)
{
	if (t->type != PROMQL_TOK_OP)
		return 0;
	switch (t->op) {
	case PROMQL_OP_OR:
		return 1;
	case PROMQL_OP_AND:
	case PROMQL_OP_UNLESS:
		return 2;
	case PROMQL_OP_ADD:
	case PROMQL_OP_SUB:
		return 4;
	case PROMQL_OP_MUL:
	case PROMQL_OP_DIV:
	case PROMQL_OP_MOD:
	case PROMQL_OP_ATAN2:
		return 5;
	case PROMQL_OP_POW:
		return 6;
	default:
		return 3; /* comparisons and trims */
	}
}

static struct promql_node *parse_unary(struct promql_parser *p)
{
	struct promql_token op = p->token;
	struct promql_node *node, *inner;

	if (op.type != PROMQL_TOK_OP || (op.op != PROMQL_OP_ADD && op.op != PROMQL_OP_SUB))
		return promql_parse_term(p);
	promql_advance(p);
	inner = parse_binary(p, 6);
	if (!inner)
		return NULL;
	if (inner->kind == PROMQL_NUMBER) {
		if (op.op == PROMQL_OP_SUB)
			inner->number.value = -inner->number.value;
		inner->start = op.start;
		return inner;
	}
	node = promql_node_new(p, PROMQL_UNARY, op.start);
	if (!node)
		return NULL;
	node->unary.op = op.op;
	node->unary.expr = inner;
	return promql_node_adopt(p, node, inner) ? node : NULL;
}

/* Parse the number in parentheses of a fill modifier. */
static bool parse_fill_value(struct promql_parser *p, double *value)
{
	struct promql_node *literal;
	bool negative;

	promql_advance(p);
	if (!promql_take(p, PROMQL_TOK_LEFT_PAREN)) {
		promql_unexpected(p, "", "");
		return false;
	}
	negative = promql_next_is_op(p, PROMQL_OP_SUB);
	if (negative || promql_next_is_op(p, PROMQL_OP_ADD))
		promql_advance(p);
	if (!promql_next_is(p, PROMQL_TOK_NUMBER) && !promql_next_is(p, PROMQL_TOK_DURATION)) {
		promql_unexpected(p, "", "");
		return false;
	}
	literal = promql_parse_literal(p);
	if (!literal)
		return false;
	*value = negative ? -literal->number.value : literal->number.value;
	if (!promql_take(p, PROMQL_TOK_RIGHT_PAREN)) {
		promql_unexpected(p, "", "");
		return false;
	}
	return true;
}

static bool parse_fills(struct promql_parser *p, struct promql_matching *m)
{
	if (promql_next_is(p, PROMQL_TOK_FILL)) {
		if (!parse_fill_value(p, &m->fill_left_value))
			return false;
		m->fill_right_value = m->fill_left_value;
		m->fill_left = m->fill_right = true;
		return true;
	}
	for (unsigned i = 0; i < 2; i++) {
		if (promql_next_is(p, PROMQL_TOK_FILL_LEFT) && !m->fill_left) {
			if (!parse_fill_value(p, &m->fill_left_value))
				return false;
			m->fill_left = true;
		} else if (promql_next_is(p, PROMQL_TOK_FILL_RIGHT) && !m->fill_right) {
			if (!parse_fill_value(p, &m->fill_right_value))
				return false;
			m->fill_right = true;
		}
	}
	return true;
}

/* Parse bool, on, ignoring, group_left, group_right and fill after an operator. */
static bool parse_modifiers(struct promql_parser *p, struct promql_node *node)
{
	struct promql_matching *m = &node->binary.matching;

	node->binary.returns_bool = promql_take(p, PROMQL_TOK_BOOL);
	if (promql_next_is(p, PROMQL_TOK_ON) || promql_next_is(p, PROMQL_TOK_IGNORING)) {
		m->on = promql_next_is(p, PROMQL_TOK_ON);
		promql_advance(p);
		if (!promql_parse_labels(p, &m->labels))
			return false;
		if (promql_next_is(p, PROMQL_TOK_GROUP_LEFT) ||
		    promql_next_is(p, PROMQL_TOK_GROUP_RIGHT)) {
			m->card = promql_next_is(p, PROMQL_TOK_GROUP_LEFT) ? PROMQL_MANY_TO_ONE
									   : PROMQL_ONE_TO_MANY;
			promql_advance(p);
			if (promql_next_is(p, PROMQL_TOK_LEFT_PAREN) &&
			    !promql_parse_labels(p, &m->include))
				return false;
		}
	}
	return parse_fills(p, m);
}

static struct promql_node *parse_operation(struct promql_parser *p, struct promql_node *left,
					   int level)
{
	struct promql_node *node = promql_node_new(p, PROMQL_BINARY, left->start);

	if (!node)
		return NULL;
	node->binary.op = p->token.op;
	node->binary.op_start = p->token.start;
	node->binary.left = left;
	promql_advance(p);
	if (!parse_modifiers(p, node))
		return NULL;
	node->binary.right = parse_binary(p, level == 6 ? 6 : level + 1);
	if (!node->binary.right)
		return NULL;
	node->end = p->end;
	if ((node->binary.matching.fill_left || node->binary.matching.fill_right) &&
	    !(p->features & PROMQL_FILL_MODIFIERS))
		return promql_fail(p, node->start,
				   "binop fill modifiers are experimental and not enabled");
	return promql_node_adopt(p, node, left) && promql_node_adopt(p, node, node->binary.right)
		       ? node
		       : NULL;
}

/* Parse operators that bind at least as strongly as `min_level`. */
static struct promql_node *parse_binary(struct promql_parser *p, int min_level)
{
	struct promql_node *node;
	int level;

	if (++p->depth > PROMQL_DEPTH_MAX)
		return promql_fail(p, p->token.start, "expression is nested too deeply");
	node = parse_unary(p);
	while (node && (level = level_of(&p->token)) != 0 && level >= min_level)
		node = parse_operation(p, node, level);
	p->depth--;
	return p->rc ? NULL : node;
}

void promql_expr_fini(struct promql_expr *expr)
{
	for (uint32_t i = 0; i < expr->regexes.n; i++)
		regex_free(expr->regexes.at[i]);
	arena_fini(&expr->arena);
	*expr = (struct promql_expr){0};
}

struct promql_node *promql_parse_expression(struct promql_parser *p)
{
	return parse_binary(p, 0);
}

static int begin(struct promql_parser *p, struct promql_expr *expr, struct str text,
		 struct budget *budget, struct err *e)
{
	*expr = (struct promql_expr){0};
	arena_init(&expr->arena, budget);
	*p = (struct promql_parser){.expr = expr, .e = e};
	if (text.n > PROMQL_TEXT_MAX)
		return p->rc = err_set(e, -EINVAL,
				       "expression of %zu bytes is too long: limit is %d", text.n,
				       PROMQL_TEXT_MAX);
	if (arena_copy_str(&expr->arena, text, &expr->text)) {
		promql_no_memory(p);
		return p->rc;
	}
	promql_lexer_init(&p->lexer, expr->text);
	promql_advance(p);
	return p->rc;
}

int promql_parse(struct promql_expr *expr, struct str text, unsigned features,
		 struct budget *budget, struct err *e)
{
	struct promql_parser p;

	if (begin(&p, expr, text, budget, e))
		goto out;
	p.features = features;
	if (promql_next_is(&p, PROMQL_TOK_END)) {
		promql_fail(&p, 0, "no expression found in input");
		goto out;
	}
	expr->root = promql_parse_expression(&p);
	if (expr->root && !promql_next_is(&p, PROMQL_TOK_END))
		promql_unexpected(&p, "", "");
	if (expr->root && !p.rc)
		promql_check(&p, expr->root);
out:
	if (p.rc)
		promql_expr_fini(expr);
	return p.rc;
}

int promql_parse_selector(struct promql_expr *expr, struct str text, struct budget *budget,
			  struct err *e)
{
	struct promql_parser p;

	if (begin(&p, expr, text, budget, e))
		goto out;
	if (promql_is_metric_word(&p.token) || promql_next_is(&p, PROMQL_TOK_LEFT_BRACE))
		expr->root = promql_parse_vector_selector(
			&p, !promql_next_is(&p, PROMQL_TOK_LEFT_BRACE));
	else
		promql_unexpected(&p, "", "");
	if (expr->root && !p.rc && !promql_next_is(&p, PROMQL_TOK_END))
		promql_unexpected(&p, "", "");
	if (expr->root && !p.rc)
		promql_check(&p, expr->root);
out:
	if (p.rc)
		promql_expr_fini(expr);
	return p.rc;
}
