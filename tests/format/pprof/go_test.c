/* SPDX-License-Identifier: Apache-2.0 */
/* Decoded and encoded files have the same contents in `go tool pprof`. */
#include <unistd.h>

#include "format/pprof/pprof_make.h"
#include "format/pprof/pprof_support.h"

static void fixtures_decode_as_in_go_pprof(void **state)
{
	unsigned compared = 0;

	(void)state;
	if (!have_go()) {
		print_message("go is not installed\n");
		skip();
	}
	for (size_t i = 0; i < countof(pprof_fixtures); i++) {
		char *path = fixture_path(pprof_fixtures[i]);
		struct profile_batch b;
		struct err e = {0};

		if (!path)
			continue;
		assert_ok(profile_batch_init(&b, NULL));

		struct str plain = read_plain(&b.arena, path);

		assert_ok_err(pprof_decode(&b, plain, &(struct decode_options){0}, &e), &e);
		assert_ok_err(profile_batch_check(&b, &e), &e);

		struct dump ours = dump_batch(&b), theirs = dump_go_raw(go_raw(&b.arena, path));

		assert_dumps_equal(pprof_fixtures[i], &ours, &theirs);
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

/* Encode the batch, read it with the go tool, and compare the output with the batch. */
static void assert_go_reads(const char *name, const struct profile_batch *b)
{
	char path[] = "/tmp/varve-pprof-XXXXXX", command[256];
	int fd = mkstemp(path);
	FILE *f = fd < 0 ? NULL : fdopen(fd, "wb");
	struct buf out = {0};
	struct err e = {0};
	struct arena a;

	assert_non_null(f);
	assert_ok_err(pprof_encode(&out, b, &(struct encode_options){0}, &e), &e);
	assert_int_equal(fwrite(out.p, 1, out.n, f), out.n);
	fclose(f);
	arena_init(&a, NULL);

	struct str text = go_raw(&a, path);

	snprintf(command, sizeof(command),
		 "go tool pprof -symbolize=none -top '%s' >/dev/null 2>&1", path);
	assert_int_equal(system(command), 0);
	unlink(path);
	if (!text.n)
		fail_msg("%s: go refuses what we wrote", name);

	struct dump ours = dump_batch(b), theirs = dump_go_raw(text);

	assert_dumps_equal(name, &ours, &theirs);
	dump_free(&ours);
	dump_free(&theirs);
	buf_fini(&out);
	arena_fini(&a);
}

static void go_pprof_reads_encoded_files(void **state)
{
	struct profile_batch b;
	struct buf in = {0};
	struct err e = {0};

	(void)state;
	if (!have_go()) {
		print_message("go is not installed\n");
		skip();
	}
	make_profile(&in);
	assert_ok(profile_batch_init(&b, NULL));
	assert_ok_err(pprof_decode(&b, buf_str(&in), &(struct decode_options){0}, &e), &e);
	assert_go_reads("made by hand", &b);
	profile_batch_fini(&b);
	buf_fini(&in);
	for (size_t i = 0; i < countof(pprof_fixtures); i++) {
		char *path = fixture_path(pprof_fixtures[i]);

		if (!path)
			continue;
		assert_ok(profile_batch_init(&b, NULL));
		assert_ok_err(pprof_decode(&b, read_plain(&b.arena, path),
					   &(struct decode_options){0}, &e),
			      &e);
		assert_go_reads(pprof_fixtures[i], &b);
		profile_batch_fini(&b);
		free(path);
	}
}

TEST_MAIN(test(fixtures_decode_as_in_go_pprof), test(go_pprof_reads_encoded_files))
