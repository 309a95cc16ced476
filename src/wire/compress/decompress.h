/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_WIRE_COMPRESS_DECOMPRESS_H
#define VARVE_WIRE_COMPRESS_DECOMPRESS_H

#include "wire/compress/compress.h"

/*
 * Private to src/wire: the growing output that all decompressors share, and the decompressors.
 */
struct sink {
	struct arena *arena;
	char *p;
	size_t n, cap;
	size_t output;	  /* the limits, resolved */
	size_t ratio_max; /* in bytes: what the ratio allows for this input */
	const char *name; /* of the format, for errors */
};

/* Bytes of working memory that any of the libraries takes at most; charged to the budget. */
#define DECOMPRESS_SCRATCH (192 * KIB)

void sink_init(struct sink *s, struct arena *a, const char *name, size_t input,
	       const struct decompress_limits *limits);

/*
 * Room for more: at least one byte beyond what there is, `want` bytes in all if the limits allow
 * it. 0, -ENOMEM, or -EFBIG when the output stands at its limit already.
 */
MUST_USE int sink_grow(struct sink *s, size_t want, struct err *e);

/* Can the output become `size` bytes in all? 0 or -EFBIG; nothing is allocated. */
MUST_USE int sink_allows(const struct sink *s, unsigned long long size, struct err *e);

/* Give back what was too much and hand out the bytes. */
struct str sink_finish(struct sink *s);

/* "NAME: at byte N: TEXT", -EBADMSG. */
int sink_bad(const struct sink *s, size_t at, struct err *e, const char *text);

/* One body each. `s` is initialised; on success it holds the output. */
MUST_USE int inflate_body(struct sink *s, enum compress_kind kind, struct str in, struct err *e);
MUST_USE int zstd_body(struct sink *s, struct str in, struct err *e);
MUST_USE int lz4_body(struct sink *s, struct str in, struct err *e);

/*
 * All frames of zstd or lz4, which are streams of them: skippable ones, which they share, are
 * passed over; any other is for `read`, which has its magic at *at and moves behind it.
 */
typedef int frame_reader(struct sink *s, void *arg, struct str in, size_t *at, struct err *e);
MUST_USE int read_frames(struct sink *s, struct str in, frame_reader *read, void *arg,
			 struct err *e);

/* Little-endian numbers at p; the caller has checked that they are there. */
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
