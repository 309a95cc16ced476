/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A parser by recursive descent. Conditions and values share one grammar by precedence (or, and,
 * not, comparison, sum, product, sign); whether a condition stands where a value is needed, or the
 * reverse, is checked afterwards, on the tree.
 */
#include "pipeline/ottl/ottl_syntax.h"

#include <errno.h>

struct ottl_parser {
	struct ottl_lexer lexer;
	struct arena *arena;
	struct err *e;
	unsigned depth;
};

static int parse_any(struct ottl_parser *p, struct ottl_node **out);
static int parse_unary(struct ottl_parser *p, struct ottl_node **out);

/* ---- tokens ---- */

static bool at_sign(const struct ottl_parser *p, char c)
{
	return p->lexer.token.kind == TOKEN_SIGN && p->lexer.token.text.p[0] == c;
}

static bool at_word(const struct ottl_parser *p, struct str word)
{
	return p->lexer.token.kind == TOKEN_LOWER && str_eq(p->lexer.token.text, word);
}

static int unexpected(struct ottl_parser *p, const char *expected)
{
	struct str text = p->lexer.token.text;

	if (p->lexer.token.kind == TOKEN_END)
		return ottl_fail_at(p->lexer.source, p->lexer.token.at, p->e,
				    "unexpected end of the text: expected %s", expected);
	return ottl_fail_at(p->lexer.source, p->lexer.token.at, p->e,
			    "unexpected token \"%.*s\": expected %s", STR_ARG(str_head(text, 40)),
			    expected);
}

static int next(struct ottl_parser *p)
{
	return ottl_lexer_next(&p->lexer);
}

static int expect_sign(struct ottl_parser *p, char c)
{
	char text[] = {'"', c, '"', '\0'};

	return at_sign(p, c) ? next(p) : unexpected(p, text);
}

static int new_node(struct ottl_parser *p, enum ottl_node_kind kind, struct ottl_node **out)
{
	struct ottl_node *n = arena_zalloc(p->arena, 1, sizeof(*n));

	if (!n)
		return -ENOMEM;
	n->kind = kind;
	n->at = p->lexer.token.at;
	n->end = p->lexer.token.end;
	*out = n;
	return 0;
}

static int add_item(struct ottl_parser *p, struct ottl_node *n, struct ottl_node *item)
{
	n->end = item->end;
	return vec_push(p->arena, &n->items, item) ? -ENOMEM : 0;
}

static int deeper(struct ottl_parser *p)
{
	if (p->depth++ >= OTTL_SYNTAX_DEPTH)
		return ottl_fail_at(p->lexer.source, p->lexer.token.at, p->e,
				    "nested too deep: the limit is %d levels", OTTL_SYNTAX_DEPTH);
	return 0;
}

/* ---- primaries ---- */

static int parse_literal(struct ottl_parser *p, struct ottl_value value, struct ottl_node **out)
{
	int rc = new_node(p, NODE_LITERAL, out);

	if (rc)
		return rc;
	(*out)->literal = value;
	return next(p);
}

/* Parse a key, sum or product: what may stand where no comparison is allowed. */
static int parse_keys(struct ottl_parser *p, struct ottl_node *n)
{
	int rc = 0;

	while (!rc && at_sign(p, '[')) {
		struct ottl_node *key = NULL;

		rc = next(p);
		if (!rc)
			rc = parse_any(p, &key);
		if (!rc && vec_push(p->arena, &n->keys, key))
			rc = -ENOMEM;
		n->end = p->lexer.token.end;
		if (!rc)
			rc = expect_sign(p, ']');
	}
	return rc;
}

static int parse_path(struct ottl_parser *p, struct ottl_node **out)
{
	int rc = new_node(p, NODE_PATH, out);

	if (rc)
		return rc;
	for (;;) {
		if (p->lexer.token.kind != TOKEN_LOWER)
			return unexpected(p, "the name of a field");
		(*out)->end = p->lexer.token.end;
		rc = next(p);
		if (rc || !at_sign(p, '.'))
			break;
		rc = next(p);
		if (rc)
			break;
	}
	(*out)->name = str_of(p->lexer.source.p + (*out)->at, (*out)->end - (*out)->at);
	if (!rc && at_sign(p, '('))
		return ottl_fail_at(p->lexer.source, (*out)->at, p->e,
				    "\"%.*s\" is called as a value: only converters, whose names "
				    "begin with a capital, return one",
				    STR_ARG((*out)->name));
	if (!rc)
		rc = parse_keys(p, *out);
	if (!rc && at_sign(p, '.'))
		return unexpected(p, "the end of the path after its keys");
	return rc;
}

