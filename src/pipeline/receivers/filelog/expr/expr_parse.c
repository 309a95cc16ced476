/* SPDX-License-Identifier: Apache-2.0 */
/* A recursive-descent parser by precedence: each level takes operators that bind at least so tightly. */
#include <errno.h>
#include <stdlib.h>

#include "pipeline/receivers/filelog/expr/expr_lexer.h"
#include "pipeline/receivers/filelog/expr/expr_tree.h"

enum { EXPR_REGEXES_MAX = 100, EXPR_ARGS_MAX = 256, PRECEDENCE_NOT = 50, PRECEDENCE_MINUS = 90 };

struct expr_parser {
	struct expr_lexer lexer;
	struct expr *x;
	unsigned depth, nodes;
};

static const struct {
	struct str text;
	enum expr_kind kind;
	int precedence;
	bool may_negate; /* `a not in b` */
} binary_operators[] = {
	{STR_INIT("or"), EXPR_OR, 10, false},
	{STR_INIT("||"), EXPR_OR, 10, false},
	{STR_INIT("and"), EXPR_AND, 15, false},
	{STR_INIT("&&"), EXPR_AND, 15, false},
	{STR_INIT("=="), EXPR_EQ, 20, false},
	{STR_INIT("!="), EXPR_NE, 20, false},
	{STR_INIT("<"), EXPR_LT, 20, false},
	{STR_INIT("<="), EXPR_LE, 20, false},
	{STR_INIT(">"), EXPR_GT, 20, false},
	{STR_INIT(">="), EXPR_GE, 20, false},
	{STR_INIT("in"), EXPR_IN, 20, true},
	{STR_INIT("contains"), EXPR_CONTAINS, 20, true},
	{STR_INIT("startsWith"), EXPR_STARTS_WITH, 20, true},
	{STR_INIT("endsWith"), EXPR_ENDS_WITH, 20, true},
	{STR_INIT("matches"), EXPR_MATCHES, 20, true},
	{STR_INIT("+"), EXPR_ADD, 30, false},
	{STR_INIT("-"), EXPR_SUBTRACT, 30, false},
};

static const struct {
	struct str name;
	enum expr_root root;
} expr_roots[] = {
	{STR_INIT("body"), EXPR_BODY},
	{STR_INIT("$"), EXPR_BODY},
	{STR_INIT("$body"), EXPR_BODY},
	{STR_INIT("attributes"), EXPR_ATTRIBUTES},
	{STR_INIT("$attributes"), EXPR_ATTRIBUTES},
	{STR_INIT("resource"), EXPR_RESOURCE},
	{STR_INIT("$resource"), EXPR_RESOURCE},
	{STR_INIT("severity_text"), EXPR_SEVERITY_TEXT},
	{STR_INIT("severity_number"), EXPR_SEVERITY},
};

static const struct {
	struct str name;
	enum expr_function function;
} expr_functions[] = {
	{STR_INIT("len"), EXPR_LEN},	      {STR_INIT("lower"), EXPR_LOWER},
	{STR_INIT("upper"), EXPR_UPPER},      {STR_INIT("trim"), EXPR_TRIM},
	{STR_INIT("string"), EXPR_TO_STRING}, {STR_INIT("env"), EXPR_ENV},
	{STR_INIT("os_env_var"), EXPR_ENV},
};

static int parse_level(struct expr_parser *p, int precedence, struct expr_node **out);

/* ---- nodes ---- */

static bool token_is(const struct expr_parser *p, const char *text)
{
	return (p->lexer.token.kind == EXPR_SIGN || p->lexer.token.kind == EXPR_NAME) &&
	       str_eq(p->lexer.token.text, str_from(text));
}

static int parse_failed(struct expr_parser *p, const char *expected)
{
	const struct expr_token *t = &p->lexer.token;

	if (t->kind == EXPR_END)
		return expr_fail_at(&p->lexer, t->at, "expected %s, found the end", expected);
	return expr_fail_at(&p->lexer, t->at, "expected %s, found \"%.*s\"", expected,
			    STR_ARG(str_head(t->text, 40)));
}

