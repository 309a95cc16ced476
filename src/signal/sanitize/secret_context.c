/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `name = value` in its many spellings: assignments, JSON, YAML, headers, query strings, command
 * lines, environments, URLs. Only the value is replaced. A value has no form of its own, so these
 * are the rules with the most false findings; they replace text, and nothing is reported as a leak.
 */
#include "signal/sanitize/secret_context.h"

#include "signal/sanitize/text_class.h"

enum { VALUE_MAX = 8192 };

static char char_at(struct str text, size_t at)
{
	return at < text.n ? text.p[at] : 0;
}

static size_t skip_spaces(struct str text, size_t at)
{
	while (at < text.n && text_is_space(text.p[at]))
		at++;
	return at;
}

static bool is_quote(char c)
{
	return c == '"' || c == '\'' || c == '`';
}

/* Skip a quote, which may be escaped: \" in JSON inside of a string. */
static size_t skip_quote(struct str text, size_t at)
{
	size_t quote = at;

	while (char_at(text, quote) == '\\')
		quote++;
	return is_quote(char_at(text, quote)) ? quote + 1 : at;
}

/* ---- values that are no secrets ---- */

static bool is_placeholder(struct str v)
{
	static const struct str opening[] = {STR_INIT("${"), STR_INIT("$("), STR_INIT("{{"),
					     STR_INIT("<"),  STR_INIT("%s"), STR_INIT("%v"),
					     STR_INIT("%d"), STR_INIT("#{")};
	size_t same = 0, digits = 1;

	for (size_t i = 0; i < countof(opening); i++)
		if (str_starts(v, opening[i]))
			return true;
	while (same < v.n && v.p[same] == v.p[0])
		same++;
	if (same == v.n && (v.p[0] == '*' || v.p[0] == '?' || v.p[0] == '.' || v.p[0] == '-'))
		return true;
	if (same == v.n && same > 2 && (v.p[0] == 'x' || v.p[0] == 'X'))
		return true;
	while (digits < v.n && text_is_digit(v.p[digits]))
		digits++;
	return v.p[0] == '$' && v.n > 1 && digits == v.n; /* $1, a parameter in SQL */
}

bool is_no_secret(struct str v)
{
	static const struct str words[] = {
		STR_INIT("true"),     STR_INIT("false"),    STR_INIT("null"),
		STR_INIT("none"),     STR_INIT("nil"),	    STR_INIT("undefined"),
		STR_INIT("yes"),      STR_INIT("no"),	    STR_INIT("empty"),
		STR_INIT("unset"),    STR_INIT("set"),	    STR_INIT("required"),
		STR_INIT("string"),   STR_INIT("optional"), STR_INIT("invalid"),
		STR_INIT("missing"),  STR_INIT("bearer"),   STR_INIT("basic"),
		STR_INIT("redacted"), STR_INIT("expired"),
	};

	if (!v.n || sanitize_is_token(v) || is_placeholder(v))
		return true;
	for (size_t i = 0; i < countof(words); i++)
		if (text_eq_fold(v, words[i]))
			return true;
	return false;
}

/* ---- name = value ---- */

struct assignment {
	size_t value, end; /* of the value, without its quotes */
	char separator;	   /* '=', ':' or ' ' */
	bool quoted;
};

static bool ends_value(char c)
{
	return text_is_space(c) || is_quote(c) || c == ',' || c == ';' || c == '&' || c == ')' ||
	       c == '}' || c == ']' || c == '>' || c == '|' || c == '\\' || !c;
}

/* Find the end of a value; one in quotes ends at the same quote, escaped if the first one is. */
static void find_value_end(struct str text, struct assignment *a)
{
	size_t inside = skip_quote(text, a->value);
	char quote = inside > a->value ? text.p[inside - 1] : 0;
	bool escaped = quote && text.p[a->value] == '\\';

	a->quoted = quote;
	a->value = a->end = inside;
	for (; a->end < text.n && a->end - a->value < VALUE_MAX; a->end++) {
		char c = text.p[a->end];

		if (quote ? c == quote : ends_value(c))
			break;
		if (quote && !escaped && c == '\\' && a->end + 1 < text.n)
			a->end++;
	}
	while (escaped && a->end > a->value && text.p[a->end - 1] == '\\')
		a->end--;
}

