/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_WIRE_COMPRESS_COMPRESS_H
#define VARVE_WIRE_COMPRESS_COMPRESS_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"

/*
 * Compression and decompression of whole bodies: gzip, zlib, zstd, lz4 and snappy, and the entries
 * of zip archives (zip.h).
 *
 * Input is untrusted. A size that it claims is only a hint: output grows in the caller's arena,
 * never beyond what the compressed bytes can expand to, the limits below, or the arena's budget.
 */
enum compress_kind {
	COMPRESS_NONE,
	COMPRESS_GZIP, /* RFC 1952; any number of members, zero bytes after the last */
	COMPRESS_ZLIB, /* RFC 1950 */
	COMPRESS_ZSTD, /* RFC 8878; any number of frames, skippable ones ignored; no dictionaries */
	COMPRESS_LZ4, /* frame format 1.6 and the legacy one; frames as for zstd; no dictionaries */
	COMPRESS_ZIP, /* the first regular file; use zip.h to choose another one */
	COMPRESS_DEFLATE,	/* RFC 1951, raw; has no magic, so it is never detected */
	COMPRESS_SNAPPY,	/* one block, without frame; has no magic, either */
	COMPRESS_SNAPPY_FRAMED, /* blocks of 64 KiB with checksums; never detected */
	COMPRESS_KINDS,
};

/*
 * When to reject input as a decompression bomb. Deflate cannot expand more than 1,032 times, lz4
 * 255 times and snappy 22 times, so for them the output limit decides; zstd expands zeros 32,000
 * times. Real profiles expand 2 to 8 times, but `perf script` text of one hot stack can reach 1,300
 * (docs/adr/0005).
 */
struct decompress_limits {
	size_t output; /* bytes; 0: DECOMPRESS_OUTPUT */
	/* Output divided by input, checked beyond DECOMPRESS_FREE bytes; 0: DECOMPRESS_RATIO. */
	size_t ratio;
};

#define DECOMPRESS_OUTPUT (2 * GIB)
#define DECOMPRESS_RATIO ((size_t)10000)
#define DECOMPRESS_FREE (64 * MIB)

/* Detect the compression by the magic in `head`, the first bytes of a file. */
enum compress_kind compress_detect(struct str head);

/* Return "gzip", "zlib", ..., or "none". */
const char *compress_name(enum compress_kind kind);

/*
 * Decompress all of `in`. *out lives in the arena, or is a part of `in` if nothing was compressed.
 * `limits` may be NULL.
 *
 * Return 0, -EBADMSG "gzip: at byte N: ..." for invalid or truncated input, -EFBIG "gzip: expands
 * to more than N bytes" over a limit, -ENOMEM over the budget, or -ENOTSUP for unsupported
 * features. On error *out is unchanged; the arena may hold an unused piece until it is reset.
 */
MUST_USE int decompress_bytes(enum compress_kind kind, struct str in, struct arena *a,
			      const struct decompress_limits *limits, struct str *out,
			      struct err *e);

/*
 * Decompress HTTP's "Content-Encoding: deflate": zlib by the RFC, but raw deflate by some clients.
 */
MUST_USE int decompress_http_deflate(struct str in, struct arena *a,
				     const struct decompress_limits *limits, struct str *out,
				     struct err *e);

/*
 * Append `in`, compressed as one member or frame, to `out`. `level` 0 is the default of the kind
 * (gzip, zlib, deflate 6 of 1..12; zstd 3 of 1..19; lz4 0 of 0..12; snappy has none); other levels
 * are clamped. Return 0, -ENOMEM, -EFBIG (snappy: 4 GiB), or -ENOTSUP for COMPRESS_ZIP. On error
 * `out` is unchanged except for its sticky error.
 */
MUST_USE int compress_bytes(struct buf *out, enum compress_kind kind, int level, struct str in,
			    struct err *e);

#endif
