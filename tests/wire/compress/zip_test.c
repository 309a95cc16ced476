/* SPDX-License-Identifier: Apache-2.0 */
/* The reader of zip archives. */
#include "wire/compress/zip.h"

#include <errno.h>
#include <libdeflate.h>

#include "test/test.h"

struct file {
	const char *name, *text;
	bool deflated;
};

static const struct file files[] = {
	{"folder/", "", false},
	{"folder/readme.txt", "not a profile", false},
	{"folder/app.jfr", "FLR and a text that repeats, that repeats, that repeats", true},
};

static void put16(struct buf *b, size_t value)
{
	buf_put(b, &(uint16_t){(uint16_t)value}, 2);
}

static void put32(struct buf *b, size_t value)
{
	buf_put(b, &(uint32_t){(uint32_t)value}, 4);
}

static void put64(struct buf *b, uint64_t value)
{
	buf_put(b, &value, 8);
}

/* Append the fields that are common to local and central headers. */
static void put_common(struct buf *b, const struct file *f, size_t packed, bool wide, size_t extra)
{
	put16(b, 0); /* flags */
	put16(b, f->deflated ? 8 : 0);
	put32(b, 0); /* time */
	put32(b, libdeflate_crc32(0, f->text, strlen(f->text)));
	put32(b, wide ? UINT32_MAX : packed);
	put32(b, wide ? UINT32_MAX : strlen(f->text));
	put16(b, strlen(f->name));
	put16(b, extra);
}

static void put_central(struct buf *b, const struct file *f, size_t packed, bool wide,
			size_t offset)
{
	buf_put(b, "PK\1\2\x14\0\x14\0", 8);
	put_common(b, f, packed, wide, wide ? 33 : 0);
	buf_put(b, "\0\0\0\0\0\0\0\0\0\0", 10);
	put32(b, wide ? UINT32_MAX : offset);
	buf_put_str(b, str_from(f->name));
	if (!wide)
		return;
	buf_put(b, "\x99\x99\x01\0x", 5); /* preceded by another extra field */
	put16(b, 1);
	put16(b, 24);
	put64(b, strlen(f->text));
	put64(b, packed);
	put64(b, offset);
}

static void put_end(struct buf *b, size_t start, bool wide)
{
	size_t end = b->n;

	if (wide) {
		buf_put(b, "PK\6\6", 4);
		put64(b, 44);
		buf_put(b, "\x14\0\x14\0\0\0\0\0\0\0\0\0", 12);
		put64(b, countof(files));
		put64(b, countof(files));
		put64(b, end - start);
		put64(b, start);
		buf_put(b, "PK\6\7\0\0\0\0", 8);
		put64(b, end);
		put32(b, 1);
	}
	buf_put(b, "PK\5\6\0\0\0\0", 8);
	put16(b, wide ? UINT16_MAX : countof(files));
	put16(b, wide ? UINT16_MAX : countof(files));
	put32(b, wide ? UINT32_MAX : end - start);
	put32(b, wide ? UINT32_MAX : start);
	put16(b, 7);
	buf_put_str(b, STR("comment"));
}

static void make_zip(struct buf *b, bool wide)
{
	size_t offset[countof(files)], packed[countof(files)], start;

	for (size_t i = 0; i < countof(files); i++) {
		struct buf data = {0};
		enum compress_kind kind = files[i].deflated ? COMPRESS_DEFLATE : COMPRESS_NONE;

		assert_ok(compress_bytes(&data, kind, 0, str_from(files[i].text), NULL));
		offset[i] = b->n;
		packed[i] = data.n;
		buf_put(b, "PK\3\4\x14\0", 6);
		put_common(b, &files[i], data.n, wide, 2);
		buf_put_str(b, str_from(files[i].name));
		buf_put(b, "ex", 2);
		buf_put_str(b, buf_str(&data));
		buf_fini(&data);
	}
	start = b->n;
	for (size_t i = 0; i < countof(files); i++)
		put_central(b, &files[i], packed[i], wide, offset[i]);
	put_end(b, start, wide);
}

struct fixture {
	struct budget budget;
	struct arena arena;
	struct buf zip;
	struct err e;
};

static int fixture_setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	f->budget.limit = 16 * MIB;
	arena_init(&f->arena, &f->budget);
	*state = f;
	return 0;
}

static int fixture_teardown(void **state)
{
	struct fixture *f = *state;

	arena_fini(&f->arena);
	buf_fini(&f->zip);
	free(f);
	return 0;
}

static void entries_are_returned_in_order(void **state)
{
	struct fixture *f = *state;
	struct zip_entry entry;
	struct zip z;
	struct str out;

	for (int wide = 0; wide < 2; wide++) {
		buf_clear(&f->zip);
		make_zip(&f->zip, wide);
		assert_ok_err(zip_open(&z, buf_str(&f->zip), &f->e), &f->e);
		for (size_t i = 0; i < countof(files); i++) {
			assert_int_equal(zip_next(&z, &entry, &f->e), 1);
			assert_str_equal(entry.name, str_from(files[i].name));
			assert_ok_err(zip_extract(&z, &entry, &f->arena, NULL, &out, &f->e), &f->e);
			assert_str_equal(out, str_from(files[i].text));
		}
		assert_int_equal(zip_next(&z, &entry, &f->e), 0);
	}
}

