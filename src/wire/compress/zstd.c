/* SPDX-License-Identifier: Apache-2.0 */
/*
 * zstd, frame by frame and one-shot: the streaming API would keep a window of its own (up to 128 MiB)
 * that no budget sees. The frame's blocks are walked first (RFC 8878, 3.1.1): three bytes each
 * tell how much they can give at most, so a content size that lies is found before anything
 * is allocated, and so is a frame that is cut.
 */
#include <errno.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "wire/compress/decompress.h"

enum { BLOCK_MAX = 128 * 1024 };

struct frame {
	size_t size;  /* compressed, with header and checksum */
	size_t bound; /* it gives no more than this */
};

/* Bytes from the magic to the first block; 0 when the header is cut. */
static size_t header_size(struct str in, size_t at)
{
	static const unsigned char id_size[] = {0, 1, 2, 4}, content_size[] = {0, 2, 4, 8};
	unsigned char flags = in.n - at > 4 ? (unsigned char)in.p[at + 4] : 0;
	bool single = flags & 0x20;
	size_t size = 5u + !single + id_size[flags & 3];

	size += flags >> 6 ? content_size[flags >> 6] : single;
	return in.n - at >= size ? size : 0;
}

static int walk_frame(const struct sink *s, struct str in, size_t start, struct frame *f,
		      struct err *e)
{
	size_t at = start, header = header_size(in, start);
	bool last = false;

	*f = (struct frame){0};
	if (!header)
		return sink_bad(s, in.n, e, "expected a frame header, found the end");
	at += header;
	while (!last) {
		uint32_t block, size;

		if (in.n - at < 3)
			return sink_bad(s, in.n, e, "expected a block, found the end");
		block = load16(in.p + at) | (uint32_t)(unsigned char)in.p[at + 2] << 16;
		last = block & 1;
		size = block >> 3;
		f->bound += (block >> 1 & 3) == 2 ? BLOCK_MAX : min_size(size, BLOCK_MAX);
		if ((block >> 1 & 3) == 1)
			size = 1; /* one byte, repeated */
		if (in.n - at - 3 < size)
			return sink_bad(s, at, e, "expected more data: a block goes past the end");
		at += 3 + (size_t)size;
	}
	if (in.p[start + 4] & 4) { /* a checksum */
		if (in.n - at < 4)
			return sink_bad(s, in.n, e, "expected a checksum, found the end");
		at += 4;
	}
	f->size = at - start;
	return 0;
}

/* Room for all of the frame if it tells its size, else a guess that may have to grow. */
static int first_room(struct sink *s, struct str in, size_t at, const struct frame *f,
		      struct err *e)
{
	unsigned long long content = ZSTD_getFrameContentSize(in.p + at, f->size);

	if (content == ZSTD_CONTENTSIZE_ERROR)
		return sink_bad(s, at, e, "expected a frame header");
	if (content == ZSTD_CONTENTSIZE_UNKNOWN)
		content = min_size(f->bound, max_size(8 * f->size, BLOCK_MAX));
	else if (content > f->bound)
		return sink_bad(s, at, e, "expected a content size that the blocks can give");
	else if (sink_allows(s, s->n + content, e))
		return -EFBIG;
	return content > s->cap - s->n ? sink_grow(s, s->n + (size_t)content, e) : 0;
}

/* A frame_reader; its argument is the context of the library. */
static int zstd_frame(struct sink *s, void *d, struct str in, size_t *at, struct err *e)
{
	struct frame f;
	int rc;

	if (load32(in.p + *at) != ZSTD_MAGICNUMBER)
		return sink_bad(s, *at, e, "expected a frame, found other data");
	rc = walk_frame(s, in, *at, &f, e);
	if (!rc)
		rc = first_room(s, in, *at, &f, e);
	while (!rc) {
		size_t n = ZSTD_decompressDCtx(d, s->p + s->n, s->cap - s->n, in.p + *at, f.size);

		if (!ZSTD_isError(n)) {
			s->n += n;
			*at += f.size;
			return 0;
		}
		if (ZSTD_getErrorCode(n) != ZSTD_error_dstSize_tooSmall || s->cap - s->n >= f.bound)
			return sink_bad(s, *at, e, ZSTD_getErrorName(n));
		rc = sink_grow(s, s->n + min_size(f.bound, 2 * (s->cap - s->n) + BLOCK_MAX), e);
	}
	return rc;
}

int zstd_body(struct sink *s, struct str in, struct err *e)
{
	ZSTD_DCtx *d = ZSTD_createDCtx();
	int rc = d ? sink_grow(s, 1, e) : err_errno(e, -ENOMEM, s->name);

	if (!rc)
		rc = read_frames(s, in, zstd_frame, d, e);
	ZSTD_freeDCtx(d);
	return rc;
}
