/* SPDX-License-Identifier: Apache-2.0 */
/*
 * zstd, one frame at a time by the one-shot API: the streaming API would allocate a window of up to
 * 128 MiB outside the budget. First the blocks of a frame are walked (RFC 8878, 3.1.1): their
 * three-byte headers bound the output size, so a wrong content size and a truncated frame are
 * detected before anything is allocated.
 */
#include <errno.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "wire/compress/decompress.h"

enum { BLOCK_MAX = 128 * 1024 };

struct zstd_frame {
	size_t size;  /* compressed, with header and checksum */
	size_t bound; /* upper bound of the decompressed size */
};

/* Return the number of bytes from the magic to the first block, 0 if the header is truncated. */
static size_t header_size(struct str in, size_t at)
{
	static const unsigned char id_size[] = {0, 1, 2, 4}, content_size[] = {0, 2, 4, 8};
	unsigned char flags = in.n - at > 4 ? (unsigned char)in.p[at + 4] : 0;
	bool single = flags & 0x20;
	size_t size = 5u + !single + id_size[flags & 3];

	size += flags >> 6 ? content_size[flags >> 6] : single;
	return in.n - at >= size ? size : 0;
}

static int walk_frame(const struct decompress_sink *s, struct str in, size_t start,
		      struct zstd_frame *f, struct err *e)
{
	size_t at = start, header = header_size(in, start);
	bool last = false;

	*f = (struct zstd_frame){0};
	if (!header)
		return decompress_sink_fail(s, in.n, e, "expected a frame header, found the end");
	at += header;
	while (!last) {
		uint32_t block, size;

		if (in.n - at < 3)
			return decompress_sink_fail(s, in.n, e, "expected a block, found the end");
		block = load16(in.p + at) | (uint32_t)(unsigned char)in.p[at + 2] << 16;
		last = block & 1;
		size = block >> 3;
		f->bound += (block >> 1 & 3) == 2 ? BLOCK_MAX : min_size(size, BLOCK_MAX);
		if ((block >> 1 & 3) == 1)
			size = 1; /* one byte, repeated */
		if (in.n - at - 3 < size)
			return decompress_sink_fail(
				s, at, e, "expected more data: a block extends past the end");
		at += 3 + (size_t)size;
	}
	if (in.p[start + 4] & 4) { /* has a checksum */
		if (in.n - at < 4)
			return decompress_sink_fail(s, in.n, e,
						    "expected a checksum, found the end");
		at += 4;
	}
	f->size = at - start;
	return 0;
}

/* Make room for the whole frame if it has a content size, else for a guess that may grow. */
static int reserve_output(struct decompress_sink *s, struct str in, size_t at,
			  const struct zstd_frame *f, struct err *e)
{
	unsigned long long content = ZSTD_getFrameContentSize(in.p + at, f->size);

	if (content == ZSTD_CONTENTSIZE_ERROR)
		return decompress_sink_fail(s, at, e, "expected a frame header");
	if (content == ZSTD_CONTENTSIZE_UNKNOWN)
		content = min_size(f->bound, max_size(8 * f->size, BLOCK_MAX));
	else if (content > f->bound)
		return decompress_sink_fail(s, at, e,
					    "expected a content size that the blocks can give");
	else if (decompress_sink_allows(s, s->n + content, e))
		return -EFBIG;
	return content > s->cap - s->n ? decompress_sink_grow(s, s->n + (size_t)content, e) : 0;
}

/* Decode a frame; `d` is the library's context. */
static int read_zstd_frame(struct decompress_sink *s, void *d, struct str in, size_t *at,
			   struct err *e)
{
	struct zstd_frame f;
	int rc;

	if (load32(in.p + *at) != ZSTD_MAGICNUMBER)
		return decompress_sink_fail(s, *at, e, "expected a frame, found other data");
	rc = walk_frame(s, in, *at, &f, e);
	if (!rc)
		rc = reserve_output(s, in, *at, &f, e);
	while (!rc) {
		size_t n = ZSTD_decompressDCtx(d, s->p + s->n, s->cap - s->n, in.p + *at, f.size);

		if (!ZSTD_isError(n)) {
			s->n += n;
			*at += f.size;
			return 0;
		}
		if (ZSTD_getErrorCode(n) != ZSTD_error_dstSize_tooSmall || s->cap - s->n >= f.bound)
			return decompress_sink_fail(s, *at, e, ZSTD_getErrorName(n));
		rc = decompress_sink_grow(
			s, s->n + min_size(f.bound, 2 * (s->cap - s->n) + BLOCK_MAX), e);
	}
	return rc;
}

int zstd_body(struct decompress_sink *s, struct str in, struct err *e)
{
	ZSTD_DCtx *d = ZSTD_createDCtx();
	int rc = d ? decompress_sink_grow(s, 1, e) : err_errno(e, -ENOMEM, s->name);

	if (!rc)
		rc = decompress_frames(s, in, read_zstd_frame, d, e);
	ZSTD_freeDCtx(d);
	return rc;
}