static void an_entry_is_chosen_by_suffix_or_the_first_file(void **state)
{
	struct fixture *f = *state;
	struct str out;

	make_zip(&f->zip, false);
	assert_ok(zip_extract_one(buf_str(&f->zip), STR(".jfr"), &f->arena, NULL, &out, NULL));
	assert_str_equal(out, str_from(files[2].text));
	assert_ok(zip_extract_one(buf_str(&f->zip), STR(".pb"), &f->arena, NULL, &out, NULL));
	assert_str_equal(out, str_from(files[1].text));
	assert_ok(decompress_bytes(COMPRESS_ZIP, buf_str(&f->zip), &f->arena, NULL, &out, NULL));
	assert_str_equal(out, str_from(files[1].text));
}

static void an_archive_without_files_is_an_error(void **state)
{
	static const char empty[22] = "PK\5\6";
	struct fixture *f = *state;
	struct str out;

	assert_int_equal(zip_extract_one(str_of(empty, sizeof(empty)), STR(""), &f->arena, NULL,
					 &out, &f->e),
			 -ENOENT);
	assert_err_says(&f->e, "expected a file in the archive");
}

/* Read all entries of a copy of exactly n bytes; any result but a crash is fine. */
static int read_all(struct fixture *f, struct str in)
{
	char *copy = malloc(in.n + !in.n);
	struct zip_entry entry;
	struct str out;
	struct zip z;
	int rc;

	memcpy(copy, in.p, in.n);
	arena_reset(&f->arena);
	f->e = (struct err){0};
	rc = zip_open(&z, str_of(copy, in.n), &f->e);
	while (!rc && (rc = zip_next(&z, &entry, &f->e)) == 1)
		rc = zip_extract(&z, &entry, &f->arena, NULL, &out, &f->e);
	free(copy);
	return rc;
}

static void truncation_at_every_byte_is_an_error(void **state)
{
	struct fixture *f = *state;

	for (int wide = 0; wide < 2; wide++) {
		buf_clear(&f->zip);
		make_zip(&f->zip, wide);
		assert_ok_err(read_all(f, buf_str(&f->zip)), &f->e);
		for (size_t n = 0; n < f->zip.n; n++) {
			assert_int_equal(read_all(f, str_head(buf_str(&f->zip), n)), -EBADMSG);
			assert_err_says(&f->e, "zip: at byte ");
		}
	}
}

static void mutated_archives_never_crash(void **state)
{
	struct fixture *f = *state;
	uint32_t x = 3;

	for (int wide = 0; wide < 2; wide++) {
		buf_clear(&f->zip);
		make_zip(&f->zip, wide);
		for (int round = 0; round < 20000; round++) {
			size_t at = (x = x * 1664525 + 1013904223) % f->zip.n;
			char was = f->zip.p[at];
			int rc;

			f->zip.p[at] = (char)(x >> 24);
			rc = read_all(f, buf_str(&f->zip));
			assert_true(rc <= 0);
			f->zip.p[at] = was;
		}
	}
}

static void a_wrong_checksum_is_an_error(void **state)
{
	struct fixture *f = *state;
	size_t at;

	make_zip(&f->zip, false);
	at = str_find_str(buf_str(&f->zip), STR("not a profile"));
	f->zip.p[at] = 'N';
	assert_int_equal(read_all(f, buf_str(&f->zip)), -EBADMSG);
	assert_err_says(&f->e, "checksum does not match");
}

static void unsupported_features_are_reported_by_name(void **state)
{
	struct fixture *f = *state;
	struct str central = STR("PK\1\2");
	size_t at;

	make_zip(&f->zip, false);
	at = str_find_str(buf_str(&f->zip), central);
	f->zip.p[at + 8] = 1; /* the first entry's flags */
	assert_int_equal(read_all(f, buf_str(&f->zip)), -ENOTSUP);
	assert_err_says(&f->e, "zip: folder/ is encrypted");
	f->zip.p[at + 8] = 0;
	f->zip.p[at + 10] = 93;
	assert_int_equal(read_all(f, buf_str(&f->zip)), -ENOTSUP);
	assert_err_says(&f->e, "compression method 93");
}

static void entries_are_subject_to_the_limits(void **state)
{
	struct decompress_limits limits = {.output = 10};
	struct fixture *f = *state;
	struct str out;

	make_zip(&f->zip, false);
	assert_int_equal(
		zip_extract_one(buf_str(&f->zip), STR(".jfr"), &f->arena, &limits, &out, &f->e),
		-EFBIG);
	assert_err_says(&f->e, "zip: folder/app.jfr: deflate: expands to more than 10 bytes");
	f->arena.fail_after = 1;
	assert_int_equal(
		zip_extract_one(buf_str(&f->zip), STR(".jfr"), &f->arena, NULL, &out, NULL),
		-ENOMEM);
	f->arena.fail_after = 0;
}

TEST_MAIN(test_with(fixture, entries_are_returned_in_order),
	  test_with(fixture, an_entry_is_chosen_by_suffix_or_the_first_file),
	  test_with(fixture, an_archive_without_files_is_an_error),
	  test_with(fixture, truncation_at_every_byte_is_an_error),
	  test_with(fixture, mutated_archives_never_crash),
	  test_with(fixture, a_wrong_checksum_is_an_error),
	  test_with(fixture, unsupported_features_are_reported_by_name),
	  test_with(fixture, entries_are_subject_to_the_limits))