/* Return whether the word around `at` is an option of a command line: --db-password. */
static bool is_long_option(struct str text, size_t at)
{
	size_t start = at;

	while (start && at - start < 64 && text_is_token(text.p[start - 1]))
		start--;
	return str_starts(str_from_at(text, start), STR("--"));
}

/* Read what follows the name, text[at .. end). Return false if no value is assigned. */
static bool read_assignment(struct str text, size_t at, size_t end, struct assignment *a)
{
	size_t p = end;
	char c;

	if (text_eq_fold(str_head(str_from_at(text, p), 4), STR("_key")) ||
	    text_eq_fold(str_head(str_from_at(text, p), 4), STR("-key")))
		p += 4;
	else if (text_eq_fold(str_head(str_from_at(text, p), 3), STR("key")))
		p += 3;
	p = skip_quote(text, p);
	if (char_at(text, p) == ']') /* env["PASSWORD"] = */
		p++;
	a->separator = ' ';
	/* Arguments end at a space, or at a NUL as in /proc/self/cmdline. */
	if (p == end && p < text.n && (text.p[p] == ' ' || !text.p[p]) &&
	    is_long_option(text, at)) {
		a->value = text.p[p] ? skip_spaces(text, p) : p + 1;
		find_value_end(text, a);
		return char_at(text, a->value) != '-';
	}
	p = skip_spaces(text, p);
	c = char_at(text, p);
	if (c == ':' && char_at(text, p + 1) == '=')
		c = char_at(text, ++p);
	if ((c != '=' && c != ':') || char_at(text, p + 1) == c)
		return false; /* also == and :: */
	a->separator = c;
	p++;
	if (c == '=' && char_at(text, p) == '>')
		p++;
	a->value = skip_spaces(text, p);
	find_value_end(text, a);
	return true;
}

static bool match_assignment(struct str text, size_t at, size_t end, struct assignment *a,
			     struct sanitize_range *found)
{
	if (!read_assignment(text, at, end, a))
		return false;
	*found = (struct sanitize_range){a->value, a->end};
	return !is_no_secret(str_of(text.p + a->value, a->end - a->value));
}

bool match_secret(struct str text, size_t at, size_t end, struct sanitize_range *found)
{
	struct assignment a;

	if (!match_assignment(text, at, end, &a, found))
		return false;
	if (at && text.p[at - 1] == '/' && a.separator == ':')
		return false; /* /etc/passwd: permission denied */
	/* PWD=/home/user */
	return end - at != 3 || char_at(text, a.value) != '/';
}

bool match_weak_secret(struct str text, size_t at, size_t end, struct sanitize_range *found)
{
	struct assignment a;
	size_t n, digits = 0;

	if (!match_assignment(text, at, end, &a, found))
		return false;
	n = a.end - a.value;
	if (a.separator != ':')
		return n >= 3;
	for (size_t i = a.value; i < a.end; i++)
		digits += text_is_digit(text.p[i]);
	return n >= 20 || (n >= 6 && digits) || (a.quoted && n >= 6);
}

/*
 * In code these words are common: selectors (setPassword:user:), setters (password=), operators. So
 * only a value after = counts that looks like one.
 */
bool match_code_secret(struct str text, size_t at, size_t end, struct sanitize_range *found)
{
	struct assignment a;
	size_t n, digits = 0;

	if (!match_assignment(text, at, end, &a, found) || a.separator != '=')
		return false;
	n = a.end - a.value;
	for (size_t i = a.value; i < a.end; i++)
		digits += text_is_digit(text.p[i]);
	return text_is_alnum(text.p[a.value]) && (n >= 12 || (n >= 6 && digits));
}

/* ---- headers ---- */

/* Return the end of a header's value: of the line, the quoted text, or the whole text. */
static size_t header_end(struct str text, size_t at)
{
	size_t start = at;

	while (at < text.n && at - start < VALUE_MAX && text.p[at] != '\n' && text.p[at] != '\r' &&
	       !is_quote(text.p[at]))
		at++;
	while (at > start && text.p[at - 1] == '\\')
		at--;
	return at;
}

static size_t skip_scheme(struct str text, size_t at)
{
	size_t end = at;

	while (end < text.n && end - at < 32 && text_is_token(text.p[end]))
		end++;
	return char_at(text, end) == ' ' ? skip_spaces(text, end) : at;
}

