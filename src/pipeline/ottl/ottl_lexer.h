/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_OTTL_LEXER_H
#define VARVE_PIPELINE_OTTL_LEXER_H

#include "base/arena.h"
#include "base/err.h"

/* The tokens of OTTL. */
enum ottl_token_kind {
	TOKEN_END,
	TOKEN_STRING, /* text: without quotes and escapes */
	TOKEN_INT,
	TOKEN_FLOAT,
	TOKEN_BYTES, /* 0x...; text: the bytes */
	TOKEN_LOWER, /* name, and, or, not, where, true, false, nil */
	TOKEN_UPPER, /* Name, NAME */
	TOKEN_COMPARE,
	TOKEN_SIGN, /* one character: ( ) [ ] { } , . : = + - * / */
};

enum ottl_compare { OTTL_EQ, OTTL_NE, OTTL_LT, OTTL_GT, OTTL_LE, OTTL_GE };

struct ottl_token {
	enum ottl_token_kind kind;
	struct str text;
	uint32_t at; /* offset in the source */
	uint32_t end;
	union {
		int64_t i;
		double d;
		enum ottl_compare compare;
	};
};

struct ottl_lexer {
	struct str source;
	uint32_t at;
	struct arena *arena; /* of strings with escapes, and bytes */
	struct ottl_token token;
	struct err *e;
};

/* Read the next token into l->token. Return 0, -EINVAL with text in `e`, or -ENOMEM. */
MUST_USE int ottl_lexer_next(struct ottl_lexer *l);

/* Set the error "LINE:COLUMN: ..." for an offset in the source. Return -EINVAL. */
int ottl_fail_at(struct str source, uint32_t at, struct err *e, const char *fmt, ...)
	PRINTF_LIKE(4, 5);

#endif
