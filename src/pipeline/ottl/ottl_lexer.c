/* SPDX-License-Identifier: Apache-2.0 */
/* Splits the text of a statement into tokens. An error names the column. */
#include "pipeline/ottl/ottl_lexer.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

#include "wire/text.h"

int ottl_fail_at(struct str source, uint32_t at, struct err *e, const char *fmt, ...)
{
	char text[ERR_TEXT_MAX];
	unsigned line = 1, column = 1;
	va_list args;

	for (uint32_t i = 0; i < at && i < source.n; i++) {
		column = source.p[i] == '\n' ? 1 : column + 1;
		line += source.p[i] == '\n';
	}
	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	return err_set(e, -EINVAL, "%u:%u: %s", line, column, text);
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_lower(char c)
{
	return (c >= 'a' && c <= 'z') || c == '_';
}

static bool is_upper(char c)
{
	return c >= 'A' && c <= 'Z';
}

static bool is_name(char c)
{
	return is_lower(c) || is_upper(c) || is_digit(c);
}

static char peek(const struct ottl_lexer *l, uint32_t ahead)
{
	return l->at + ahead < l->source.n ? l->source.p[l->at + ahead] : '\0';
}

/* ---- strings ---- */

static char *put_utf8(char *to, uint32_t c)
{
	if (c < 0x80) {
		*to++ = (char)c;
	} else if (c < 0x800) {
		*to++ = (char)(0xc0 | c >> 6);
		*to++ = (char)(0x80 | (c & 0x3f));
	} else if (c < 0x10000) {
		*to++ = (char)(0xe0 | c >> 12);
		*to++ = (char)(0x80 | (c >> 6 & 0x3f));
		*to++ = (char)(0x80 | (c & 0x3f));
	} else {
		*to++ = (char)(0xf0 | c >> 18);
		*to++ = (char)(0x80 | (c >> 12 & 0x3f));
		*to++ = (char)(0x80 | (c >> 6 & 0x3f));
		*to++ = (char)(0x80 | (c & 0x3f));
	}
	return to;
}

/* Read `digits` hex digits at the cursor. Return false if there are fewer. */
static bool read_hex(struct ottl_lexer *l, unsigned digits, uint32_t *out)
{
	*out = 0;
	for (unsigned i = 0; i < digits; i++) {
		int digit = hex_digit(peek(l, 0));

		if (digit < 0)
			return false;
		*out = *out << 4 | (uint32_t)digit;
		l->at++;
	}
	return true;
}

/* Read what follows a backslash, as in Go. Return NULL for an unknown escape. */
static char *read_escape(struct ottl_lexer *l, char *to)
{
	static const char names[] = "abfnrtv\\'\"", values[] = "\a\b\f\n\r\t\v\\'\"";
	char c = peek(l, 0);
	const char *found = c ? strchr(names, c) : NULL;
	uint32_t code;

	l->at++;
	if (found) {
		*to++ = values[found - names];
		return to;
	}
	if (c == 'x' && read_hex(l, 2, &code)) {
		*to++ = (char)code;
		return to;
	}
	if ((c == 'u' && read_hex(l, 4, &code)) || (c == 'U' && read_hex(l, 8, &code)))
		return code <= 0x10ffff && (code < 0xd800 || code > 0xdfff) ? put_utf8(to, code)
									    : NULL;
	return NULL;
}

static int lex_string(struct ottl_lexer *l)
{
	uint32_t start = l->at++, end = l->at;
	char *text, *to;

	while (end < l->source.n && l->source.p[end] != '"')
		end += l->source.p[end] == '\\' ? 2 : 1;
	if (end >= l->source.n)
		return ottl_fail_at(l->source, start, l->e, "the string has no closing quote");
	l->token.kind = TOKEN_STRING;
	l->token.text = str_of(l->source.p + l->at, end - l->at);
	if (str_find(l->token.text, '\\') < l->token.text.n) {
		text = to = arena_alloc(l->arena, end - l->at, 1);
		if (!text)
			return -ENOMEM;
		while (l->at < end) {
			char c = l->source.p[l->at++];

			if (c != '\\') {
				*to++ = c;
				continue;
			}
			to = read_escape(l, to);
			if (!to)
				return ottl_fail_at(l->source, l->at - 2, l->e,
						    "unknown escape in a string; a backslash is "
						    "written \\\\");
		}
		l->token.text = str_of(text, (size_t)(to - text));
	}
	l->at = end + 1;
	return 0;
}

/* ---- numbers ---- */

static int lex_bytes(struct ottl_lexer *l)
{
	uint32_t start = l->at, end = l->at + 2;
	size_t n = 0;
	char *bytes;

	while (end < l->source.n && hex_digit(l->source.p[end]) >= 0)
		end++;
	bytes = arena_alloc(l->arena, (end - start) / 2, 1);
	if (!bytes)
		return -ENOMEM;
	if (hex_decode(str_of(l->source.p + start + 2, end - start - 2), bytes, (end - start) / 2,
		       &n))
		return ottl_fail_at(l->source, start, l->e,
				    "a literal of bytes needs an even number of hex digits");
	l->token.kind = TOKEN_BYTES;
	l->token.text = str_of(bytes, n);
	l->at = end;
	return 0;
}

static void skip_exponent(struct ottl_lexer *l)
{
	uint32_t sign = peek(l, 1) == '+' || peek(l, 1) == '-';

	if ((peek(l, 0) != 'e' && peek(l, 0) != 'E') || !is_digit(peek(l, 1 + sign)))
		return;
	for (l->at += 1 + sign; is_digit(peek(l, 0));)
		l->at++;
}

static int lex_number(struct ottl_lexer *l)
{
	uint32_t start = l->at;
	bool fraction;

	while (is_digit(peek(l, 0)))
		l->at++;
	fraction = peek(l, 0) == '.';
	if (fraction)
		l->at++;
	while (fraction && is_digit(peek(l, 0)))
		l->at++;
	if (fraction)
		skip_exponent(l);
	l->token.text = str_of(l->source.p + start, l->at - start);
	l->token.kind = fraction ? TOKEN_FLOAT : TOKEN_INT;
	if (fraction ? str_to_double(l->token.text, &l->token.d)
		     : str_to_i64(l->token.text, &l->token.i))
		return ottl_fail_at(l->source, start, l->e, "the number %.*s is out of range",
				    STR_ARG(l->token.text));
	return 0;
}

/* ---- the rest ---- */

static void lex_name(struct ottl_lexer *l)
{
	uint32_t start = l->at;
	bool upper = is_upper(peek(l, 0));

	/* A lower-case name has no capitals: "aB" is two tokens, which no rule of the grammar has. */
	while (upper ? is_name(peek(l, 0)) : is_lower(peek(l, 0)) || is_digit(peek(l, 0)))
		l->at++;
	l->token.kind = upper ? TOKEN_UPPER : TOKEN_LOWER;
	l->token.text = str_of(l->source.p + start, l->at - start);
}

static bool lex_compare(struct ottl_lexer *l)
{
	static const struct {
		const char *text;
		enum ottl_compare compare;
	} signs[] = {{"==", OTTL_EQ}, {"!=", OTTL_NE}, {"<=", OTTL_LE},
		     {">=", OTTL_GE}, {"<", OTTL_LT},  {">", OTTL_GT}};

	for (size_t i = 0; i < countof(signs); i++) {
		struct str sign = str_from(signs[i].text);

		if (!str_starts(str_from_at(l->source, l->at), sign))
			continue;
		l->token.kind = TOKEN_COMPARE;
		l->token.compare = signs[i].compare;
		l->token.text = str_of(l->source.p + l->at, sign.n);
		l->at += (uint32_t)sign.n;
		return true;
	}
	return false;
}

static int lex_token(struct ottl_lexer *l)
{
	char c = peek(l, 0);

	if (c == '"')
		return lex_string(l);
	if (c == '0' && peek(l, 1) == 'x')
		return lex_bytes(l);
	if (is_digit(c) || (c == '.' && is_digit(peek(l, 1))))
		return lex_number(l);
	if (is_lower(c) || is_upper(c)) {
		lex_name(l);
		return 0;
	}
	if (lex_compare(l))
		return 0;
	if (!c || !strchr("()[]{},.:=+-*/", c))
		return ottl_fail_at(l->source, l->at, l->e, "invalid input text \"%.*s\"",
				    STR_ARG(str_head(str_from_at(l->source, l->at), 20)));
	l->token.kind = TOKEN_SIGN;
	l->token.text = str_of(l->source.p + l->at++, 1);
	return 0;
}

int ottl_lexer_next(struct ottl_lexer *l)
{
	int rc;

	while (l->at < l->source.n && strchr(" \t\r\n", l->source.p[l->at]) && l->source.p[l->at])
		l->at++;
	l->token = (struct ottl_token){.at = l->at, .end = l->at};
	if (l->at >= l->source.n)
		return 0;
	rc = lex_token(l);
	l->token.end = l->at;
	return rc;
}
