/* SPDX-License-Identifier: Apache-2.0 */
#include "query/promql/syntax/promql_lexer.h"

#include <ctype.h>
#include <stdio.h>
#include <strings.h>

struct keyword {
	struct str text;
	enum promql_token_type type;
	uint8_t value; /* of the operator or aggregator */
};

#define KEYWORD(text, type)                                                                        \
	{                                                                                          \
		STR_INIT(text), PROMQL_TOK_##type, 0                                               \
	}
#define OPERATOR(text, op)                                                                         \
	{                                                                                          \
		STR_INIT(text), PROMQL_TOK_OP, PROMQL_OP_##op                                      \
	}
#define AGGREGATOR(text, op)                                                                       \
	{                                                                                          \
		STR_INIT(text), PROMQL_TOK_AGGREGATOR, PROMQL_AGG_##op                             \
	}

static const struct keyword keywords[] = {
	OPERATOR("and", AND),
	OPERATOR("or", OR),
	OPERATOR("unless", UNLESS),
	OPERATOR("atan2", ATAN2),
	AGGREGATOR("sum", SUM),
	AGGREGATOR("avg", AVG),
	AGGREGATOR("count", COUNT),
	AGGREGATOR("min", MIN),
	AGGREGATOR("max", MAX),
	AGGREGATOR("group", GROUP),
	AGGREGATOR("stddev", STDDEV),
	AGGREGATOR("stdvar", STDVAR),
	AGGREGATOR("topk", TOPK),
	AGGREGATOR("bottomk", BOTTOMK),
	AGGREGATOR("count_values", COUNT_VALUES),
	AGGREGATOR("quantile", QUANTILE),
	AGGREGATOR("limitk", LIMITK),
	AGGREGATOR("limit_ratio", LIMIT_RATIO),
	KEYWORD("offset", OFFSET),
	KEYWORD("smoothed", SMOOTHED),
	KEYWORD("anchored", ANCHORED),
	KEYWORD("by", BY),
	KEYWORD("without", WITHOUT),
	KEYWORD("on", ON),
	KEYWORD("ignoring", IGNORING),
	KEYWORD("group_left", GROUP_LEFT),
	KEYWORD("group_right", GROUP_RIGHT),
	KEYWORD("fill", FILL),
	KEYWORD("fill_left", FILL_LEFT),
	KEYWORD("fill_right", FILL_RIGHT),
	KEYWORD("bool", BOOL),
	KEYWORD("start", START),
	KEYWORD("end", STOP),
	KEYWORD("step", STEP),
	KEYWORD("range", RANGE),
	KEYWORD("max_of", MAX_OF),
	KEYWORD("min_of", MIN_OF),
	KEYWORD("inf", NUMBER),
	KEYWORD("nan", NUMBER),
};

void promql_lexer_init(struct promql_lexer *l, struct str text)
{
	*l = (struct promql_lexer){.text = text};
}

static int peek(const struct promql_lexer *l)
{
	return l->at < l->text.n ? (unsigned char)l->text.p[l->at] : -1;
}

static int peek_at(const struct promql_lexer *l, uint32_t more)
{
	return l->at + more < l->text.n ? (unsigned char)l->text.p[l->at + more] : -1;
}

