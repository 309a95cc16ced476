/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Terms of expressions: literals, selectors, calls, aggregations and parentheses. Modifiers (ranges,
 * offset, @, anchored, smoothed) bind to the term before them.
 */
#include <math.h>

#include "query/promql/syntax/promql_functions.h"
#include "query/promql/syntax/promql_literal.h"
#include "query/promql/syntax/promql_parse_internal.h"

/* Return whether the next token may be the name of a label: any word. */
static bool next_is_label(const struct promql_parser *p)
{
	enum promql_token_type type = p->token.type;

	if (type == PROMQL_TOK_OP)
		return p->token.op == PROMQL_OP_AND || p->token.op == PROMQL_OP_OR ||
		       p->token.op == PROMQL_OP_UNLESS || p->token.op == PROMQL_OP_ATAN2;
	return type == PROMQL_TOK_IDENTIFIER || type == PROMQL_TOK_METRIC ||
	       type == PROMQL_TOK_AGGREGATOR ||
	       (type >= PROMQL_TOK_OFFSET && type != PROMQL_TOK_WITHOUT);
}

bool promql_parse_labels(struct promql_parser *p, promql_names *names)
{
	if (!promql_take(p, PROMQL_TOK_LEFT_PAREN)) {
		promql_unexpected(p, "grouping opts", "\"(\"");
		return false;
	}
	while (!promql_next_is(p, PROMQL_TOK_RIGHT_PAREN)) {
		struct str name = p->token.text;

		if (promql_next_is(p, PROMQL_TOK_STRING)) {
			if (promql_unquote(&p->expr->arena, p->token.text, &name)) {
				promql_no_memory(p);
				return false;
			}
			if (!name.n || str_utf8_valid(name) != name.n) {
				promql_fail(p, p->token.start,
					    "invalid label name for grouping: \"%.*s\"",
					    STR_ARG(str_head(name, 100)));
				return false;
			}
		} else if (!next_is_label(p)) {
			promql_unexpected(p, "grouping opts", "label");
			return false;
		}
		if (vec_push(&p->expr->arena, names, name)) {
			promql_no_memory(p);
			return false;
		}
		promql_advance(p);
		if (promql_take(p, PROMQL_TOK_COMMA))
			continue;
		if (!promql_next_is(p, PROMQL_TOK_RIGHT_PAREN)) {
			promql_unexpected(p, "grouping opts", "\",\" or \")\"");
			return false;
		}
	}
	promql_advance(p);
	return true;
}

/* Parse arguments in parentheses; the left one is the next token. */
static bool parse_args(struct promql_parser *p, promql_nodes *args)
{
	promql_advance(p);
	if (promql_take(p, PROMQL_TOK_RIGHT_PAREN))
		return true;
	for (;;) {
		struct promql_node *arg = promql_parse_expression(p);
		uint32_t comma = p->token.start;

		if (!arg)
			return false;
		if (vec_push(&p->expr->arena, args, arg)) {
			promql_no_memory(p);
			return false;
		}
		if (promql_take(p, PROMQL_TOK_RIGHT_PAREN))
			return true;
		if (!promql_take(p, PROMQL_TOK_COMMA)) {
			promql_unexpected(p, "", "");
			return false;
		}
		if (promql_next_is(p, PROMQL_TOK_RIGHT_PAREN)) {
			promql_fail(p, comma, "trailing commas not allowed in function call args");
			return false;
		}
	}
}

static bool adopt_all(struct promql_parser *p, struct promql_node *node, const promql_nodes *list)
{
	for (uint32_t i = 0; i < list->n; i++)
		if (!promql_node_adopt(p, node, list->at[i]))
			return false;
	return true;
}

static struct promql_node *parse_call(struct promql_parser *p, struct str name, uint32_t start)
{
	const struct promql_function *f = promql_function_find(name);
	struct promql_node *node;
	promql_nodes args = {0};

	if (!parse_args(p, &args))
		return NULL;
	if (!f)
		return promql_fail(p, start, "unknown function with name \"%.*s\"",
				   STR_ARG(str_head(name, 100)));
	if (f->experimental && !(p->features & PROMQL_EXPERIMENTAL_FUNCTIONS))
		return promql_fail(p, start, "function \"%.*s\" is not enabled", STR_ARG(name));
	node = promql_node_new(p, PROMQL_CALL, start);
	if (!node)
		return NULL;
	node->call.function = f;
	node->call.args = args;
	return adopt_all(p, node, &args) ? node : NULL;
}

