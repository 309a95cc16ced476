/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_QUERY_TRACEQL_EVAL_H
#define VARVE_QUERY_TRACEQL_EVAL_H

#include "query/traceql/traceql_tree.h"
#include "query/traceql/traceql_value.h"

/*
 * Evaluates a query on one trace after the other. One thread at a time; the query's regular
 * expressions have state.
 */
struct traceql_run {
	const struct traceql *query;
	const struct trace_view *view;
	struct arena arena; /* of one trace: emptied by traceql_run_begin() */
	struct traceql_tree tree;
};

/* An attribute of a spanset: by(name), count(), avg(duration). */
struct traceql_set_attribute {
	struct str name;
	struct traceql_value value;
};

/* Some spans of a trace, in the order of their rows. */
struct traceql_set {
	uint32_t *rows, n;
	struct traceql_set_attribute *attributes;
	uint32_t attribute_count;
};

struct traceql_sets {
	VEC(struct traceql_set) list;
};

void traceql_run_init(struct traceql_run *r, const struct traceql *q, struct budget *budget);
void traceql_run_fini(struct traceql_run *r);

/* Begin with a trace; results of the one before are invalid. Return 0 or -ENOMEM. */
MUST_USE int traceql_run_begin(struct traceql_run *r, const struct trace_view *view);

/*
 * Evaluate an expression for a span. Of a span's events and links the first that satisfies a
 * condition counts. Return 0, -EINVAL for a division by zero, or -errno of a regular expression,
 * with text in `e`.
 */
MUST_USE int traceql_eval(struct traceql_run *r, const struct traceql_expr *x, uint32_t row,
			  struct traceql_value *out, struct err *e);

/* Set *yes to whether the span passes the filter; NULL passes all. Return values as above. */
MUST_USE int traceql_passes(struct traceql_run *r, const struct traceql_expr *filter, uint32_t row,
			    bool *yes, struct err *e);

/*
 * Apply the pipeline to all spans of the trace. Sets are not empty and in the arena of the run.
 * Return 0, -ENOMEM, or the errors of traceql_eval().
 */
MUST_USE int traceql_run_pipeline(struct traceql_run *r, const struct traceql_pipeline *p,
				  struct traceql_sets *out, struct err *e);

#endif
