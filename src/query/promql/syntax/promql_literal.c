/* SPDX-License-Identifier: Apache-2.0 */
#include "query/promql/syntax/promql_literal.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <strings.h>

enum { NUMBER_MAX = 400 };

static bool is_word(struct str text, const char *word)
{
	return text.n == strlen(word) && strncasecmp(text.p, word, text.n) == 0;
}

/* Parse digits of a base. Return false if there are others, or too many. */
static bool parse_digits(const char *p, size_t n, unsigned base, uint64_t *out)
{
	*out = 0;
	for (size_t i = 0; i < n; i++) {
		unsigned c = (unsigned char)p[i], digit = c - '0';

		if (c >= 'a')
			digit = c - 'a' + 10;
		else if (c >= 'A')
			digit = c - 'A' + 10;
		if (digit >= base || *out > (uint64_t)INT64_MAX / base)
			return false;
		*out = *out * base + digit;
	}
	return n > 0 && *out <= INT64_MAX;
}

int promql_parse_number(struct str text, double *out)
{
	char plain[NUMBER_MAX];
	size_t n = 0;
	uint64_t value;
	bool negative = text.n && text.p[0] == '-';

	if (text.n && (text.p[0] == '-' || text.p[0] == '+'))
		text = str_from_at(text, 1);
	if (is_word(text, "nan")) {
		*out = NAN;
		return 0;
	}
	if (is_word(text, "inf") || is_word(text, "infinity")) {
		*out = negative ? -INFINITY : INFINITY;
		return 0;
	}
	for (size_t i = 0; i < text.n; i++)
		if (text.p[i] != '_') {
			if (n == sizeof(plain) - 1)
				return -EINVAL;
			plain[n++] = text.p[i];
		}
	plain[n] = 0;
	if (n > 2 && plain[0] == '0' && (plain[1] | 0x20) == 'x') {
		if (!parse_digits(plain + 2, n - 2, 16, &value))
			return -EINVAL;
		*out = (double)value;
	} else if (n > 1 && plain[0] == '0' && parse_digits(plain + 1, n - 1, 8, &value)) {
		*out = (double)value;
	} else if (str_to_double(str_of(plain, n), out)) {
		return -EINVAL;
	}
	if (negative)
		*out = -*out;
	return 0;
}

static const struct unit {
	const char *name;
	int64_t ms;
	bool exact; /* used only if nothing remains */
} units[] = {
	{"y", INT64_C(1000) * 60 * 60 * 24 * 365, true},
	{"w", INT64_C(1000) * 60 * 60 * 24 * 7, true},
	{"d", INT64_C(1000) * 60 * 60 * 24, false},
	{"h", INT64_C(1000) * 60 * 60, false},
	{"m", INT64_C(1000) * 60, false},
	{"s", 1000, false},
	{"ms", 1, false},
};

int promql_parse_duration(struct str text, int64_t *ns)
{
	__int128 total = 0;
	size_t at = 0, unit = 0;

	if (!text.n)
		return -EINVAL;
	if (str_eq(text, STR("0"))) {
		*ns = 0;
		return 0;
	}
	while (at < text.n) {
		__int128 value = 0;
		size_t from = at, length;

		for (; at < text.n && text.p[at] >= '0' && text.p[at] <= '9'; at++)
			if (value < (__int128)INT64_MAX)
				value = value * 10 + (text.p[at] - '0');
		if (at == from)
			return -EINVAL;
		for (from = at; at < text.n && (text.p[at] < '0' || text.p[at] > '9'); at++)
			;
		length = at - from;
		while (unit < countof(units) &&
		       (strlen(units[unit].name) != length ||
			memcmp(units[unit].name, text.p + from, length) != 0))
			unit++;
		if (unit == countof(units))
			return -EINVAL;
		total += value * units[unit++].ms * 1000000;
		if (total > INT64_MAX)
			return -ERANGE;
	}
	*ns = (int64_t)total;
	return 0;
}

void promql_put_duration(struct buf *b, int64_t ns)
{
	int64_t ms = ns / 1000000;

	if (!ms) {
		buf_put_str(b, STR("0s"));
		return;
	}
	if (ms < 0) {
		buf_put_char(b, '-');
		ms = -ms;
	}
	for (size_t i = 0; i < countof(units); i++) {
		if (ms < units[i].ms || (units[i].exact && ms % units[i].ms))
			continue;
		buf_put_i64(b, ms / units[i].ms);
		buf_put_str(b, str_from(units[i].name));
		ms %= units[i].ms;
	}
}

static size_t put_utf8(char *out, uint32_t c)
{
	if (c < 0x80) {
		out[0] = (char)c;
		return 1;
	}
	if (c < 0x800) {
		out[0] = (char)(0xc0 | c >> 6);
		out[1] = (char)(0x80 | (c & 0x3f));
		return 2;
	}
	if (c < 0x10000) {
		out[0] = (char)(0xe0 | c >> 12);
		out[1] = (char)(0x80 | (c >> 6 & 0x3f));
		out[2] = (char)(0x80 | (c & 0x3f));
		return 3;
	}
	out[0] = (char)(0xf0 | c >> 18);
	out[1] = (char)(0x80 | (c >> 12 & 0x3f));
	out[2] = (char)(0x80 | (c >> 6 & 0x3f));
	out[3] = (char)(0x80 | (c & 0x3f));
	return 4;
}

static uint32_t digits_value(const char *p, int n, unsigned base)
{
	uint32_t value = 0;

	for (int i = 0; i < n; i++) {
		unsigned c = (unsigned char)p[i];
		unsigned digit = c <= '9' ? c - '0' : (c | 0x20u) - 'a' + 10;

		value = value * base + digit;
	}
	return value;
}

/* Decode the escape sequence at p, after its backslash. Return its length. */
static size_t unescape(const char *p, char *out, size_t *n)
{
	static const char from[] = "abfnrtv", to[] = "\a\b\f\n\r\t\v";
	const char *found = strchr(from, *p);

	if (*p && found) {
		out[(*n)++] = to[found - from];
		return 1;
	}
	switch (*p) {
	case 'x':
		out[(*n)++] = (char)digits_value(p + 1, 2, 16);
		return 3;
	case 'u':
		*n += put_utf8(out + *n, digits_value(p + 1, 4, 16));
		return 5;
	case 'U':
		*n += put_utf8(out + *n, digits_value(p + 1, 8, 16));
		return 9;
	default:
		if (*p >= '0' && *p <= '7') {
			out[(*n)++] = (char)digits_value(p, 3, 8);
			return 3;
		}
		out[(*n)++] = *p;
		return 1;
	}
}

int promql_unquote(struct arena *a, struct str quoted, struct str *out)
{
	struct str in = str_of(quoted.p + 1, quoted.n - 2);
	size_t n = 0;
	char *p;

	*out = in;
	if (quoted.p[0] == '`' || str_find(in, '\\') == in.n)
		return 0;
	p = arena_alloc(a, in.n + 1, 1);
	if (!p)
		return -ENOMEM;
	for (size_t i = 0; i < in.n;) {
		if (in.p[i] != '\\')
			p[n++] = in.p[i++];
		else
			i += 1 + unescape(in.p + i + 1, p, &n);
	}
	*out = str_of(p, n);
	return 0;
}
