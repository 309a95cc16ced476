/* SPDX-License-Identifier: Apache-2.0 */
/* Growth doubles the capacity; numbers are formatted without printf(). */
#include "base/buf.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

enum { FIRST_SIZE = 256 };

void buf_init(struct buf *b, struct budget *budget)
{
	*b = (struct buf){.budget = budget};
}

void buf_fini(struct buf *b)
{
	budget_give(b->budget, b->cap);
	free(b->p);
	*b = (struct buf){0};
}

void buf_clear(struct buf *b)
{
	b->n = 0;
	b->failed = false;
}

void buf_rewind(struct buf *b)
{
	b->n = 0;
}

static bool resize_buf(struct buf *b, size_t want)
{
	size_t cap = max_size(max_size(FIRST_SIZE, want), b->cap < SIZE_MAX / 2 ? 2 * b->cap : 0);
	char *p;

	if (!budget_take(b->budget, cap - b->cap))
		return false;
	p = realloc(b->p, cap);
	if (!p) {
		budget_give(b->budget, cap - b->cap);
		return false;
	}
	b->p = p;
	b->cap = cap;
	return true;
}

char *buf_grow(struct buf *b, size_t n)
{
	size_t want;

	if (b->failed || __builtin_add_overflow(b->n, n, &want) || !resize_buf(b, want)) {
		b->failed = true;
		return NULL;
	}
	return b->p + b->n;
}

void buf_put(struct buf *b, const void *p, size_t n)
{
	char *at = n ? buf_reserve(b, n) : NULL;

	if (!at)
		return;
	memcpy(at, p, n);
	b->n += n;
}

void buf_put_str(struct buf *b, struct str s)
{
	buf_put(b, s.p, s.n);
}

void buf_put_char(struct buf *b, char c)
{
	char *at = buf_reserve(b, 1);

	if (!at)
		return;
	*at = c;
	b->n++;
}

enum { MOST_DIGITS = 20 }; /* of an unsigned 64-bit number */

static unsigned count_digits(uint64_t value)
{
	unsigned n = 1;

	for (; value >= 10000; value /= 10000)
		n += 4;
	return n + (value >= 10) + (value >= 100) + (value >= 1000);
}

/* Two digits at a time, from last to first: the time goes into one division per step. */
void buf_put_u64(struct buf *b, uint64_t value)
{
	static const char pairs[] = "00010203040506070809101112131415161718192021222324"
				    "25262728293031323334353637383940414243444546474849"
				    "50515253545556575859606162636465666768697071727374"
				    "75767778798081828384858687888990919293949596979899";
	unsigned n = count_digits(value);
	char *at = buf_reserve(b, MOST_DIGITS);

	if (!at)
		return;
	b->n += n;
	for (at += n; value >= 10; value /= 100) {
		at -= 2;
		memcpy(at, pairs + value % 100 * 2, 2);
	}
	if (n % 2)
		at[-1] = (char)('0' + value);
}

void buf_put_i64(struct buf *b, int64_t value)
{
	if (value < 0)
		buf_put_char(b, '-');
	buf_put_u64(b, value < 0 ? 0 - (uint64_t)value : (uint64_t)value);
}

void buf_printf(struct buf *b, const char *fmt, ...)
{
	va_list args;
	char *at;
	int n;

	va_start(args, fmt);
	n = vsnprintf(NULL, 0, fmt, args);
	va_end(args);
	at = n >= 0 ? buf_reserve(b, (size_t)n + 1) : NULL;
	if (!at)
		return;
	va_start(args, fmt);
	vsnprintf(at, (size_t)n + 1, fmt, args);
	va_end(args);
	b->n += (size_t)n;
}

int buf_error(const struct buf *b)
{
	return b->failed ? -ENOMEM : 0;
}