bool match_authorization(struct str text, size_t at, size_t end, struct sanitize_range *found)
{
	size_t p = skip_spaces(text, skip_quote(text, end));

	(void)at;
	if (char_at(text, p) != ':' && char_at(text, p) != '=')
		return false;
	p = skip_quote(text, skip_spaces(text, p + 1));
	if (char_at(text, p) == '[') /* a list of values */
		p = skip_quote(text, p + 1);
	p = skip_scheme(text, p);
	*found = (struct sanitize_range){p, header_end(text, p)};
	if (found->to - found->from < 4)
		return false;
	return !is_no_secret(str_of(text.p + p, found->to - p));
}

static size_t credential_end(struct str text, size_t at)
{
	size_t end = at;

	while (end < text.n && end - at < VALUE_MAX &&
	       (text_is_base64(text.p[end]) || text.p[end] == '.' || text.p[end] == '~'))
		end++;
	return end;
}

bool match_bearer(struct str text, size_t at, size_t end, struct sanitize_range *found)
{
	size_t to = credential_end(text, end), digits = 0;

	if (at && text_is_word(text.p[at - 1]))
		return false;
	for (size_t i = end; i < to; i++)
		digits += text_is_digit(text.p[i]);
	*found = (struct sanitize_range){end, to};
	return to - end >= 20 || (to - end >= 8 && digits);
}

static int base64_digit(char c)
{
	if (c >= 'A' && c <= 'Z')
		return c - 'A';
	if (c >= 'a' && c <= 'z')
		return c - 'a' + 26;
	if (text_is_digit(c))
		return c - '0' + 52;
	return c == '+' || c == '-' ? 62 : c == '/' || c == '_' ? 63 : -1;
}

/* Return whether a text is base64 of printable characters with a colon: user:password. */
static bool decodes_to_pair(struct str text)
{
	uint32_t bits = 0;
	unsigned have = 0;
	bool colon = false;

	while (text.n && text.p[text.n - 1] == '=')
		text.n--;
	for (size_t i = 0; i < text.n; i++) {
		int digit = base64_digit(text.p[i]);
		uint8_t byte;

		if (digit < 0)
			return false;
		bits = bits << 6 | (uint32_t)digit;
		have += 6;
		if (have < 8)
			continue;
		have -= 8;
		byte = (uint8_t)(bits >> have);
		if (byte < 0x20)
			return false;
		colon |= byte == ':';
	}
	return colon;
}

bool match_basic(struct str text, size_t at, size_t end, struct sanitize_range *found)
{
	size_t to = credential_end(text, end);

	if (at && text_is_word(text.p[at - 1]))
		return false;
	*found = (struct sanitize_range){end, to};
	return to - end >= 4 && decodes_to_pair(str_of(text.p + end, to - end));
}

bool match_cookie(struct str text, size_t at, size_t end, struct sanitize_range *found)
{
	size_t p = skip_quote(text, end);
	struct str value;

	(void)at;
	if (char_at(text, p) != ':')
		return false;
	p = skip_quote(text, skip_spaces(text, p + 1));
	*found = (struct sanitize_range){p, header_end(text, p)};
	value = str_of(text.p + p, found->to - p);
	return str_find(value, '=') < value.n && !is_no_secret(value);
}

/* ---- URLs ---- */

static bool ends_authority(char c)
{
	return c == '/' || c == '?' || c == '#' || text_is_space(c) || c == '"' || c == '\'' ||
	       c == '<' || c == '>' || c == '\\';
}

bool match_url_password(struct str text, size_t at, size_t end, struct sanitize_range *found)
{
	size_t p = end, colon = 0, host = 0;

	(void)at;
	for (; p < text.n && p - end < 2048 && !ends_authority(text.p[p]); p++) {
		if (text.p[p] == ':' && !colon)
			colon = p + 1;
		if (text.p[p] == '@')
			host = p; /* the last one: a password may contain @ */
	}
	if (!colon || host <= colon)
		return false;
	*found = (struct sanitize_range){colon, host};
	return !is_no_secret(str_of(text.p + colon, host - colon));
}

bool match_dsn_password(struct str text, size_t at, size_t end, struct sanitize_range *found)
{
	size_t colon = at;

	(void)end;
	while (colon && at - colon < 256 && text.p[colon - 1] != ':' &&
	       !text_is_space(text.p[colon - 1]))
		colon--;
	*found = (struct sanitize_range){colon, at};
	return colon && text.p[colon - 1] == ':' &&
	       !is_no_secret(str_of(text.p + colon, at - colon));
}
