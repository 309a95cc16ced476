/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Detection of the compression by magic, dispatch to the decompressors, and compression by the
 * libraries' one-shot functions.
 */
#include "wire/compress/compress.h"

#include <errno.h>
#include <libdeflate.h>
#include <lz4frame.h>
#include <lz4hc.h>
#include <zstd.h>

#include "wire/compress/decompress.h"
#include "wire/compress/deflate.h"
#include "wire/compress/snappy.h"
#include "wire/compress/zip.h"

#define MAGIC_LZ4 0x184d2204u
#define MAGIC_LZ4_LEGACY 0x184c2102u
#define MAGIC_ZIP 0x04034b50u
#define MAGIC_ZIP_EMPTY 0x06054b50u

static const char *const names[] = {
	[COMPRESS_NONE] = "none",
	[COMPRESS_GZIP] = "gzip",
	[COMPRESS_ZLIB] = "zlib",
	[COMPRESS_ZSTD] = "zstd",
	[COMPRESS_LZ4] = "lz4",
	[COMPRESS_ZIP] = "zip",
	[COMPRESS_DEFLATE] = "deflate",
	[COMPRESS_SNAPPY] = "snappy",
	[COMPRESS_SNAPPY_FRAMED] = "x-snappy-framed",
};

const char *compress_name(enum compress_kind kind)
{
	return names[kind];
}

/* Compressed bytes do not stay printable for long. */
static bool looks_printable(struct str head)
{
	for (size_t i = 0; i < min_size(head.n, 64); i++)
		if ((unsigned char)head.p[i] < '\t' || (unsigned char)head.p[i] >= 0x7f)
			return false;
	return true;
}

/*
 * Match a zlib header and the type of its first block, but not text such as "x^...", which can be
 * both.
 */
static bool looks_like_zlib(struct str head)
{
	const unsigned char *p = (const unsigned char *)head.p;

	if (head.n < 3 || p[0] != 0x78 || (p[0] << 8 | p[1]) % 31 || p[1] & 0x20 ||
	    looks_printable(head))
		return false;
	switch (p[2] >> 1 & 3) {
	case 0: /* stored: the length and its complement */
		return head.n < 7 || (load16(head.p + 3) ^ load16(head.p + 5)) == 0xffff;
	case 3:
		return false;
	default:
		return true;
	}
}

enum compress_kind compress_detect(struct str head)
{
	size_t at = 0;

	if (head.n >= 3 && memcmp(head.p, "\x1f\x8b\x08", 3) == 0)
		return COMPRESS_GZIP;
	if (looks_like_zlib(head))
		return COMPRESS_ZLIB;
	while (decompress_skip_frame(head, &at) == 1)
		;
	if (head.n - at < 4)
		return at ? COMPRESS_ZSTD : COMPRESS_NONE;
	switch (load32(head.p + at)) {
	case ZSTD_MAGICNUMBER:
		return COMPRESS_ZSTD;
	case MAGIC_LZ4:
	case MAGIC_LZ4_LEGACY:
		return COMPRESS_LZ4;
	case MAGIC_ZIP:
	case MAGIC_ZIP_EMPTY:
		return at ? COMPRESS_NONE : COMPRESS_ZIP;
	default:
		/* a skippable frame longer than `head`: zstd's own tools write those */
		return (load32(head.p + at) & ~0xfu) == MAGIC_SKIPPABLE ? COMPRESS_ZSTD
									: COMPRESS_NONE;
	}
}

static int decompress_body(struct decompress_sink *s, enum compress_kind kind, struct str in,
			   struct err *e)
{
	switch (kind) {
	case COMPRESS_ZSTD:
		return zstd_body(s, in, e);
	case COMPRESS_LZ4:
		return lz4_body(s, in, e);
	case COMPRESS_SNAPPY:
		return snappy_body(s, in, e);
	case COMPRESS_SNAPPY_FRAMED:
		return snappy_framed_body(s, in, e);
	default:
		return inflate_body(s, kind, in, e);
	}
}

int decompress_bytes(enum compress_kind kind, struct str in, struct arena *a,
		     const struct decompress_limits *limits, struct str *out, struct err *e)
{
	struct decompress_sink s;
	int rc;

	if (kind == COMPRESS_NONE) {
		*out = in;
		return 0;
	}
	if (kind == COMPRESS_ZIP)
		return zip_extract_one(in, STR(""), a, limits, out, e);
	if (!budget_take(a->budget, DECOMPRESS_SCRATCH))
		return err_errno(e, -ENOMEM, names[kind]);
	decompress_sink_init(&s, a, names[kind], in.n, limits);
	rc = decompress_body(&s, kind, in, e);
	budget_give(a->budget, DECOMPRESS_SCRATCH);
	if (rc)
		return rc;
	*out = decompress_sink_finish(&s);
	return 0;
}

int decompress_http_deflate(struct str in, struct arena *a, const struct decompress_limits *limits,
			    struct str *out, struct err *e)
{
	return decompress_bytes(looks_like_zlib(in) ? COMPRESS_ZLIB : COMPRESS_DEFLATE, in, a,
				limits, out, e);
}

static int clamp(int value, int low, int high)
{
	return value < low ? low : value > high ? high : value;
}

static int compress_zstd(struct buf *out, int level, struct str in)
{
	size_t bound = ZSTD_compressBound(in.n), n;
	char *at = ZSTD_isError(bound) ? NULL : buf_reserve(out, bound);

	if (!at)
		return -ENOMEM;
	n = ZSTD_compress(at, bound, in.p, in.n, level ? clamp(level, 1, 19) : 3);
	if (ZSTD_isError(n)) /* with this capacity the only possible error is lack of memory */
		return -ENOMEM;
	out->n += n;
	return 0;
}

static int compress_lz4(struct buf *out, int level, struct str in)
{
	LZ4F_preferences_t p = {
		.frameInfo = {.contentSize = in.n,
			      .contentChecksumFlag = LZ4F_contentChecksumEnabled},
		.compressionLevel = clamp(level, 0, LZ4HC_CLEVEL_MAX),
	};
	size_t bound = LZ4F_compressFrameBound(in.n, &p), n;
	char *at = buf_reserve(out, bound);

	if (!at)
		return -ENOMEM;
	n = LZ4F_compressFrame(at, bound, in.p, in.n, &p);
	if (LZ4F_isError(n))
		return -ENOMEM;
	out->n += n;
	return 0;
}

int compress_bytes(struct buf *out, enum compress_kind kind, int level, struct str in,
		   struct err *e)
{
	int rc = -ENOTSUP;

	switch (kind) {
	case COMPRESS_NONE:
		buf_put_str(out, in);
		rc = buf_error(out);
		break;
	case COMPRESS_GZIP:
	case COMPRESS_ZLIB:
	case COMPRESS_DEFLATE:
		rc = deflate_bytes(out, kind, level, in);
		break;
	case COMPRESS_ZSTD:
		rc = compress_zstd(out, level, in);
		break;
	case COMPRESS_LZ4:
		rc = compress_lz4(out, level, in);
		break;
	case COMPRESS_SNAPPY:
		rc = snappy_bytes(out, in);
		break;
	case COMPRESS_SNAPPY_FRAMED:
		rc = snappy_framed_bytes(out, in);
		break;
	case COMPRESS_ZIP:
	case COMPRESS_KINDS:
		break;
	}
	return rc ? err_errno(e, rc, names[kind]) : 0;
}