/* Parse NAME "=" if it follows: the name of an argument. */
static int parse_argument_name(struct ottl_parser *p, struct str *name)
{
	struct ottl_lexer before = p->lexer;
	int rc;

	*name = (struct str){0};
	if (p->lexer.token.kind != TOKEN_LOWER)
		return 0;
	rc = next(p);
	if (!rc && at_sign(p, '=')) {
		*name = before.token.text;
		return next(p);
	}
	p->lexer = before;
	return rc;
}

static int parse_arguments(struct ottl_parser *p, struct ottl_node *call)
{
	int rc = expect_sign(p, '(');
	bool named = false;

	while (!rc && !at_sign(p, ')')) {
		struct ottl_node *argument = NULL;
		struct str name;

		rc = call->items.n ? expect_sign(p, ',') : 0;
		if (!rc)
			rc = parse_argument_name(p, &name);
		if (!rc && named && !name.n)
			return unexpected(p, "a named argument, as those before it");
		if (!rc)
			rc = parse_any(p, &argument);
		if (!rc)
			rc = add_item(p, call, argument);
		if (!rc && vec_push(p->arena, &call->names, name))
			rc = -ENOMEM;
		named = !rc && name.n;
	}
	call->end = p->lexer.token.end;
	return rc ? rc : next(p);
}

/* Parse a converter with its keys, an enum, or the name of a function. */
static int parse_upper(struct ottl_parser *p, struct ottl_node **out)
{
	int rc = new_node(p, NODE_NAME, out);

	if (rc)
		return rc;
	(*out)->name = p->lexer.token.text;
	rc = next(p);
	if (rc || !at_sign(p, '('))
		return rc;
	(*out)->kind = NODE_CALL;
	rc = parse_arguments(p, *out);
	return rc ? rc : parse_keys(p, *out);
}

static int parse_list(struct ottl_parser *p, struct ottl_node **out)
{
	int rc = new_node(p, NODE_LIST, out);

	if (!rc)
		rc = next(p);
	while (!rc && !at_sign(p, ']')) {
		struct ottl_node *item = NULL;

		rc = (*out)->items.n ? expect_sign(p, ',') : 0;
		if (!rc)
			rc = parse_any(p, &item);
		if (!rc)
			rc = add_item(p, *out, item);
	}
	if (rc)
		return rc;
	(*out)->end = p->lexer.token.end;
	return next(p);
}

static int parse_map_pair(struct ottl_parser *p, struct ottl_node *map)
{
	struct ottl_node *item = NULL;
	int rc;

	if (p->lexer.token.kind != TOKEN_STRING)
		return unexpected(p, "a key in double quotes");
	if (vec_push(p->arena, &map->names, p->lexer.token.text))
		return -ENOMEM;
	rc = next(p);
	if (!rc)
		rc = expect_sign(p, ':');
	if (!rc)
		rc = parse_any(p, &item);
	return rc ? rc : add_item(p, map, item);
}

static int parse_map(struct ottl_parser *p, struct ottl_node **out)
{
	int rc = new_node(p, NODE_MAP, out);

	if (!rc)
		rc = next(p);
	while (!rc && !at_sign(p, '}')) {
		rc = (*out)->items.n ? expect_sign(p, ',') : 0;
		if (!rc)
			rc = parse_map_pair(p, *out);
	}
	if (rc)
		return rc;
	(*out)->end = p->lexer.token.end;
	return next(p);
}

static int parse_group(struct ottl_parser *p, struct ottl_node **out)
{
	int rc = next(p);

	if (!rc)
		rc = parse_any(p, out);
	return rc ? rc : expect_sign(p, ')');
}

static int parse_lower(struct ottl_parser *p, struct ottl_node **out)
{
	if (at_word(p, STR("true")) || at_word(p, STR("false")))
		return parse_literal(p, OTTL_VALUE_BOOL(at_word(p, STR("true"))), out);
	if (at_word(p, STR("nil")))
		return parse_literal(p, (struct ottl_value){0}, out);
	return parse_path(p, out);
}

