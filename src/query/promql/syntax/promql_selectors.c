/* SPDX-License-Identifier: Apache-2.0 */
/* Instant vector selectors: a name, and matchers in braces. */
#include "query/promql/syntax/promql_literal.h"
#include "query/promql/syntax/promql_parse_internal.h"

static bool unquote(struct promql_parser *p, struct str *out)
{
	if (promql_unquote(&p->expr->arena, p->token.text, out)) {
		promql_no_memory(p);
		return false;
	}
	return true;
}

static bool add_matcher(struct promql_parser *p, promql_matchers *list, enum promql_match type,
			struct str name, struct str value, uint32_t start)
{
	struct promql_matcher m = {.type = type, .name = name, .value = value};
	struct err reason = {0};

	if (type == PROMQL_MATCH_RE || type == PROMQL_MATCH_NRE) {
		if (regex_new(&m.regex, value, REGEX_WHOLE | REGEX_DOT_ALL, &reason)) {
			promql_fail(p, start, "%s", reason.text);
			return false;
		}
		if (vec_push(&p->expr->arena, &p->expr->regexes, m.regex)) {
			regex_free(m.regex);
			promql_no_memory(p);
			return false;
		}
	}
	if (vec_push(&p->expr->arena, list, m)) {
		promql_no_memory(p);
		return false;
	}
	return true;
}

static bool match_type(const struct promql_token *t, enum promql_match *type)
{
	if (t->type == PROMQL_TOK_ASSIGN)
		*type = PROMQL_MATCH_EQ;
	else if (t->type == PROMQL_TOK_MATCH_RE)
		*type = PROMQL_MATCH_RE;
	else if (t->type == PROMQL_TOK_MATCH_NRE)
		*type = PROMQL_MATCH_NRE;
	else if (t->type == PROMQL_TOK_OP && t->op == PROMQL_OP_NE)
		*type = PROMQL_MATCH_NE;
	else
		return false;
	return true;
}

static bool parse_matcher(struct promql_parser *p, promql_matchers *list)
{
	uint32_t start = p->token.start;
	bool quoted = promql_next_is(p, PROMQL_TOK_STRING);
	enum promql_match type;
	struct str name, value;

	if (!quoted && !promql_next_is(p, PROMQL_TOK_IDENTIFIER)) {
		promql_unexpected(p, "label matching", "identifier or \"}\"");
		return false;
	}
	name = p->token.text;
	if (quoted && !unquote(p, &name))
		return false;
	promql_advance(p);
	if (!match_type(&p->token, &type)) {
		if (quoted && (promql_next_is(p, PROMQL_TOK_COMMA) ||
			       promql_next_is(p, PROMQL_TOK_RIGHT_BRACE)))
			return add_matcher(p, list, PROMQL_MATCH_EQ, STR("__name__"), name, start);
		promql_unexpected(p, "label matching",
				  quoted ? "\",\" or \"}\"" : "label matching operator");
		return false;
	}
	promql_advance(p);
	if (!promql_next_is(p, PROMQL_TOK_STRING)) {
		promql_unexpected(p, "label matching", "string");
		return false;
	}
	if (!unquote(p, &value))
		return false;
	promql_advance(p);
	return add_matcher(p, list, type, name, value, start);
}

static bool parse_braces(struct promql_parser *p, promql_matchers *list)
{
	promql_advance(p);
	while (!promql_next_is(p, PROMQL_TOK_RIGHT_BRACE)) {
		if (!parse_matcher(p, list))
			return false;
		if (promql_take(p, PROMQL_TOK_COMMA))
			continue;
		if (!promql_next_is(p, PROMQL_TOK_RIGHT_BRACE)) {
			promql_unexpected(p, "label matching", "\",\" or \"}\"");
			return false;
		}
	}
	promql_advance(p);
	return true;
}

struct promql_node *promql_parse_vector_selector(struct promql_parser *p, bool named)
{
	struct promql_node *node = promql_node_new(p, PROMQL_SELECTOR, p->token.start);

	if (!node)
		return NULL;
	if (named) {
		node->selector.name = p->token.text;
		promql_advance(p);
	}
	if (promql_next_is(p, PROMQL_TOK_LEFT_BRACE) && !parse_braces(p, &node->selector.matchers))
		return NULL;
	if (named && !add_matcher(p, &node->selector.matchers, PROMQL_MATCH_EQ, STR("__name__"),
				  node->selector.name, node->start))
		return NULL;
	node->end = p->end;
	return node;
}
