/* SPDX-License-Identifier: Apache-2.0 */
/* Columns of numbers. The fast path of decoding reads four numbers at a time by 8-byte loads. */
#include "store/sqlite/block/columns.h"

#include "wire/varints.h"

static const uint8_t widths[4] = {1, 2, 4, 8};

/* The bits of a number, by code. */
static const uint64_t masks[4] = {0xff, 0xffff, 0xffffffff, UINT64_MAX};

void column_put_varint(struct buf *out, uint64_t v)
{
	char bytes[10];
	size_t n = 0;

	do {
		bytes[n++] = (char)((v & 0x7f) | (v > 0x7f ? 0x80 : 0));
		v >>= 7;
	} while (v);
	buf_put(out, bytes, n);
}

void column_put_str(struct buf *out, struct str s)
{
	column_put_varint(out, s.n);
	buf_put_str(out, s);
}

static unsigned code_of(uint64_t v)
{
	return (unsigned)((v > 0xff) + (v > 0xffff) + (v > 0xffffffff));
}

#define PUT_COLUMN(type)                                                                           \
	size_t codes = (n + 3) / 4;                                                                \
	char *at = buf_reserve(out, codes + n * 8), *p = at ? at + codes : NULL;                   \
                                                                                                   \
	if (!at)                                                                                   \
		return;                                                                            \
	memset(at, 0, codes);                                                                      \
	for (size_t i = 0; i < n; i++) {                                                           \
		uint64_t number = (uint64_t)v[i];                                                  \
		unsigned code = code_of(number);                                                   \
                                                                                                   \
		at[i / 4] = (char)(at[i / 4] | (char)(code << i % 4 * 2));                         \
		memcpy(p, &number, sizeof(number));                                                \
		p += widths[code];                                                                 \
	}                                                                                          \
	out->n += (size_t)(p - at)

void column_put_u32(struct buf *out, const uint32_t *v, size_t n)
{
	PUT_COLUMN(uint32_t);
}

void column_put_u64(struct buf *out, const uint64_t *v, size_t n)
{
	PUT_COLUMN(uint64_t);
}

void column_end(struct buf *ends, const struct buf *bytes)
{
	buf_put(ends, &(uint32_t){(uint32_t)bytes->n}, sizeof(uint32_t));
}

uint64_t column_varint(struct column_cursor *c)
{
	uint64_t v;
	const uint8_t *next = varint_read_bounded(c->p, c->end, &v);

	if (next) {
		c->p = next;
		return v;
	}
	c->bad = true;
	c->p = c->end;
	return 0;
}

uint32_t column_count(struct column_cursor *c)
{
	uint64_t n = column_varint(c);

	if (n / 4 > column_left(c) || n > INT32_MAX)
		c->bad = true;
	return c->bad ? 0 : (uint32_t)n;
}

const uint8_t *column_bytes(struct column_cursor *c, size_t n)
{
	const uint8_t *p = c->p;

	if (n > column_left(c)) {
		c->bad = true;
		c->p = c->end;
		return NULL;
	}
	c->p += n;
	return p;
}

struct str column_str(struct column_cursor *c)
{
	uint64_t n = column_varint(c);
	const uint8_t *p = column_bytes(c, n);

	return p ? str_of((const char *)p, n) : (struct str){0};
}

/* Return the bytes of the four numbers of a byte of codes. */
static unsigned bytes_of_codes(uint8_t codes)
{
	return (unsigned)(widths[codes & 3] + widths[codes >> 2 & 3] + widths[codes >> 4 & 3] +
			  widths[codes >> 6]);
}

/* Read one of the last numbers, where an 8-byte load could cross the end. */
static uint64_t read_near_end(struct column_cursor *c, unsigned code)
{
	uint64_t v = 0;
	const uint8_t *p = column_bytes(c, widths[code]);

	if (p)
		memcpy(&v, p, widths[code]);
	return v;
}

#define GET_COLUMN(type)                                                                           \
	const uint8_t *codes = column_bytes(c, (n + 3) / 4);                                       \
	size_t i = 0;                                                                              \
	uint64_t wide = 0;                                                                         \
                                                                                                   \
	if (!codes) {                                                                              \
		memset(out, 0, n * sizeof(*out));                                                  \
		return;                                                                            \
	}                                                                                          \
	for (; i + 4 <= n && column_left(c) >= 32; i += 4) {                                       \
		unsigned four = codes[i / 4];                                                      \
		const uint8_t *p = c->p;                                                           \
                                                                                                   \
		if (!four) { /* common case: all have one byte */                                  \
			for (unsigned k = 0; k < 4; k++)                                           \
				out[i + k] = p[k];                                                 \
			c->p += 4;                                                                 \
			continue;                                                                  \
		}                                                                                  \
		for (unsigned k = 0; k < 4; k++) {                                                 \
			unsigned code = four >> 2 * k & 3;                                         \
			uint64_t v;                                                                \
                                                                                                   \
			memcpy(&v, p, sizeof(v));                                                  \
			v &= masks[code];                                                          \
			wide |= v;                                                                 \
			out[i + k] = (type)v;                                                      \
			p += widths[code];                                                         \
		}                                                                                  \
		c->p += bytes_of_codes((uint8_t)four);                                             \
	}                                                                                          \
	for (; i < n; i++) {                                                                       \
		uint64_t v = read_near_end(c, codes[i / 4] >> i % 4 * 2 & 3);                      \
                                                                                                   \
		wide |= v;                                                                         \
		out[i] = (type)v;                                                                  \
	}                                                                                          \
	if (sizeof(type) == 4 && wide > UINT32_MAX)                                                \
	c->bad = true

void column_get_u32(struct column_cursor *c, uint32_t *out, size_t n)
{
	GET_COLUMN(uint32_t);
}

void column_get_u64(struct column_cursor *c, uint64_t *out, size_t n)
{
	GET_COLUMN(uint64_t);
}

void column_skip(struct column_cursor *c, size_t n)
{
	const uint8_t *codes = column_bytes(c, (n + 3) / 4);
	size_t bytes = 0, i = 0;

	while (codes && i + 4 <= n) {
		uint64_t many = 1;

		if (i + 32 <= n)
			memcpy(&many, codes + i / 4, sizeof(many));
		/* common case: all 32 have one byte */
		bytes += many ? bytes_of_codes(codes[i / 4]) : 32;
		i += many ? 4 : 32;
	}
	for (; codes && i < n; i++)
		bytes += widths[codes[i / 4] >> i % 4 * 2 & 3];
	(void)column_bytes(c, bytes);
}

/* Allocate n numbers. Set `bad` if the remaining bytes cannot hold so many. */
static void *alloc_column(struct column_cursor *c, struct arena *a, size_t n, size_t size, int *rc)
{
	void *p = NULL;

	if (c->bad || n > column_left(c)) {
		c->bad = true;
	} else {
		p = arena_alloc(a, n + 1, size);
		if (!p)
			*rc = -ENOMEM;
	}
	return p;
}

uint32_t *column_new_u32(struct column_cursor *c, struct arena *a, size_t n, int *rc)
{
	uint32_t *out = alloc_column(c, a, n, sizeof(*out), rc);

	if (out)
		column_get_u32(c, out, n);
	return c->bad ? NULL : out;
}

uint64_t *column_new_u64(struct column_cursor *c, struct arena *a, size_t n, int *rc)
{
	uint64_t *out = alloc_column(c, a, n, sizeof(*out), rc);

	if (out)
		column_get_u64(c, out, n);
	return c->bad ? NULL : out;
}
