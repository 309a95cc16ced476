/* SPDX-License-Identifier: Apache-2.0 */
/*
 * 10,000 mutants of each real file; those of large files are in large_mutants_test.c, which is
 * slow.
 */
#include "format/pprof/pprof_mutate.h"

static void mutants_of_fixtures_are_safe(void **state)
{
	static const char *const names[] = {
		"pprof/cpu.pb.gz",
		"pprof/go.cpu.labels.pprof",
		"pprof/nodejs-wall.pb.gz",
		"pprof/profile_java",
		"pprof/profile_nodejs",
		"pprof/profile_python",
		"pprof/profile_rust",
		"pprof/pyspy-1.pb.gz",
		"pprof/single_group_with_optional_span_id.pb.gz",
	};

	(void)state;
	mutate_fixtures(names, countof(names));
}

TEST_MAIN(test(mutants_of_fixtures_are_safe))
