/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_WIRE_COMPRESS_COMPRESS_H
#define VARVE_WIRE_COMPRESS_COMPRESS_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"

/*
 * Whole bodies in and out of gzip, zlib, zstd and lz4, and the entries of zip archives (zip.h).
 *
 * Input is untrusted. What it says of its own size is a hint and never more: output is taken from
 * the caller's arena as it grows, never beyond what the compressed bytes could expand to at most, the
 * limits below, or the arena's budget.
 */
enum compress_kind {
	COMPRESS_NONE,
	COMPRESS_GZIP, /* RFC 1952; any number of members, zero bytes behind the last */
	COMPRESS_ZLIB, /* RFC 1950 */
	COMPRESS_ZSTD, /* RFC 8878; any number of frames, skippable ones left out; no dictionaries */
	COMPRESS_LZ4,  /* the frame format 1.6 and the legacy one, as zstd; no dictionaries */
	COMPRESS_ZIP,  /* the first regular file; to choose, see zip.h */
	COMPRESS_DEFLATE, /* RFC 1951, raw; has no magic, so it is never detected */
};

/*
 * When to take input for a bomb. Deflate cannot expand more than 1,032 times, lz4 255 times, so there the
 * output limit decides; zstd makes 32,000 of zeros. Real profiles are at 2 to 8, but
 * `perf script` text of one hot stack can reach 1,300 (docs/adr/0005).
 */
struct decompress_limits {
	size_t output; /* bytes; 0: DECOMPRESS_OUTPUT */
	size_t ratio; /* output : input, looked at beyond DECOMPRESS_FREE bytes; 0: DECOMPRESS_RATIO */
};

#define DECOMPRESS_OUTPUT (2 * GIB)
#define DECOMPRESS_RATIO ((size_t)10000)
#define DECOMPRESS_FREE (64 * MIB)

/* The compression that `head`, the first bytes of a file, shows by its magic. */
enum compress_kind compress_detect(struct str head);

/* "gzip", "zlib", ...; "none". */
const char *compress_name(enum compress_kind kind);

/*
 * Decompress all of `in`. *out lives in the arena, or is a part of `in` where nothing was
 * compressed. `limits` may be NULL.
 *
 * 0, or -EBADMSG "gzip: at byte N: ..." for bad or cut input, -EFBIG "gzip: expands to more than N
 * bytes" over a limit, -ENOMEM over the budget, -ENOTSUP for what we do not read. On error *out is
 * untouched; the arena may hold a dead piece until it is reset.
 */
MUST_USE int decompress_bytes(enum compress_kind kind, struct str in, struct arena *a,
			      const struct decompress_limits *limits, struct str *out,
			      struct err *e);

/* A body of HTTP's "Content-Encoding: deflate": zlib by the RFC, raw deflate from some senders. */
MUST_USE int decompress_http_deflate(struct str in, struct arena *a,
				     const struct decompress_limits *limits, struct str *out,
				     struct err *e);

/*
 * Append `in`, compressed as one member or frame, to `out`. `level` 0 is the usual one of the kind
 * (gzip, zlib, deflate 6 of 1..12; zstd 3 of 1..19; lz4 0 of 0..12); others are clamped.
 * 0, -ENOMEM, or -ENOTSUP for COMPRESS_ZIP; on error `out` is as before, but for its sticky error.
 */
MUST_USE int compress_bytes(struct buf *out, enum compress_kind kind, int level, struct str in,
			    struct err *e);

/* The same for gzip, zlib and deflate alone. 0 or -ENOMEM. */
MUST_USE int deflate_bytes(struct buf *out, enum compress_kind kind, int level, struct str in);

#endif
