/* SPDX-License-Identifier: Apache-2.0 */
/* Detection of formats: layers of compression, file names, contents. */
#include "format/format.h"

#include "test/test.h"
#include "wire/compress/compress.h"

/* A pprof with one sample type and nothing else. */
static const char pprof_bytes[] = "\x0a\x04\x08\x01\x10\x02\x32\x00\x32\x03"
				  "cpu\x32\x05"
				  "count";
#define PPROF str_of(pprof_bytes, sizeof(pprof_bytes) - 1)

static void assert_decodes(struct str in)
{
	const struct format *used = NULL;
	struct profile_batch b;
	struct err e = {0};

	assert_ok(profile_batch_init(&b, NULL));
	assert_ok_err(format_decode(&b, in, NULL, STR(""), NULL, &used, &e), &e);
	assert_string_equal(used->name, "pprof");
	assert_int_equal(b.profiles.n, 1);
	assert_ok_err(profile_batch_check(&b, &e), &e);
	profile_batch_fini(&b);
}

static void layers_of_compression_are_removed(void **state)
{
	static const enum compress_kind kinds[] = {COMPRESS_GZIP, COMPRESS_ZLIB, COMPRESS_ZSTD,
						   COMPRESS_LZ4};

	(void)state;
	assert_decodes(PPROF);
	for (size_t i = 0; i < countof(kinds); i++) {
		struct buf once = {0}, twice = {0};
		struct err e = {0};

		assert_ok_err(compress_bytes(&once, kinds[i], 0, PPROF, &e), &e);
		assert_decodes(buf_str(&once));
		assert_ok_err(compress_bytes(&twice, COMPRESS_GZIP, 0, buf_str(&once), &e), &e);
		assert_decodes(buf_str(&twice));
		buf_fini(&once);
		buf_fini(&twice);
	}
}

static void formats_are_found_by_name_and_extension(void **state)
{
	(void)state;
	assert_string_equal(format_by_name(STR("pprof"))->name, "pprof");
	assert_null(format_by_name(STR("pprofx")));
	assert_string_equal(format_by_path(STR("a/b.c/x.pb.gz"))->name, "pprof");
	assert_null(format_by_path(STR("pb.gz"))); /* a name, not an extension */
	assert_null(format_by_path(STR("x.unknown")));
}

static void unknown_formats_are_reported(void **state)
{
	struct profile_batch b;
	struct err e = {0};

	(void)state;
	assert_ok(profile_batch_init(&b, NULL));
	assert_int_equal(format_decode(&b, STR("\xff\xfe\xfd"), NULL, STR("x.bin"), NULL, NULL, &e),
			 -EBADMSG);
	assert_err_says(&e, "known format");
	e = (struct err){0};
	assert_int_equal(format_decode(&b, STR(""), NULL, STR("x.pb.gz"), NULL, NULL, &e),
			 -EBADMSG);
	assert_err_says(&e, "empty file");
	profile_batch_fini(&b);
}

static void errors_contain_the_format(void **state)
{
	struct profile_batch b;
	struct err e = {0};

	(void)state;
	assert_ok(profile_batch_init(&b, NULL));
	assert_int_equal(format_decode(&b, str_head(PPROF, PPROF.n - 2),
				       format_by_name(STR("pprof")), STR(""), NULL, NULL, &e),
			 -EBADMSG);
	assert_err_says(&e, "pprof: at byte");
	profile_batch_fini(&b);
}

TEST_MAIN(test(layers_of_compression_are_removed), test(formats_are_found_by_name_and_extension),
	  test(unknown_formats_are_reported), test(errors_contain_the_format))
