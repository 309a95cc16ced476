/* SPDX-License-Identifier: Apache-2.0 */
/* Compression and decompression of all kinds: detection, limits, corrupted input. */
#include "wire/compress/compress.h"

#include <errno.h>
#include <lz4.h>
#include <lz4frame.h>
#include <zlib.h>
#include <zstd.h>

#include "base/budget.h"
#include "test/test.h"
#include "wire/compress/decompress.h"

static const enum compress_kind kinds[] = {COMPRESS_GZIP,	  COMPRESS_ZLIB,    COMPRESS_ZSTD,
					   COMPRESS_LZ4,	  COMPRESS_DEFLATE, COMPRESS_SNAPPY,
					   COMPRESS_SNAPPY_FRAMED};

struct fixture {
	struct budget budget;
	struct arena arena;
	struct buf plain, packed;
	struct err e;
};

static int fixture_setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	f->budget.limit = 256 * MIB;
	arena_init(&f->arena, &f->budget);
	*state = f;
	return 0;
}

static int fixture_teardown(void **state)
{
	struct fixture *f = *state;

	arena_fini(&f->arena);
	buf_fini(&f->plain);
	buf_fini(&f->packed);
	size_t left = f->budget.used;
	free(f);
	return left ? -1 : 0;
}

/* Make text that compresses like a profile. */
static void make_plain(struct fixture *f, size_t n)
{
	uint32_t x = 1;

	buf_clear(&f->plain);
	while (f->plain.n < n) {
		x = x * 1664525 + 1013904223;
		buf_printf(&f->plain, "main;work;step_%u %u\n", x >> 28, x >> 20);
	}
	f->plain.n = n;
}

static void add_packed(struct fixture *f, enum compress_kind kind)
{
	assert_ok_err(compress_bytes(&f->packed, kind, 0, buf_str(&f->plain), &f->e), &f->e);
}

static int unpack(struct fixture *f, enum compress_kind kind, struct str in, struct str *out)
{
	arena_reset(&f->arena);
	f->e = (struct err){0};
	return decompress_bytes(kind, in, &f->arena, NULL, out, &f->e);
}

static void compressed_data_is_detected_and_decompressed(void **state)
{
	static const size_t sizes[] = {0, 1, 100, 4096, 300000, 5000000};
	struct fixture *f = *state;
	struct str out;

	for (size_t k = 0; k < countof(kinds); k++) {
		for (size_t i = 0; i < countof(sizes); i++) {
			make_plain(f, sizes[i]);
			buf_clear(&f->packed);
			add_packed(f, kinds[k]);
			if (kinds[k] != COMPRESS_DEFLATE && kinds[k] != COMPRESS_SNAPPY &&
			    kinds[k] != COMPRESS_SNAPPY_FRAMED)
				assert_int_equal(compress_detect(buf_str(&f->packed)), kinds[k]);
			assert_ok_err(unpack(f, kinds[k], buf_str(&f->packed), &out), &f->e);
			assert_true(str_eq(out, buf_str(&f->plain)));
		}
	}
}

static void every_level_is_accepted(void **state)
{
	struct fixture *f = *state;
	struct str out;

	make_plain(f, 20000);
	for (size_t k = 0; k < countof(kinds); k++) {
		for (int level = -1; level < 30; level += 5) {
			buf_clear(&f->packed);
			assert_ok(compress_bytes(&f->packed, kinds[k], level, buf_str(&f->plain),
						 NULL));
			assert_ok_err(unpack(f, kinds[k], buf_str(&f->packed), &out), &f->e);
			assert_true(str_eq(out, buf_str(&f->plain)));
		}
	}
}

