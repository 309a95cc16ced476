/* SPDX-License-Identifier: Apache-2.0 */
/* Runs test scripts of PromQL: query_promql_script FILE... */
#include <stdio.h>

#include "query/promql_script.h"

int main(int argc, char **argv)
{
	unsigned evals = 0, failures = 0;

	for (int i = 1; i < argc; i++) {
		struct promql_script_result r;
		struct buf text = {0}, log = {0};

		if (!promql_script_read(argv[i], &text)) {
			fprintf(stderr, "%s: cannot be read\n", argv[i]);
			return 2;
		}
		r = promql_script_run(argv[i], buf_str(&text), &log);
		fwrite(log.p ? log.p : "", 1, log.n, stdout);
		printf("%s: %u evaluations, %u failed\n", argv[i], r.evals, r.failures);
		evals += r.evals;
		failures += r.failures;
		buf_fini(&text);
		buf_fini(&log);
	}
	printf("%u evaluations, %u failed\n", evals, failures);
	return failures ? 1 : 0;
}
