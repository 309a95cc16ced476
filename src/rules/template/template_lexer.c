/* SPDX-License-Identifier: Apache-2.0 */
/* Splits actions of templates into tokens, as Go's text/template/parse. */
#include "rules/template/template_lexer.h"

#include <ctype.h>

static char char_at(const struct template_lexer *l, size_t at)
{
	return at < l->text.n ? l->text.p[at] : 0;
}

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_' || (unsigned char)c >= 0x80;
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

bool template_at_trimmed_end(struct str text, size_t at)
{
	return at < text.n && template_is_space(text.p[at]) &&
	       str_starts(str_from_at(text, at + 1), STR("-}}"));
}

static struct template_token token_to(struct template_lexer *l, enum template_token_kind kind,
				      size_t end)
{
	struct template_token t = {
		.kind = kind, .text = str_of(l->text.p + l->at, end - l->at), .at = l->at};

	l->at = (uint32_t)end;
	return t;
}

static struct template_token error_at(struct template_lexer *l, const char *why)
{
	return (struct template_token){.kind = TOKEN_ERROR, .at = l->at, .why = why};
}

static size_t word_end(const struct template_lexer *l, size_t at)
{
	while (at < l->text.n && is_word(l->text.p[at]))
		at++;
	return at;
}

/* A space, or the trimming end of the action. */
static struct template_token lex_space(struct template_lexer *l)
{
	size_t end = l->at;

	while (end < l->text.n && template_is_space(l->text.p[end]))
		end++;
	if (!template_at_trimmed_end(l->text, end - 1))
		return token_to(l, TOKEN_SPACE, end);
	if (end - 1 > l->at)
		return token_to(l, TOKEN_SPACE, end - 1);
	return token_to(l, TOKEN_END, end + 3);
}

/* "..." with escapes, or '...' */
static struct template_token lex_quoted(struct template_lexer *l)
{
	char quote = l->text.p[l->at];

	for (size_t i = l->at + 1; i < l->text.n && l->text.p[i] != '\n'; i++) {
		if (l->text.p[i] == '\\')
			i++;
		else if (l->text.p[i] == quote)
			return token_to(l, quote == '"' ? TOKEN_STRING : TOKEN_CHARACTER, i + 1);
	}
	return error_at(l, quote == '"' ? "unterminated quoted string"
					: "unterminated character constant");
}

static struct template_token lex_raw(struct template_lexer *l)
{
	size_t end = l->at + 1 + str_find(str_from_at(l->text, l->at + 1), '`');

	if (end >= l->text.n)
		return error_at(l, "unterminated raw quoted string");
	return token_to(l, TOKEN_STRING, end + 1);
}

/* Any run of the characters of a number; its value is checked by the parser. */
static struct template_token lex_number(struct template_lexer *l)
{
	size_t end = l->at;

	if (char_at(l, end) == '+' || char_at(l, end) == '-')
		end++;
	while (is_word(char_at(l, end)) || char_at(l, end) == '.') {
		char c = (char)(char_at(l, end) | 0x20), sign = char_at(l, end + 1);
		bool hex = char_at(l, l->at + (char_at(l, l->at) < '0')) == '0' &&
			   (char_at(l, l->at + 1 + (char_at(l, l->at) < '0')) | 0x20) == 'x';

		end++;
		if (c == (hex ? 'p' : 'e') && (sign == '+' || sign == '-'))
			end++;
	}
	return token_to(l, TOKEN_NUMBER, end);
}

static bool starts_number(const struct template_lexer *l)
{
	char c = char_at(l, l->at), next = char_at(l, l->at + 1);

	return is_digit(c) || ((c == '+' || c == '-' || c == '.') && is_digit(next)) ||
	       ((c == '+' || c == '-') && next == '.' && is_digit(char_at(l, l->at + 2)));
}

struct template_token template_next(struct template_lexer *l)
{
	char c = char_at(l, l->at), next = char_at(l, l->at + 1);

	if (l->at >= l->text.n)
		return error_at(l, "unclosed action");
	if (template_is_space(c))
		return lex_space(l);
	if (c == '}' && next == '}')
		return token_to(l, TOKEN_END, l->at + 2);
	if (c == '"' || c == '\'')
		return lex_quoted(l);
	if (c == '`')
		return lex_raw(l);
	if (starts_number(l))
		return lex_number(l);
	if (c == '$')
		return token_to(l, TOKEN_VARIABLE, word_end(l, l->at + 1));
	if (c == '.' && is_word(next))
		return token_to(l, TOKEN_FIELD, word_end(l, l->at + 1));
	if (c == ':' && next == '=')
		return token_to(l, TOKEN_DECLARE, l->at + 2);
	if (isalpha((unsigned char)c) || c == '_')
		return token_to(l, TOKEN_NAME, word_end(l, l->at));
	switch (c) {
	case '.':
		return token_to(l, TOKEN_DOT, l->at + 1);
	case '|':
		return token_to(l, TOKEN_PIPE, l->at + 1);
	case '(':
		return token_to(l, TOKEN_OPEN, l->at + 1);
	case ')':
		return token_to(l, TOKEN_CLOSE, l->at + 1);
	case ',':
		return token_to(l, TOKEN_COMMA, l->at + 1);
	case '=':
		return token_to(l, TOKEN_ASSIGN, l->at + 1);
	default:
		return error_at(l, "unrecognized character in action");
	}
}

struct template_token template_next_token(struct template_lexer *l)
{
	struct template_token t;

	do
		t = template_next(l);
	while (t.kind == TOKEN_SPACE);
	return t;
}
