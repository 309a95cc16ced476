/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_STORE_SQLITE_FRAME_H
#define VARVE_STORE_SQLITE_FRAME_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"

/*
 * The header of every blob that the store writes:
 *
 *	0	magic "Vv"
 *	2	kind
 *	3	compression: 0 none, 1 zstd
 *	4	u32: size before compression
 *	8	u64: XXH3 of bytes 0 to 7 and of all bytes after the header
 *	16	the bytes
 *
 * All numbers are little-endian. The checksum is verified before any other field is used.
 */
enum frame_kind {
	FRAME_LEVEL0 = 1, /* rows.h */
	FRAME_DICTIONARY, /* dictionary.h */
	FRAME_POINTS,	  /* chunk.h, like those without a comment */
	FRAME_RUNS,
	FRAME_DETAIL,
	FRAME_LINKED,
	FRAME_FILTER,
	FRAME_ROLLUP,
	FRAME_SERIES,
	FRAME_SPANS, /* spans/span_block.h */
	FRAME_SPAN_FILTER,
	FRAME_LINKS,
	FRAME_SPAN_ROWS,  /* span_packed.h */
	FRAME_SPAN_INDEX, /* span_columns.h */
	FRAME_SPAN_COLUMNS,
	FRAME_LOG_ROWS,	 /* logs/log_rows.h */
	FRAME_LOG_INDEX, /* logs/log_block.h, like the next two */
	FRAME_LOG_PAGE,
	FRAME_LOG_FILTER,
	/* Numbers are stored: those of metrics leave room for more kinds of spans. */
	FRAME_METRIC_SERIES = 32, /* metrics/metric_index.h */
	FRAME_METRIC_ROWS,	  /* metrics/metric_rows.h */
	FRAME_METRIC_CHUNK,	  /* metrics/metric_chunk.h */
	FRAME_METRIC_EXTRAS,	  /* metrics/metric_rows.h */
	FRAME_KINDS,
};

enum { FRAME_HEADER = 16 };
#define FRAME_MAX (512 * MIB) /* size before compression; a larger one is damage */

/* Return the name of the kind: "level0", "dictionary", ... */
const char *frame_kind_name(unsigned kind);

/*
 * Append `bytes` with a header, compressed by zstd at that level. Level 0 does not compress;
 * neither are tiny blocks compressed, where decompression would cost more than it saves. Return 0,
 * -ENOMEM or -EFBIG.
 */
MUST_USE int frame_put(struct buf *out, enum frame_kind kind, int level, struct str bytes);

/* A zstd context, reused because creating one costs more than decompressing a small block. */
struct frame_unpacker {
	struct ZSTD_DCtx_s *context; /* NULL: created at first use */
};
void frame_unpacker_fini(struct frame_unpacker *u);

/*
 * Verify and decompress a frame of that kind. *out is in the arena or is a slice of `frame`. `u`
 * may be NULL; one thread at a time uses it. Return 0, -ENOMEM or -EUCLEAN.
 */
MUST_USE int frame_get(struct str frame, enum frame_kind kind, struct frame_unpacker *u,
		       struct arena *arena, struct str *out, struct err *e);

/*
 * Bytes with the offsets where columns end, ascending. Columns of different kinds compress better
 * as separate zstd blocks, each with entropy tables of its own. Decompression does not need the
 * offsets.
 */
struct frame_columns {
	struct str bytes;
	const uint32_t *ends;
	size_t n;
};

struct frame_packer {
	struct ZSTD_CCtx_s *context; /* NULL: created at first use */
};
void frame_packer_fini(struct frame_packer *p);

/* Append a frame as frame_put() does, with columns as separate zstd blocks. */
MUST_USE int frame_put_columns(struct frame_packer *p, struct buf *out, enum frame_kind kind,
			       int level, const struct frame_columns *columns);

/*
 * Append the bytes [from, to) of the columns as a piece without header, compressed unless that
 * would not make it smaller: then its size is to - from. Return 0 or -ENOMEM.
 */
MUST_USE int frame_pack_piece(struct frame_packer *p, struct buf *out, int level,
			      const struct frame_columns *columns, size_t from, size_t to);

/* Decompress such a piece to the n bytes at `to`. Return 0 or -EUCLEAN. */
MUST_USE int frame_unpack_piece(struct frame_unpacker *u, struct str packed, char *to, size_t n);

/* Return the XXH3 checksum of n bytes, such as the fields of a row. */
uint64_t frame_sum(const void *p, size_t n);

#endif
