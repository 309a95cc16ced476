/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_BASE_REGEX_H
#define VARVE_BASE_REGEX_H

#include "base/err.h"
#include "base/str.h"

/*
 * A regular expression of a user (Perl syntax, by pcre2) that cannot run away: steps, depth and
 * memory of a match are limited, and a pattern that hits the limit is an error and not a "no".
 *
 * A match looks for the pattern anywhere in the text. Text that is not UTF-8 is matched as it is.
 * One thread at a time (the match data is reused).
 */
struct regex;

enum regex_flags {
	REGEX_ANY_CASE = 1, /* a matches A */
};

/* The longest pattern that is compiled; longer ones are an error. */
enum { REGEX_PATTERN_MAX = 16384 };

/* Compile. On success *out is the caller's (regex_free()); on error `e` says what and where. */
MUST_USE int regex_new(struct regex **out, struct str pattern, unsigned flags, struct err *e);

/* Takes NULL. */
void regex_free(struct regex *r);

/* 1 it matches, 0 it does not, or -errno with the reason in `e` (-E2BIG: a limit was hit). */
MUST_USE int regex_match(struct regex *r, struct str text, struct err *e);

#endif
