/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_QUERY_TRACEQL_PARSER_H
#define VARVE_QUERY_TRACEQL_PARSER_H

#include "query/traceql/traceql_ast.h"

enum {
	TRACEQL_TEXT_MAX = 128 << 10, /* bytes of a query */
	TRACEQL_DEPTH_MAX = 256,      /* nested expressions */
	TRACEQL_FIELDS_MAX = 256,
};

/*
 * Private to TraceQL: the parser's state, shared by its files. Errors are set once, with the
 * position of the token.
 */
struct traceql_parser {
	struct traceql *query;
	struct traceql_tokens tokens;
	uint32_t next; /* index of the next token */
	unsigned depth;
	struct err *e;
};

/* The next token, and the one `ahead` of it; the last one is TRACEQL_END. */
const struct traceql_token *tq_peek(const struct traceql_parser *p, uint32_t ahead);

/* Skip the next token. */
void tq_advance(struct traceql_parser *p);

/* Return whether the next token is this operator or word. */
bool tq_is(const struct traceql_parser *p, enum traceql_token_kind kind, const char *text);

/* Skip the token if it is next, and return whether it was. */
bool tq_take(struct traceql_parser *p, enum traceql_token_kind kind, const char *text);

/* Skip an operator that has to follow. Return 0 or -EINVAL. */
MUST_USE int tq_expect(struct traceql_parser *p, const char *text);

/* Set "syntax error: unexpected X" for the next token. -EINVAL. */
int tq_unexpected(struct traceql_parser *p);

/* Set an error for an offset of the source. -EINVAL. */
int tq_error(struct traceql_parser *p, uint32_t at, const char *fmt, ...) PRINTF_LIKE(3, 4);

/* Enter a nested construct. Return 0, or -EINVAL beyond TRACEQL_DEPTH_MAX. The caller leaves it. */
MUST_USE int tq_enter(struct traceql_parser *p);
void tq_leave(struct traceql_parser *p);

/* Parse an expression over the fields of a span, and check the types of its operands. */
MUST_USE int tq_parse_expr(struct traceql_parser *p, struct traceql_expr **out);

/* Parse an attribute or an intrinsic. */
MUST_USE int tq_parse_field(struct traceql_parser *p, struct traceql_expr **out);

/* Return whether the value depends on the span. NULL does not. */
bool tq_refers_to_span(const struct traceql_expr *x);

/* Return whether values of the type are numbers: int, float or duration. */
bool tq_is_numeric(enum traceql_type t);

/* Parse a number or duration with an optional sign, or arithmetic of such. */
MUST_USE int tq_parse_constant(struct traceql_parser *p, struct traceql_value *out);

/* Return the comparison that the next token is, or TRACEQL_OPS. */
enum traceql_op tq_comparison(const struct traceql_parser *p);

/* Return the index of the field of the view, which is added if it is new. Return 0 or -errno. */
MUST_USE int tq_add_field(struct traceql_parser *p, const struct trace_field *f, uint32_t *index);

/*
 * Parse a pipeline up to a token that cannot continue it. With a metric function *metrics is set,
 * otherwise *pipeline.
 */
MUST_USE int tq_parse_pipeline(struct traceql_parser *p, struct traceql_pipeline **pipeline,
			       struct traceql_metrics **metrics);

/* Parse a metric function; the cursor is at its name. */
MUST_USE int tq_parse_metric(struct traceql_parser *p, struct traceql_pipeline *pipeline,
			     struct traceql_metrics **out);

/* Return whether the next token is the name of a metric function. */
bool tq_is_metric(const struct traceql_parser *p);

/* Return whether arithmetic of metrics is next: a number, or metrics in parentheses. */
bool tq_math_follows(const struct traceql_parser *p);

/* Parse arithmetic of metrics in parentheses and numbers, with the stages that follow it. */
MUST_USE int tq_parse_metrics_math(struct traceql_parser *p, struct traceql_metrics **out);

#endif