static void plain_text_is_not_detected_as_compressed(void **state)
{
	(void)state;
	assert_int_equal(compress_detect(STR("")), COMPRESS_NONE);
	assert_int_equal(compress_detect(STR("\x1f")), COMPRESS_NONE);
	assert_int_equal(compress_detect(STR("main;x 1\n")), COMPRESS_NONE);
	assert_int_equal(compress_detect(STR("x;y 1\n")), COMPRESS_NONE);
	assert_int_equal(compress_detect(STR("x^;y 1\n")), COMPRESS_NONE);
	assert_int_equal(compress_detect(STR("{\"a\":1}")), COMPRESS_NONE);
	assert_int_equal(compress_detect(STR("PK\3\4")), COMPRESS_ZIP);
}

static void members_and_frames_are_concatenated(void **state)
{
	static const enum compress_kind joined[] = {COMPRESS_GZIP, COMPRESS_ZSTD, COMPRESS_LZ4};
	static const char skippable[] = "\x53\x2a\x4d\x18\x05\0\0\0hello";
	struct fixture *f = *state;
	struct str out;

	for (size_t k = 0; k < countof(joined); k++) {
		buf_clear(&f->packed);
		if (joined[k] != COMPRESS_GZIP)
			buf_put(&f->packed, skippable, sizeof(skippable) - 1);
		for (size_t i = 0; i < 5; i++) {
			make_plain(f, 1000 + i * 100000);
			add_packed(f, joined[k]);
		}
		if (joined[k] != COMPRESS_GZIP)
			buf_put(&f->packed, skippable, sizeof(skippable) - 1);
		else
			buf_put(&f->packed, "\0\0\0\0\0", 5); /* padding */
		assert_int_equal(compress_detect(buf_str(&f->packed)), joined[k]);
		assert_ok_err(unpack(f, joined[k], buf_str(&f->packed), &out), &f->e);
		assert_int_equal(out.n, 5 * 1000 + 10 * 100000);
		assert_true(str_eq(str_from_at(out, out.n - f->plain.n), buf_str(&f->plain)));
	}
}

/* Decompress a copy of exactly n bytes, so that a sanitizer detects overreads. */
static int unpack_truncated(struct fixture *f, enum compress_kind kind, struct str in, size_t n)
{
	char *cut = malloc(n + !n);
	struct str out;
	int rc;

	memcpy(cut, in.p, n);
	rc = unpack(f, kind, str_of(cut, n), &out);
	free(cut);
	return rc;
}

/*
 * Frames of other writers: linked blocks, with and without checksums, block sizes, stored blocks.
 */
static void all_forms_of_lz4_frames_are_read(void **state)
{
	struct fixture *f = *state;
	struct str out;

	make_plain(f, 700000);
	for (size_t i = 0; i < 64 * 1024; i++) /* incompressible: a stored block */
		f->plain.p[i] = (char)((i * i * 2654435761u) >> 13);
	for (unsigned form = 0; form < 64; form++) {
		LZ4F_preferences_t p = {
			.frameInfo =
				{
					.blockMode =
						form & 1 ? LZ4F_blockIndependent : LZ4F_blockLinked,
					.blockChecksumFlag = form & 2 ? LZ4F_blockChecksumEnabled
								      : LZ4F_noBlockChecksum,
					.contentChecksumFlag = form & 4
								       ? LZ4F_contentChecksumEnabled
								       : LZ4F_noContentChecksum,
					.contentSize = form & 8 ? f->plain.n : 0,
					.blockSizeID =
						(LZ4F_blockSizeID_t)(LZ4F_max64KB + (form >> 4)),
				},
		};
		size_t bound = LZ4F_compressFrameBound(f->plain.n, &p), n;

		buf_clear(&f->packed);
		n = LZ4F_compressFrame(buf_reserve(&f->packed, bound), bound, f->plain.p,
				       f->plain.n, &p);
		assert_false(LZ4F_isError(n));
		f->packed.n = n;
		assert_ok_err(unpack(f, COMPRESS_LZ4, buf_str(&f->packed), &out), &f->e);
		assert_true(str_eq(out, buf_str(&f->plain)));
		if (form & 6) { /* a checksum detects a flipped bit in the stored block */
			f->packed.p[1000] ^= 1;
			assert_int_equal(unpack(f, COMPRESS_LZ4, buf_str(&f->packed), &out),
					 -EBADMSG);
			assert_err_says(&f->e, "checksum does not match");
		}
	}
}

