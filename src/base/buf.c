/* SPDX-License-Identifier: Apache-2.0 */
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

static bool grow(struct buf *b, size_t want)
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

char *buf_reserve(struct buf *b, size_t n)
{
	size_t want;

	if (b->failed)
		return NULL;
	if (n <= b->cap - b->n)
		return b->p + b->n;
	if (__builtin_add_overflow(b->n, n, &want) || !grow(b, want)) {
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
	buf_put(b, &c, 1);
}

void buf_put_u64(struct buf *b, uint64_t value)
{
	char text[20]; /* 2^64 has 20 digits */
	size_t at = sizeof(text);

	do {
		text[--at] = (char)('0' + value % 10);
		value /= 10;
	} while (value);
	buf_put(b, text + at, sizeof(text) - at);
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
