/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_TESTS_QUERY_PROMQL_SCRIPT_H
#define VARVE_TESTS_QUERY_PROMQL_SCRIPT_H

#include "base/buf.h"

/*
 * Run a test script of PromQL in the format of Prometheus: `load` series, `eval` queries, compare.
 * Each instant query is also evaluated as a range query, and with @ on its selectors at other
 * times. Failures are printed to `log` as "NAME:LINE: reason".
 */
struct promql_script_result {
	unsigned evals, failures;
};

struct promql_script_result promql_script_run(const char *name, struct str text, struct buf *log);

/* Read a file; return false if it does not exist. */
bool promql_script_read(const char *path, struct buf *out);

#endif