/* Parse `by (...)` or `without (...)` if it follows. */
static bool parse_grouping(struct promql_parser *p, struct promql_node *node, bool *found)
{
	*found = promql_next_is(p, PROMQL_TOK_BY) || promql_next_is(p, PROMQL_TOK_WITHOUT);
	if (!*found)
		return true;
	node->aggregate.without = promql_next_is(p, PROMQL_TOK_WITHOUT);
	promql_advance(p);
	return promql_parse_labels(p, &node->aggregate.labels);
}

static struct promql_node *finish_aggregate(struct promql_parser *p, struct promql_node *node,
					    const promql_nodes *args)
{
	enum promql_aggregator op = node->aggregate.op;
	uint32_t want = promql_aggregator_takes(op) ? 2 : 1;

	node->end = p->end;
	if (!args->n)
		return promql_fail(p, node->start,
				   "no arguments for aggregate expression provided");
	if ((op == PROMQL_AGG_LIMITK || op == PROMQL_AGG_LIMIT_RATIO) &&
	    !(p->features & PROMQL_EXPERIMENTAL_FUNCTIONS))
		return promql_fail(p, node->start,
				   "%.*s() is experimental and must be enabled with "
				   "--enable-feature=promql-experimental-functions",
				   STR_ARG(promql_aggregator_text(op)));
	if (args->n != want)
		return promql_fail(p, node->start,
				   "wrong number of arguments for aggregate expression provided, "
				   "expected %u, got %u",
				   want, args->n);
	if (want == 2)
		node->aggregate.param = args->at[0];
	node->aggregate.expr = args->at[want - 1];
	return adopt_all(p, node, args) ? node : NULL;
}

static struct promql_node *parse_aggregate(struct promql_parser *p, struct promql_token op)
{
	struct promql_node *node = promql_node_new(p, PROMQL_AGGREGATE, op.start);
	promql_nodes args = {0};
	bool grouped;

	if (!node)
		return NULL;
	node->aggregate.op = op.aggregator;
	if (!parse_grouping(p, node, &grouped))
		return NULL;
	if (!promql_next_is(p, PROMQL_TOK_LEFT_PAREN))
		return promql_unexpected(p, "aggregation", "");
	if (!parse_args(p, &args) || (!grouped && !parse_grouping(p, node, &grouped)))
		return NULL;
	return finish_aggregate(p, node, &args);
}

static struct promql_node *parse_paren(struct promql_parser *p)
{
	struct promql_node *node, *inner;
	uint32_t start = p->token.start;

	promql_advance(p);
	inner = promql_parse_expression(p);
	if (!inner)
		return NULL;
	if (!promql_take(p, PROMQL_TOK_RIGHT_PAREN))
		return promql_unexpected(p, "", "");
	node = promql_node_new(p, PROMQL_PAREN, start);
	if (!node)
		return NULL;
	node->inner = inner;
	return promql_node_adopt(p, node, inner) ? node : NULL;
}

static struct promql_node *parse_text(struct promql_parser *p)
{
	struct promql_node *node = promql_node_new(p, PROMQL_TEXT, p->token.start);

	if (!node)
		return NULL;
	if (promql_unquote(&p->expr->arena, p->token.text, &node->text))
		return promql_no_memory(p);
	promql_advance(p);
	node->end = p->end;
	return node;
}

/* Return whether the word may be the name of a metric. */
bool promql_is_metric_word(const struct promql_token *t)
{
	switch (t->type) {
	case PROMQL_TOK_IDENTIFIER:
	case PROMQL_TOK_METRIC:
	case PROMQL_TOK_AGGREGATOR:
	case PROMQL_TOK_BY:
	case PROMQL_TOK_WITHOUT:
	case PROMQL_TOK_OFFSET:
	case PROMQL_TOK_ANCHORED:
	case PROMQL_TOK_SMOOTHED:
		return true;
	case PROMQL_TOK_OP:
		return promql_op_is_set(t->op);
	default:
		return t->type >= PROMQL_TOK_START ||
		       (t->type >= PROMQL_TOK_FILL && t->type <= PROMQL_TOK_FILL_RIGHT);
	}
}

/* Return the token after the next one. */
static struct promql_token peek_second(const struct promql_parser *p)
{
	struct promql_lexer lexer = p->lexer;
	struct promql_token t = {0};

	promql_lexer_next(&lexer, &t);
	return t;
}

