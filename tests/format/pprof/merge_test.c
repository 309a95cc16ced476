/* SPDX-License-Identifier: Apache-2.0 */
/* Merging samples during decoding gives the same result as merging the decoded batches. */
#include "format/pprof/pprof_make.h"
#include "format/pprof/pprof_support.h"
#include "signal/profile/profile_merge.h"
#include "signal/profile/profile_ops.h"
#include "signal/random_batch.h"
#include "test/profile_sort.h"

/*
 * Merge `count` files, cycling through `files`, and encode the sorted result to `out`. Return 0 or
 * -errno.
 */
static int merge_files(struct buf *out, const struct str *files, size_t n, size_t count,
		       bool at_once, struct budget *budget)
{
	struct profile_batch in, merged, sorted;
	struct profile_merge merge = {0};
	struct decode_options options = {.merge = at_once ? &merge : NULL};
	struct err e = {0};
	int rc = profile_batch_init(&in, budget);

	if (!rc)
		rc = profile_batch_init(&merged, budget);
	else
		memset(&merged, 0, sizeof(merged));
	if (!rc)
		rc = profile_merge_init(&merge, &merged);
	for (size_t i = 0; !rc && i < count; i++) {
		rc = profile_batch_reset(&in);
		if (!rc)
			rc = pprof_decode(&in, files[i % n], &options, &e);
		if (!rc) {
			assert_ok_err(profile_batch_check(&in, &e), &e);
			assert_true(!at_once || !in.sample_count);
			rc = profile_merge_add(&merge, &in);
		}
	}
	if (!rc)
		rc = profile_merge_finish(&merge);
	if (!rc) {
		assert_ok_err(profile_batch_check(&merged, &e), &e);
		assert_ok(profile_batch_init(&sorted, NULL));
		assert_ok(profile_sort(&sorted, &merged));
		assert_ok_err(pprof_encode_raw(out, &sorted, &(struct encode_options){0}, &e), &e);
		profile_batch_fini(&sorted);
	}
	profile_merge_fini(&merge);
	profile_batch_fini(&merged);
	profile_batch_fini(&in);
	return rc;
}

static void assert_merged_alike(const struct str *files, size_t n, size_t count)
{
	struct buf one = {0}, two = {0};

	assert_ok(merge_files(&one, files, n, count, false, NULL));
	assert_ok(merge_files(&two, files, n, count, true, NULL));
	assert_true(one.n > 0 && str_eq(buf_str(&one), buf_str(&two)));
	buf_fini(&one);
	buf_fini(&two);
}

static void files_with_every_kind_of_sample_are_merged(void **state)
{
	struct buf full = {0}, bare = {0};

	(void)state;
	make_profile(&full);
	make_strings(&bare); /* empty, even without a type */
	const struct str files[] = {buf_str(&full), buf_str(&bare)};

	for (size_t count = 1; count <= 5; count++) {
		assert_merged_alike(files, 1, count);
		assert_merged_alike(files, 2, count);
	}
	buf_fini(&full);
	buf_fini(&bare);
}

static void real_files_are_merged(void **state)
{
	static const char *const names[] = {
		"pprof/cpu.pb.gz",	   "pprof/go.cpu.labels.pprof",
		"pprof/nodejs-wall.pb.gz", "pprof/profile_java",
		"pprof/profile_nodejs",	   "pprof/profile_python",
		"pprof/profile_rust",	   "pprof/single_group_with_optional_span_id.pb.gz",
	};
	struct str files[countof(names)];
	struct arena a;
	size_t n = 0;

	(void)state;
	arena_init(&a, NULL);
	for (size_t i = 0; i < countof(names); i++) {
		char *path = fixture_path(names[i]);

		if (path)
			files[n++] = read_plain(&a, path);
		free(path);
	}
	for (size_t i = 0; i < n; i++)
		assert_merged_alike(files + i, 1, 2);
	if (n)
		assert_merged_alike(files, n, 2 * n);
	arena_fini(&a);
	if (!n) {
		print_message("no fixtures\n");
		skip();
	}
}

enum { PLACES = 300 };

