/* SPDX-License-Identifier: Apache-2.0 */
/* Quotes, escapes and letter case. */
#include "rules/template/template_text.h"

#include <errno.h>
#include <locale.h>
#include <pthread.h>
#include <wctype.h>

#include "rules/template/template_ast.h"
#include "wire/text.h"

int32_t template_rune(struct str *rest)
{
	unsigned char first = (unsigned char)rest->p[0];
	size_t n = first < 0x80 ? 1 : first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
	int32_t rune = first;

	if (first >= 0x80) {
		struct str one = str_head(*rest, n);

		if (one.n < n || str_utf8_valid(one) != n) {
			*rest = str_from_at(*rest, 1);
			return -1;
		}
		rune &= 0x7f >> n;
		for (size_t i = 1; i < n; i++)
			rune = rune << 6 | ((unsigned char)one.p[i] & 0x3f);
	}
	*rest = str_from_at(*rest, n);
	return rune;
}

void template_put_rune(struct buf *out, uint32_t r)
{
	if (r > 0x10ffff || (r >= 0xd800 && r < 0xe000))
		r = 0xfffd;
	if (r < 0x80) {
		buf_put_char(out, (char)r);
		return;
	}
	if (r < 0x800) {
		buf_put_char(out, (char)(0xc0 | r >> 6));
	} else {
		if (r < 0x10000) {
			buf_put_char(out, (char)(0xe0 | r >> 12));
		} else {
			buf_put_char(out, (char)(0xf0 | r >> 18));
			buf_put_char(out, (char)(0x80 | (r >> 12 & 0x3f)));
		}
		buf_put_char(out, (char)(0x80 | (r >> 6 & 0x3f)));
	}
	buf_put_char(out, (char)(0x80 | (r & 0x3f)));
}

/* ---- quotes ---- */

/* Read `digits` hex digits. Return -1 if they are none. */
static int32_t hex_value(struct str s, size_t digits)
{
	int32_t value = 0;

	if (s.n < digits)
		return -1;
	for (size_t i = 0; i < digits; i++) {
		int digit = hex_digit(s.p[i]);

		if (digit < 0 || value > 0xfffffff)
			return -1;
		value = value << 4 | digit;
	}
	return value;
}

/* Append the character of an escape at the begin of `s`, after the \. Return its length or 0. */
static size_t unescape(struct buf *out, struct str s)
{
	static const char names[] = "abfnrtv\\'\"", values[] = "\a\b\f\n\r\t\v\\'\"";
	const char *simple = s.n ? strchr(names, s.p[0]) : NULL;
	size_t digits = !s.n ? 0 : s.p[0] == 'x' ? 2 : s.p[0] == 'u' ? 4 : s.p[0] == 'U' ? 8 : 0;
	int32_t value;

	if (simple && *simple) {
		buf_put_char(out, values[simple - names]);
		return 1;
	}
	if (digits) {
		value = hex_value(str_from_at(s, 1), digits);
		if (value < 0 || value > 0x10ffff || (value >= 0xd800 && value < 0xe000))
			return 0;
		if (digits == 2)
			buf_put_char(out, (char)value);
		else
			template_put_rune(out, (uint32_t)value);
		return digits + 1;
	}
	if (s.n < 3 || s.p[0] < '0' || s.p[0] > '3' || s.p[1] < '0' || s.p[1] > '7' ||
	    s.p[2] < '0' || s.p[2] > '7')
		return 0;
	buf_put_char(out, (char)((s.p[0] - '0') << 6 | (s.p[1] - '0') << 3 | (s.p[2] - '0')));
	return 3;
}

int template_unquote(struct arena *a, struct str quoted, struct str *out)
{
	struct str inside = str_of(quoted.p + 1, quoted.n - 2);
	struct buf b = {0};
	int rc = 0;

	*out = inside;
	if (quoted.p[0] == '`' || str_find(inside, '\\') == inside.n)
		return 0;
	for (size_t i = 0; i < inside.n && !rc;) {
		size_t n = 1;

		if (inside.p[i] == '\\') {
			n = unescape(&b, str_from_at(inside, i + 1));
			rc = n ? 0 : -EINVAL;
			n++;
		} else {
			buf_put_char(&b, inside.p[i]);
		}
		i += n;
	}
	if (!rc)
		rc = buf_error(&b);
	if (!rc)
		rc = arena_copy_str(a, buf_str(&b), out);
	buf_fini(&b);
	return rc;
}

static void put_escaped_rune(struct buf *out, int32_t rune, char quote, bool ascii)
{
	static const char names[] = "abfnrtv", values[] = "\a\b\f\n\r\t\v";
	const char *simple = rune ? strchr(values, rune) : NULL;

	if (rune == quote || rune == '\\')
		buf_printf(out, "\\%c", (char)rune);
	else if (rune < 0x80 && simple)
		buf_printf(out, "\\%c", names[simple - values]);
	else if (rune < ' ' || rune == 0x7f)
		buf_printf(out, "\\x%02x", (unsigned)rune);
	else if (rune > 0x7f && (ascii || rune < 0xa0))
		buf_printf(out, rune > 0xffff ? "\\U%08x" : "\\u%04x", (unsigned)rune);
	else
		template_put_rune(out, (uint32_t)rune);
}

