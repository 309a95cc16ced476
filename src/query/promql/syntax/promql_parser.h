/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_QUERY_PROMQL_SYNTAX_PROMQL_PARSER_H
#define VARVE_QUERY_PROMQL_SYNTAX_PROMQL_PARSER_H

#include "base/buf.h"
#include "query/promql/syntax/promql_ast.h"

/*
 * Parse a PromQL expression and check its types.
 *
 * Errors read "LINE:COL: parse error: REASON", as Prometheus' do. The text of a query and the
 * depth of its tree are limited.
 */

enum {
	PROMQL_TEXT_MAX = 1 << 20,
	PROMQL_DEPTH_MAX = 400, /* of the tree */
	PROMQL_NODES_MAX = 100000,
};

/* What Prometheus enables by feature flags. */
enum promql_features {
	PROMQL_EXPERIMENTAL_FUNCTIONS = 1,
	PROMQL_EXTENDED_RANGES = 2, /* anchored and smoothed */
	PROMQL_FILL_MODIFIERS = 4,
	PROMQL_ALL_SYNTAX = 7,
};

/* An expression, which owns its tree. */
struct promql_expr {
	struct arena arena;
	struct str text; /* a copy */
	struct promql_node *root;
	VEC(struct regex *) regexes;
};

/*
 * Parse `text`. Return 0; or -EINVAL, -ENOMEM with `e` set, then *expr is empty. promql_expr_fini()
 * frees it and accepts the zero value. Evaluating an expression changes it: one thread at a time.
 */
MUST_USE int promql_parse(struct promql_expr *expr, struct str text, unsigned features,
			  struct budget *budget, struct err *e);
void promql_expr_fini(struct promql_expr *expr);

/* Parse a selector, such as up{job="a"}, into matchers. Otherwise like promql_parse(). */
MUST_USE int promql_parse_selector(struct promql_expr *expr, struct str text, struct budget *budget,
				   struct err *e);

/* Append the expression on one line. */
void promql_print(struct buf *b, const struct promql_node *node);

/* Append the expression with line breaks, for lines of at most 100 characters where possible. */
void promql_print_pretty(struct buf *b, const struct promql_node *node);

/* Append the line and column of an offset in the query: "LINE:COL". */
void promql_put_position(struct buf *b, struct str query, uint32_t at);

/* Return whether the text is an identifier that needs no quotes as the name of a label. */
bool promql_is_plain_label(struct str name);

#endif
