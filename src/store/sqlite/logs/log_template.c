/* SPDX-License-Identifier: Apache-2.0 */
/* Takes texts apart into templates and variables, and searches templates. */
#include "store/sqlite/logs/log_template.h"

#include "store/sqlite/logs/log_text.h"

/* Longer runs of digits do not fit a number of 64 bits safely. */
enum { NUMBER_DIGITS_MAX = 18, SUFFIX_MAX = 3, UUID_TEXT = 36 };

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_hex(char c)
{
	return log_token_bytes[(uint8_t)c] & LOG_TOKEN_HEX;
}

static bool is_uuid(const char *p, size_t n)
{
	if (n < UUID_TEXT)
		return false;
	for (size_t i = 0; i < UUID_TEXT; i++)
		if (i == 8 || i == 13 || i == 18 || i == 23 ? p[i] != '-' : !is_hex(p[i]))
			return false;
	return n == UUID_TEXT || !log_is_token_byte(p[UUID_TEXT]);
}

static bool add_mark(struct log_scan *s, char mark, size_t width, struct str text, uint64_t number)
{
	if (s->variable_n == LOG_VARIABLES_MAX)
		return false;
	s->variables[s->variable_n++] = (struct log_variable){text, number};
	s->template[s->template_n++] = mark;
	if (log_mark_size(mark) == 2)
		s->template[s->template_n++] = (char)width;
	return true;
}

/* Add at most NUMBER_DIGITS_MAX digits. */
static bool add_number(struct log_scan *s, struct str digits)
{
	uint64_t number = 0;

	for (size_t i = 0; i < digits.n; i++)
		number = number * 10 + (uint64_t)(digits.p[i] - '0');
	if (digits.p[0] == '0' && digits.n > 1)
		return add_mark(s, LOG_DIGITS, digits.n, digits, number);
	return add_mark(s, LOG_NUMBER, 0, digits, number);
}

static void add_constant(struct log_scan *s, const char *p, size_t n)
{
	memcpy(s->template + s->template_n, p, n);
	s->template_n += (uint32_t)n;
}

/* Add a token with a digit and other characters: 37ms, user42, x7f9k2q. */
static bool add_mixed(struct log_scan *s, struct str token)
{
	size_t from = 0, to;

	while (!is_digit(token.p[from]))
		from++;
	for (to = from; to < token.n && is_digit(token.p[to]);)
		to++;
	for (size_t i = to; i < token.n; i++)
		if (is_digit(token.p[i]))
			return add_mark(s, LOG_WORD, 0, token, 0);
	if (to - from > NUMBER_DIGITS_MAX || token.n - to > SUFFIX_MAX)
		return add_mark(s, LOG_WORD, 0, token, 0);
	add_constant(s, token.p, from);
	if (!add_number(s, str_of(token.p + from, to - from)))
		return false;
	add_constant(s, token.p + to, token.n - to);
	return true;
}

/* Add a token with a digit; `all` are the classes that all of its bytes have. Return its length. */
static size_t add_variable(struct log_scan *s, struct str token, struct str rest, unsigned all)
{
	bool ok;

	if (token.n == 8 && all & LOG_TOKEN_HEX && is_uuid(rest.p, rest.n)) {
		ok = add_mark(s, LOG_UUID, 0, str_of(rest.p, UUID_TEXT), 0);
		return ok ? UUID_TEXT : 0;
	}
	if (all & LOG_TOKEN_DIGIT && token.n <= NUMBER_DIGITS_MAX)
		ok = add_number(s, token);
	else if (all & LOG_TOKEN_HEX && token.n >= 8 && token.n <= LOG_HEX_MAX)
		ok = add_mark(s, LOG_HEX, token.n, token, 0);
	else
		ok = add_mixed(s, token);
	return ok ? token.n : 0;
}

