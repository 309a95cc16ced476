/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The file sink: later intervals are added to earlier ones, except heap in use, which is the
 * latest.
 */
#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "format/pprof/pprof.h"
#include "sdk/export/export.h"
#include "sdk/export/sink_files.h"
#include "seal/sealed_file.h"
#include "signal/profile/profile_builder.h"
#include "signal/profile/profile_rows.h"
#include "test/test.h"
#include "wire/compress/compress.h"

static void add_column(struct profile_builder *b, const char *type, const char *frame,
		       int64_t value)
{
	struct profile row = {0};
	uint32_t location, stack;

	assert_ok(profile_add_string(b, str_from(type), &row.sample_type.type));
	assert_ok(profile_add_string(b, STR("bytes"), &row.sample_type.unit));
	assert_ok(profile_add_profile(b, &row, NULL, 0));
	assert_ok(profile_add_frame(b, str_from(frame), STR("a.c"), 1, &location));
	assert_ok(profile_add_stack(b, &location, 1, &stack));
	assert_ok(profile_add_sample(b, stack, 0, NULL, 0, value));
}

/* Return a heap profile with one sample of a frame: bytes allocated and bytes in use. */
static struct export_item *heap_item(const char *frame, int64_t allocated, int64_t in_use)
{
	struct export_item *item = export_item_new(EXPORT_PROFILES);
	struct encode_options options = {0};
	struct profile_builder builder;
	struct profile_batch b;

	assert_non_null(item);
	item->kind = VARVE_HEAP;
	assert_ok(profile_batch_init(&b, NULL));
	assert_ok(profile_builder_init(&builder, &b));
	assert_ok(profile_add_resource(&builder, NULL, 0));
	assert_ok(profile_add_scope(&builder, STR("varve"), STR(""), NULL, 0));
	add_column(&builder, "alloc_space", frame, allocated);
	add_column(&builder, "inuse_space", frame, in_use);
	assert_ok(pprof_encode_raw(&item->body, &b, &options, NULL));
	profile_batch_fini(&b);
	return item;
}

static int64_t sum_of(const char *path, const char *type)
{
	struct decode_options options = {0};
	struct profile_batch b;
	struct buf file = {0};
	struct err e = {0};
	struct arena a;
	struct str pprof;
	FILE *f = fopen(path, "re");
	int64_t sum = 0;

	assert_non_null(f);
	for (int c; (c = fgetc(f)) != EOF;)
		buf_put_char(&file, (char)c);
	fclose(f);
	arena_init(&a, NULL);
	assert_ok(profile_batch_init(&b, NULL));
	assert_ok_err(decompress_bytes(COMPRESS_GZIP, buf_str(&file), &a, NULL, &pprof, &e), &e);
	assert_ok_err(pprof_decode(&b, pprof, &options, &e), &e);
	for (uint32_t p = 0; p < b.profiles.n; p++) {
		const struct profile *row = &b.profiles.at[p];

		if (!str_eq(string_of(&b, row->sample_type.type), str_from(type)))
			continue;
		for (uint32_t v = b.sample_values_at[row->sample_first];
		     v < b.sample_values_at[row->sample_first + row->sample_count]; v++)
			sum += b.values.at[v];
	}
	profile_batch_fini(&b);
	arena_fini(&a);
	buf_fini(&file);
	return sum;
}

static void deliver(struct sink *sink, struct export_item *item)
{
	uint64_t retry = 0;
	struct err e = {0};

	assert_ok_err(sink->deliver(sink, item, 1000, &retry, &e), &e);
	export_item_free(item);
}

static void allocations_add_up_and_heap_in_use_is_the_latest(void **state)
{
	char directory[] = "/tmp/varve-files-XXXXXX", path[64];
	struct sink *sink;
	struct err e = {0};

	(void)state;
	assert_non_null(mkdtemp(directory));
	snprintf(path, sizeof(path), "%s/heap.pb.gz", directory);
	assert_ok_err(sink_files(&sink, directory, NULL, &e), &e);
	assert_ok(sink->check(sink, 0, &e));
	deliver(sink, heap_item("one", 100, 60));
	assert_int_equal(sum_of(path, "alloc_space"), 100);
	assert_int_equal(sum_of(path, "inuse_space"), 60);
	deliver(sink, heap_item("one", 10, 40));
	deliver(sink, heap_item("two", 1, 7));
	assert_int_equal(sum_of(path, "alloc_space"), 111);
	assert_int_equal(sum_of(path, "inuse_space"), 7);
	/* a forked child writes its own file */
	sink->forked(sink, false);
	deliver(sink, heap_item("child", 5, 5));
	assert_int_equal(sum_of(path, "alloc_space"), 111);
	snprintf(path, sizeof(path), "%s/heap.%d.pb.gz", directory, (int)getpid());
	assert_int_equal(sum_of(path, "alloc_space"), 5);
	sink->free(sink);
	snprintf(path, sizeof(path), "rm -r %s", directory);
	assert_ok(system(path));
}

/* With a key, the file has another name, and is continued by the next program of the process. */
static void files_are_encrypted_with_a_key(void **state)
{
	char directory[] = "/tmp/varve-files-XXXXXX", path[80], key[80];
	static const uint8_t bytes[SEAL_KEY] = {1, 2, 3};
	struct buf file = {0}, content = {0};
	struct key_ring *keys;
	struct sink *sink;
	struct err e = {0};
	FILE *f;

	(void)state;
	assert_non_null(mkdtemp(directory));
	snprintf(key, sizeof(key), "%s/key", directory);
	snprintf(path, sizeof(path), "%s/heap.pb.gz.sealed", directory);
	f = fopen(key, "we");
	assert_int_equal(fwrite(bytes, 1, sizeof(bytes), f), sizeof(bytes));
	assert_ok(fchmod(fileno(f), 0600));
	fclose(f);
	assert_ok_err(key_ring_open(&keys, key, NULL, &e), &e);
	for (unsigned i = 0; i < 2; i++) {
		assert_ok_err(sink_files(&sink, directory, keys, &e), &e);
		deliver(sink, heap_item("one", 100, 60));
		sink->free(sink);
	}
	f = fopen(path, "re");
	assert_non_null(f);
	for (int c; (c = fgetc(f)) != EOF;)
		buf_put_char(&file, (char)c);
	fclose(f);
	assert_ok_err(sealed_read(&content, buf_str(&file), keys, &e), &e);
	snprintf(path, sizeof(path), "%s/heap.pb.gz", directory);
	f = fopen(path, "we");
	assert_int_equal(fwrite(content.p, 1, content.n, f), content.n);
	fclose(f);
	assert_int_equal(sum_of(path, "alloc_space"), 200);
	key_ring_unref(keys);
	buf_fini(&file);
	buf_fini(&content);
	snprintf(path, sizeof(path), "rm -r %s", directory);
	assert_ok(system(path));
}

static void an_unusable_directory_is_reported(void **state)
{
	struct sink *sink;
	struct err e = {0};

	(void)state;
	assert_int_not_equal(sink_files(&sink, "/dev/null/x", NULL, &e), 0);
	assert_err_says(&e, "/dev/null");
}

TEST_MAIN(test(allocations_add_up_and_heap_in_use_is_the_latest),
	  test(files_are_encrypted_with_a_key), test(an_unusable_directory_is_reported))