static struct promql_node *parse_word(struct promql_parser *p)
{
	struct promql_token word = p->token, second = peek_second(p);
	bool called = second.type == PROMQL_TOK_LEFT_PAREN;

	if (word.type == PROMQL_TOK_AGGREGATOR &&
	    (called || second.type == PROMQL_TOK_BY || second.type == PROMQL_TOK_WITHOUT)) {
		promql_advance(p);
		return parse_aggregate(p, word);
	}
	if (called && (word.type == PROMQL_TOK_IDENTIFIER || word.type >= PROMQL_TOK_START)) {
		promql_advance(p);
		return parse_call(p, word.text, word.start);
	}
	return promql_parse_vector_selector(p, true);
}

static struct promql_node *parse_primary(struct promql_parser *p)
{
	switch (p->token.type) {
	case PROMQL_TOK_NUMBER:
	case PROMQL_TOK_DURATION:
		return promql_parse_literal(p);
	case PROMQL_TOK_STRING:
		return parse_text(p);
	case PROMQL_TOK_LEFT_PAREN:
		return parse_paren(p);
	case PROMQL_TOK_LEFT_BRACE:
		return promql_parse_vector_selector(p, false);
	default:
		if (promql_is_metric_word(&p->token))
			return parse_word(p);
		return promql_unexpected(p, "", "");
	}
}

/* Return the @ and offset of the node, or NULL with the error that `what` needs a selector. */
static struct promql_shift *shift_of(struct promql_parser *p, struct promql_node *node,
				     const char *what)
{
	if (node->kind == PROMQL_SELECTOR)
		return &node->selector.shift;
	if (node->kind == PROMQL_RANGE)
		return &node->range.selector->selector.shift;
	if (node->kind == PROMQL_SUBQUERY)
		return &node->subquery.shift;
	return promql_fail(p, node->start,
			   "%s modifier must be preceded by an instant vector selector or range "
			   "vector selector or a subquery",
			   what);
}

static struct promql_node *parse_offset(struct promql_parser *p, struct promql_node *node)
{
	struct promql_node *expr = NULL;
	struct promql_shift *shift;
	int64_t ns = 0;

	promql_advance(p);
	if (!promql_parse_offset(p, &ns, &expr))
		return NULL;
	shift = shift_of(p, node, "offset");
	if (!shift)
		return NULL;
	if (shift->offset_ns || shift->offset_expr)
		return promql_fail(p, node->start, "offset may not be set multiple times");
	shift->offset_ns = ns;
	shift->offset_expr = expr;
	node->end = p->end;
	return node;
}

/* Parse the time after @: a signed number of seconds. */
static bool parse_at_time(struct promql_parser *p, struct promql_node *node,
			  struct promql_shift *shift)
{
	bool negative = promql_next_is_op(p, PROMQL_OP_SUB);
	struct promql_node *literal;
	double value;

	if (negative || promql_next_is_op(p, PROMQL_OP_ADD))
		promql_advance(p);
	if (!promql_next_is(p, PROMQL_TOK_NUMBER) && !promql_next_is(p, PROMQL_TOK_DURATION)) {
		promql_unexpected(p, "@", "timestamp");
		return false;
	}
	literal = promql_parse_literal(p);
	if (!literal)
		return false;
	value = negative ? -literal->number.value : literal->number.value;
	if (!isfinite(value) || fabs(value) >= 0x1p63 || fabs(value) * 1000 >= 0x1p63) {
		promql_fail(p, node->start, "timestamp out of bounds for @ modifier: %f", value);
		return false;
	}
	shift->at_ms = (int64_t)round(value * 1000);
	shift->at_kind = PROMQL_AT_TIME;
	return true;
}

static struct promql_node *parse_at(struct promql_parser *p, struct promql_node *node)
{
	struct promql_shift *shift;
	bool start;

	promql_advance(p);
	shift = shift_of(p, node, "@");
	if (!shift)
		return NULL;
	if (shift->at_kind)
		return promql_fail(p, node->start, "@ <timestamp> may not be set multiple times");
	start = promql_next_is(p, PROMQL_TOK_START);
	if (start || promql_next_is(p, PROMQL_TOK_STOP)) {
		promql_advance(p);
		if (!promql_take(p, PROMQL_TOK_LEFT_PAREN) ||
		    !promql_take(p, PROMQL_TOK_RIGHT_PAREN))
			return promql_unexpected(p, "@", "timestamp");
		shift->at_kind = start ? PROMQL_AT_START : PROMQL_AT_END;
	} else if (!parse_at_time(p, node, shift)) {
		return NULL;
	}
	node->end = p->end;
	return node;
}