static int parse_primary(struct ottl_parser *p, struct ottl_node **out)
{
	const struct ottl_token *t = &p->lexer.token;

	switch (t->kind) {
	case TOKEN_STRING:
		return parse_literal(p, OTTL_VALUE_STRING(t->text), out);
	case TOKEN_BYTES:
		return parse_literal(p, (struct ottl_value){.kind = OTTL_BYTES, .s = t->text}, out);
	case TOKEN_INT:
		return parse_literal(p, OTTL_VALUE_INT(t->i), out);
	case TOKEN_FLOAT:
		return parse_literal(p, OTTL_VALUE_DOUBLE(t->d), out);
	case TOKEN_LOWER:
		return parse_lower(p, out);
	case TOKEN_UPPER:
		return parse_upper(p, out);
	default:
		break;
	}
	if (at_sign(p, '['))
		return parse_list(p, out);
	if (at_sign(p, '{'))
		return parse_map(p, out);
	return at_sign(p, '(') ? parse_group(p, out) : unexpected(p, "a value");
}

/* ---- operators ---- */

static int parse_signed(struct ottl_parser *p, struct ottl_node **out)
{
	struct ottl_node *operand = NULL;
	bool negative = at_sign(p, '-');
	int rc = new_node(p, NODE_NEGATE, out);

	if (!rc)
		rc = next(p);
	if (!rc)
		rc = parse_unary(p, &operand);
	if (rc)
		return rc;
	if (!negative)
		*out = operand;
	return negative ? add_item(p, *out, operand) : 0;
}

/* NOLINTNEXTLINE(misc-no-recursion): the depth is limited */
static int parse_unary(struct ottl_parser *p, struct ottl_node **out)
{
	int rc = deeper(p);

	if (!rc)
		rc = at_sign(p, '-') || at_sign(p, '+') ? parse_signed(p, out)
							: parse_primary(p, out);
	p->depth--;
	return rc;
}

static bool at_math(const struct ottl_parser *p, bool product)
{
	return product ? at_sign(p, '*') || at_sign(p, '/') : at_sign(p, '+') || at_sign(p, '-');
}

/* Parse a sum or a product. Each operator nests the tree by one level. */
/* NOLINTNEXTLINE(misc-no-recursion): a product is below a sum */
static int parse_math(struct ottl_parser *p, bool product, struct ottl_node **out)
{
	int rc = product ? parse_unary(p, out) : parse_math(p, true, out);
	unsigned depth = p->depth;

	while (!rc && *out && at_math(p, product)) {
		struct ottl_node *left = *out, *right = NULL;

		rc = new_node(p, NODE_MATH, out);
		if (rc)
			break;
		(*out)->sign = p->lexer.token.text.p[0];
		(*out)->at = left->at;
		rc = deeper(p);
		if (!rc)
			rc = next(p);
		if (!rc)
			rc = product ? parse_unary(p, &right) : parse_math(p, true, &right);
		if (!rc)
			rc = add_item(p, *out, left);
		if (!rc)
			rc = add_item(p, *out, right);
	}
	p->depth = depth;
	return rc;
}

static int parse_compare(struct ottl_parser *p, struct ottl_node **out)
{
	struct ottl_node *left = NULL, *right = NULL;
	int rc = parse_math(p, false, out);

	if (rc || !*out || p->lexer.token.kind != TOKEN_COMPARE)
		return rc;
	left = *out;
	rc = new_node(p, NODE_COMPARE, out);
	if (rc)
		return rc;
	(*out)->compare = p->lexer.token.compare;
	(*out)->at = left->at;
	rc = next(p);
	if (!rc)
		rc = parse_math(p, false, &right);
	if (!rc)
		rc = add_item(p, *out, left);
	return rc ? rc : add_item(p, *out, right);
}

static int parse_not(struct ottl_parser *p, struct ottl_node **out)
{
	struct ottl_node *operand = NULL;
	int rc;

	if (!at_word(p, STR("not")))
		return parse_compare(p, out);
	rc = new_node(p, NODE_NOT, out);
	if (!rc)
		rc = next(p);
	if (!rc)
		rc = parse_compare(p, &operand);
	return rc ? rc : add_item(p, *out, operand);
}

/* Parse operands that are joined by "and", or those that are joined by "or". */
/* NOLINTNEXTLINE(misc-no-recursion): "and" is below "or" */
static int parse_joined(struct ottl_parser *p, enum ottl_node_kind kind, struct ottl_node **out)
{
	struct str word = kind == NODE_OR ? STR("or") : STR("and");
	struct ottl_node *joined = NULL, *operand = NULL;
	int rc = kind == NODE_OR ? parse_joined(p, NODE_AND, out) : parse_not(p, out);

	if (rc || !*out || !at_word(p, word))
		return rc;
	rc = new_node(p, kind, &joined);
	if (rc)
		return rc;
	joined->at = (*out)->at;
	rc = add_item(p, joined, *out);
	while (!rc && at_word(p, word)) {
		rc = next(p);
		if (!rc)
			rc = kind == NODE_OR ? parse_joined(p, NODE_AND, &operand)
					     : parse_not(p, &operand);
		if (!rc)
			rc = add_item(p, joined, operand);
	}
	*out = joined;
	return rc;
}