/* Append the plain bytes as a legacy frame, as `lz4 -l` writes them. */
static void add_legacy(struct fixture *f)
{
	enum { BLOCK = 8 << 20 };

	buf_put(&f->packed, "\x02\x21\x4c\x18", 4);
	for (size_t at = 0; at < f->plain.n; at += BLOCK) {
		int size = (int)min_size(BLOCK, f->plain.n - at), n;
		char *to = buf_reserve(&f->packed, 4 + (size_t)LZ4_compressBound(size));
		uint32_t word;

		n = LZ4_compress_default(f->plain.p + at, to + 4, size, LZ4_compressBound(size));
		assert_true(n > 0);
		word = (uint32_t)n;
		memcpy(to, &word, 4);
		f->packed.n += 4 + word;
	}
}

static void legacy_lz4_frames_are_read(void **state)
{
	struct fixture *f = *state;
	struct str out, packed;
	size_t first;

	make_plain(f, 9 * MIB);
	add_legacy(f);
	assert_int_equal(compress_detect(buf_str(&f->packed)), COMPRESS_LZ4);
	assert_ok_err(unpack(f, COMPRESS_LZ4, buf_str(&f->packed), &out), &f->e);
	assert_true(str_eq(out, buf_str(&f->plain)));

	/* small frames in sequence, including a modern and a skippable one */
	make_plain(f, 3000);
	buf_clear(&f->packed);
	add_legacy(f);
	first = f->packed.n;
	add_legacy(f);
	add_packed(f, COMPRESS_LZ4);
	buf_put(&f->packed, "\x50\x2a\x4d\x18\x01\0\0\0x", 9);
	add_legacy(f);
	assert_ok_err(unpack(f, COMPRESS_LZ4, buf_str(&f->packed), &out), &f->e);
	assert_int_equal(out.n, 4 * 3000);
	assert_true(str_eq(str_from_at(out, 3 * 3000), buf_str(&f->plain)));

	packed = str_head(buf_str(&f->packed), first);
	for (size_t n = 5; n < packed.n; n++)
		assert_int_equal(unpack_truncated(f, COMPRESS_LZ4, packed, n), -EBADMSG);
	for (size_t n = 4; n < packed.n; n++) {
		f->packed.p[n] ^= 0x55;
		int rc = unpack_truncated(f, COMPRESS_LZ4, packed, packed.n);
		assert_true(rc == 0 || rc == -EBADMSG || rc == -EFBIG);
		f->packed.p[n] ^= 0x55;
	}
	buf_put_str(&f->packed, STR("garbage!"));
	assert_int_equal(unpack(f, COMPRESS_LZ4, buf_str(&f->packed), &out), -EBADMSG);
	assert_err_says(&f->e, "expected a frame, found other data");
}

/* A frame without a size, flushed often: many small blocks, each of which could be 128 KiB. */
static void zstd_streams_without_a_size_are_read(void **state)
{
	static const size_t pieces[] = {50, 1000, 100000, 900000};
	struct fixture *f = *state;
	struct str out;

	make_plain(f, 900000);
	for (size_t k = 0; k < countof(pieces); k++) {
		ZSTD_CCtx *c = ZSTD_createCCtx();
		size_t bound = 4 * f->plain.n;
		ZSTD_outBuffer o = {NULL, bound, 0};

		ZSTD_CCtx_setParameter(c, ZSTD_c_checksumFlag, k % 2);
		buf_clear(&f->packed);
		o.dst = buf_reserve(&f->packed, bound);
		for (size_t at = 0; at < f->plain.n; at += pieces[k]) {
			ZSTD_inBuffer in = {f->plain.p + at, min_size(pieces[k], f->plain.n - at),
					    0};

			assert_false(ZSTD_isError(ZSTD_compressStream2(c, &o, &in, ZSTD_e_flush)));
		}
		assert_int_equal(ZSTD_compressStream2(c, &o, &(ZSTD_inBuffer){0}, ZSTD_e_end), 0);
		ZSTD_freeCCtx(c);
		f->packed.n = o.pos;
		f->budget.peak = 0;
		assert_ok_err(unpack(f, COMPRESS_ZSTD, buf_str(&f->packed), &out), &f->e);
		assert_true(str_eq(out, buf_str(&f->plain)));
		assert_true(f->budget.peak < 12 * MIB);
	}
}

