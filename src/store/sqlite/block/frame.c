/* SPDX-License-Identifier: Apache-2.0 */
/* Frame headers, checksums and zstd. */
#include "store/sqlite/block/frame.h"

#include <errno.h>
#include <zstd.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

/* Smaller blocks are not compressed; smaller columns share a zstd block with the next one. */
enum { PACK_MIN = 256, COLUMN_MIN = 768 };

static const char magic[2] = {'V', 'v'};

static const char *const kinds[FRAME_KINDS] = {
	[FRAME_LEVEL0] = "level0",
	[FRAME_DICTIONARY] = "dictionary",
	[FRAME_POINTS] = "points",
	[FRAME_RUNS] = "runs",
	[FRAME_DETAIL] = "detail",
	[FRAME_LINKED] = "linked",
	[FRAME_FILTER] = "filter",
	[FRAME_ROLLUP] = "rollup",
	[FRAME_SERIES] = "series",
	[FRAME_SPANS] = "spans",
	[FRAME_SPAN_FILTER] = "span_filter",
	[FRAME_LINKS] = "links",
	[FRAME_SPAN_ROWS] = "span_rows",
	[FRAME_SPAN_INDEX] = "span_index",
	[FRAME_SPAN_COLUMNS] = "span_columns",
	[FRAME_LOG_ROWS] = "log_rows",
	[FRAME_LOG_INDEX] = "log_index",
	[FRAME_LOG_PAGE] = "log_page",
	[FRAME_LOG_FILTER] = "log_filter",
	[FRAME_METRIC_SERIES] = "metric_series",
	[FRAME_METRIC_ROWS] = "metric_rows",
	[FRAME_METRIC_CHUNK] = "metric_chunk",
	[FRAME_METRIC_EXTRAS] = "metric_extras",
};

const char *frame_kind_name(unsigned kind)
{
	return kind < FRAME_KINDS && kinds[kind] ? kinds[kind] : "unknown";
}

uint64_t frame_sum(const void *p, size_t n)
{
	return XXH3_64bits(p, n);
}

static uint64_t sum_of(const char *frame, size_t n)
{
	uint64_t seed;

	memcpy(&seed, frame, sizeof(seed));
	return XXH3_64bits_withSeed(frame + FRAME_HEADER, n - FRAME_HEADER, seed);
}

/* Compress [from, to) into `room` bytes. Return the size, or 0 if that fails or is not smaller. */
static size_t compress_columns(struct frame_packer *p, char *out, size_t room, int level,
			       const struct frame_columns *c, size_t from, size_t to)
{
	ZSTD_outBuffer packed = {out, room, 0};
	size_t all = to - from, i = 0;

	if (!p->context)
		p->context = ZSTD_createCCtx();
	if (!p->context || all < PACK_MIN)
		return 0;
	if (!c->n) {
		size_t n = ZSTD_compressCCtx(p->context, out, room, c->bytes.p + from, all, level);

		return ZSTD_isError(n) || n >= all ? 0 : n;
	}
	ZSTD_CCtx_reset(p->context, ZSTD_reset_session_only);
	ZSTD_CCtx_setParameter(p->context, ZSTD_c_compressionLevel, level);
	ZSTD_CCtx_setPledgedSrcSize(p->context, all);
	while (from < to) {
		ZSTD_inBuffer in;
		size_t end = to;

		while (i < c->n && c->ends[i] < from + COLUMN_MIN)
			i++;
		if (i < c->n && c->ends[i] + COLUMN_MIN <= to)
			end = c->ends[i];
		in = (ZSTD_inBuffer){c->bytes.p + from, end - from, 0};
		if (ZSTD_compressStream2(p->context, &packed, &in,
					 end == to ? ZSTD_e_end : ZSTD_e_flush))
			return 0; /* an error, or the output does not fit */
		from = end;
	}
	return packed.pos < all ? packed.pos : 0;
}

