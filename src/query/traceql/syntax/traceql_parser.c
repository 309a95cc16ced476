/* SPDX-License-Identifier: Apache-2.0 */
/* The cursor over the tokens of a query, and its errors. */
#include "query/traceql/syntax/traceql_parser.h"

#include <stdarg.h>
#include <stdio.h>

const struct traceql_token *tq_peek(const struct traceql_parser *p, uint32_t ahead)
{
	uint32_t last = p->tokens.list.n - 1;

	return &p->tokens.list.at[p->next + ahead < last ? p->next + ahead : last];
}

void tq_advance(struct traceql_parser *p)
{
	if (p->next < p->tokens.list.n - 1)
		p->next++;
}

bool tq_is(const struct traceql_parser *p, enum traceql_token_kind kind, const char *text)
{
	const struct traceql_token *t = tq_peek(p, 0);

	return t->kind == kind && str_eq(t->text, str_from(text));
}

bool tq_take(struct traceql_parser *p, enum traceql_token_kind kind, const char *text)
{
	if (!tq_is(p, kind, text))
		return false;
	tq_advance(p);
	return true;
}

int tq_expect(struct traceql_parser *p, const char *text)
{
	const struct traceql_token *t = tq_peek(p, 0);

	if (tq_take(p, TRACEQL_OPERATOR, text))
		return 0;
	if (t->kind == TRACEQL_END)
		return tq_error(p, t->at, "syntax error: unexpected $end, expecting %s", text);
	return tq_error(p, t->at, "syntax error: unexpected %.*s, expecting %s", STR_ARG(t->text),
			text);
}

int tq_unexpected(struct traceql_parser *p)
{
	const struct traceql_token *t = tq_peek(p, 0);
	struct str rest = str_from_at(p->tokens.source, t->at);

	if (t->kind == TRACEQL_END)
		return tq_error(p, t->at, "syntax error: unexpected $end");
	if (t->kind == TRACEQL_WORD && tq_peek(p, 0)->text.n)
		return tq_error(p, t->at, "syntax error: unexpected %.*s",
				STR_ARG(str_head(t->text, 100)));
	if (t->kind == TRACEQL_OPERATOR)
		return tq_error(p, t->at, "syntax error: unexpected %.*s", STR_ARG(t->text));
	return tq_error(p, t->at, "syntax error: unexpected \"%.*s\"", STR_ARG(str_head(rest, 20)));
}

int tq_error(struct traceql_parser *p, uint32_t at, const char *fmt, ...)
{
	char text[ERR_TEXT_MAX];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	return traceql_fail(p->tokens.source, at, p->e, "%s", text);
}

int tq_enter(struct traceql_parser *p)
{
	if (++p->depth > TRACEQL_DEPTH_MAX)
		return tq_error(p, tq_peek(p, 0)->at, "the query is nested too deeply (%d levels)",
				TRACEQL_DEPTH_MAX);
	return 0;
}

void tq_leave(struct traceql_parser *p)
{
	p->depth--;
}

static bool same_field(const struct trace_field *a, const struct trace_field *b)
{
	return a->scope == b->scope &&
	       (a->scope == TRACE_SCOPE_INTRINSIC ? a->intrinsic == b->intrinsic
						  : str_eq(a->key, b->key));
}

int tq_add_field(struct traceql_parser *p, const struct trace_field *f, uint32_t *index)
{
	struct traceql *q = p->query;

	for (*index = 0; *index < q->fields.n; ++*index)
		if (same_field(&q->fields.at[*index], f))
			return 0;
	if (q->fields.n >= TRACEQL_FIELDS_MAX)
		return tq_error(p, tq_peek(p, 0)->at, "the query has more than %d attributes",
				TRACEQL_FIELDS_MAX);
	return vec_push(q->arena, &q->fields, *f);
}
