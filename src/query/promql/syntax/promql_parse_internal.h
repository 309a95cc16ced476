/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_QUERY_PROMQL_SYNTAX_PROMQL_PARSE_INTERNAL_H
#define VARVE_QUERY_PROMQL_SYNTAX_PROMQL_PARSE_INTERNAL_H

#include "query/promql/syntax/promql_lexer.h"
#include "query/promql/syntax/promql_parser.h"

/*
 * The state of a parser, shared by the files that parse selectors, durations and expressions.
 * Functions that parse return NULL (or false) after an error, which is in `e`.
 */
struct promql_parser {
	struct promql_expr *expr;
	struct promql_lexer lexer;
	struct promql_token token; /* the next one */
	uint32_t end;		   /* after the last token that was taken */
	unsigned features;
	unsigned depth; /* of the recursion */
	uint32_t nodes;
	struct err *e;
	int rc;
};

/* Set the error, with the position of an offset, unless there is one already. Return NULL. */
void *promql_fail(struct promql_parser *p, uint32_t at, const char *fmt, ...) PRINTF_LIKE(3, 4);

/* Fail: the next token is not what `context` expects. Both texts may be empty. */
void *promql_unexpected(struct promql_parser *p, const char *context, const char *expected);

/* Fail with -ENOMEM. */
void *promql_no_memory(struct promql_parser *p);

/* Take the next token. */
void promql_advance(struct promql_parser *p);

static inline bool promql_next_is(const struct promql_parser *p, enum promql_token_type type)
{
	return p->token.type == type;
}

static inline bool promql_next_is_op(const struct promql_parser *p, enum promql_op op)
{
	return p->token.type == PROMQL_TOK_OP && p->token.op == op;
}

/* Take the next token if it has the type. */
bool promql_take(struct promql_parser *p, enum promql_token_type type);

/* Make a node from `start` to the end of the last token. Its depth is that of its children + 1. */
struct promql_node *promql_node_new(struct promql_parser *p, enum promql_kind kind, uint32_t start);

/* Make the node deeper than the child. Return false if it is too deep. */
bool promql_node_adopt(struct promql_parser *p, struct promql_node *node,
		       const struct promql_node *child);

/* Parse a number or a duration into a node of the kind PROMQL_NUMBER. */
struct promql_node *promql_parse_literal(struct promql_parser *p);

/* Parse the duration in brackets: a positive literal in *ns or an expression in *expr. */
bool promql_parse_positive_duration(struct promql_parser *p, int64_t *ns,
				    struct promql_node **expr);

/* Parse the duration after `offset`. */
bool promql_parse_offset(struct promql_parser *p, int64_t *ns, struct promql_node **expr);

/* Parse matchers in braces, or only a name, which is the next token. */
struct promql_node *promql_parse_vector_selector(struct promql_parser *p, bool named);

/* Parse a whole expression, up to a token that cannot continue it. */
struct promql_node *promql_parse_expression(struct promql_parser *p);

/* Parse a term with its modifiers. */
struct promql_node *promql_parse_term(struct promql_parser *p);

/* Return whether the token may be the name of a metric. */
bool promql_is_metric_word(const struct promql_token *t);

/* Parse a list of labels in parentheses. */
bool promql_parse_labels(struct promql_parser *p, promql_names *names);

/* Check types, counts of arguments, and the rules of operators. */
bool promql_check(struct promql_parser *p, struct promql_node *root);

#endif