static void trailing_bytes_are_an_error(void **state)
{
	struct fixture *f = *state;
	struct str out;

	make_plain(f, 1000);
	for (size_t k = 0; k < countof(kinds); k++) {
		buf_clear(&f->packed);
		add_packed(f, kinds[k]);

		size_t end = f->packed.n;
		char where[32];

		buf_put_str(&f->packed, STR("garbage"));
		assert_int_equal(unpack(f, kinds[k], buf_str(&f->packed), &out), -EBADMSG);
		snprintf(where, sizeof(where), "at byte %zu: expected", end);
		assert_err_says(&f->e, where);
		assert_err_says(&f->e, compress_name(kinds[k]));
	}
}

static void truncation_at_every_byte_is_an_error(void **state)
{
	struct fixture *f = *state;

	make_plain(f, 3000);
	for (size_t k = 0; k < countof(kinds); k++) {
		buf_clear(&f->packed);
		add_packed(f, kinds[k]);
		for (size_t n = 0; n < f->packed.n; n++) {
			/*
			 * zstd and lz4 are streams of frames: an empty stream is valid. So is the
			 * identifier of Snappy's frames.
			 */
			bool framed = kinds[k] == COMPRESS_SNAPPY_FRAMED;
			bool none = (!n && (kinds[k] == COMPRESS_ZSTD || kinds[k] == COMPRESS_LZ4 ||
					    framed)) ||
				    (n == 10 && framed);
			int rc = unpack_truncated(f, kinds[k], buf_str(&f->packed), n);

			assert_int_equal(rc, none ? 0 : -EBADMSG);
			if (!none)
				assert_err_says(&f->e, "at byte ");
		}
	}
}

static void mutated_input_never_crashes(void **state)
{
	struct fixture *f = *state;
	uint32_t x = 7;

	make_plain(f, 3000);
	for (size_t k = 0; k < countof(kinds); k++) {
		buf_clear(&f->packed);
		add_packed(f, kinds[k]);
		for (int round = 0; round < 3000; round++) {
			size_t at = (x = x * 1664525 + 1013904223) % f->packed.n;
			char was = f->packed.p[at];

			f->packed.p[at] ^= (char)(1u << (x >> 29));
			int rc = unpack_truncated(f, kinds[k], buf_str(&f->packed), f->packed.n);
			assert_true(rc == 0 || rc == -EBADMSG || rc == -EFBIG || rc == -ENOTSUP);
			f->packed.p[at] = was;
		}
	}
}

static void a_flipped_byte_is_reported_with_its_position(void **state)
{
	struct fixture *f = *state;
	struct str out;

	make_plain(f, 50000);
	add_packed(f, COMPRESS_GZIP);
	f->packed.p[f->packed.n - 6] ^= 1; /* the CRC */
	assert_int_equal(unpack(f, COMPRESS_GZIP, buf_str(&f->packed), &out), -EBADMSG);
	assert_err_says(&f->e, "gzip: at byte ");
	assert_err_says(&f->e, "incorrect data check");
}