static struct promql_node *parse_subquery(struct promql_parser *p, struct promql_node *expr,
					  int64_t range_ns, struct promql_node *range_expr)
{
	struct promql_node *node = promql_node_new(p, PROMQL_SUBQUERY, expr->start);

	if (!node)
		return NULL;
	promql_advance(p);
	node->subquery.expr = expr;
	node->subquery.range_ns = range_ns;
	node->subquery.range_expr = range_expr;
	if (!promql_next_is(p, PROMQL_TOK_RIGHT_BRACKET) &&
	    !promql_parse_positive_duration(p, &node->subquery.step_ns, &node->subquery.step_expr))
		return NULL;
	if (!promql_take(p, PROMQL_TOK_RIGHT_BRACKET))
		return promql_unexpected(p, "subquery selector", "\"]\"");
	node->end = p->end;
	return promql_node_adopt(p, node, expr) ? node : NULL;
}

static struct promql_node *parse_range(struct promql_parser *p, struct promql_node *expr)
{
	uint32_t bracket = p->token.start;
	struct promql_node *range_expr = NULL, *node;
	const char *reason = NULL;
	int64_t ns = 0;

	promql_advance(p);
	if (!promql_parse_positive_duration(p, &ns, &range_expr))
		return NULL;
	if (promql_next_is(p, PROMQL_TOK_COLON))
		return parse_subquery(p, expr, ns, range_expr);
	if (!promql_take(p, PROMQL_TOK_RIGHT_BRACKET))
		return promql_unexpected(p, "subquery or range", "\":\" or \"]\"");
	if (expr->kind != PROMQL_SELECTOR)
		reason = "ranges only allowed for vector selectors";
	else if (expr->selector.shift.offset_ns || expr->selector.shift.offset_expr)
		reason = "no offset modifiers allowed before range";
	else if (expr->selector.shift.at_kind)
		reason = "no @ modifiers allowed before range";
	if (reason)
		return promql_fail(p, bracket, "%s", reason);
	node = promql_node_new(p, PROMQL_RANGE, expr->start);
	if (!node)
		return NULL;
	node->range.selector = expr;
	node->range.range_ns = ns;
	node->range.range_expr = range_expr;
	return promql_node_adopt(p, node, expr) ? node : NULL;
}

static struct promql_node *parse_extended(struct promql_parser *p, struct promql_node *node)
{
	bool anchored = promql_next_is(p, PROMQL_TOK_ANCHORED);
	const char *name = anchored ? "anchored" : "smoothed";
	struct promql_node *selector = node;

	promql_advance(p);
	if (!(p->features & PROMQL_EXTENDED_RANGES))
		return promql_fail(p, node->start, "%s modifier is experimental and not enabled",
				   name);
	if (node->kind == PROMQL_RANGE)
		selector = node->range.selector;
	else if (node->kind == PROMQL_SUBQUERY)
		return promql_fail(p, node->start, "%s modifier is not supported for subqueries",
				   name);
	else if (node->kind != PROMQL_SELECTOR)
		return promql_fail(p, node->start, "%s modifier not implemented", name);
	if (anchored)
		selector->selector.anchored = true;
	else
		selector->selector.smoothed = true;
	if (selector->selector.anchored && selector->selector.smoothed)
		return promql_fail(p, node->start,
				   "anchored and smoothed modifiers cannot be used together");
	return node;
}

struct promql_node *promql_parse_term(struct promql_parser *p)
{
	struct promql_node *node = parse_primary(p);

	for (unsigned i = 0; node; i++) {
		if (i > PROMQL_DEPTH_MAX)
			return promql_fail(p, node->start, "too many modifiers");
		if (promql_next_is(p, PROMQL_TOK_LEFT_BRACKET))
			node = parse_range(p, node);
		else if (promql_next_is(p, PROMQL_TOK_OFFSET))
			node = parse_offset(p, node);
		else if (promql_next_is(p, PROMQL_TOK_AT))
			node = parse_at(p, node);
		else if (promql_next_is(p, PROMQL_TOK_ANCHORED) ||
			 promql_next_is(p, PROMQL_TOK_SMOOTHED))
			node = parse_extended(p, node);
		else
			break;
	}
	return p->rc ? NULL : node;
}
