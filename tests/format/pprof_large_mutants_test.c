/* SPDX-License-Identifier: Apache-2.0 */
/* 10,000 mutants of each large real file. */
#include "format/pprof_mutate.h"
#include "format/pprof_support.h"

static void mutants_of_fixtures_are_survived(void **state)
{
	static const char *const names[] = {
		"pprof/heap",
		"pprof/heap.pb.gz",
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