int frame_put_columns(struct frame_packer *p, struct buf *out, enum frame_kind kind, int level,
		      const struct frame_columns *c)
{
	struct str bytes = c->bytes;
	char *frame = bytes.n <= FRAME_MAX ? buf_reserve(out, FRAME_HEADER + bytes.n) : NULL;
	uint32_t size = (uint32_t)bytes.n;
	size_t n = 0;
	uint64_t sum;

	if (!frame)
		return bytes.n <= FRAME_MAX ? -ENOMEM : -EFBIG;
	if (level)
		n = compress_columns(p, frame + FRAME_HEADER, bytes.n, level, c, 0, bytes.n);
	frame[0] = magic[0];
	frame[1] = magic[1];
	frame[2] = (char)kind;
	frame[3] = n != 0;
	memcpy(frame + 4, &size, sizeof(size));
	if (!n && bytes.n)
		memcpy(frame + FRAME_HEADER, bytes.p, bytes.n);
	n = n ? n : bytes.n;
	sum = sum_of(frame, FRAME_HEADER + n);
	memcpy(frame + 8, &sum, sizeof(sum));
	out->n += FRAME_HEADER + n;
	return 0;
}

int frame_put(struct buf *out, enum frame_kind kind, int level, struct str bytes)
{
	struct frame_packer packer = {0};
	int rc = frame_put_columns(&packer, out, kind, level, &(struct frame_columns){bytes});

	frame_packer_fini(&packer);
	return rc;
}

int frame_pack_piece(struct frame_packer *p, struct buf *out, int level,
		     const struct frame_columns *c, size_t from, size_t to)
{
	char *piece = buf_reserve(out, to - from + 1);
	size_t n = piece ? compress_columns(p, piece, to - from, level, c, from, to) : 0;

	if (!piece)
		return -ENOMEM;
	if (!n)
		memcpy(piece, c->bytes.p + from, to - from);
	out->n += n ? n : to - from;
	return 0;
}

void frame_packer_fini(struct frame_packer *p)
{
	ZSTD_freeCCtx(p->context);
	p->context = NULL;
}

void frame_unpacker_fini(struct frame_unpacker *u)
{
	ZSTD_freeDCtx(u->context);
	u->context = NULL;
}

static size_t decompress_bytes(struct frame_unpacker *u, char *to, size_t n, struct str packed)
{
	if (u && !u->context)
		u->context = ZSTD_createDCtx();
	return u && u->context ? ZSTD_decompressDCtx(u->context, to, n, packed.p, packed.n)
			       : ZSTD_decompress(to, n, packed.p, packed.n);
}

int frame_unpack_piece(struct frame_unpacker *u, struct str packed, char *to, size_t n)
{
	if (packed.n != n)
		return decompress_bytes(u, to, n, packed) == n ? 0 : -EUCLEAN;
	if (n)
		memcpy(to, packed.p, n);
	return 0;
}

static int decompress_frame(struct str packed, uint32_t size, struct frame_unpacker *u,
			    struct arena *arena, struct str *out, struct err *e)
{
	char *p;
	size_t n;

	if (ZSTD_getFrameContentSize(packed.p, packed.n) != size)
		return err_set(e, -EUCLEAN, "sizes of a packed block differ");
	p = arena_alloc(arena, size, 1);
	if (!p)
		return err_errno(e, -ENOMEM, "unpack a block");
	n = decompress_bytes(u, p, size, packed);
	if (ZSTD_isError(n) || n != size)
		return err_set(e, -EUCLEAN, "a packed block is damaged");
	*out = str_of(p, size);
	return 0;
}

int frame_get(struct str frame, enum frame_kind kind, struct frame_unpacker *u, struct arena *arena,
	      struct str *out, struct err *e)
{
	struct str bytes;
	uint32_t size;
	uint64_t sum;

	if (frame.n < FRAME_HEADER || memcmp(frame.p, magic, sizeof(magic)) != 0)
		return err_set(e, -EUCLEAN, "expected a %s block, found %zu other bytes",
			       frame_kind_name(kind), frame.n);
	memcpy(&size, frame.p + 4, sizeof(size));
	memcpy(&sum, frame.p + 8, sizeof(sum));
	if (sum != sum_of(frame.p, frame.n))
		return err_set(e, -EUCLEAN, "the checksum of a %s block is wrong",
			       frame_kind_name(kind));
	if (frame.p[2] != (char)kind || size > FRAME_MAX)
		return err_set(e, -EUCLEAN, "expected a %s block, found kind %u of %u bytes",
			       frame_kind_name(kind), (unsigned)(uint8_t)frame.p[2], size);
	bytes = str_from_at(frame, FRAME_HEADER);
	if (frame.p[3] == 1)
		return decompress_frame(bytes, size, u, arena, out, e);
	if (frame.p[3] != 0 || bytes.n != size)
		return err_set(e, -EUCLEAN, "sizes of a %s block differ", frame_kind_name(kind));
	*out = bytes;
	return 0;
}