static void a_wrong_size_is_only_a_hint(void **state)
{
	struct fixture *f = *state;
	struct str out;

	make_plain(f, 200);
	add_packed(f, COMPRESS_GZIP);
	memcpy(f->packed.p + f->packed.n - 4, "\xff\xff\xff\xff", 4);
	assert_int_equal(unpack(f, COMPRESS_GZIP, buf_str(&f->packed), &out), -EBADMSG);
	assert_true(f->budget.peak < MIB);

	/* zstd: a single-segment frame of one small raw block that claims 4 GiB - 1 */
	static const char lie[] = "\x28\xb5\x2f\xfd\xa0\xff\xff\xff\xff\x09\0\0x";

	assert_int_equal(unpack(f, COMPRESS_ZSTD, str_of(lie, sizeof(lie) - 1), &out), -EBADMSG);
	assert_err_says(&f->e, "content size");
	assert_true(f->budget.peak < MIB);
}

/*
 * Make a valid gzip member of `size` zero bytes, a power of two of at least 1 MiB. One MiB is
 * compressed once and then repeated, since deflate restarts after a full flush.
 */
static void make_gzip_zeros(struct buf *out, size_t size)
{
	static unsigned char zeros[MIB], packed[8192];
	uint32_t length = (uint32_t)size, crc = (uint32_t)crc32(0, zeros, MIB);
	z_stream z = {
		.next_in = zeros, .avail_in = MIB, .next_out = packed, .avail_out = sizeof(packed)};

	assert_int_equal(deflateInit2(&z, 9, Z_DEFLATED, -15, 9, Z_DEFAULT_STRATEGY), Z_OK);
	assert_int_equal(deflate(&z, Z_FULL_FLUSH), Z_OK);
	assert_true(z.avail_out && !z.avail_in);
	buf_put(out, "\x1f\x8b\x08\0\0\0\0\0\0\xff", 10);
	for (size_t done = 0; done < size; done += MIB)
		buf_put(out, packed, sizeof(packed) - z.avail_out);
	buf_put(out, "\x01\0\0\xff\xff", 5); /* the last block, empty */
	deflateEnd(&z);
	for (size_t n = MIB; n < size; n *= 2)
		crc = (uint32_t)crc32_combine(crc, crc, (z_off_t)n);
	buf_put(out, &crc, sizeof(crc));
	buf_put(out, &length, sizeof(length));
}

/* Make the same as one zstd frame without a size. */
static void make_zstd_zeros(struct buf *out, size_t size)
{
	static char zeros[MIB], packed[MIB];
	ZSTD_CCtx *c = ZSTD_createCCtx();

	for (size_t done = 0; done <= size; done += MIB) {
		ZSTD_inBuffer in = {zeros, done < size ? MIB : 0, 0};
		ZSTD_outBuffer o = {packed, sizeof(packed), 0};

		assert_false(ZSTD_isError(ZSTD_compressStream2(
			c, &o, &in, done < size ? ZSTD_e_continue : ZSTD_e_end)));
		assert_int_equal(in.pos, in.size);
		buf_put(out, packed, o.pos);
	}
	ZSTD_freeCCtx(c);
}

static void assert_refused(struct fixture *f, enum compress_kind kind,
			   const struct decompress_limits *limits, int code, const char *says)
{
	struct str out;

	arena_fini(&f->arena); /* a reset arena keeps blocks, which would count in the peak */
	arena_init(&f->arena, &f->budget);
	f->budget.peak = 0;
	f->e = (struct err){0};
	assert_int_equal(
		decompress_bytes(kind, buf_str(&f->packed), &f->arena, limits, &out, &f->e), code);
	assert_err_says(&f->e, says);
	assert_true(f->budget.peak <= f->budget.limit);
}

