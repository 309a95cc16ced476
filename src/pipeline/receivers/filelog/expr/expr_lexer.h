/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_FILELOG_EXPR_LEXER_H
#define VARVE_PIPELINE_FILELOG_EXPR_LEXER_H

#include <errno.h>

#include "base/arena.h"
#include "base/err.h"

/* The tokens of expressions. */
enum expr_token_kind {
	EXPR_END,
	EXPR_STRING, /* text: without quotes and escapes */
	EXPR_INT,
	EXPR_FLOAT,
	EXPR_NAME, /* also and, or, not, in, matches ... */
	EXPR_SIGN, /* text: == != <= >= && || ?. or one character */
};

struct expr_token {
	enum expr_token_kind kind;
	struct str text;
	size_t at; /* offset in the source */
	union {
		int64_t i;
		double d;
	};
};

struct expr_lexer {
	struct str source;
	size_t at;
	struct arena *arena; /* of strings with escapes */
	struct expr_token token;
	struct err *e;
};

/* Read the next token into x->token. Return 0, -ENOMEM, or -EINVAL with text in `e`. */
MUST_USE int expr_lexer_next(struct expr_lexer *x);

/* Set the error "at LINE:COLUMN: ..." for an offset in the source. Return -EINVAL. */
int expr_fail_at(const struct expr_lexer *x, size_t at, const char *fmt, ...) PRINTF_LIKE(3, 4);

/* The static analyzer does not follow variadic functions: show it the return value. */
#ifdef __clang_analyzer__
#define expr_fail_at(x, at, ...) ((void)(expr_fail_at)((x), (at), __VA_ARGS__), -EINVAL)
#endif

#endif