bool log_scan_text(struct log_scan *s, struct str text)
{
	const char *p = text.p, *end;

	s->template_n = s->variable_n = 0;
	if (!text.n)
		return true;
	end = text.p + text.n;
	if (text.n > LOG_TEMPLATE_TEXT_MAX - 2 * LOG_VARIABLES_MAX)
		return false;
	while (p < end) {
		unsigned class = log_token_bytes[(uint8_t)*p], any = class, all = class;
		const char *from = p;
		size_t n;

		if (!class) {
			if ((uint8_t)*p < LOG_MARK_END)
				return false;
			s->template[s->template_n++] = *p++;
			continue;
		}
		while (++p < end && (class = log_token_bytes[(uint8_t)*p])) {
			any |= class;
			all &= class;
		}
		if (!(any & LOG_TOKEN_DIGIT)) {
			add_constant(s, from, (size_t)(p - from));
			continue;
		}
		n = add_variable(s, str_of(from, (size_t)(p - from)),
				 str_of(from, (size_t)(end - from)), all);
		if (!n)
			return false;
		p = from + n;
	}
	return true;
}

/* ---- variables ---- */

static uint8_t hex_value(char c)
{
	return (uint8_t)(c <= '9' ? c - '0' : c - 'a' + 10);
}

void log_hex_pack(struct buf *out, struct str digits)
{
	uint8_t byte = 0;
	size_t n = 0;

	for (size_t i = 0; i < digits.n; i++) {
		if (digits.p[i] == '-')
			continue;
		byte = (uint8_t)(byte << 4 | hex_value(digits.p[i]));
		if (n++ % 2)
			buf_put_char(out, (char)byte);
	}
	if (n % 2)
		buf_put_char(out, (char)(byte << 4));
}

void log_hex_unpack(char *out, const uint8_t *packed, size_t digits)
{
	static const char hex[16] = "0123456789abcdef";

	for (size_t i = 0; i < digits / 2; i++) {
		out[2 * i] = hex[packed[i] >> 4];
		out[2 * i + 1] = hex[packed[i] & 15];
	}
	if (digits % 2)
		out[digits - 1] = hex[packed[digits / 2] >> 4];
}

void log_uuid_unpack(char *out, const uint8_t *packed)
{
	static const uint8_t parts[] = {8, 4, 4, 4, 12};

	for (size_t i = 0; i < countof(parts); i++) {
		if (i)
			*out++ = '-';
		log_hex_unpack(out, packed, parts[i]);
		out += parts[i];
		packed += parts[i] / 2;
	}
}

size_t log_number_write(char *out, uint64_t number, size_t width)
{
	size_t n = 1;

	for (uint64_t ten = 10; n < 20 && number >= ten; n++)
		if (__builtin_mul_overflow(ten, 10, &ten))
			ten = UINT64_MAX;
	n = n < width ? width : n;
	for (size_t i = n; i; number /= 10)
		out[--i] = (char)('0' + number % 10);
	return n;
}

/* ---- searching ---- */

/*
 * A variable has a digit in each of its tokens, and its neighbours in the template are of the same
 * token or none. So marks are handled as bytes of tokens, and a phrase without digits can only
 * occur between them.
 */
static bool template_has_phrase(struct str template, struct str phrase)
{
	for (size_t at = 0; at < template.n;) {
		size_t end = at;

		while (end < template.n && (uint8_t) template.p[end] >= LOG_MARK_END)
			end++;
		if (end > at) {
			struct str part = str_of(template.p + at, end - at);
			bool left = at && log_is_token_byte(phrase.p[0]);
			bool right = end < template.n && log_is_token_byte(phrase.p[phrase.n - 1]);

			/* a word that touches a mark is a part of a longer one */
			while (left && part.n && log_is_token_byte(part.p[0]))
				part = str_of(part.p + 1, part.n - 1);
			while (right && part.n && log_is_token_byte(part.p[part.n - 1]))
				part.n--;
			if (part.n && log_has_phrase(part, phrase))
				return true;
		}
		if (end < template.n)
			end += log_mark_size(template.p[end]);
		at = end;
	}
	return false;
}

static bool has_digit(struct str text)
{
	for (size_t i = 0; i < text.n; i++)
		if (is_digit(text.p[i]))
			return true;
	return false;
}

static bool has_mark(struct str template, bool (*is)(char mark))
{
	for (size_t i = 0; i < template.n; i++)
		if ((uint8_t) template.p[i] < LOG_MARK_END) {
			if (is(template.p[i]))
				return true;
			i += log_mark_size(template.p[i]) - 1;
		}
	return false;
}

static bool is_any(char mark)
{
	(void)mark;
	return true;
}

/* Return whether variables of that kind have other characters than digits. */
static bool has_letters(char mark)
{
	return mark == LOG_HEX || mark == LOG_UUID || mark == LOG_WORD;
}