static int expect_sign(struct expr_parser *p, const char *text)
{
	char expected[8] = "";

	if (token_is(p, text))
		return expr_lexer_next(&p->lexer);
	memcpy(expected, text, min_size(strlen(text), sizeof(expected) - 1));
	return parse_failed(p, expected);
}

static int new_node(struct expr_parser *p, enum expr_kind kind, uint32_t args,
		    struct expr_node **out)
{
	struct expr_node *node;

	if (++p->nodes > EXPR_NODES_MAX)
		return expr_fail_at(&p->lexer, p->lexer.token.at, "more than %d parts",
				    EXPR_NODES_MAX);
	node = arena_zalloc(p->lexer.arena, 1, sizeof(*node));
	if (node)
		node->args = arena_zalloc(p->lexer.arena, args + 1, sizeof(*node->args));
	if (!node || !node->args)
		return err_errno(p->lexer.e, -ENOMEM, "expression");
	node->kind = kind;
	node->at = p->lexer.token.at;
	node->n = args;
	*out = node;
	return 0;
}

static int new_literal(struct expr_parser *p, struct log_node value, struct expr_node **out)
{
	int rc = new_node(p, EXPR_LITERAL, 0, out);

	if (!rc)
		(*out)->literal = value;
	return rc;
}

/* Make a literal of the current token and go on. */
static int take_literal(struct expr_parser *p, struct log_node value, struct expr_node **out)
{
	int rc = new_literal(p, value, out);

	return rc ? rc : expr_lexer_next(&p->lexer);
}

/* ---- primaries ---- */

static int parse_list(struct expr_parser *p, struct expr_node **out)
{
	struct expr_node *items[EXPR_ARGS_MAX];
	uint32_t n = 0;
	int rc = expr_lexer_next(&p->lexer);

	while (!rc && !token_is(p, "]")) {
		if (n == EXPR_ARGS_MAX)
			return expr_fail_at(&p->lexer, p->lexer.token.at,
					    "more than %d elements in a list", EXPR_ARGS_MAX);
		rc = parse_level(p, 0, &items[n++]);
		if (!rc && !token_is(p, "]"))
			rc = expect_sign(p, ",");
	}
	if (!rc)
		rc = new_node(p, EXPR_LIST, n, out);
	if (rc)
		return rc;
	memcpy((*out)->args, items, n * sizeof(*items));
	return expr_lexer_next(&p->lexer);
}

static int parse_call(struct expr_parser *p, enum expr_function function, struct expr_node **out)
{
	int rc = new_node(p, EXPR_CALL, 1, out);

	if (!rc)
		(*out)->function = function;
	if (!rc)
		rc = expr_lexer_next(&p->lexer);
	if (!rc)
		rc = expect_sign(p, "(");
	if (!rc)
		rc = parse_level(p, 0, &(*out)->args[0]);
	return rc ? rc : expect_sign(p, ")");
}

static int parse_name(struct expr_parser *p, struct expr_node **out)
{
	struct str name = p->lexer.token.text;
	int rc;

	if (str_eq(name, STR("true")) || str_eq(name, STR("false")))
		return take_literal(p, LOG_NODE_BOOL(name.p[0] == 't'), out);
	if (str_eq(name, STR("nil")))
		return take_literal(p, (struct log_node){0}, out);
	for (size_t i = 0; i < countof(expr_functions); i++)
		if (str_eq(name, expr_functions[i].name))
			return parse_call(p, expr_functions[i].function, out);
	for (size_t i = 0; i < countof(expr_roots); i++) {
		if (!str_eq(name, expr_roots[i].name))
			continue;
		rc = new_node(p, EXPR_ROOT, 0, out);
		if (rc)
			return rc;
		(*out)->root = expr_roots[i].root;
		return expr_lexer_next(&p->lexer);
	}
	return expr_fail_at(&p->lexer, p->lexer.token.at,
			    "unknown name \"%.*s\": fields begin with body, attributes or resource",
			    STR_ARG(str_head(name, 40)));
}

