/* SPDX-License-Identifier: Apache-2.0 */
/* 10,000 mutants of each real file; the large ones are in pprof_large_mutants_test.c, which takes longer. */
#include "format/pprof_mutate.h"
#include "format/pprof_support.h"

static void mutants_of_fixtures_are_survived(void **state)
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
	struct profile_batch b;
	unsigned seen = 0;

	(void)state;
	assert_ok(profile_batch_init(&b, NULL));
	for (size_t i = 0; i < countof(names); i++) {
		char *path = fixture_path(names[i]);
		struct arena a;

		if (!path)
			continue;
		arena_init(&a, NULL);
		mutate(&b, read_plain(&a, path), 10000);
		arena_fini(&a);
		free(path);
		seen++;
	}
	profile_batch_fini(&b);
	if (!seen) {
		print_message("no fixtures\n");
		skip();
	}
}

TEST_MAIN(test(mutants_of_fixtures_are_survived))
