/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_FILELOG_EXPR_H
#define VARVE_PIPELINE_FILELOG_EXPR_H

#include "pipeline/receivers/filelog/entry/log_entry.h"

/*
 * Expressions over a log entry, a part of the language expr (expr-lang.org):
 *
 *	body matches "^\\d+" and attributes["level"] in ["warn", "error"]
 *	not (attributes.status >= 500) || resource.env == nil
 *
 * Values: strings in "" or '' with escapes, or in `` without; numbers, true, false, nil, lists.
 * Fields: body (also $), attributes, resource, severity_text, severity_number, with .name,
 * ["name"] and ?.name. Operators, from the weakest: or (||), and (&&), comparisons (== != < <= > >=
 * in, contains, startsWith, endsWith, matches; the words also after not), + and -, not (!).
 * Functions: len, lower, upper, trim, string, env. Anything else is an error with its place.
 */
struct expr;

enum { EXPR_DEPTH_MAX = 64, EXPR_NODES_MAX = 1000 };

enum expr_result { EXPR_ANY, EXPR_BOOL };

/*
 * Compile. Texts are slices of `source` or in `arena`, which outlive the expression. Return 0 with
 * the expression in *out (expr_free()), -ENOMEM, or -EINVAL with "at LINE:COLUMN: ..." in `e`.
 */
MUST_USE int expr_compile(struct expr **out, struct str source, enum expr_result wanted,
			  struct arena *arena, struct err *e);
void expr_free(struct expr *x); /* takes NULL */

/*
 * Evaluate. The result borrows from the entry, the expression and `arena`. Return 0, -ENOMEM, or
 * -EINVAL with text in `e`: an operator does not take these values. One thread at a time.
 */
MUST_USE int expr_eval(struct expr *x, struct log_entry *entry, struct arena *arena,
		       struct log_node *out, struct err *e);

/* Evaluate a condition. */
MUST_USE int expr_test(struct expr *x, struct log_entry *entry, struct arena *arena, bool *out,
		       struct err *e);

#endif
