/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_BASE_STR_H
#define VARVE_BASE_STR_H

#include <string.h>

#include "base/base.h"

/* A borrowed slice of bytes; not NUL-terminated. The zero value is the empty string. */
struct str {
	const char *p;
	size_t n;
};

/* A literal as a str; the second form is for static initialisers. */
#define STR(literal) ((struct str){"" literal, sizeof(literal) - 1})
#define STR_INIT(literal)                                                                          \
	{                                                                                          \
		"" literal, sizeof(literal) - 1                                                    \
	}

/* printf("%.*s", STR_ARG(s)); long strings are cut at INT_MAX. */
#define STR_ARG(s) (int)((s).n > 0x7fffffff ? 0x7fffffff : (s).n), (s).p ? (s).p : ""

static inline struct str str_of(const char *p, size_t n)
{
	return (struct str){p, n};
}

static inline struct str str_from(const char *text)
{
	return (struct str){text, strlen(text)};
}

static inline bool str_eq(struct str a, struct str b)
{
	return a.n == b.n && (!a.n || memcmp(a.p, b.p, a.n) == 0);
}

static inline bool str_starts(struct str s, struct str prefix)
{
	return s.n >= prefix.n && (!prefix.n || memcmp(s.p, prefix.p, prefix.n) == 0);
}

static inline bool str_ends(struct str s, struct str suffix)
{
	return s.n >= suffix.n &&
	       (!suffix.n || memcmp(s.p + s.n - suffix.n, suffix.p, suffix.n) == 0);
}

/* The rest of `s` from `at` on; empty past its end. */
static inline struct str str_from_at(struct str s, size_t at)
{
	return at < s.n ? (struct str){s.p + at, s.n - at} : (struct str){0};
}

/* The first `n` bytes of `s`, or all of it. */
static inline struct str str_head(struct str s, size_t n)
{
	return (struct str){s.p, min_size(s.n, n)};
}

/* Byte order: negative, zero or positive as memcmp; a prefix sorts first. */
int str_cmp(struct str a, struct str b);

/* Where `c` (or `part`) first or last stands in `s`, or s.n. */
size_t str_find(struct str s, char c);
size_t str_find_last(struct str s, char c);
size_t str_find_str(struct str s, struct str part);

/* `s` without white space at both ends. */
struct str str_trim(struct str s);

/*
 * Cut `*rest` at the first `c`: returns what stands before it and leaves what stands after it.
 * Without `c` the whole is returned and *rest is empty with p == NULL.
 */
struct str str_cut(struct str *rest, char c);

/* The next line of `*rest` without its line end (\n or \r\n); false when there is none left. */
bool str_next_line(struct str *rest, struct str *line);

/* Whole-string numbers; 0, -EINVAL for anything else than digits, -ERANGE on overflow. */
MUST_USE int str_to_u64(struct str s, unsigned base,
			uint64_t *out); /* base 10 or 16, 0x allowed for 16 */
MUST_USE int str_to_i64(struct str s, int64_t *out);
MUST_USE int str_to_double(struct str s, double *out);

/* Is it well-formed UTF-8 (no surrogates, no overlong forms)? The offset of the first bad byte, or s.n. */
size_t str_utf8_valid(struct str s);

#endif
