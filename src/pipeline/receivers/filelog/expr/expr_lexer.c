/* SPDX-License-Identifier: Apache-2.0 */
/* Splits an expression into tokens. */
#include "pipeline/receivers/filelog/expr/expr_lexer.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>

int(expr_fail_at)(const struct expr_lexer *x, size_t at, const char *fmt, ...)
{
	size_t line = 1, column = 1;
	char text[ERR_TEXT_MAX / 2];
	va_list args;

	for (size_t i = 0; i < at && i < x->source.n; i++) {
		column = x->source.p[i] == '\n' ? 1 : column + 1;
		line += x->source.p[i] == '\n';
	}
	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	return err_set(x->e, -EINVAL, "expression '%.*s': at %zu:%zu: %s",
		       STR_ARG(str_head(x->source, 80)), line, column, text);
}

static bool name_begins(char c)
{
	return isalpha((unsigned char)c) || c == '_' || c == '$';
}

static bool name_continues(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* ---- strings ---- */

static int hex_digits(struct str s, size_t at, unsigned n, uint32_t *out)
{
	for (*out = 0; n--; at++) {
		char c = at < s.n ? s.p[at] : 0;

		if (!isxdigit((unsigned char)c))
			return -EINVAL;
		*out = *out << 4 |
		       (uint32_t)(isdigit((unsigned char)c) ? c - '0' : (c | 0x20) - 'a' + 10);
	}
	return 0;
}

static char *put_code_point(char *to, uint32_t c)
{
	if (c < 0x80) {
		*to++ = (char)c;
	} else if (c < 0x800) {
		*to++ = (char)(0xc0 | c >> 6);
		*to++ = (char)(0x80 | (c & 0x3f));
	} else {
		*to++ = (char)(0xe0 | c >> 12);
		*to++ = (char)(0x80 | (c >> 6 & 0x3f));
		*to++ = (char)(0x80 | (c & 0x3f));
	}
	return to;
}

/* Decode the escape after the backslash at *at; advance both. */
static int read_escape(struct expr_lexer *x, size_t *at, char **to)
{
	static const char names[] = "nrtabfv0\\\"'`", values[] = "\n\r\t\a\b\f\v\0\\\"'`";
	char c = *at + 1 < x->source.n ? x->source.p[*at + 1] : 0;
	const char *found = c ? strchr(names, c) : NULL;
	uint32_t code;

	if (found) {
		*(*to)++ = values[found - names];
		*at += 2;
		return 0;
	}
	if (c == 'x' && !hex_digits(x->source, *at + 2, 2, &code)) {
		*(*to)++ = (char)code;
		*at += 4;
		return 0;
	}
	if (c == 'u' && !hex_digits(x->source, *at + 2, 4, &code) &&
	    (code < 0xd800 || code > 0xdfff)) {
		*to = put_code_point(*to, code);
		*at += 6;
		return 0;
	}
	return expr_fail_at(x, *at, "unknown escape in a string");
}

static int read_quoted(struct expr_lexer *x, char quote)
{
	size_t start = x->at + 1, end = start;
	bool escapes = false;
	char *copy, *to;
	int rc = 0;

	while (end < x->source.n && x->source.p[end] != quote) {
		bool escape = x->source.p[end] == '\\' && quote != '`';

		escapes |= escape;
		end += 1 + escape;
	}
	if (end >= x->source.n)
		return expr_fail_at(x, x->at, "the string is not closed");
	x->token.kind = EXPR_STRING;
	x->token.text = str_of(x->source.p + start, end - start);
	x->at = end + 1;
	if (!escapes)
		return 0;
	copy = to = arena_alloc(x->arena, end - start + 1, 1);
	if (!copy)
		return err_errno(x->e, -ENOMEM, "expression");
	while (start < end && !rc) {
		if (x->source.p[start] == '\\')
			rc = read_escape(x, &start, &to);
		else
			*to++ = x->source.p[start++];
	}
	x->token.text = str_of(copy, (size_t)(to - copy));
	return rc;
}

/* ---- numbers and signs ---- */

static int read_expr_number(struct expr_lexer *x)
{
	size_t end = x->at;
	struct str text;

	while (end < x->source.n &&
	       (isalnum((unsigned char)x->source.p[end]) || x->source.p[end] == '.' ||
		(strchr("+-", x->source.p[end]) && (x->source.p[end - 1] | 0x20) == 'e')))
		end++;
	text = str_of(x->source.p + x->at, end - x->at);
	x->token.text = text;
	x->token.kind = EXPR_INT;
	if (str_to_i64(text, &x->token.i)) {
		x->token.kind = EXPR_FLOAT;
		if (str_to_double(text, &x->token.d))
			return expr_fail_at(x, x->at, "\"%.*s\" is not a number",
					    STR_ARG(str_head(text, 40)));
	}
	x->at = end;
	return 0;
}

static int read_sign(struct expr_lexer *x)
{
	static const struct str signs[] = {
		STR_INIT("=="), STR_INIT("!="), STR_INIT("<="), STR_INIT(">="), STR_INIT("&&"),
		STR_INIT("||"), STR_INIT("?."), STR_INIT("<"),	STR_INIT(">"),	STR_INIT("!"),
		STR_INIT("("),	STR_INIT(")"),	STR_INIT("["),	STR_INIT("]"),	STR_INIT(","),
		STR_INIT("."),	STR_INIT("+"),	STR_INIT("-"),
	};
	struct str rest = str_from_at(x->source, x->at);
	char c = x->source.p[x->at];

	for (size_t i = 0; i < countof(signs); i++) {
		if (!str_starts(rest, signs[i]))
			continue;
		x->token.kind = EXPR_SIGN;
		x->token.text = signs[i];
		x->at += signs[i].n;
		return 0;
	}
	return expr_fail_at(x, x->at, "'%c' is not supported", isprint((unsigned char)c) ? c : '?');
}

int expr_lexer_next(struct expr_lexer *x)
{
	char c;

	while (x->at < x->source.n && isspace((unsigned char)x->source.p[x->at]))
		x->at++;
	x->token = (struct expr_token){.at = x->at};
	if (x->at == x->source.n)
		return 0;
	c = x->source.p[x->at];
	if (c == '"' || c == '\'' || c == '`')
		return read_quoted(x, c);
	if (isdigit((unsigned char)c))
		return read_expr_number(x);
	if (!name_begins(c))
		return read_sign(x);
	x->token.kind = EXPR_NAME;
	do {
		x->at++;
	} while (x->at < x->source.n && name_continues(x->source.p[x->at]));
	x->token.text = str_of(x->source.p + x->token.at, x->at - x->token.at);
	return 0;
}
