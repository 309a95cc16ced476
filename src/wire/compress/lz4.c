/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The lz4 frame format (1.6.x) and the legacy one (`lz4 -l`, Linux kernels) with liblz4's block
 * decoder. liblz4's frame decoder is not used, because it allocates up to 8 MiB outside the budget
 * and copies every block again; here a block is decoded directly after the blocks that it refers
 * to.
 */
#include <errno.h>
#include <lz4.h>
#include <xxhash.h>

#include "wire/compress/decompress.h"

enum {
	MAX_RATIO = 255,     /* of a block: each byte extends a match by at most 255 */
	HISTORY = 64 * 1024, /* how far back a block may refer to earlier ones */
	FLAG_INDEPENDENT = 1 << 5,
	FLAG_BLOCK_CHECKSUM = 1 << 4,
	FLAG_CONTENT_SIZE = 1 << 3,
	FLAG_CONTENT_CHECKSUM = 1 << 2,
	FLAG_RESERVED = 1 << 1,
	FLAG_DICTIONARY = 1 << 0,
};

#define MAGIC 0x184d2204u
#define MAGIC_LEGACY 0x184c2102u
#define LEGACY_BLOCK (8 * MIB)
#define STORED 0x80000000u

struct lz4_frame {
	unsigned flags;
	size_t block_max;
	uint64_t content; /* content size if the flag is set */
	size_t start;	  /* offset of its output */
};

static int read_header(const struct decompress_sink *s, struct str in, size_t *at,
		       struct lz4_frame *f, struct err *e)
{
	const unsigned char *p = (const unsigned char *)in.p + *at + 4;
	size_t left = in.n - *at - 4, size = 2;

	*f = (struct lz4_frame){.flags = left ? p[0] : 0, .start = s->n};
	size += f->flags & FLAG_CONTENT_SIZE ? 8 : 0;
	if (left < size + 1)
		return decompress_sink_fail(s, in.n, e, "expected a frame header, found the end");
	if (f->flags >> 6 != 1 || f->flags & FLAG_RESERVED || p[1] & 0x8f || p[1] >> 4 < 4)
		return decompress_sink_fail(s, *at + 4, e, "expected a frame header of version 1");
	if (f->flags & FLAG_DICTIONARY)
		return err_set(e, -ENOTSUP, "%s: at byte %zu: needs a dictionary", s->name, *at);
	if ((XXH32(p, size, 0) >> 8 & 0xff) != p[size])
		return decompress_sink_fail(s, *at + 4 + size, e,
					    "the frame header's checksum does not match");
	f->block_max = (size_t)1 << (8 + 2 * (p[1] >> 4));
	if (f->flags & FLAG_CONTENT_SIZE)
		f->content = load64((const char *)p + 2);
	*at += 4 + size + 1;
	return 0;
}

/* Append one block of `size` bytes at `at` to the output. */
static int read_block(struct decompress_sink *s, const struct lz4_frame *f, struct str in,
		      size_t at, size_t size, bool stored, struct err *e)
{
	size_t want = stored ? size : min_size(f->block_max, MAX_RATIO * size + 64), back = 0;
	int n = (int)size;

	/*
	 * grow to the limit at most: the block may be smaller than `want`, which is an upper bound
	 */
	if (s->cap - s->n < want && s->cap < min_size(s->output, s->ratio_max)) {
		int rc = decompress_sink_grow(s, max_size(s->n + want, 2 * s->cap), e);

		if (rc)
			return rc;
	}
	want = min_size(want, s->cap - s->n);
	if (stored && want < size)
		return decompress_sink_grow(s, SIZE_MAX, e);
	if (stored) {
		memcpy(s->p + s->n, in.p + at, size);
	} else {
		if (!(f->flags & FLAG_INDEPENDENT))
			back = min_size(s->n - f->start, HISTORY);
		n = LZ4_decompress_safe_usingDict(in.p + at, s->p + s->n, (int)size, (int)want,
						  s->p + s->n - back, (int)back);
		if (n < 0 && want < f->block_max && s->cap >= min_size(s->output, s->ratio_max))
			return decompress_sink_grow(s, SIZE_MAX, e);
		if (n < 0)
			return decompress_sink_fail(s, at, e, "corrupt block");
	}
	s->n += (size_t)n;
	return 0;
}