static void decompression_bombs_are_rejected(void **state)
{
	static void (*const makers[])(struct buf *, size_t) = {make_gzip_zeros, make_zstd_zeros};
	static const enum compress_kind made[] = {COMPRESS_GZIP, COMPRESS_ZSTD};
	struct fixture *f = *state;

	for (size_t k = 0; k < countof(made); k++) {
		struct str out;

		buf_clear(&f->packed);
		makers[k](&f->packed, 16 * MIB); /* the small one is valid */
		assert_ok_err(unpack(f, made[k], buf_str(&f->packed), &out), &f->e);
		assert_int_equal(out.n, 16 * MIB);
		buf_clear(&f->packed);
		makers[k](&f->packed, GIB);
		assert_true(f->packed.n < 2 * MIB);
		f->budget.limit = 200 * MIB;
		assert_refused(f, made[k],
			       &(struct decompress_limits){.output = 100 * MIB, .ratio = 100000},
			       -EFBIG, "expands to more than 104857600 bytes");
		assert_true(f->budget.peak < 101 * MIB);
		/* by the budget alone */
		assert_refused(f, made[k], &(struct decompress_limits){.ratio = 100000}, -ENOMEM,
			       "memory limit");
		/* by the ratio alone; deflate cannot reach the default ratio */
		f->budget.limit = 4 * GIB;
		if (made[k] == COMPRESS_ZSTD)
			assert_refused(f, made[k], NULL, -EFBIG, "beyond what its size allows");
		assert_refused(f, made[k],
			       &(struct decompress_limits){.output = 4 * GIB, .ratio = 100}, -EFBIG,
			       "beyond what its size allows");
		assert_true(f->budget.peak < 120 * MIB);
	}
}

static void output_of_exactly_the_limit_is_accepted(void **state)
{
	struct decompress_limits limits = {.output = 70000};
	struct fixture *f = *state;
	struct str out;

	make_plain(f, 70000);
	for (size_t k = 0; k < countof(kinds); k++) {
		buf_clear(&f->packed);
		add_packed(f, kinds[k]);
		limits.output = 70000;
		assert_ok_err(decompress_bytes(kinds[k], buf_str(&f->packed), &f->arena, &limits,
					       &out, &f->e),
			      &f->e);
		assert_true(str_eq(out, buf_str(&f->plain)));
		limits.output = 69999;
		assert_int_equal(decompress_bytes(kinds[k], buf_str(&f->packed), &f->arena, &limits,
						  &out, NULL),
				 -EFBIG);
	}
}

static void every_failing_allocation_is_an_error(void **state)
{
	struct fixture *f = *state;
	struct str out;

	make_plain(f, 900000);
	for (size_t k = 0; k < countof(kinds); k++) {
		unsigned nth = 0;
		int rc = -ENOMEM;

		buf_clear(&f->packed);
		add_packed(f, kinds[k]);
		while (rc == -ENOMEM) {
			arena_reset(&f->arena);
			f->arena.fail_after = ++nth;
			rc = decompress_bytes(kinds[k], buf_str(&f->packed), &f->arena, NULL, &out,
					      NULL);
			f->arena.fail_after = 0;
			assert_true(nth < 1000);
		}
		assert_ok(rc);
		assert_true(nth > 1);
		assert_true(str_eq(out, buf_str(&f->plain)));
	}
}

static void an_output_over_the_budget_is_an_error(void **state)
{
	struct budget small = {.limit = 1000};
	struct fixture *f = *state;
	struct buf out;

	make_plain(f, 100000);
	for (size_t k = 0; k < countof(kinds); k++) {
		buf_init(&out, &small);
		assert_int_equal(compress_bytes(&out, kinds[k], 0, buf_str(&f->plain), NULL),
				 -ENOMEM);
		assert_int_equal(out.n, 0);
		buf_fini(&out);
	}
}

/*
 * Without enough memory to decompress, bombs and invalid data are still not reported as retryable.
 */
