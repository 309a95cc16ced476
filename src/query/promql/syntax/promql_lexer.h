/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_QUERY_PROMQL_SYNTAX_PROMQL_LEXER_H
#define VARVE_QUERY_PROMQL_SYNTAX_PROMQL_LEXER_H

#include "base/buf.h"
#include "query/promql/syntax/promql_ast.h"

/*
 * Tokens of PromQL. What a character means depends on where it is: in braces only labels and
 * matchers occur, in brackets only durations. Keywords ignore case.
 */
enum promql_token_type {
	PROMQL_TOK_END,
	PROMQL_TOK_ERROR,
	PROMQL_TOK_IDENTIFIER,
	PROMQL_TOK_METRIC, /* an identifier with a colon */
	PROMQL_TOK_NUMBER,
	PROMQL_TOK_DURATION,
	PROMQL_TOK_STRING, /* with its quotes */
	PROMQL_TOK_LEFT_PAREN,
	PROMQL_TOK_RIGHT_PAREN,
	PROMQL_TOK_LEFT_BRACE,
	PROMQL_TOK_RIGHT_BRACE,
	PROMQL_TOK_LEFT_BRACKET,
	PROMQL_TOK_RIGHT_BRACKET,
	PROMQL_TOK_COMMA,
	PROMQL_TOK_COLON,
	PROMQL_TOK_ASSIGN, /* = */
	PROMQL_TOK_MATCH_RE,
	PROMQL_TOK_MATCH_NRE,
	PROMQL_TOK_AT,
	PROMQL_TOK_OP,	       /* .op */
	PROMQL_TOK_AGGREGATOR, /* .aggregator */
	PROMQL_TOK_OFFSET,
	PROMQL_TOK_SMOOTHED,
	PROMQL_TOK_ANCHORED,
	PROMQL_TOK_BY,
	PROMQL_TOK_WITHOUT,
	PROMQL_TOK_ON,
	PROMQL_TOK_IGNORING,
	PROMQL_TOK_GROUP_LEFT,
	PROMQL_TOK_GROUP_RIGHT,
	PROMQL_TOK_FILL,
	PROMQL_TOK_FILL_LEFT,
	PROMQL_TOK_FILL_RIGHT,
	PROMQL_TOK_BOOL,
	PROMQL_TOK_START,
	PROMQL_TOK_STOP, /* end */
	PROMQL_TOK_STEP,
	PROMQL_TOK_RANGE,
	PROMQL_TOK_MAX_OF,
	PROMQL_TOK_MIN_OF,
};

struct promql_token {
	enum promql_token_type type;
	enum promql_op op;
	enum promql_aggregator aggregator;
	uint32_t start;
	struct str text;
};

struct promql_lexer {
	struct str text;
	uint32_t at;
	uint32_t parens;
	bool in_braces, in_brackets, got_colon, got_duration;
	/* After PROMQL_TOK_ERROR: the reason. */
	char error[128];
};

void promql_lexer_init(struct promql_lexer *l, struct str text);

/* Get the next token that is not a comment. After an error or the end it is returned again. */
void promql_lexer_next(struct promql_lexer *l, struct promql_token *t);

/* Append the token as an error names it, such as `identifier "foo"` or `<op:+>`. */
void promql_token_describe(struct buf *b, const struct promql_token *t);

/* Append the text in double quotes with escapes, at most `limit` characters of it if not 0. */
void promql_put_quoted(struct buf *b, struct str text, size_t limit);

#endif
