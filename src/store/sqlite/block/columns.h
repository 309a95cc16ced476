/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_STORE_SQLITE_COLUMNS_H
#define VARVE_STORE_SQLITE_COLUMNS_H

#include <errno.h>

#include "base/arena.h"
#include "base/buf.h"

/*
 * Numbers inside a block. Single ones are LEB128. A column of n numbers is n two-bit codes (four a
 * byte), each the width of a number (1, 2, 4 or 8 bytes), then the numbers: no branch a number when
 * it is read, and what repeats is left to zstd. Signed numbers are zigzag: small ones stay small.
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
void column_put_str(struct buf *out, struct str s); /* its length, its bytes */

/*
 * A bounded reader with a sticky error: after a read past the end everything is 0 and `bad` is set.
 * Check once, at the end.
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

/* A number that counts things of at least a quarter byte each in what follows; else bad. */
uint32_t column_count(struct column_cursor *c);

/* `n` bytes where they are, or NULL. */
const uint8_t *column_bytes(struct column_cursor *c, size_t n);
struct str column_str(struct column_cursor *c);

/* Columns into memory of the caller. What does not fit 32 bits is bad. */
void column_get_u32(struct column_cursor *c, uint32_t *out, size_t n);
void column_get_u64(struct column_cursor *c, uint64_t *out, size_t n);

/* Note in `ends` (u32 each) that a column of `bytes` ends here: for frame_put_columns(). */
void column_end(struct buf *ends, const struct buf *bytes);

/* Pass over a column of n numbers. */
void column_skip(struct column_cursor *c, size_t n);

/* The same into new memory of the arena; NULL when bad (or memory is out: *rc is -ENOMEM). */
uint32_t *column_new_u32(struct column_cursor *c, struct arena *a, size_t n, int *rc);
uint64_t *column_new_u64(struct column_cursor *c, struct arena *a, size_t n, int *rc);

#endif
