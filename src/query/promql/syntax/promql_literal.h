/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_QUERY_PROMQL_SYNTAX_PROMQL_LITERAL_H
#define VARVE_QUERY_PROMQL_SYNTAX_PROMQL_LITERAL_H

#include "base/arena.h"
#include "base/buf.h"

/* Values of literals: numbers, durations and strings. */

/*
 * Parse a number: an integer with the prefixes 0x and 0 (octal), a decimal number, inf or nan in
 * any case; digits may be separated by _. Return 0, or -EINVAL.
 */
MUST_USE int promql_parse_number(struct str text, double *out);

/* Parse a duration such as 1h30m. Return 0, -EINVAL, or -ERANGE beyond 2^63 ns. */
MUST_USE int promql_parse_duration(struct str text, int64_t *ns);

/* Append a duration with the largest units, such as 1h30m; "0s" for 0. */
void promql_put_duration(struct buf *b, int64_t ns);

/* Get the value of a string with its quotes, which the lexer accepted. Return 0 or -ENOMEM. */
MUST_USE int promql_unquote(struct arena *a, struct str quoted, struct str *out);

#endif
