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

/* A literal as a str; the second form is for static initializers. */
#define STR(literal) ((struct str){"" literal, sizeof(literal) - 1})
#define STR_INIT(literal)                                                                          \
	{                                                                                          \
		"" literal, sizeof(literal) - 1                                                    \
	}

/* Arguments for printf("%.*s", STR_ARG(s)); strings are truncated at INT_MAX. */
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

/* Return the rest of `s` from `at` on; empty past its end. */
static inline struct str str_from_at(struct str s, size_t at)
{
	return at < s.n ? (struct str){s.p + at, s.n - at} : (struct str){0};
}

/* Return the first `n` bytes of `s`, or all of it. */
static inline struct str str_head(struct str s, size_t n)
{
	return (struct str){s.p, min_size(s.n, n)};
}

/* Compare bytewise like memcmp(); a prefix sorts first. */
int str_cmp(struct str a, struct str b);

/* Return where `c` (or `part`) occurs first or last in `s`, or s.n. */
size_t str_find(struct str s, char c);
size_t str_find_last(struct str s, char c);
size_t str_find_str(struct str s, struct str part);

/* Return `s` without white space at both ends. */
struct str str_trim(struct str s);

/*
 * Cut *rest at the first `c`: return the part before it and leave the part after it. Without `c`
 * return all of it and set *rest to the zero value.
 */
struct str str_cut(struct str *rest, char c);

/* Get the next line of *rest without its line end (\n or \r\n). Return false if there is none. */
bool str_next_line(struct str *rest, struct str *line);

/*
 * Parse a whole string as a number. Return 0, -EINVAL if it is not a number, or -ERANGE if it
 * overflows (not for doubles). `base` is 10 or 16; base 16 allows a prefix 0x.
 */
MUST_USE int str_to_u64(struct str s, unsigned base, uint64_t *out);
MUST_USE int str_to_i64(struct str s, int64_t *out);
MUST_USE int str_to_double(struct str s, double *out);

/*
 * Return the offset of the first byte that is not well-formed UTF-8 (no surrogates, no overlong
 * forms), or s.n.
 */
size_t str_utf8_valid(struct str s);

#endif
