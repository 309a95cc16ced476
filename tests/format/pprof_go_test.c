/* SPDX-License-Identifier: Apache-2.0 */
/* What we read, and what we write, is what `go tool pprof` says of the same file. */
#include "format/pprof_support.h"

static const char *const fixtures[] = {
	"pprof/cpu.pb.gz",
	"pprof/go.cpu.labels.pprof",
	"pprof/heap",
	"pprof/heap.pb.gz",
	"pprof/nodejs-wall.pb.gz",
	"pprof/profile_java",
	"pprof/profile_nodejs",
	"pprof/profile_python",
	"pprof/profile_rust",
	"pprof/pyspy-1.pb.gz",
	"pprof/single_group_with_optional_span_id.pb.gz",
	"jfr/"
	"cortex-dev-01__kafka-0__cpu__0.jfr.gz.process_cpu_cpu_nanoseconds_cpu_nanoseconds."
	"17241709254077376921.pb.gz",
	"jfr/dump1.jfr.gz.process_cpu_cpu_nanoseconds_cpu_nanoseconds.15666661103234080825.pb.gz",
};

static void fixtures_decode_to_what_go_shows(void **state)
{
	unsigned compared = 0;

	(void)state;
	if (!have_go()) {
		print_message("go is not installed\n");
		skip();
	}
	for (size_t i = 0; i < countof(fixtures); i++) {
		char *path = fixture_path(fixtures[i]);
		struct profile_batch b;
		struct err e = {0};

		if (!path)
			continue;
		assert_ok(profile_batch_init(&b, NULL));

		struct str plain = read_plain(&b.arena, path);

		assert_ok_err(pprof_decode(&b, plain, &(struct decode_options){0}, &e), &e);
		assert_ok_err(profile_batch_check(&b, &e), &e);

		struct dump ours = dump_batch(&b), theirs = dump_go_raw(go_raw(&b.arena, path));

		assert_dumps_equal(fixtures[i], &ours, &theirs);
		assert_true(ours.n > 0);
		dump_free(&ours);
		dump_free(&theirs);
		profile_batch_fini(&b);
		free(path);
		compared++;
	}
	if (!compared) {
		print_message("no fixtures\n");
		skip();
	}
}

TEST_MAIN(test(fixtures_decode_to_what_go_shows))