static bool is_uuid_mark(char mark)
{
	return mark == LOG_UUID;
}

enum log_verdict log_template_phrase(struct str template, struct str phrase)
{
	if (!phrase.n || template_has_phrase(template, phrase))
		return LOG_ALWAYS;
	/* a group of a UUID need not have a digit */
	if (has_mark(template, has_digit(phrase) ? is_any : is_uuid_mark))
		return LOG_MAYBE;
	return LOG_NEVER;
}

enum log_verdict log_template_part(struct str template, struct str part)
{
	for (size_t at = 0; at < template.n;) {
		size_t end = at;

		while (end < template.n && (uint8_t) template.p[end] >= LOG_MARK_END)
			end++;
		if (end > at && memmem(template.p + at, end - at, part.p, part.n))
			return LOG_ALWAYS;
		at = end < template.n ? end + log_mark_size(template.p[end]) : end;
	}
	if (!part.n)
		return LOG_ALWAYS;
	return has_mark(template, has_digit(part) ? is_any : has_letters) ? LOG_MAYBE : LOG_NEVER;
}

/* ---- regular expressions ---- */

/* Return the end of the group or class that begins at `at`, or 0 if it does not end. */
static size_t skip_bracket(struct str p, size_t at)
{
	unsigned depth = 0;
	bool class = false;

	for (; at < p.n; at++) {
		if (p.p[at] == '\\')
			at++;
		else if (class)
			class = p.p[at] != ']';
		else if (p.p[at] == '[')
			class = true;
		else if (p.p[at] == '(')
			depth++;
		else if (p.p[at] == ')' && depth)
			depth--;
		if (!depth && !class)
			return at + 1;
	}
	return 0;
}

/* Return whether what ends at `at` may be left out by the quantifier that follows. */
static bool is_optional(struct str p, size_t at)
{
	return at < p.n && (p.p[at] == '*' || p.p[at] == '?' || p.p[at] == '{');
}

/*
 * The longest run of plain characters outside of groups. Expressions with alternatives, options,
 * comments, quoting or other rare syntax have none.
 */
struct str log_regex_literal(struct str pattern, char *room, size_t size)
{
	size_t n = 0, best = 0, best_n = 0, used = 0;

	for (size_t at = 0; at < pattern.n;) {
		char c = pattern.p[at];
		size_t end = at + 1;
		bool plain = true;

		if (c == '|' || (c == '(' && at + 1 < pattern.n && pattern.p[at + 1] == '?') ||
		    (c == '(' && at + 1 < pattern.n && pattern.p[at + 1] == '*'))
			return (struct str){0};
		if (c == '(' || c == '[') {
			/* ']' is plain as the first character of a class: too rare to handle */
			if (c == '[' && at + 2 < pattern.n &&
			    (pattern.p[at + 1] == ']' || pattern.p[at + 2] == ']' ||
			     pattern.p[at + 1] == '['))
				return (struct str){0};
			end = skip_bracket(pattern, at);
			if (!end || (c == '[' && memchr(pattern.p + at + 1, '[', end - at - 1)))
				return (struct str){0};
			plain = false;
		} else if (c == '\\') {
			if (at + 1 == pattern.n || log_is_token_byte(pattern.p[at + 1])) {
				/* \d, \w ... end the run; \x41, \Q, \1 need more than that */
				if (at + 1 == pattern.n || !strchr("dDwWsSbB", pattern.p[at + 1]))
					return (struct str){0};
				plain = false;
			} else {
				c = pattern.p[at + 1];
			}
			end = at + 2;
		} else if (strchr(".^$*+?{}", c)) {
			plain = false;
		}
		if (plain && (uint8_t)c >= 0x80 && is_optional(pattern, end))
			return (struct str){0}; /* the quantifier is of several bytes */
		if (plain && !is_optional(pattern, end) && used + 1 < size) {
			room[used++] = c;
			n++;
		}
		if (!plain || is_optional(pattern, end) || end == pattern.n || used + 1 >= size) {
			if (n > best_n) {
				best = used - n;
				best_n = n;
			}
			n = 0;
		}
		if (pattern.p[at] == '{' && !plain) { /* the bounds are not text */
			while (end < pattern.n && pattern.p[end - 1] != '}')
				end++;
		}
		at = end;
	}
	return best_n ? str_of(room + best, best_n) : (struct str){0};
}