static bool is_space(int c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static bool is_digit(int c)
{
	return c >= '0' && c <= '9';
}

static bool is_letter(int c)
{
	return c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* Take one of the characters. */
static bool take(struct promql_lexer *l, const char *of)
{
	int c = peek(l);

	if (c <= 0 || !strchr(of, c))
		return false;
	l->at++;
	return true;
}

static bool next_is(const struct promql_lexer *l, const char *of)
{
	int c = peek(l);

	return c > 0 && strchr(of, c);
}

/* Return the length of the UTF-8 character at the position; 1 for an invalid byte. */
static uint32_t char_length(const struct promql_lexer *l, uint32_t at)
{
	for (uint32_t n = 1; n <= 4 && at + n <= l->text.n; n++)
		if (str_utf8_valid(str_of(l->text.p + at, n)) == n)
			return n;
	return 1;
}

/* Make the token an error at its start: `before`, the character at `at` quoted, `after`. */
static void fail_at(struct promql_lexer *l, struct promql_token *t, const char *before, uint32_t at,
		    const char *after)
{
	if (at >= l->text.n)
		snprintf(l->error, sizeof(l->error), "%s'\\x00'%s", before, after);
	else
		snprintf(l->error, sizeof(l->error), "%s'%.*s'%s", before, (int)char_length(l, at),
			 l->text.p + at, after);
	t->type = PROMQL_TOK_ERROR;
}

static void fail(struct promql_lexer *l, struct promql_token *t, const char *text)
{
	snprintf(l->error, sizeof(l->error), "%s", text);
	t->type = PROMQL_TOK_ERROR;
}

/* Scan the rest of a number. Return false if it is none, perhaps a duration. */
static bool scan_number_rest(struct promql_lexer *l, const char *digits)
{
	bool dot = false, exponent = false, hex = strlen(digits) > 10;

	for (;;) {
		if (next_is(l, digits) && !next_is(l, "eE")) {
			l->at++;
		} else if (next_is(l, ".")) {
			l->at++;
			if (dot)
				return false;
			dot = true;
			if (take(l, "_.") || hex)
				return false;
		} else if (next_is(l, "eE")) {
			l->at++;
			if (exponent && !hex)
				return false;
			if (hex)
				continue;
			exponent = true;
			(void)take(l, "+-");
			if (take(l, "._eE") || peek(l) < 0)
				return false;
		} else if (next_is(l, "_")) {
			l->at++;
			if (take(l, "._eE") || peek(l) < 0)
				return false;
		} else {
			return true;
		}
	}
}

static bool scan_number(struct promql_lexer *l)
{
	const char *digits = "0123456789";
	uint32_t start = l->at;

	if (take(l, "0") && take(l, "xX")) {
		(void)take(l, "_");
		digits = "0123456789abcdefABCDEF";
	}
	if (!scan_number_rest(l, digits) || l->at == start)
		return false;
	return !is_letter(peek(l)) && !is_digit(peek(l));
}

/* Scan the rest of a duration after its first digits. */
static bool scan_duration_rest(struct promql_lexer *l)
{
	if (!take(l, "smhdwy"))
		return false;
	(void)take(l, "s");
	while (take(l, "0123456789")) {
		while (take(l, "0123456789"))
			;
		if (!take(l, "smhdw"))
			return false;
		(void)take(l, "s");
	}
	return !is_letter(peek(l)) && !is_digit(peek(l));
}

static void number_or_duration(struct promql_lexer *l, struct promql_token *t)
{
	if (scan_number(l)) {
		t->type = PROMQL_TOK_NUMBER;
	} else if (scan_duration_rest(l)) {
		t->type = PROMQL_TOK_DURATION;
	} else {
		snprintf(l->error, sizeof(l->error), "bad number or duration syntax: \"%.*s\"",
			 (int)min_size(l->at - t->start, 60), l->text.p + t->start);
		t->type = PROMQL_TOK_ERROR;
	}
}

static int hex_value(int c)
{
	if (is_digit(c))
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : 16;
}

/* Check the escape sequence after a backslash. Return false with the error set. */
static bool scan_escape(struct promql_lexer *l, struct promql_token *t, int quote)
{
	int c = peek(l), digits = 0, base = 16;
	uint64_t value = 0;

	if (c < 0) {
		fail(l, t, "escape sequence not terminated");
		return false;
	}
	if ((c && strchr("abfnrtv\\", c)) || c == quote) {
		l->at++;
		return true;
	}
	if (c >= '0' && c <= '7') {
		digits = 3;
		base = 8;
	} else if (c == 'x' || c == 'u' || c == 'U') {
		digits = c == 'x' ? 2 : c == 'u' ? 4 : 8;
		l->at++;
	} else {
		fail_at(l, t, "unknown escape sequence ", l->at, "");
		return false;
	}
	for (; digits; digits--) {
		c = peek(l);
		if (c < 0) {
			fail(l, t, "escape sequence not terminated");
			return false;
		}
		if (hex_value(c) >= base) {
			fail_at(l, t, "illegal character ", l->at, " in escape sequence");
			return false;
		}
		value = value * (unsigned)base + (unsigned)hex_value(c);
		l->at++;
	}
	if (value > 0x10ffff || (base == 8 && value > 255) || (value >= 0xd800 && value < 0xe000)) {
		fail(l, t, "escape sequence is an invalid Unicode code point");
		return false;
	}
	return true;
}

static void string(struct promql_lexer *l, struct promql_token *t)
{
	int quote = peek(l);

	t->type = PROMQL_TOK_STRING;
	l->at++;
	for (;;) {
		int c = peek(l);

		if (c < 0 || (c == '\n' && quote != '`')) {
			fail(l, t,
			     quote == '`' ? "unterminated raw string"
					  : "unterminated quoted string");
			return;
		}
		if (c == quote) {
			l->at++;
			return;
		}
		if (c == '\\' && quote != '`') {
			l->at++;
			if (!scan_escape(l, t, quote))
				return;
			continue;
		}
		if (c >= 0x80 && char_length(l, l->at) == 1) {
			fail(l, t, "invalid UTF-8 rune");
			return;
		}
		l->at += char_length(l, l->at);
	}
}

static bool paren_follows(const struct promql_lexer *l)
{
	uint32_t at = l->at;

	while (at < l->text.n && is_space((unsigned char)l->text.p[at]))
		at++;
	return at < l->text.n && l->text.p[at] == '(';
}

static void word(struct promql_lexer *l, struct promql_token *t)
{
	struct str text;
	bool colon = false;

	while (is_letter(peek(l)) || is_digit(peek(l)) || peek(l) == ':')
		colon |= l->text.p[l->at++] == ':';
	text = str_of(l->text.p + t->start, l->at - t->start);
	t->type = colon ? PROMQL_TOK_METRIC : PROMQL_TOK_IDENTIFIER;
	for (size_t i = 0; i < countof(keywords); i++) {
		const struct keyword *k = &keywords[i];

		if (k->text.n != text.n || strncasecmp(k->text.p, text.p, text.n) != 0)
			continue;
		if (k->type >= PROMQL_TOK_FILL && k->type <= PROMQL_TOK_FILL_RIGHT &&
		    !paren_follows(l))
			return;
		t->type = k->type;
		t->op = k->type == PROMQL_TOK_OP ? (enum promql_op)k->value : PROMQL_OP_NONE;
		t->aggregator = (enum promql_aggregator)k->value;
		return;
	}
}

static void operator(struct promql_lexer *l, struct promql_token *t, enum promql_op op,
		     uint32_t length)
{
	t->type = PROMQL_TOK_OP;
	t->op = op;
	l->at += length;
}

static void single(struct promql_lexer *l, struct promql_token *t, enum promql_token_type type)
{
	t->type = type;
	l->at++;
}

/* Get an arithmetic operator. */
static bool arithmetic(struct promql_lexer *l, struct promql_token *t)
{
	static const char signs[] = "+-*/%^";
	const char *at = peek(l) > 0 ? strchr(signs, peek(l)) : NULL;

	if (!at)
		return false;
	operator(l, t, (enum promql_op)(PROMQL_OP_ADD + (at - signs)), 1);
	return true;
}

static void in_braces(struct promql_lexer *l, struct promql_token *t)
{
	int c = peek(l);

	if (c < 0) {
		fail(l, t, "unexpected end of input inside braces");
	} else if (is_letter(c)) {
		while (is_letter(peek(l)) || is_digit(peek(l)))
			l->at++;
		t->type = PROMQL_TOK_IDENTIFIER;
	} else if (c == ',') {
		single(l, t, PROMQL_TOK_COMMA);
	} else if (c == '"' || c == '\'' || c == '`') {
		string(l, t);
	} else if (c == '=') {
		single(l, t, PROMQL_TOK_ASSIGN);
		if (take(l, "~"))
			t->type = PROMQL_TOK_MATCH_RE;
	} else if (c == '!') {
		l->at++;
		if (take(l, "~")) {
			t->type = PROMQL_TOK_MATCH_NRE;
		} else if (take(l, "=")) {
			t->type = PROMQL_TOK_OP;
			t->op = PROMQL_OP_NE;
		} else {
			fail_at(l, t, "unexpected character after '!' inside braces: ", l->at, "");
		}
	} else if (c == '{') {
		fail_at(l, t, "unexpected left brace ", l->at, "");
	} else if (c == '}') {
		single(l, t, PROMQL_TOK_RIGHT_BRACE);
		l->in_braces = false;
	} else {
		fail_at(l, t, "unexpected character inside braces: ", l->at, "");
	}
}

static void paren(struct promql_lexer *l, struct promql_token *t)
{
	bool left = peek(l) == '(';

	if (!left && !l->parens) {
		fail_at(l, t, "unexpected right parenthesis ", l->at, "");
		return;
	}
	single(l, t, left ? PROMQL_TOK_LEFT_PAREN : PROMQL_TOK_RIGHT_PAREN);
	l->parens = left ? l->parens + 1 : l->parens - 1;
}

static void in_brackets(struct promql_lexer *l, struct promql_token *t)
{
	int c = peek(l);

	if (c < 0) {
		fail(l, t,
		     l->got_duration ? "unclosed left bracket"
				     : "unexpected end of input in duration expression");
	} else if (c == ']') {
		single(l, t, PROMQL_TOK_RIGHT_BRACKET);
		l->in_brackets = false;
	} else if (c == ':') {
		if (l->got_colon)
			fail_at(l, t, "unexpected colon ", l->at, "");
		else
			single(l, t, PROMQL_TOK_COLON);
		l->got_colon = true;
	} else if (c == '(' || c == ')') {
		paren(l, t);
	} else if (c == ',') {
		single(l, t, PROMQL_TOK_COMMA);
	} else if (c == '[') {
		fail_at(l, t, "unexpected left bracket ", l->at, "");
	} else if (is_digit(c) || (c == '.' && is_digit(peek_at(l, 1)))) {
		l->got_duration = true;
		number_or_duration(l, t);
	} else if (is_letter(c)) {
		uint32_t at = l->at;

		l->got_duration = true;
		while (is_letter(peek(l)))
			l->at++;
		l->at = at;
		word(l, t);
		if (t->type < PROMQL_TOK_STEP) {
			l->at = at;
			fail_at(l, t, "unexpected character in duration expression: ", at, "");
		}
	} else if (!arithmetic(l, t)) {
		fail_at(l, t, "unexpected character in duration expression: ", l->at, "");
	}
}

static void comparison(struct promql_lexer *l, struct promql_token *t)
{
	int c = peek(l), next = peek_at(l, 1);

	if (c == '=') {
		if (next == '=')
			operator(l, t, PROMQL_OP_EQ, 2);
		else if (next == '~')
			fail_at(l, t, "unexpected character after '=': ", l->at + 1, "");
		else
			single(l, t, PROMQL_TOK_ASSIGN);
	} else if (c == '!') {
		if (next == '=')
			operator(l, t, PROMQL_OP_NE, 2);
		else
			fail_at(l, t, "unexpected character after '!': ", l->at + 1, "");
	} else if (c == '<') {
		operator(l, t,
			 next == '='   ? PROMQL_OP_LE
			 : next == '/' ? PROMQL_OP_TRIM_UPPER
				       : PROMQL_OP_LT,
			 next == '=' || next == '/' ? 2 : 1);
	} else {
		operator(l, t,
			 next == '='   ? PROMQL_OP_GE
			 : next == '/' ? PROMQL_OP_TRIM_LOWER
				       : PROMQL_OP_GT,
			 next == '=' || next == '/' ? 2 : 1);
	}
}

static void outside(struct promql_lexer *l, struct promql_token *t)
{
	int c = peek(l);

	if (c < 0) {
		t->type = PROMQL_TOK_END;
		if (l->parens)
			fail(l, t, "unclosed left parenthesis");
	} else if (c == ',') {
		single(l, t, PROMQL_TOK_COMMA);
	} else if (c && strchr("=!<>", c)) {
		comparison(l, t);
	} else if (is_digit(c) || (c == '.' && is_digit(peek_at(l, 1)))) {
		number_or_duration(l, t);
	} else if (c == '"' || c == '\'' || c == '`') {
		string(l, t);
	} else if (is_letter(c) || c == ':') {
		word(l, t);
	} else if (c == '(' || c == ')') {
		paren(l, t);
	} else if (c == '{') {
		single(l, t, PROMQL_TOK_LEFT_BRACE);
		l->in_braces = true;
	} else if (c == '[') {
		single(l, t, PROMQL_TOK_LEFT_BRACKET);
		l->in_brackets = true;
		l->got_colon = l->got_duration = false;
	} else if (c == ']') {
		fail_at(l, t, "unexpected right bracket ", l->at, "");
	} else if (c == '@') {
		single(l, t, PROMQL_TOK_AT);
	} else if (!arithmetic(l, t)) {
		fail_at(l, t, "unexpected character: ", l->at, "");
	}
}

static void skip_blanks(struct promql_lexer *l)
{
	while (is_space(peek(l)) || peek(l) == '#') {
		if (peek(l) != '#') {
			l->at++;
			continue;
		}
		while (peek(l) >= 0 && peek(l) != '\n' && peek(l) != '\r')
			l->at++;
	}
}

void promql_lexer_next(struct promql_lexer *l, struct promql_token *t)
{
	if (t->type == PROMQL_TOK_ERROR)
		return;
	skip_blanks(l);
	*t = (struct promql_token){.start = l->at};
	if (l->in_braces)
		in_braces(l, t);
	else if (l->in_brackets)
		in_brackets(l, t);
	else
		outside(l, t);
	t->text = str_of(l->text.p + t->start, l->at - t->start);
}

void promql_put_quoted(struct buf *b, struct str text, size_t limit)
{
	size_t count = 0;

	buf_put_char(b, '"');
	for (size_t i = 0; i < text.n && (!limit || count < limit); i++) {
		unsigned char c = (unsigned char)text.p[i];
		static const char from[] = "\a\b\f\n\r\t\v", to[] = "abfnrtv";
		const char *found = c ? strchr(from, c) : NULL;

		count += (c & 0xc0) != 0x80;
		if (c == '"' || c == '\\')
			buf_printf(b, "\\%c", c);
		else if (found)
			buf_printf(b, "\\%c", to[found - from]);
		else if (c < 0x20 || c == 0x7f)
			buf_printf(b, "\\x%02x", c);
		else
			buf_put_char(b, (char)c);
	}
	buf_put_char(b, '"');
}

void promql_token_describe(struct buf *b, const struct promql_token *t)
{
	static const char *const kinds[] = {
		[PROMQL_TOK_IDENTIFIER] = "identifier ", [PROMQL_TOK_METRIC] = "metric identifier ",
		[PROMQL_TOK_NUMBER] = "number ",	 [PROMQL_TOK_DURATION] = "duration ",
		[PROMQL_TOK_STRING] = "string ",
	};
	bool whole = t->type == PROMQL_TOK_IDENTIFIER || t->type == PROMQL_TOK_METRIC;

	if (t->type == PROMQL_TOK_END) {
		buf_put_str(b, STR("end of input"));
		return;
	}
	if (t->type == PROMQL_TOK_OP || t->type == PROMQL_TOK_MATCH_RE ||
	    t->type == PROMQL_TOK_MATCH_NRE || t->type == PROMQL_TOK_AT) {
		buf_printf(b, "<op:%.*s>", STR_ARG(t->text));
		return;
	}
	if (t->type == PROMQL_TOK_AGGREGATOR) {
		buf_printf(b, "<aggr:%.*s>", STR_ARG(t->text));
		return;
	}
	if (t->type >= PROMQL_TOK_OFFSET && t->type <= PROMQL_TOK_BOOL) {
		buf_printf(b, "<%.*s>", STR_ARG(t->text));
		return;
	}
	if (t->type < countof(kinds) && kinds[t->type])
		buf_put_str(b, str_from(kinds[t->type]));
	promql_put_quoted(b, t->text, whole ? 0 : 10);
	if (!whole && t->text.n > 10)
		buf_put_str(b, STR("..."));
}
