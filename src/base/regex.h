/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_BASE_REGEX_H
#define VARVE_BASE_REGEX_H

#include "base/err.h"
#include "base/str.h"

/*
 * A regular expression given by a user (Perl syntax, by pcre2) with bounded cost: steps, depth and
 * memory of a match are limited, and a match that exceeds a limit is an error, not a mismatch.
 *
 * The pattern may match anywhere in the text, but never across bytes that are not UTF-8. One thread
 * at a time, because the match data is reused.
 */
struct regex;

enum regex_flags {
	REGEX_ANY_CASE = 1, /* ignore case */
	REGEX_CAPTURE = 2,  /* keep the texts of groups for regex_capture() */
	REGEX_WHOLE = 4,    /* match only the whole text */
	REGEX_DOT_ALL = 8,  /* let . match a newline */
	REGEX_LINES = 16,   /* ^ and $ match at newlines, too */
	/*
	 * Compile to machine code where the system permits it: for many texts. Then only the steps
	 * of a match are limited, less exactly.
	 */
	REGEX_COMPILED = 32,
};

/* The longest pattern in bytes; longer ones are an error. */
enum { REGEX_PATTERN_MAX = 16384 };

/* Compile. On success the caller owns *out (regex_free()); on error `e` has reason and position. */
MUST_USE int regex_new(struct regex **out, struct str pattern, unsigned flags, struct err *e);

/* Accepts NULL. */
void regex_free(struct regex *r);

/* Return 1 for a match, 0 for none, or -errno with the reason in `e` (-E2BIG: a limit was hit). */
MUST_USE int regex_match(struct regex *r, struct str text, struct err *e);

/* Return the pattern, which the expression owns. */
struct str regex_pattern(const struct regex *r);

/* Return the number of groups, without group 0, which is the whole match. */
uint32_t regex_group_count(const struct regex *r);

/* Return the name of a group, which the expression owns; empty if it has none. */
struct str regex_group_name(const struct regex *r, uint32_t group);

/*
 * Like regex_match(), for an expression with REGEX_CAPTURE, searching `text` from offset `from` on:
 * after a match, groups[0] is the match and groups[i] the text of group i, parts of `text`; a group
 * that took no part has the address NULL. `groups` has room for regex_group_count() + 1.
 */
MUST_USE int regex_capture(struct regex *r, struct str text, size_t from, struct str *groups,
			   struct err *e);

/*
 * Search `text` from offset `from` on; *found is the match, a part of `text`. With `more`, text may
 * follow: if it could change the result, return REGEX_NEEDS_MORE. Else return as regex_match().
 */
enum { REGEX_NEEDS_MORE = 2 };
MUST_USE int regex_find(struct regex *r, struct str text, size_t from, bool more, struct str *found,
			struct err *e);

#endif
