/* SPDX-License-Identifier: Apache-2.0 */
/* Searching, cutting, parsing of numbers, validation of UTF-8. Nothing here allocates. */
#include "base/str.h"

#include <errno.h>
#include <stdlib.h>

int str_cmp(struct str a, struct str b)
{
	size_t n = min_size(a.n, b.n);
	int order = n ? memcmp(a.p, b.p, n) : 0;

	if (order)
		return order;
	return (a.n > b.n) - (a.n < b.n);
}

size_t str_find(struct str s, char c)
{
	const char *at = s.n ? memchr(s.p, c, s.n) : NULL;

	return at ? (size_t)(at - s.p) : s.n;
}

size_t str_find_last(struct str s, char c)
{
	const char *at = s.n ? memrchr(s.p, c, s.n) : NULL;

	return at ? (size_t)(at - s.p) : s.n;
}

size_t str_find_str(struct str s, struct str part)
{
	const char *at = s.n && part.n ? memmem(s.p, s.n, part.p, part.n) : NULL;

	return at ? (size_t)(at - s.p) : s.n;
}

static bool is_space(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

struct str str_trim(struct str s)
{
	while (s.n && is_space(s.p[0]))
		s = str_from_at(s, 1);
	while (s.n && is_space(s.p[s.n - 1]))
		s.n--;
	return s;
}

struct str str_cut(struct str *rest, char c)
{
	struct str s = *rest;
	size_t at = str_find(s, c);

	if (at == s.n)
		*rest = (struct str){0};
	else
		*rest = str_of(s.p + at + 1, s.n - at - 1);
	return str_head(s, at);
}

bool str_next_line(struct str *rest, struct str *line)
{
	if (!rest->n)
		return false;
	*line = str_cut(rest, '\n');
	if (line->n && line->p[line->n - 1] == '\r')
		line->n--;
	return true;
}

static unsigned digit_value(char c)
{
	if (c >= '0' && c <= '9')
		return (unsigned)(c - '0');
	if (c >= 'a' && c <= 'f')
		return (unsigned)(c - 'a') + 10;
	if (c >= 'A' && c <= 'F')
		return (unsigned)(c - 'A') + 10;
	return 99;
}

int str_to_u64(struct str s, unsigned base, uint64_t *out)
{
	uint64_t value = 0;

	if (base == 16 && (str_starts(s, STR("0x")) || str_starts(s, STR("0X"))))
		s = str_from_at(s, 2);
	if (!s.n)
		return -EINVAL;
	for (size_t i = 0; i < s.n; i++) {
		unsigned digit = digit_value(s.p[i]);

		if (digit >= base)
			return -EINVAL;
		if (__builtin_mul_overflow(value, base, &value) ||
		    __builtin_add_overflow(value, digit, &value))
			return -ERANGE;
	}
	*out = value;
	return 0;
}

int str_to_i64(struct str s, int64_t *out)
{
	bool negative = s.n && s.p[0] == '-';
	uint64_t value;
	int rc = str_to_u64(negative ? str_from_at(s, 1) : s, 10, &value);

	if (rc)
		return rc;
	if (value > (uint64_t)INT64_MAX + negative)
		return -ERANGE;
	*out = negative ? (int64_t)(0 - value) : (int64_t)value;
	return 0;
}

int str_to_double(struct str s, double *out)
{
	char text[64], *end; /* longer than any number that programs print */

	if (!s.n || s.n >= sizeof(text) || is_space(s.p[0]))
		return -EINVAL;
	memcpy(text, s.p, s.n);
	text[s.n] = '\0';
	*out = strtod(text, &end);
	return end == text + s.n ? 0 : -EINVAL;
}

/* Return the length of the sequence at s[i], or 0 if it is malformed. */
static size_t utf8_sequence(const unsigned char *s, size_t i, size_t n)
{
	unsigned char c = s[i];
	size_t more = c < 0xe0 ? 1 : c < 0xf0 ? 2 : 3;

	if (c < 0xc2 || c > 0xf4 || n - i <= more)
		return 0;
	for (size_t k = 1; k <= more; k++)
		if ((s[i + k] & 0xc0) != 0x80)
			return 0;
	if ((c == 0xe0 && s[i + 1] < 0xa0) || (c == 0xed && s[i + 1] > 0x9f) ||
	    (c == 0xf0 && s[i + 1] < 0x90) || (c == 0xf4 && s[i + 1] > 0x8f))
		return 0;
	return more + 1;
}

#define HIGH_BITS 0x8080808080808080u

static uint64_t load_word(const unsigned char *p)
{
	uint64_t word;

	memcpy(&word, p, sizeof(word));
	return word;
}

/* Return a length of leading ASCII bytes: n, or the start of a word that is not all ASCII. */
static size_t ascii_prefix(const unsigned char *s, size_t n)
{
	size_t i = 0;

	for (; n - i >= 32; i += 32)
		if ((load_word(s + i) | load_word(s + i + 8) | load_word(s + i + 16) |
		     load_word(s + i + 24)) &
		    HIGH_BITS)
			return i;
	for (; n - i >= 8; i += 8)
		if (load_word(s + i) & HIGH_BITS)
			return i;
	/* the last 8 bytes overlap the previous word: no loop over single bytes */
	return i && !(load_word(s + n - 8) & HIGH_BITS) ? n : i;
}

size_t str_utf8_valid(struct str str)
{
	const unsigned char *s = (const unsigned char *)str.p;
	size_t i = ascii_prefix(s, str.n);

	while (i < str.n) {
		if (s[i] < 0x80) {
			if (str.n - i >= 8 && !(load_word(s + i) & HIGH_BITS))
				i += 8;
			else
				i++;
			continue;
		}

		size_t length = utf8_sequence(s, i, str.n);

		if (!length)
			return i;
		i += length;
	}
	return str.n;
}
