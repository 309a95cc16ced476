/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_STORE_SQLITE_COLUMNS_H
#define VARVE_STORE_SQLITE_COLUMNS_H

#include <errno.h>

#include "base/arena.h"
#include "base/buf.h"

/*
 * Numbers inside a block. Single numbers are LEB128. A column of n numbers is n two-bit codes (four
 * per byte), each the width of a number (1, 2, 4 or 8 bytes), followed by the numbers: decoding
 * needs no branch per number, and repetition is left to zstd. Signed numbers are zigzag encoded.
 */
static inline uint64_t zigzag(int64_t v)
{
	return (uint64_t)v << 1 ^ (uint64_t)(v >> 63);
}

static inline int64_t unzigzag(uint64_t v)
{
	return (int64_t)(v >> 1 ^ -(v & 1));
}

void column_put_varint(struct buf *out, uint64_t v);
void column_put_u32(struct buf *out, const uint32_t *v, size_t n);
void column_put_u64(struct buf *out, const uint64_t *v, size_t n);
void column_put_str(struct buf *out, struct str s); /* the length, then the bytes */

/*
 * A bounded reader with a sticky error: a read past the end sets `bad`, and all further reads
 * return 0. Check once, at the end.
 */
struct column_cursor {
	const uint8_t *p, *end;
	bool bad;
};

static inline struct column_cursor column_cursor(struct str bytes)
{
	return (struct column_cursor){(const uint8_t *)bytes.p, (const uint8_t *)bytes.p + bytes.n,
				      false};
}

static inline size_t column_left(const struct column_cursor *c)
{
	return (size_t)(c->end - c->p);
}

uint64_t column_varint(struct column_cursor *c);

/* Read a count of items of at least a quarter byte each; set `bad` if the rest cannot hold them. */
uint32_t column_count(struct column_cursor *c);

/* Return a pointer to the next n bytes, or NULL; return the next string as a slice. */
const uint8_t *column_bytes(struct column_cursor *c, size_t n);
struct str column_str(struct column_cursor *c);

/* Read a column of n numbers into `out`. A number that does not fit a uint32_t sets `bad`. */
void column_get_u32(struct column_cursor *c, uint32_t *out, size_t n);
void column_get_u64(struct column_cursor *c, uint64_t *out, size_t n);

/*
 * Append the length of `bytes` to `ends` (u32 each): a column ends here, for frame_put_columns().
 */
void column_end(struct buf *ends, const struct buf *bytes);

/* Skip a column of n numbers. */
void column_skip(struct column_cursor *c, size_t n);

/* Read a column into the arena. Return NULL if it is bad, or without memory: *rc is -ENOMEM. */
uint32_t *column_new_u32(struct column_cursor *c, struct arena *a, size_t n, int *rc);
uint64_t *column_new_u64(struct column_cursor *c, struct arena *a, size_t n, int *rc);

#endif