/* Parse .name, ?.name and [index] after a value. */
static int parse_members(struct expr_parser *p, struct expr_node **out)
{
	int rc = 0;

	while (!rc && (token_is(p, ".") || token_is(p, "?.") || token_is(p, "["))) {
		bool bracket = token_is(p, "["), optional = token_is(p, "?.");
		struct expr_node *member = NULL;

		rc = new_node(p, EXPR_MEMBER, 2, &member);
		if (!rc)
			rc = expr_lexer_next(&p->lexer);
		if (rc)
			return rc;
		member->optional = optional;
		member->args[0] = *out;
		*out = member;
		if (bracket) {
			rc = parse_level(p, 0, &member->args[1]);
			rc = rc ? rc : expect_sign(p, "]");
		} else if (p->lexer.token.kind == EXPR_NAME) {
			rc = take_literal(p, LOG_NODE_STR(p->lexer.token.text), &member->args[1]);
		} else {
			rc = parse_failed(p, "a name");
		}
	}
	return rc;
}

static int parse_primary(struct expr_parser *p, struct expr_node **out)
{
	const struct expr_token *t = &p->lexer.token;
	int rc;

	switch (t->kind) {
	case EXPR_STRING:
		return take_literal(p, LOG_NODE_STR(t->text), out);
	case EXPR_INT:
		return take_literal(p, LOG_NODE_INT(t->i), out);
	case EXPR_FLOAT:
		return take_literal(p, (struct log_node){.kind = VALUE_DOUBLE, .d = t->d}, out);
	case EXPR_NAME:
		rc = parse_name(p, out);
		break;
	default:
		if (token_is(p, "[")) {
			rc = parse_list(p, out);
			break;
		}
		if (!token_is(p, "("))
			return parse_failed(p, "a value");
		rc = expr_lexer_next(&p->lexer);
		rc = rc ? rc : parse_level(p, 0, out);
		rc = rc ? rc : expect_sign(p, ")");
	}
	return rc ? rc : parse_members(p, out);
}

static int parse_unary(struct expr_parser *p, struct expr_node **out)
{
	bool minus = token_is(p, "-");
	int rc;

	if (!minus && !token_is(p, "not") && !token_is(p, "!"))
		return parse_primary(p, out);
	rc = new_node(p, minus ? EXPR_NEGATE : EXPR_NOT, 1, out);
	rc = rc ? rc : expr_lexer_next(&p->lexer);
	return rc ? rc
		  : parse_level(p, minus ? PRECEDENCE_MINUS : PRECEDENCE_NOT, &(*out)->args[0]);
}

/* ---- operators ---- */

/* Return the index of the operator at the current token, or -1. */
static int operator_at(const struct expr_parser *p)
{
	if (p->lexer.token.kind == EXPR_SIGN || p->lexer.token.kind == EXPR_NAME)
		for (size_t i = 0; i < countof(binary_operators); i++)
			if (str_eq(p->lexer.token.text, binary_operators[i].text))
				return (int)i;
	return -1;
}

static int compile_pattern(struct expr_parser *p, struct expr_node *node)
{
	const struct expr_node *pattern = node->args[1];
	struct regex *regex;
	struct err why = {0};
	int rc;

	if (pattern->kind != EXPR_LITERAL || pattern->literal.kind != VALUE_STRING)
		return expr_fail_at(&p->lexer, pattern->at, "the pattern has to be a string");
	if (p->x->regex_count == EXPR_REGEXES_MAX)
		return expr_fail_at(&p->lexer, pattern->at, "more than %d patterns",
				    EXPR_REGEXES_MAX);
	rc = regex_new(&regex, pattern->literal.s, 0, &why);
	if (rc)
		return expr_fail_at(&p->lexer, pattern->at, "%s", why.text);
	p->x->regexes[p->x->regex_count++] = regex;
	node->regex = regex;
	return 0;
}

