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
};

/* The longest pattern in bytes; longer ones are an error. */
enum { REGEX_PATTERN_MAX = 16384 };

/* Compile. On success the caller owns *out (regex_free()); on error `e` has reason and position. */
MUST_USE int regex_new(struct regex **out, struct str pattern, unsigned flags, struct err *e);

/* Accepts NULL. */
void regex_free(struct regex *r);

/* Return 1 for a match, 0 for none, or -errno with the reason in `e` (-E2BIG: a limit was hit). */
MUST_USE int regex_match(struct regex *r, struct str text, struct err *e);

#endif
