/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_BASE_BUF_H
#define VARVE_BASE_BUF_H

#include "base/budget.h"
#include "base/str.h"

/*
 * A growing byte buffer for output. Errors are sticky: after a failed allocation every put is a
 * no-op and buf_error() returns -ENOMEM, so a writer checks once, at the end. Not thread-safe.
 */
struct buf {
	char *p;
	size_t n, cap;
	struct budget *budget;
	bool failed;
};

/* Initialize an empty buffer without allocating. The zero value is an empty buffer, too. */
void buf_init(struct buf *b, struct budget *budget);
void buf_fini(struct buf *b);

/* Make the buffer empty, keep its memory, and clear the error. */
void buf_clear(struct buf *b);

/* Make the buffer empty for the next of several texts; an error stays. */
void buf_rewind(struct buf *b);

/* The slow path of buf_reserve(). */
char *buf_grow(struct buf *b, size_t n);

/* Return room for `n` more bytes, or NULL. The caller writes there and advances buf->n. */
static inline char *buf_reserve(struct buf *b, size_t n)
{
	return likely(!b->failed && n <= b->cap - b->n) ? b->p + b->n : buf_grow(b, n);
}

void buf_put(struct buf *b, const void *p, size_t n);
void buf_put_str(struct buf *b, struct str s);
void buf_put_char(struct buf *b, char c);
void buf_put_u64(struct buf *b, uint64_t value); /* decimal */
void buf_put_i64(struct buf *b, int64_t value);
void buf_printf(struct buf *b, const char *fmt, ...) PRINTF_LIKE(2, 3);

static inline struct str buf_str(const struct buf *b)
{
	return str_of(b->p, b->n);
}

/* Return 0, or -ENOMEM after any failed put. */
MUST_USE int buf_error(const struct buf *b);

#endif