/* Parse what follows the left operand: an operator, maybe after not, and the right operand. */
static int parse_operation(struct expr_parser *p, int index, bool negated, struct expr_node **left)
{
	struct expr_node *node = NULL, *inverted = NULL;
	int rc = new_node(p, binary_operators[index].kind, 2, &node);

	rc = rc ? rc : expr_lexer_next(&p->lexer);
	if (rc)
		return rc;
	node->args[0] = *left;
	rc = parse_level(p, binary_operators[index].precedence + 1, &node->args[1]);
	if (!rc && node->kind == EXPR_MATCHES)
		rc = compile_pattern(p, node);
	*left = node;
	if (rc || !negated)
		return rc;
	rc = new_node(p, EXPR_NOT, 1, &inverted);
	if (rc)
		return rc;
	inverted->args[0] = node;
	*left = inverted;
	return 0;
}

static int parse_operations(struct expr_parser *p, int precedence, struct expr_node **out)
{
	int rc = parse_unary(p, out);

	while (!rc) {
		bool negated = token_is(p, "not");
		struct expr_lexer before = p->lexer;
		int index;

		if (negated)
			rc = expr_lexer_next(&p->lexer);
		index = operator_at(p);
		if (rc || index < 0 || binary_operators[index].precedence < precedence ||
		    (negated && !binary_operators[index].may_negate)) {
			p->lexer = before;
			break;
		}
		rc = parse_operation(p, index, negated, out);
	}
	return rc;
}

/* Parse an expression of operators that bind at least as tightly as `precedence`. */
static int parse_level(struct expr_parser *p, int precedence, struct expr_node **out)
{
	int rc;

	if (p->depth == EXPR_DEPTH_MAX)
		return expr_fail_at(&p->lexer, p->lexer.token.at, "nested more than %d deep",
				    EXPR_DEPTH_MAX);
	p->depth++;
	rc = parse_operations(p, precedence, out);
	p->depth--;
	return rc;
}

/* Return whether the kind of the result is known not to be a bool. */
static bool never_bool(const struct expr_node *node)
{
	return (node->kind == EXPR_LITERAL && node->literal.kind != VALUE_BOOL) ||
	       node->kind == EXPR_LIST || node->kind == EXPR_NEGATE || node->kind == EXPR_ADD ||
	       node->kind == EXPR_SUBTRACT || node->kind == EXPR_CALL;
}

int expr_compile(struct expr **out, struct str source, enum expr_result wanted, struct arena *arena,
		 struct err *e)
{
	struct expr_parser p = {.lexer = {.source = source, .arena = arena, .e = e}};
	int rc = -ENOMEM;

	p.x = arena_zalloc(arena, 1, sizeof(*p.x));
	if (p.x)
		p.x->regexes = arena_alloc(arena, EXPR_REGEXES_MAX, sizeof(struct regex *));
	if (!p.x || !p.x->regexes)
		return err_errno(e, rc, "expression");
	p.x->source = source;
	rc = expr_lexer_next(&p.lexer);
	rc = rc ? rc : parse_level(&p, 0, &p.x->top);
	if (!rc && p.lexer.token.kind != EXPR_END)
		rc = parse_failed(&p, "an operator");
	if (!rc && wanted == EXPR_BOOL && never_bool(p.x->top))
		rc = expr_fail_at(&p.lexer, p.x->top->at, "the condition has to be true or false");
	if (rc)
		expr_free(p.x);
	else
		*out = p.x;
	return rc;
}

void expr_free(struct expr *x)
{
	for (uint32_t i = 0; x && i < x->regex_count; i++)
		regex_free(x->regexes[i]);
}