static void a_bomb_is_distinguished_from_a_lack_of_memory(void **state)
{
	const struct decompress_limits limits = {.output = 3 * MIB};
	struct fixture *f = *state;

	f->budget.limit = MIB;
	make_gzip_zeros(&f->packed, 4 * MIB);
	assert_refused(f, COMPRESS_GZIP, &limits, -EFBIG, "expands to more than 3145728 bytes");
	f->packed.p[f->packed.n - 1] ^= 1; /* a wrong size changes nothing */
	assert_refused(f, COMPRESS_GZIP, &limits, -EFBIG, "expands to more than 3145728 bytes");
	f->packed.n -= 100;
	assert_refused(f, COMPRESS_GZIP, &limits, -EFBIG, "expands to more than 3145728 bytes");

	buf_clear(&f->packed);
	make_gzip_zeros(&f->packed, 2 * MIB);
	assert_refused(f, COMPRESS_GZIP, &limits, -ENOMEM, "out of memory");
	make_gzip_zeros(&f->packed, 2 * MIB);
	assert_refused(f, COMPRESS_GZIP, &limits, -EFBIG, "expands to more than 3145728 bytes");
	buf_clear(&f->packed);
	make_gzip_zeros(&f->packed, 2 * MIB);
	f->packed.n -= 100;
	assert_refused(f, COMPRESS_GZIP, &limits, -EBADMSG, "expected more data, found the end");
}

/* Append a chunk of Snappy's framing format. */
static void put_chunk(struct buf *out, uint8_t type, struct str data)
{
	uint32_t header = (uint32_t)data.n << 8 | type;

	buf_put(out, &header, sizeof(header));
	buf_put_str(out, data);
}

static void snappy_frames_of_other_writers_are_read(void **state)
{
	/* the masked checksum of "hello", 0x191c1fbb */
	static const struct str identifier = STR_INIT("\xff\x06\0\0sNaPpY");
	static const struct str plain = STR_INIT("\xbb\x1f\x1c\x19hello");
	static const struct str block = STR_INIT("\xbb\x1f\x1c\x19\5\20hello");
	struct fixture *f = *state;
	struct str out;

	buf_put_str(&f->packed, identifier);
	put_chunk(&f->packed, 0xfe, STR("padding"));
	put_chunk(&f->packed, 0x01, plain);
	buf_put_str(&f->packed, identifier);
	put_chunk(&f->packed, 0x80, STR(""));
	put_chunk(&f->packed, 0x00, block);
	assert_ok_err(unpack(f, COMPRESS_SNAPPY_FRAMED, buf_str(&f->packed), &out), &f->e);
	assert_str_equal(out, STR("hellohello"));
	f->packed.p[f->packed.n - 1] = 'O';
	assert_int_equal(unpack(f, COMPRESS_SNAPPY_FRAMED, buf_str(&f->packed), &out), -EBADMSG);
	assert_err_says(&f->e, "wrong checksum");
	buf_clear(&f->packed);
	buf_put_str(&f->packed, identifier);
	put_chunk(&f->packed, 0x02, STR(""));
	assert_int_equal(unpack(f, COMPRESS_SNAPPY_FRAMED, buf_str(&f->packed), &out), -EBADMSG);
	assert_err_says(&f->e, "at byte 10: expected a chunk of a known type");
	/* a chunk holds at most 64 KiB */
	buf_clear(&f->packed);
	make_plain(f, 70000);
	assert_ok(compress_bytes(&f->packed, COMPRESS_SNAPPY, 0, buf_str(&f->plain), NULL));

	struct buf long_chunk = {0}, data = {0};

	buf_put_str(&data, STR("sum."));
	buf_put_str(&data, buf_str(&f->packed));
	buf_put_str(&long_chunk, identifier);
	put_chunk(&long_chunk, 0x00, buf_str(&data));
	assert_int_equal(unpack(f, COMPRESS_SNAPPY_FRAMED, buf_str(&long_chunk), &out), -EBADMSG);
	assert_err_says(&f->e, "a chunk holds more than 64 KiB");
	buf_fini(&long_chunk);
	buf_fini(&data);
}

