/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The face of compression: detection by magic, the limits, and the way out. The decompressors are
 * in inflate.c, zstd.c, lz4.c and zip.c; they write into a sink that grows under the limits.
 */
#include "wire/compress/compress.h"

#include <errno.h>
#include <libdeflate.h>
#include <lz4frame.h>
#include <lz4hc.h>
#include <zstd.h>

#include "wire/compress/decompress.h"
#include "wire/compress/zip.h"

enum { FIRST_OUTPUT = 4096 };

#define MAGIC_LZ4 0x184d2204u
#define MAGIC_LZ4_LEGACY 0x184c2102u
#define MAGIC_SKIPPABLE 0x184d2a50u /* the last four bits are free */
#define MAGIC_ZIP 0x04034b50u
#define MAGIC_ZIP_EMPTY 0x06054b50u

static const char *const names[] = {
	[COMPRESS_NONE] = "none",	[COMPRESS_GZIP] = "gzip", [COMPRESS_ZLIB] = "zlib",
	[COMPRESS_ZSTD] = "zstd",	[COMPRESS_LZ4] = "lz4",	  [COMPRESS_ZIP] = "zip",
	[COMPRESS_DEFLATE] = "deflate",
};

const char *compress_name(enum compress_kind kind)
{
	return names[kind];
}

/*
 * If a skippable frame stands at `at`, pass over it: 1. None there: 0. It goes past the end:
 * -EBADMSG.
 */
static int skip_frame(struct str in, size_t *at)
{
	if (in.n - *at < 4 || (load32(in.p + *at) & ~0xfu) != MAGIC_SKIPPABLE)
		return 0;
	if (in.n - *at < 8 || load32(in.p + *at + 4) > in.n - *at - 8)
		return -EBADMSG;
	*at += 8 + (size_t)load32(in.p + *at + 4);
	return 1;
}

int read_frames(struct sink *s, struct str in, frame_reader *read, void *arg, struct err *e)
{
	size_t at = 0;
	int rc = 0;

	while (!rc && at < in.n) {
		int skipped = skip_frame(in, &at);

		if (skipped < 0)
			rc = sink_bad(s, at, e,
				      "expected more data: a skippable frame goes past the end");
		else if (!skipped && in.n - at < 4)
			rc = sink_bad(s, at, e, "expected a frame, found the end");
		else if (!skipped)
			rc = read(s, arg, in, &at, e);
	}
	return rc;
}

/* Compressed bytes are not all printable for long. */
static bool is_text(struct str head)
{
	for (size_t i = 0; i < min_size(head.n, 64); i++)
		if ((unsigned char)head.p[i] < '\t' || (unsigned char)head.p[i] >= 0x7f)
			return false;
	return true;
}

/* A zlib header and the first block's type, but not the text "x^...", which could be both. */
static bool looks_like_zlib(struct str head)
{
	const unsigned char *p = (const unsigned char *)head.p;

	if (head.n < 3 || p[0] != 0x78 || (p[0] << 8 | p[1]) % 31 || p[1] & 0x20 || is_text(head))
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
	while (skip_frame(head, &at) == 1)
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
		/* a skippable frame longer than the head we were shown: zstd's own tools write those */
		return (load32(head.p + at) & ~0xfu) == MAGIC_SKIPPABLE ? COMPRESS_ZSTD
									: COMPRESS_NONE;
	}
}

void sink_init(struct sink *s, struct arena *a, const char *name, size_t input,
	       const struct decompress_limits *limits)
{
	size_t ratio = limits && limits->ratio ? limits->ratio : DECOMPRESS_RATIO;
	size_t allowed;

	if (__builtin_mul_overflow(input, ratio, &allowed))
		allowed = SIZE_MAX;
	*s = (struct sink){
		.arena = a,
		.name = name,
		.output = limits && limits->output ? limits->output : DECOMPRESS_OUTPUT,
		.ratio_max = max_size(allowed, DECOMPRESS_FREE),
	};
}

static int too_big(const struct sink *s, struct err *e)
{
	if (s->output <= s->ratio_max)
		return err_set(e, -EFBIG, "%s: expands to more than %zu bytes", s->name, s->output);
	return err_set(e, -EFBIG, "%s: expands to more than %zu bytes, beyond what its size allows",
		       s->name, s->ratio_max);
}

int sink_allows(const struct sink *s, unsigned long long size, struct err *e)
{
	return size <= min_size(s->output, s->ratio_max) ? 0 : too_big(s, e);
}

int sink_grow(struct sink *s, size_t want, struct err *e)
{
	size_t max = min_size(s->output, s->ratio_max);
	size_t cap = min_size(max_size(want, FIRST_OUTPUT), max);
	char *p;

	if (s->cap >= max)
		return too_big(s, e);
	if (cap <= s->cap)
		return 0;
	p = arena_resize(s->arena, s->p, s->cap, cap, 1);
	if (!p)
		return err_errno(e, -ENOMEM, s->name);
	s->p = p;
	s->cap = cap;
	return 0;
}

struct str sink_finish(struct sink *s)
{
	/* only a large piece shrinks in place; a small one is not worth a copy */
	if (s->n >= ARENA_LARGE && s->n < s->cap) {
		char *p = arena_resize(s->arena, s->p, s->cap, s->n, 1);

		if (p)
			s->p = p;
	}
	return str_of(s->p, s->n);
}

int sink_bad(const struct sink *s, size_t at, struct err *e, const char *text)
{
	return err_set(e, -EBADMSG, "%s: at byte %zu: %s", s->name, at, text);
}

static int decompress_body(struct sink *s, enum compress_kind kind, struct str in, struct err *e)
{
	switch (kind) {
	case COMPRESS_ZSTD:
		return zstd_body(s, in, e);
	case COMPRESS_LZ4:
		return lz4_body(s, in, e);
	default:
		return inflate_body(s, kind, in, e);
	}
}

int decompress_bytes(enum compress_kind kind, struct str in, struct arena *a,
		     const struct decompress_limits *limits, struct str *out, struct err *e)
{
	struct sink s;
	int rc;

	if (kind == COMPRESS_NONE) {
		*out = in;
		return 0;
	}
	if (kind == COMPRESS_ZIP)
		return zip_extract_one(in, STR(""), a, limits, out, e);
	if (!budget_take(a->budget, DECOMPRESS_SCRATCH))
		return err_errno(e, -ENOMEM, names[kind]);
	sink_init(&s, a, names[kind], in.n, limits);
	rc = decompress_body(&s, kind, in, e);
	budget_give(a->budget, DECOMPRESS_SCRATCH);
	if (rc)
		return rc;
	*out = sink_finish(&s);
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

static int zstd_to(struct buf *out, int level, struct str in)
{
	size_t bound = ZSTD_compressBound(in.n), n;
	char *at = ZSTD_isError(bound) ? NULL : buf_reserve(out, bound);

	if (!at)
		return -ENOMEM;
	n = ZSTD_compress(at, bound, in.p, in.n, level ? clamp(level, 1, 19) : 3);
	if (ZSTD_isError(n)) /* with room for the bound it can only be out of memory */
		return -ENOMEM;
	out->n += n;
	return 0;
}

static int lz4_to(struct buf *out, int level, struct str in)
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
		rc = zstd_to(out, level, in);
		break;
	case COMPRESS_LZ4:
		rc = lz4_to(out, level, in);
		break;
	case COMPRESS_ZIP:
		break;
	}
	return rc ? err_errno(e, rc, names[kind]) : 0;
}
