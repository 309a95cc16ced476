/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_RULES_EVAL_RULE_IO_H
#define VARVE_RULES_EVAL_RULE_IO_H

#include <stdatomic.h>

#include "query/promql/promql.h"
#include "signal/metric/metric_batch.h"

/*
 * Where rules read their series and write their results: the store of a server
 * (rules/rule_store.h), or memory (rules/test/memory_series.h). All calls return when their work is
 * done. Any thread.
 */
struct rule_io;

/* Work with the series of a tenant. Return 0 or -errno with text in `e`. */
typedef int rule_work(void *arg, struct promql_source *source, const struct promql_options *options,
		      struct err *e);

struct rule_io {
	_Atomic bool cancelled; /* evaluations end soon, without a result */
	/* Run `work`, with limits, possibly on another thread. Return its result. */
	int (*run)(struct rule_io *io, struct str tenant, rule_work *work, void *arg,
		   struct err *e);
	/* Write the batch durably. Return 0 or -errno with text in `e`. */
	int (*write)(struct rule_io *io, struct str tenant, const struct metric_batch *batch,
		     struct err *e);
};

/* The result of an instant query, and the expression, whose texts it refers to. */
struct rule_result {
	struct promql_expr expr;
	struct promql_result values;
};

/*
 * Evaluate an expression as an instant query. A scalar is one sample without labels. Return 0 or
 * -errno with text in `e`; -EDOM if the result is neither a vector nor a scalar. Call
 * rule_result_fini() in any case.
 */
MUST_USE int rule_query(struct rule_io *io, struct str tenant, struct str expr, int64_t time_ms,
			struct rule_result *out, struct err *e);
void rule_result_fini(struct rule_result *r); /* takes the zero value */

/* A sample of an instant query's result. */
struct rule_sample {
	const struct promql_label *labels; /* by name */
	uint32_t label_count;
	double value;
	const struct native_histogram *histogram; /* NULL: a float */
};

/* Get the next sample; *at begins with 0. Return false at the end. */
bool rule_next_sample(const struct rule_result *r, uint32_t *at, struct rule_sample *out);

#endif
