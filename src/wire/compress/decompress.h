/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_WIRE_COMPRESS_DECOMPRESS_H
#define VARVE_WIRE_COMPRESS_DECOMPRESS_H

#include "wire/compress/compress.h"

/*
 * Private to this folder: the growing output that all decompressors share (decompress.c), and the
 * decompressors themselves (inflate.c, zstd.c, lz4.c).
 */
struct decompress_sink {
	struct arena *arena;
	char *p;
	size_t n, cap;
	size_t output;	  /* output limit in bytes */
	size_t ratio_max; /* bytes that the ratio limit allows for this input */
	const char *name; /* of the format, for errors */
};

/* Upper bound of the libraries' working memory; charged to the budget. */
#define DECOMPRESS_SCRATCH (192 * KIB)

void decompress_sink_init(struct decompress_sink *s, struct arena *a, const char *name,
			  size_t input, const struct decompress_limits *limits);

/*
 * Grow the capacity to at least `want` bytes, or as far as the limits allow. Return 0, -ENOMEM, or
 * -EFBIG if the limit is reached already.
 */
MUST_USE int decompress_sink_grow(struct decompress_sink *s, size_t want, struct err *e);

/* Check whether a total of `size` bytes is within the limits. Return 0 or -EFBIG. */
MUST_USE int decompress_sink_allows(const struct decompress_sink *s, unsigned long long size,
				    struct err *e);

/* Release unused capacity and return the output. */
struct str decompress_sink_finish(struct decompress_sink *s);

/* Set "NAME: at byte N: TEXT" and return -EBADMSG. */
int decompress_sink_fail(const struct decompress_sink *s, size_t at, struct err *e,
			 const char *text);

/* Decompress one body into `s`, which is initialized. */
MUST_USE int inflate_body(struct decompress_sink *s, enum compress_kind kind, struct str in,
			  struct err *e);
MUST_USE int zstd_body(struct decompress_sink *s, struct str in, struct err *e);
MUST_USE int lz4_body(struct decompress_sink *s, struct str in, struct err *e);

/*
 * Skip a skippable frame, which zstd and lz4 share, at *at. Return 1, 0 if there is no such frame,
 * or -EBADMSG if it extends past the end. The last four bits of the magic are arbitrary.
 */
#define MAGIC_SKIPPABLE 0x184d2a50u
int decompress_skip_frame(struct str in, size_t *at);

/*
 * Decompress all frames of a zstd or lz4 stream. Skippable frames are skipped. For other frames
 * call `read` with *at at the frame's magic; it advances *at past the frame.
 */
typedef int decompress_frame_reader(struct decompress_sink *s, void *arg, struct str in, size_t *at,
				    struct err *e);
MUST_USE int decompress_frames(struct decompress_sink *s, struct str in,
			       decompress_frame_reader *read, void *arg, struct err *e);

/* Load little-endian numbers; the caller checks the bounds. */
static inline uint16_t load16(const char *p)
{
	uint16_t value;

	memcpy(&value, p, sizeof(value));
	return value;
}

static inline uint32_t load32(const char *p)
{
	uint32_t value;

	memcpy(&value, p, sizeof(value));
	return value;
}

static inline uint64_t load64(const char *p)
{
	uint64_t value;

	memcpy(&value, p, sizeof(value));
	return value;
}

#endif
