/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_QUERY_TRACEQL_TREE_H
#define VARVE_QUERY_TRACEQL_TREE_H

#include "query/traceql/traceql_ast.h"

/*
 * The structure of a trace: nested-set numbers as Tempo's (depth first, one counter from 1 over all
 * roots), and structural operators. Spans whose ancestors are not all in the trace have the numbers
 * 0 and no relations.
 */
struct traceql_tree {
	const struct trace_view *view;
	uint32_t *left, *right; /* 0: not in the tree */
	uint32_t *child_count;
	uint32_t *order;     /* rows in the tree, parents before their children */
	uint32_t n;	     /* of order */
	uint32_t root;	     /* the row of the last root, as in Tempo, or UINT32_MAX */
	uint64_t start, end; /* of the whole trace */
	uint32_t *scratch;   /* room for a number per span, and one more */
};

/* Number the spans of the view. Memory is in the arena. Return 0 or -ENOMEM. */
MUST_USE int traceql_tree_make(struct traceql_tree *t, const struct trace_view *view,
			       struct arena *a);

/* Return the nested-set number of the parent: -1 for a root, 0 outside of the tree. */
int64_t traceql_tree_parent(const struct traceql_tree *t, uint32_t row);

/*
 * Set hit[row] for the rows of `b` that have the relation to a row of `a`: a child, descendant,
 * parent, ancestor or sibling of one. All are flags by row; `hit` is zero before.
 */
void traceql_tree_relate(const struct traceql_tree *t, enum traceql_op op, const bool *a,
			 const bool *b, bool *hit);

#endif