void template_put_quoted(struct buf *out, struct str s, bool ascii)
{
	buf_put_char(out, '"');
	while (s.n && out->n <= RULE_TEMPLATE_OUTPUT_MAX) {
		unsigned char first = (unsigned char)s.p[0];
		int32_t rune = template_rune(&s);

		if (rune < 0)
			buf_printf(out, "\\x%02x", first);
		else
			put_escaped_rune(out, rune, '"', ascii);
	}
	buf_put_char(out, '"');
}

void template_put_quoted_rune(struct buf *out, uint32_t rune, bool ascii)
{
	buf_put_char(out, '\'');
	put_escaped_rune(out, (int32_t)rune, '\'', ascii);
	buf_put_char(out, '\'');
}

/* ---- escapes ---- */

void template_put_html(struct buf *out, struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		switch (s.p[i]) {
		case '&':
			buf_put_str(out, STR("&amp;"));
			break;
		case '<':
			buf_put_str(out, STR("&lt;"));
			break;
		case '>':
			buf_put_str(out, STR("&gt;"));
			break;
		case '"':
			buf_put_str(out, STR("&#34;"));
			break;
		case '\'':
			buf_put_str(out, STR("&#39;"));
			break;
		case 0:
			buf_put_str(out, STR("\xef\xbf\xbd"));
			break;
		default:
			buf_put_char(out, s.p[i]);
		}
}

void template_put_js(struct buf *out, struct str s)
{
	for (size_t i = 0; i < s.n; i++) {
		unsigned char c = (unsigned char)s.p[i];

		if (c == '\\' || c == '\'' || c == '"')
			buf_printf(out, "\\%c", c);
		else if (c < ' ' || c == '<' || c == '>' || c == '&' || c == '=')
			buf_printf(out, "\\u%04X", c);
		else
			buf_put_char(out, (char)c);
	}
}

void template_put_url(struct buf *out, struct str s)
{
	for (size_t i = 0; i < s.n; i++) {
		unsigned char c = (unsigned char)s.p[i];
		bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
			     (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.' || c == '~';

		if (c == ' ')
			buf_put_char(out, '+');
		else if (plain)
			buf_put_char(out, (char)c);
		else
			buf_printf(out, "%%%02X", c);
	}
}

/* ---- letter case ---- */

/* Unicode's mappings are in this locale; without it only ASCII has upper and lower case. */
static locale_t unicode;

static void load_unicode(void)
{
	unicode = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
}

static bool is_letter(int32_t rune)
{
	return rune >= 0 && (unicode ? iswalpha_l((wint_t)rune, unicode)
				     : (rune | 0x20) >= 'a' && (rune | 0x20) <= 'z');
}

static bool is_word_rune(int32_t rune)
{
	return is_letter(rune) || (rune >= '0' && rune <= '9') || rune == '_';
}

static uint32_t mapped(int32_t rune, bool upper)
{
	if (unicode)
		return upper ? towupper_l((wint_t)rune, unicode)
			     : towlower_l((wint_t)rune, unicode);
	if (is_letter(rune))
		return upper ? (uint32_t)rune & ~0x20u : (uint32_t)rune | 0x20;
	return (uint32_t)rune;
}

/* Return whether the character joins letters around it to one word: don't, foo.example */
static bool joins_words(int32_t rune, struct str rest)
{
	return (rune == '\'' || rune == '.' || rune == ':' || rune == 0x2019) && rest.n &&
	       is_letter(template_rune(&rest));
}

void template_put_case(struct buf *out, struct str s, enum template_case to)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	bool in_word = false;

	pthread_once(&once, load_unicode);
	while (s.n) {
		const char *at = s.p;
		int32_t rune = template_rune(&s);

		if (rune < 0)
			buf_put(out, at, 1);
		else if (to == TEMPLATE_TITLE && in_word)
			template_put_rune(out, (uint32_t)rune);
		else
			template_put_rune(out, mapped(rune, to != TEMPLATE_LOWER));
		in_word = is_word_rune(rune) || (in_word && joins_words(rune, s));
	}
}

/* ---- addresses ---- */

bool template_split_port(struct str address, struct str *host, struct str *port)
{
	size_t colon = str_find_last(address, ':');
	struct str before = str_head(address, colon), name = before;

	if (colon == address.n)
		return false;
	if (before.n && before.p[0] == '[') {
		if (before.p[before.n - 1] != ']')
			return false;
		name = str_of(before.p + 1, before.n - 2);
	} else if (str_find(before, ':') < before.n) {
		return false;
	}
	if (str_find(name, '[') < name.n || str_find(name, ']') < name.n ||
	    str_find(str_from_at(address, colon), '[') < address.n - colon ||
	    str_find(str_from_at(address, colon), ']') < address.n - colon)
		return false;
	*host = name;
	*port = str_from_at(address, colon + 1);
	return true;
}
