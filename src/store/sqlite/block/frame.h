/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_STORE_SQLITE_FRAME_H
#define VARVE_STORE_SQLITE_FRAME_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"

/*
 * The envelope of every blob that we write:
 *
 *	0	magic "Vv"
 *	2	kind
 *	3	how it is packed: 0 as it is, 1 zstd
 *	4	u32: bytes when unpacked
 *	8	u64: XXH3 of bytes 0 to 7 and of all that follows the header
 *	16	the bytes
 *
 * All numbers are little-endian. The checksum is looked at before anything else is believed.
 */
enum frame_kind {
	FRAME_LEVEL0 = 1, /* samples as they came: level0.h */
	FRAME_DICTIONARY, /* dictionary.h */
	FRAME_POINTS,	  /* the rest: chunk.h */
	FRAME_RUNS,
	FRAME_DETAIL,
	FRAME_LINKED,
	FRAME_FILTER,
	FRAME_ROLLUP,
	FRAME_SERIES,
	FRAME_SPANS, /* span_block.h */
	FRAME_SPAN_FILTER,
	FRAME_LINKS,
	FRAME_KINDS,
};

enum { FRAME_HEADER = 16 };
#define FRAME_MAX (512 * MIB) /* unpacked; more is damage */

/* "level0", "dictionary", ... */
const char *frame_kind_name(unsigned kind);

/*
 * Append `bytes`, packed by zstd of that level (0: not packed; nor is what is tiny: unpacking would cost more than it
 * saves). 0, -ENOMEM or -EFBIG.
 */
MUST_USE int frame_put(struct buf *out, enum frame_kind kind, int level, struct str bytes);

/* What unpacking needs, kept from one block to the next: making it anew costs more than a small block does. */
struct frame_unpacker {
	struct ZSTD_DCtx_s *context; /* NULL: made when it is needed */
};
void frame_unpacker_fini(struct frame_unpacker *u);

/*
 * Unpack; *out lives in the arena or is a part of `frame`. `u` may be NULL, and is one thread's at a time. 0, -ENOMEM,
 * or -EUCLEAN with what is wrong in `e`.
 */
MUST_USE int frame_get(struct str frame, enum frame_kind kind, struct frame_unpacker *u,
		       struct arena *arena, struct str *out, struct err *e);

/*
 * Columns of different kinds pack better when each has a table of its own. These are the places in the bytes where columns
 * end, in their order; who unpacks need not know.
 */
struct frame_columns {
	struct str bytes;
	const uint32_t *ends;
	size_t n;
};

struct frame_packer {
	struct ZSTD_CCtx_s *context; /* NULL: made when it is needed */
};
void frame_packer_fini(struct frame_packer *p);

/* As frame_put(). */
MUST_USE int frame_put_columns(struct frame_packer *p, struct buf *out, enum frame_kind kind,
			       int level, const struct frame_columns *columns);

/*
 * Pieces of a block that is packed in pieces by whoever writes it. Append the piece [from, to) of the columns, as it is
 * where packing does not make it smaller: then its size is the same. 0 or -ENOMEM.
 */
MUST_USE int frame_pack_piece(struct frame_packer *p, struct buf *out, int level,
			      const struct frame_columns *columns, size_t from, size_t to);

/* Unpack such a piece to `to`, which has room for the n bytes that it has. 0 or -EUCLEAN. */
MUST_USE int frame_unpack_piece(struct frame_unpacker *u, struct str packed, char *to, size_t n);

/* The same of a checksum over fields of a row. */
uint64_t frame_sum(const void *p, size_t n);

#endif
