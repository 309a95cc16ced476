/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Splits a TraceQL query into tokens. Rules of Tempo's lexer: names of attributes end at white space
 * or one of {}()=~!<>&|^, so that arithmetic needs spaces around - / * and +; a part in quotes may
 * have any character. A number that is followed by letters is a duration.
 */
#include "query/traceql/syntax/traceql_lexer.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "wire/text.h"

struct tq_lexer {
	struct str source;
	uint32_t at;
	struct arena *arena;
	struct err *e;
};

int traceql_fail(struct str source, uint32_t at, struct err *e, const char *fmt, ...)
{
	char text[ERR_TEXT_MAX];
	unsigned line = 1, column = 1;
	va_list args;

	for (uint32_t i = 0; i < at && i < source.n; i++) {
		bool part = ((unsigned char)source.p[i] & 0xc0) == 0x80; /* of a character */

		column = source.p[i] == '\n' ? 1 : column + !part;
		line += source.p[i] == '\n';
	}
	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	return err_set(e, -EINVAL, "parse error at line %u, col %u: %s", line, column, text);
}

static bool is_decimal(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_white(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* Whether a character can be in the name of an attribute outside of quotes. */
static bool is_key_char(char c)
{
	return c && !is_white(c) && !strchr("{}()=~!<>&|^,", c);
}

static char next_char(const struct tq_lexer *l, uint32_t ahead)
{
	if (!l->source.p || (size_t)l->at + ahead >= l->source.n)
		return '\0';
	return l->source.p[l->at + ahead];
}

/* Skip white space and comments. */
static void skip_white(struct tq_lexer *l)
{
	for (;;) {
		if (is_white(next_char(l, 0))) {
			l->at++;
		} else if (next_char(l, 0) == '/' && next_char(l, 1) == '/') {
			while (l->at < l->source.n && l->source.p[l->at] != '\n')
				l->at++;
		} else if (next_char(l, 0) == '/' && next_char(l, 1) == '*') {
			struct str rest = str_from_at(l->source, l->at + 2);
			size_t end = str_find_str(rest, STR("*/"));

			l->at = end < rest.n ? (uint32_t)(l->at + 2 + end + 2)
					     : (uint32_t)l->source.n;
		} else {
			return;
		}
	}
}

/* ---- strings ---- */

/* Write a code point as UTF-8. Return the number of bytes, 0 if it is not a character. */
static unsigned utf8_put(char *to, uint32_t c)
{
	static const unsigned char lead[] = {0, 0, 0xc0, 0xe0, 0xf0};
	unsigned n = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;

	if (c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff))
		return 0;
	for (unsigned i = n; i-- > 1; c >>= 6)
		to[i] = (char)(0x80 | (c & 0x3f));
	to[0] = (char)(lead[n] | c);
	return n;
}

/* Read `n` digits of a base at *in. Return false if there are fewer. */
static bool read_digits(struct str *in, unsigned n, unsigned base, uint32_t *out)
{
	*out = 0;
	if (in->n < n)
		return false;
	for (unsigned i = 0; i < n; i++) {
		int digit = hex_digit(in->p[i]);

		if (digit < 0 || digit >= (int)base)
			return false;
		*out = *out * base + (uint32_t)digit;
	}
	*in = str_from_at(*in, n);
	return true;
}

/* Decode what follows a backslash, as in Go, at *in. Return the number of bytes written, 0: bad. */
static unsigned read_go_escape(struct str *in, char *to)
{
	static const char names[] = "abfnrtv\\'\"", values[] = "\a\b\f\n\r\t\v\\'\"";
	const char *found;
	uint32_t code;
	char c;

	if (!in->n)
		return 0;
	c = in->p[0];
	found = c ? strchr(names, c) : NULL;
	if (found) {
		*in = str_from_at(*in, 1);
		*to = values[found - names];
		return 1;
	}
	if (c >= '0' && c <= '7') {
		if (!read_digits(in, 3, 8, &code) || code > 0xff)
			return 0;
		*to = (char)code;
		return 1;
	}
	*in = str_from_at(*in, 1);
	if (c == 'x' && read_digits(in, 2, 16, &code)) {
		*to = (char)code;
		return 1;
	}
	if ((c == 'u' && read_digits(in, 4, 16, &code)) ||
	    (c == 'U' && read_digits(in, 8, 16, &code)))
		return utf8_put(to, code);
	return 0;
}

/* Decode the escapes of `in`; an escape is never shorter than what it stands for. */
static int unescape(struct tq_lexer *l, struct str in, struct str *out)
{
	char *text, *to;

	*out = in;
	if (str_find(in, '\\') == in.n)
		return 0;
	text = to = arena_alloc(l->arena, in.n, 1);
	if (!text)
		return -ENOMEM;
	while (in.n) {
		unsigned n;

		if (in.p[0] != '\\') {
			*to++ = in.p[0];
			in = str_from_at(in, 1);
			continue;
		}
		in = str_from_at(in, 1);
		n = read_go_escape(&in, to);
		if (!n)
			return traceql_fail(l->source, l->at, l->e,
					    "unknown escape in a string; a backslash is "
					    "written \\\\");
		to += n;
	}
	*out = str_of(text, (size_t)(to - text));
	return 0;
}

static int lex_quoted(struct tq_lexer *l, struct traceql_token *t)
{
	char quote = next_char(l, 0);
	uint32_t end = l->at + 1;
	struct str text;
	int rc;

	while (end < l->source.n && l->source.p[end] != quote) {
		if (quote == '"' && l->source.p[end] == '\n')
			break;
		end += quote == '"' && l->source.p[end] == '\\' ? 2 : 1;
	}
	if (end >= l->source.n || l->source.p[end] != quote)
		return traceql_fail(l->source, l->at, l->e, "the string has no closing quote");
	text = str_of(l->source.p + l->at + 1, end - l->at - 1);
	rc = quote == '"' ? unescape(l, text, &t->text) : 0;
	if (rc)
		return rc;
	if (quote != '"')
		t->text = text;
	t->kind = TRACEQL_STRING;
	l->at = end + 1;
	return 0;
}

/* ---- numbers ---- */

/* Return the nanoseconds of a unit, 0 if there is no such unit, and cut it off *in. */
static int64_t take_unit(struct str *in)
{
	static const struct {
		struct str name;
		int64_t ns;
	} units[] = {
		{STR_INIT("ns"), 1},
		{STR_INIT("us"), 1000},
		{STR_INIT("\xc2\xb5s"), 1000},
		{STR_INIT("\xce\xbcs"), 1000},
		{STR_INIT("ms"), 1000000},
		{STR_INIT("s"), 1000000000},
		{STR_INIT("m"), 60000000000},
		{STR_INIT("h"), 3600000000000},
		{STR_INIT("d"), 86400000000000},
		{STR_INIT("w"), 604800000000000},
		{STR_INIT("y"), 31536000000000000},
	};

	for (size_t i = 0; i < countof(units); i++) {
		if (!str_starts(*in, units[i].name))
			continue;
		*in = str_from_at(*in, units[i].name.n);
		return units[i].ns;
	}
	return 0;
}

bool traceql_duration(struct str text, int64_t *ns)
{
	long double sum = 0;

	if (!text.n)
		return false;
	while (text.n) {
		size_t n = 0;
		double number;
		int64_t unit;

		while (n < text.n && (is_decimal(text.p[n]) || text.p[n] == '.'))
			n++;
		if (!n || str_to_double(str_head(text, n), &number))
			return false;
		text = str_from_at(text, n);
		unit = take_unit(&text);
		if (!unit)
			return false;
		sum += (long double)number * unit;
	}
	if (sum > (long double)INT64_MAX)
		return false;
	*ns = (int64_t)roundl(sum);
	return true;
}

/* Return whether the character continues a duration: units, digits and dots, in any order. */
static bool is_duration_char(char c)
{
	return is_decimal(c) || c == '.' || (c && strchr("numshdwy\xc2\xb5\xce\xbc", c));
}

static int lex_number(struct tq_lexer *l, struct traceql_token *t)
{
	uint32_t start = l->at;
	bool real = false;
	struct str text;

	while (is_decimal(next_char(l, 0)) || next_char(l, 0) == '.') {
		real |= next_char(l, 0) == '.';
		l->at++;
	}
	if (is_letter(next_char(l, 0)) && next_char(l, 0) != 'e' && next_char(l, 0) != 'E')
		real = true;
	if (is_duration_char(next_char(l, 0))) {
		while (is_duration_char(next_char(l, 0)))
			l->at++;
		text = str_of(l->source.p + start, l->at - start);
		t->kind = TRACEQL_DURATION;
		if (!traceql_duration(text, &t->number))
			return traceql_fail(l->source, start, l->e,
					    "syntax error: bad duration \"%.*s\"", STR_ARG(text));
		return 0;
	}
	if (next_char(l, 0) == 'e' || next_char(l, 0) == 'E') {
		real = true;
		l->at++;
		if (next_char(l, 0) == '+' || next_char(l, 0) == '-')
			l->at++;
		while (is_decimal(next_char(l, 0)))
			l->at++;
	}
	while (is_letter(next_char(l, 0)) || is_decimal(next_char(l, 0)))
		l->at++;
	text = str_of(l->source.p + start, l->at - start);
	t->kind = real ? TRACEQL_FLOAT : TRACEQL_INT;
	if (real ? str_to_double(text, &t->real) : str_to_i64(text, &t->number))
		return traceql_fail(l->source, start, l->e, "syntax error: bad number \"%.*s\"",
				    STR_ARG(text));
	return 0;
}

/* ---- names ---- */

/* Append the quoted part at the cursor to `key`: anything up to the quote; escapes \\ and \". */
static int lex_key_quote(struct tq_lexer *l, struct buf *key)
{
	uint32_t start = l->at++;

	while (l->at < l->source.n && l->source.p[l->at] != '"') {
		char c = l->source.p[l->at++];

		if (c == '\\') {
			c = next_char(l, 0);
			if (c != '\\' && c != '"')
				return traceql_fail(l->source, l->at, l->e,
						    "invalid escape in the name of an attribute");
			l->at++;
		}
		buf_put_char(key, c);
	}
	if (l->at >= l->source.n)
		return traceql_fail(l->source, start, l->e,
				    "unexpected end of the name of an attribute, expecting \"");
	l->at++;
	return 0;
}

/* Read the name of an attribute; the cursor is after the dot. */
static int lex_key(struct tq_lexer *l, struct traceql_token *t)
{
	struct buf key;
	int rc = 0;

	buf_init(&key, NULL);
	while (!rc && is_key_char(next_char(l, 0))) {
		if (next_char(l, 0) == '"') {
			rc = lex_key_quote(l, &key);
		} else {
			buf_put_char(&key, next_char(l, 0));
			l->at++;
		}
	}
	if (!rc && !buf_str(&key).n)
		rc = traceql_fail(l->source, l->at, l->e,
				  "syntax error: the name of an attribute is missing");
	if (!rc)
		rc = buf_error(&key);
	if (!rc)
		rc = arena_copy_str(l->arena, buf_str(&key), &t->text);
	buf_fini(&key);
	t->kind = TRACEQL_ATTRIBUTE;
	return rc;
}

static const struct str scope_names[] = {
	[TRACEQL_ANY_SCOPE] = STR_INIT("."),
	[TRACEQL_SPAN] = STR_INIT("span"),
	[TRACEQL_RESOURCE] = STR_INIT("resource"),
	[TRACEQL_EVENT] = STR_INIT("event"),
	[TRACEQL_LINK] = STR_INIT("link"),
	[TRACEQL_INSTRUMENTATION] = STR_INIT("instrumentation"),
	[TRACEQL_PARENT] = STR_INIT("parent"),
};

/* A word, "scope.key" or "scope:intrinsic". */
static int lex_word(struct tq_lexer *l, struct traceql_token *t)
{
	uint32_t start = l->at;
	struct str word;

	while (is_letter(next_char(l, 0)) || is_decimal(next_char(l, 0)))
		l->at++;
	word = str_of(l->source.p + start, l->at - start);
	for (size_t i = TRACEQL_SPAN; i < countof(scope_names); i++) {
		if (!str_eq(word, scope_names[i]) || next_char(l, 0) != '.')
			continue;
		l->at++;
		t->scope = (enum traceql_scope)i;
		return lex_key(l, t);
	}
	if (next_char(l, 0) == ':' && is_letter(next_char(l, 1))) {
		l->at++;
		while (is_letter(next_char(l, 0)))
			l->at++;
		word = str_of(l->source.p + start, l->at - start);
	}
	t->kind = TRACEQL_WORD;
	t->text = word;
	return 0;
}

static int lex_operator(struct tq_lexer *l, struct traceql_token *t)
{
	/* longer ones first */
	static const struct str operators[] = {
		STR_INIT("&>>"), STR_INIT("&<<"), STR_INIT("!>>"), STR_INIT("!<<"), STR_INIT("!="),
		STR_INIT("=~"),	 STR_INIT("!~"),  STR_INIT(">="),  STR_INIT("<="),  STR_INIT("&&"),
		STR_INIT("||"),	 STR_INIT(">>"),  STR_INIT("<<"),  STR_INIT("!>"),  STR_INIT("!<"),
		STR_INIT("&>"),	 STR_INIT("&<"),  STR_INIT("&~"),  STR_INIT("="),   STR_INIT(">"),
		STR_INIT("<"),	 STR_INIT("+"),	  STR_INIT("-"),   STR_INIT("*"),   STR_INIT("/"),
		STR_INIT("%"),	 STR_INIT("^"),	  STR_INIT("!"),   STR_INIT("|"),   STR_INIT("~"),
		STR_INIT("{"),	 STR_INIT("}"),	  STR_INIT("("),   STR_INIT(")"),   STR_INIT(","),
	};
	struct str rest = str_from_at(l->source, l->at);

	for (size_t i = 0; i < countof(operators); i++) {
		if (!str_starts(rest, operators[i]))
			continue;
		t->kind = TRACEQL_OPERATOR;
		t->text = operators[i];
		l->at += (uint32_t)operators[i].n;
		return 0;
	}
	return traceql_fail(l->source, l->at, l->e, "syntax error: unexpected %.*s",
			    STR_ARG(str_head(rest, 1)));
}

static int lex_token(struct tq_lexer *l, struct traceql_token *t)
{
	char c = next_char(l, 0);

	if (c == '"' || c == '`')
		return lex_quoted(l, t);
	if (is_decimal(c) || (c == '.' && is_decimal(next_char(l, 1))))
		return lex_number(l, t);
	if (c == '.') {
		l->at++;
		return lex_key(l, t);
	}
	if (is_letter(c))
		return lex_word(l, t);
	return lex_operator(l, t);
}

int traceql_tokenize(struct traceql_tokens *out, struct str source, struct arena *a, struct err *e)
{
	struct tq_lexer l = {.source = source, .arena = a, .e = e};
	int rc = 0;

	*out = (struct traceql_tokens){.source = source};
	if (str_utf8_valid(source) < source.n || memchr(source.p ? source.p : "", 0, source.n))
		return traceql_fail(source, (uint32_t)str_utf8_valid(source), e,
				    "the query is not UTF-8 text");
	while (!rc) {
		struct traceql_token t = {.kind = TRACEQL_END};

		skip_white(&l);
		t.at = l.at;
		if (l.at < source.n)
			rc = lex_token(&l, &t);
		if (!rc)
			rc = vec_push(a, &out->list, t);
		if (!rc && t.kind == TRACEQL_END)
			break;
	}
	return rc;
}
