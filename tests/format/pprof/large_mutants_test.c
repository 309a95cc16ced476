/* SPDX-License-Identifier: Apache-2.0 */
/* 10,000 mutants of each large real file. */
#include "format/pprof/pprof_mutate.h"

static void mutants_of_large_fixtures_are_safe(void **state)
{
	static const char *const names[] = {
		"pprof/heap",
		"pprof/heap.pb.gz",
	};

	(void)state;
	mutate_fixtures(names, countof(names));
}

TEST_MAIN(test(mutants_of_large_fixtures_are_safe))