/* NOLINTNEXTLINE(misc-no-recursion): the depth is limited */
static int parse_any(struct ottl_parser *p, struct ottl_node **out)
{
	int rc = deeper(p);

	if (!rc)
		rc = parse_joined(p, NODE_OR, out);
	p->depth--;
	return rc;
}

/* ---- conditions and values ---- */

static int check_value_node(const struct ottl_parser *p, const struct ottl_node *n);

static int misplaced(const struct ottl_parser *p, const struct ottl_node *n, const char *expected)
{
	struct str text = str_of(p->lexer.source.p + n->at, n->end - n->at);

	return ottl_fail_at(p->lexer.source, n->at, p->e, "\"%.*s\" is not %s",
			    STR_ARG(str_head(text, 60)), expected);
}

static int check_values(const struct ottl_parser *p, const struct ottl_node *n)
{
	int rc = 0;

	for (uint32_t i = 0; i < n->items.n && !rc; i++)
		rc = check_value_node(p, n->items.at[i]);
	for (uint32_t i = 0; i < n->keys.n && !rc; i++)
		rc = check_value_node(p, n->keys.at[i]);
	return rc;
}

static bool is_operand(const struct ottl_node *n)
{
	if (n->kind == NODE_LITERAL)
		return n->literal.kind == OTTL_INT || n->literal.kind == OTTL_DOUBLE;
	return n->kind == NODE_PATH || n->kind == NODE_CALL || n->kind == NODE_MATH ||
	       n->kind == NODE_NEGATE || n->kind == NODE_NAME;
}

/* NOLINTNEXTLINE(misc-no-recursion): the depth of the tree is limited */
static int check_value_node(const struct ottl_parser *p, const struct ottl_node *n)
{
	if (n->kind >= NODE_COMPARE)
		return misplaced(p, n, "a value: a condition cannot stand here");
	for (uint32_t i = 0; i < n->items.n; i++)
		if ((n->kind == NODE_MATH || n->kind == NODE_NEGATE) && !is_operand(n->items.at[i]))
			return misplaced(p, n->items.at[i], "a number, path or converter");
	return check_values(p, n);
}

/* NOLINTNEXTLINE(misc-no-recursion): the depth of the tree is limited */
static int check_condition_node(const struct ottl_parser *p, const struct ottl_node *n)
{
	int rc = 0;

	if (n->kind == NODE_COMPARE || n->kind == NODE_CALL)
		return check_values(p, n);
	if (n->kind == NODE_LITERAL && n->literal.kind == OTTL_BOOL)
		return 0;
	if (n->kind < NODE_AND)
		return misplaced(p, n, "a condition: compare it, for example with == true");
	for (uint32_t i = 0; i < n->items.n && !rc; i++)
		rc = check_condition_node(p, n->items.at[i]);
	return rc;
}

/* ---- texts ---- */

static int parse_statement(struct ottl_parser *p, struct ottl_line *out)
{
	int rc;

	if (p->lexer.token.kind != TOKEN_LOWER)
		return unexpected(p, "an editor, as set(...)");
	rc = new_node(p, NODE_CALL, &out->editor);
	if (rc)
		return rc;
	out->editor->name = p->lexer.token.text;
	rc = next(p);
	if (!rc)
		rc = parse_arguments(p, out->editor);
	if (rc || !at_word(p, STR("where")))
		return rc;
	rc = next(p);
	return rc ? rc : parse_any(p, &out->condition);
}

int ottl_parse(struct ottl_line *out, struct str text, bool statement, struct arena *arena,
	       struct err *e)
{
	struct ottl_parser p = {
		.lexer = {.source = text, .arena = arena, .e = e}, .arena = arena, .e = e};
	int rc = next(&p);

	*out = (struct ottl_line){.text = text};
	if (!rc)
		rc = statement ? parse_statement(&p, out) : parse_any(&p, &out->condition);
	if (!rc && p.lexer.token.kind != TOKEN_END)
		return unexpected(&p, statement && !out->condition ? "\"where\" or the end"
								   : "\"and\", \"or\" or the end");
	if (!rc && out->editor)
		rc = check_values(&p, out->editor);
	if (!rc && out->condition)
		rc = check_condition_node(&p, out->condition);
	return rc;
}