static void snappy_blocks_of_other_writers_are_read(void **state)
{
	static const struct {
		struct str in;
		const char *out; /* NULL: refused */
	} blocks[] = {
		{STR_INIT("\0"), ""},
		{STR_INIT("\5\20hello"), "hello"},
		{STR_INIT("\6\360\5hello!"), "hello!"},	    /* length of a literal: 1 byte */
		{STR_INIT("\5\374\4\0\0\0hello"), "hello"}, /* and 4 */
		{STR_INIT("\11\0a\21\1"), "aaaaaaaaa"},
		{STR_INIT("\11\0a\1\1\14bcde"), "aaaaabcde"},
		{STR_INIT("\11\0a\35\1"), NULL},
		{STR_INIT("\11\0a\1\1\20bcdef"), NULL},
		{STR_INIT("\11\0a\1\1"), NULL},
		{STR_INIT("\11\0a\36\1\0"), "aaaaaaaaa"},     /* 16 bits of offset */
		{STR_INIT("\11\0a\37\1\0\0\0"), "aaaaaaaaa"}, /* 32 bits */
		{STR_INIT("\11\0a\36\2\0"), NULL},	      /* before the start */
		{STR_INIT("\11\0a\36\0\0"), NULL},	      /* offset 0 */
		{STR_INIT("\10\0a\36\1\0"), NULL},	      /* too long */
		{STR_INIT("\377\377\377\377\17\0a"), NULL},   /* impossible */
		{STR_INIT("\377\377\377\377\37\0a"), NULL},   /* over 32 bits */
		{STR_INIT("\200\200\200\200\200\0\0a"), NULL},
		{STR_INIT("\1\370\377\377\377"), NULL},
		{STR_INIT(""), NULL},
	};
	struct fixture *f = *state;
	struct str out;

	for (size_t i = 0; i < countof(blocks); i++) {
		int rc = unpack(f, COMPRESS_SNAPPY, blocks[i].in, &out);

		assert_int_equal(rc, blocks[i].out ? 0 : -EBADMSG);
		if (!rc)
			assert_str_equal(out, str_from(blocks[i].out));
	}
}

static void http_deflate_is_zlib_or_raw(void **state)
{
	static const enum compress_kind both[] = {COMPRESS_ZLIB, COMPRESS_DEFLATE};
	struct fixture *f = *state;
	struct str out;

	make_plain(f, 10000);
	for (size_t k = 0; k < countof(both); k++) {
		buf_clear(&f->packed);
		add_packed(f, both[k]);
		assert_ok(
			decompress_http_deflate(buf_str(&f->packed), &f->arena, NULL, &out, NULL));
		assert_true(str_eq(out, buf_str(&f->plain)));
	}
}

static void the_scratch_charge_covers_the_libraries(void **state)
{
	ZSTD_DCtx *d = ZSTD_createDCtx();

	(void)state;
	assert_true(ZSTD_sizeof_DCtx(d) <= DECOMPRESS_SCRATCH);
	ZSTD_freeDCtx(d);
}

TEST_MAIN(test_with(fixture, compressed_data_is_detected_and_decompressed),
	  test_with(fixture, every_level_is_accepted),
	  test(plain_text_is_not_detected_as_compressed),
	  test_with(fixture, members_and_frames_are_concatenated),
	  test_with(fixture, all_forms_of_lz4_frames_are_read),
	  test_with(fixture, legacy_lz4_frames_are_read),
	  test_with(fixture, zstd_streams_without_a_size_are_read),
	  test_with(fixture, trailing_bytes_are_an_error),
	  test_with(fixture, truncation_at_every_byte_is_an_error),
	  test_with(fixture, mutated_input_never_crashes),
	  test_with(fixture, a_flipped_byte_is_reported_with_its_position),
	  test_with(fixture, a_wrong_size_is_only_a_hint),
	  test_with(fixture, decompression_bombs_are_rejected),
	  test_with(fixture, output_of_exactly_the_limit_is_accepted),
	  test_with(fixture, every_failing_allocation_is_an_error),
	  test_with(fixture, an_output_over_the_budget_is_an_error),
	  test_with(fixture, a_bomb_is_distinguished_from_a_lack_of_memory),
	  test_with(fixture, snappy_blocks_of_other_writers_are_read),
	  test_with(fixture, snappy_frames_of_other_writers_are_read),
	  test_with(fixture, http_deflate_is_zlib_or_raw),
	  test(the_scratch_charge_covers_the_libraries))
