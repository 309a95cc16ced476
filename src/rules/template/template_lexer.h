/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_RULES_TEMPLATE_TEMPLATE_LEXER_H
#define VARVE_RULES_TEMPLATE_TEMPLATE_LEXER_H

#include "base/err.h"
#include "base/str.h"

/* Tokens inside of an action. White space is a token, because it separates operands. */
enum template_token_kind {
	TOKEN_ERROR, /* `why` has the reason */
	TOKEN_END,   /* the closing delimiter, with its trim marker */
	TOKEN_SPACE,
	TOKEN_NAME,	/* a keyword, function, true, false, nil */
	TOKEN_FIELD,	/* .name */
	TOKEN_VARIABLE, /* $ or $name */
	TOKEN_DOT,
	TOKEN_NUMBER,
	TOKEN_CHARACTER, /* 'a' */
	TOKEN_STRING,	 /* with its quotes */
	TOKEN_PIPE,
	TOKEN_OPEN,
	TOKEN_CLOSE,
	TOKEN_COMMA,
	TOKEN_DECLARE, /* := */
	TOKEN_ASSIGN,
};

struct template_token {
	enum template_token_kind kind;
	struct str text;
	uint32_t at;
	const char *why;
};

/* The zero value of `at` is the begin of the text. Copy the struct to look ahead. */
struct template_lexer {
	struct str text;
	uint32_t at;
};

struct template_token template_next(struct template_lexer *l);

/* Return the next token that is no white space. */
struct template_token template_next_token(struct template_lexer *l);

/* Return whether the text at `at` is " -}}", with the white space before the minus at `at`. */
bool template_at_trimmed_end(struct str text, size_t at);

static inline bool template_is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

#endif