static int read_blocks(struct decompress_sink *s, const struct lz4_frame *f, struct str in,
		       size_t *at, struct err *e)
{
	size_t trailer = f->flags & FLAG_BLOCK_CHECKSUM ? 4 : 0;

	for (;;) {
		uint32_t word, size;
		int rc;

		if (in.n - *at < 4)
			return decompress_sink_fail(s, in.n, e, "expected a block, found the end");
		word = load32(in.p + *at);
		*at += 4;
		if (!word)
			return 0;
		size = word & ~STORED;
		if (size > f->block_max)
			return decompress_sink_fail(s, *at - 4, e,
						    "expected a block of the frame's size");
		if (in.n - *at < size + trailer)
			return decompress_sink_fail(
				s, *at - 4, e, "expected more data: a block extends past the end");
		if (trailer && XXH32(in.p + *at, size, 0) != load32(in.p + *at + size))
			return decompress_sink_fail(s, *at, e, "a block's checksum does not match");
		rc = read_block(s, f, in, *at, size, word & STORED, e);
		if (rc)
			return rc;
		*at += size + trailer;
	}
}

static int read_lz4_frame(struct decompress_sink *s, struct str in, size_t *at, struct err *e)
{
	struct lz4_frame f;
	int rc = read_header(s, in, at, &f, e);

	if (!rc)
		rc = read_blocks(s, &f, in, at, e);
	if (rc)
		return rc;
	if (f.flags & FLAG_CONTENT_SIZE && f.content != s->n - f.start)
		return decompress_sink_fail(s, *at, e,
					    "the content is not as long as its header says");
	if (!(f.flags & FLAG_CONTENT_CHECKSUM))
		return 0;
	if (in.n - *at < 4)
		return decompress_sink_fail(s, in.n, e, "expected a checksum, found the end");
	if (XXH32(s->p + f.start, s->n - f.start, 0) != load32(in.p + *at))
		return decompress_sink_fail(s, *at, e, "the content's checksum does not match");
	*at += 4;
	return 0;
}

/*
 * Decode a legacy frame, which has only blocks. It ends with the input or where the magic of
 * another frame replaces a block's size.
 */
static int read_legacy_frame(struct decompress_sink *s, struct str in, size_t *at, struct err *e)
{
	const struct lz4_frame f = {
		.flags = FLAG_INDEPENDENT, .block_max = LEGACY_BLOCK, .start = s->n};
	int rc = 0;

	*at += 4;
	while (!rc && *at < in.n) {
		uint32_t size;

		if (in.n - *at < 4)
			return decompress_sink_fail(s, in.n, e, "expected a block, found the end");
		size = load32(in.p + *at);
		if (size > LZ4_COMPRESSBOUND(LEGACY_BLOCK))
			break; /* too large for a block: the magic of a frame, or an error there */
		if (in.n - *at - 4 < size)
			return decompress_sink_fail(
				s, *at, e, "expected more data: a block extends past the end");
		rc = read_block(s, &f, in, *at + 4, size, false, e);
		*at += 4 + (size_t)size;
	}
	return rc;
}

/* Decode a frame of either format. */
static int read_any_frame(struct decompress_sink *s, void *arg, struct str in, size_t *at,
			  struct err *e)
{
	(void)arg;
	switch (load32(in.p + *at)) {
	case MAGIC:
		return read_lz4_frame(s, in, at, e);
	case MAGIC_LEGACY:
		return read_legacy_frame(s, in, at, e);
	default:
		return decompress_sink_fail(s, *at, e, "expected a frame, found other data");
	}
}

int lz4_body(struct decompress_sink *s, struct str in, struct err *e)
{
	int rc = decompress_sink_grow(s, in.n < SIZE_MAX / 4 ? 4 * in.n : in.n, e);

	return rc ? rc : decompress_frames(s, in, read_any_frame, NULL, e);
}
