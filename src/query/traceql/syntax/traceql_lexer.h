/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_QUERY_TRACEQL_LEXER_H
#define VARVE_QUERY_TRACEQL_LEXER_H

#include "base/container/vec.h"
#include "base/err.h"

/*
 * Tokens of TraceQL. Strings, numbers and durations are literals with their value, names of
 * attributes are one token with scope and key; everything else is a word or an operator.
 */
enum traceql_token_kind {
	TRACEQL_END,
	TRACEQL_STRING,	   /* text */
	TRACEQL_INT,	   /* number */
	TRACEQL_FLOAT,	   /* real */
	TRACEQL_DURATION,  /* number: nanoseconds */
	TRACEQL_WORD,	   /* text: keyword, intrinsic (also "span:name"), function */
	TRACEQL_ATTRIBUTE, /* text: the key; scope */
	TRACEQL_OPERATOR,  /* text */
};

/* The scope of an attribute as it is written. */
enum traceql_scope {
	TRACEQL_ANY_SCOPE, /* .x */
	TRACEQL_SPAN,
	TRACEQL_RESOURCE,
	TRACEQL_EVENT,
	TRACEQL_LINK,
	TRACEQL_INSTRUMENTATION,
	TRACEQL_PARENT, /* not supported, as in Tempo */
};

struct traceql_token {
	enum traceql_token_kind kind;
	enum traceql_scope scope;
	uint32_t at; /* offset in the source */
	struct str text;
	union {
		int64_t number;
		double real;
	};
};

struct traceql_tokens {
	struct str source;
	VEC(struct traceql_token) list; /* ends with TRACEQL_END */
};

/*
 * Split `source` into tokens, which borrow from it or are in the arena. Return 0, -ENOMEM, or
 * -EINVAL with "parse error at line L, col C: reason" in `e`.
 */
MUST_USE int traceql_tokenize(struct traceql_tokens *out, struct str source, struct arena *a,
			      struct err *e);

/* Set "parse error at line L, col C: " and the text for an offset of the source. -EINVAL. */
int traceql_fail(struct str source, uint32_t at, struct err *e, const char *fmt, ...)
	PRINTF_LIKE(4, 5);

/* Return whether the text of a whole duration is valid ("1h30m", "1.5s"), and its nanoseconds. */
bool traceql_duration(struct str text, int64_t *ns);

#endif