/* Append the labels of one kind: none, one, several, a link, or a long one. */
static void put_alike_labels(struct buf *m, uint32_t kind)
{
	if (kind == 1 || kind == 2)
		PB_ROW(m, PPROF_SAMPLE_LABEL, S_SIZE, 0, 64 * kind, S_BYTES);
	if (kind == 2 || kind == 3)
		PB_ROW(m, PPROF_SAMPLE_LABEL, S_THREAD, S_WORKER);
	if (kind == 4)
		PB_ROW(m, PPROF_SAMPLE_LABEL, S_SPAN_ID, S_SPAN);
	if (kind == 5)
		PB_ROW(m, PPROF_SAMPLE_LABEL, S_SIZE, 0, UINT64_MAX, S_BYTES);
	if (kind == 6)
		PB_ROW(m, PPROF_SAMPLE_LABEL, S_SIZE, 0, 64, S_KILOBYTES);
}

/*
 * Append sample `which` of the program: its stack is shared with samples of other labels. Location
 * ids differ in each file.
 */
static void put_alike_sample(struct buf *b, uint32_t which, uint32_t shift, uint64_t *seed)
{
	uint64_t own = which / 4 * 977 + 1, locations[100],
		 values[] = {((uint64_t)test_random(seed, UINT32_MAX) << 32) >>
				     test_random(seed, 64),
			     test_random(seed, 300)};
	size_t depth = test_random(&own, which % 9 ? 20 : countof(locations));
	bool values_first = test_random(&own, 2) != 0;
	struct buf m = {0};

	for (size_t i = 0; i < depth; i++)
		locations[i] = (test_random(&own, PLACES) + shift) % PLACES + 1;
	if (values_first)
		pb_packed(&m, PPROF_SAMPLE_VALUE, values, countof(values));
	if (depth || which % 2)
		pb_packed(&m, PPROF_SAMPLE_LOCATION, locations, depth);
	if (!values_first)
		pb_packed(&m, PPROF_SAMPLE_VALUE, values, countof(values));
	put_alike_labels(&m, (which + test_random(&own, 7)) % 7);
	pb_message(b, PPROF_SAMPLE, &m);
	buf_fini(&m);
}

/* Make a file with most samples of a program, in nearly the same order as in other files. */
static void make_alike(struct buf *b, uint64_t seed)
{
	enum { SAMPLES = 200 };
	uint32_t shift = test_random(&seed, PLACES);

	PB_ROW(b, PPROF_SAMPLE_TYPE, S_SAMPLES, S_COUNT);
	PB_ROW(b, PPROF_SAMPLE_TYPE, S_CPU, S_NS);
	for (uint32_t i = 0; i < SAMPLES; i++)
		if (test_random(&seed, 16))
			put_alike_sample(b, test_random(&seed, 16) ? i : i / 2, shift, &seed);
	PB_ROW(b, PPROF_FUNCTION, 1, S_MAIN, S_MAIN, S_MAIN_C, 10);
	for (uint32_t id = 1; id <= PLACES; id++)
		pb_location(b, id, 0, 0x1000 + (id - 1 + PLACES - shift) % PLACES,
			    (const uint64_t[1][3]){{1, 7, 0}}, 1, false);
	make_strings(b);
}

static void files_of_one_program_are_merged(void **state)
{
	struct buf bufs[6] = {0};
	struct str files[countof(bufs)];

	(void)state;
	for (size_t i = 0; i < countof(bufs); i++) {
		make_alike(&bufs[i], i + 1);
		files[i] = buf_str(&bufs[i]);
	}
	assert_merged_alike(files, 1, 3);
	assert_merged_alike(files, countof(files), 3 * countof(files));
	for (size_t i = 0; i < countof(bufs); i++)
		buf_fini(&bufs[i]);
}

static void too_little_memory_is_an_error(void **state)
{
	struct buf full = {0};
	bool failed = false, done = false;

	(void)state;
	make_profile(&full);

	struct str file = buf_str(&full);

	for (size_t limit = 1024; !done; limit += 512) {
		struct budget budget = {.limit = limit};
		struct buf out = {0};
		int rc = merge_files(&out, &file, 1, 2, true, &budget);

		assert_true(!rc || rc == -ENOMEM);
		assert_int_equal(budget.used, 0);
		failed |= rc != 0;
		done = !rc;
		buf_fini(&out);
	}
	assert_true(failed);
	buf_fini(&full);
}

TEST_MAIN(test(files_with_every_kind_of_sample_are_merged), test(real_files_are_merged),
	  test(files_of_one_program_are_merged), test(too_little_memory_is_an_error))
