/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_TESTS_QUERY_PROMQL_SCRIPT_H
#define VARVE_TESTS_QUERY_PROMQL_SCRIPT_H

#include "base/buf.h"
#include "rules/test/promql_memory.h"

/*
 * Run a test script of PromQL in the format of Prometheus: `load` series, `eval` queries, compare.
 * Each instant query is also evaluated as a range query, and with @ on its selectors at other
 * times. Failures are printed to `log` as "NAME:LINE: reason".
 */
struct promql_script_result {
	unsigned evals, failures;
};

struct promql_script_result promql_script_run(const char *name, struct str text, struct buf *log);

/*
 * The same, with the series in something else: `source` returns a source of the series in `m`, which
 * have changed if `changed` is set.
 */
struct promql_script_place {
	struct promql_source *(*source)(void *ctx, const struct promql_memory *m, bool changed);
	void *ctx;
};
struct promql_script_result promql_script_run_in(const char *name, struct str text, struct buf *log,
						 const struct promql_script_place *place);

/* Read a file; return false if it does not exist. */
bool promql_script_read(const char *path, struct buf *out);

#endif
