/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Integers as packed differences. The median is that of a sample of the differences: it only has to
 * be near the middle, so that zigzag encoded residuals are small on both sides.
 */
#include "store/sqlite/metrics/layout/metric_ints.h"

#include <stdlib.h>
#include <string.h>

enum { ORDERS = 3, EXCEPTIONS = 4, MEDIAN_SAMPLE = 31, WIDTH_MAX = 64, WORD = 8 };

/* How a list is encoded. */
struct int_plan {
	unsigned order, width;
	int64_t median;
	uint32_t exceptions;
	uint64_t bytes;
};

static int64_t sub(int64_t a, int64_t b)
{
	return (int64_t)((uint64_t)a - (uint64_t)b);
}

static int64_t add(int64_t a, int64_t b)
{
	return (int64_t)((uint64_t)a + (uint64_t)b);
}

/* Return difference i of the order; i counts from 0. */
static int64_t difference(const int64_t *v, uint32_t i, unsigned order)
{
	if (!order)
		return v[i];
	if (order == 1)
		return sub(v[i + 1], v[i]);
	return sub(sub(v[i + 2], v[i + 1]), sub(v[i + 1], v[i]));
}

static int64_t sample_median(const int64_t *v, uint32_t n, unsigned order)
{
	int64_t at[MEDIAN_SAMPLE];
	uint32_t m = n < MEDIAN_SAMPLE ? n : MEDIAN_SAMPLE;

	for (uint32_t i = 0; i < m; i++) {
		int64_t d = difference(v, (uint32_t)((uint64_t)i * n / m), order);
		uint32_t k = i;

		for (; k && at[k - 1] > d; k--)
			at[k] = at[k - 1];
		at[k] = d;
	}
	return m ? at[m / 2] : 0;
}

static unsigned bits_of(uint64_t v)
{
	return v ? 64 - (unsigned)__builtin_clzll(v) : 0;
}

static size_t varint_size(uint64_t v)
{
	return (bits_of(v | 1) + 6) / 7;
}

static size_t packed_size(uint32_t n, unsigned width)
{
	return ((uint64_t)n * width + 7) / 8;
}

static void plan_order(struct int_plan *p, const int64_t *v, uint32_t n, unsigned order,
		       uint64_t *residuals)
{
	uint32_t m = n - order, of_width[WIDTH_MAX + 1] = {0}, over = 0;
	uint64_t extra = 0;
	unsigned most = 0;

	*p = (struct int_plan){.order = order, .median = sample_median(v, m, order)};
	for (uint32_t i = 0; i < m; i++) {
		residuals[i] = zigzag(sub(difference(v, i, order), p->median));
		of_width[bits_of(residuals[i])]++;
	}
	for (unsigned w = 0; w <= WIDTH_MAX; w++)
		if (of_width[w])
			most = w;
	p->width = most;
	p->bytes = packed_size(m, most);
	/* lower the width step by step: what no longer fits becomes exceptions */
	for (unsigned w = most; w-- > 0;) {
		uint64_t bytes;

		over += of_width[w + 1];
		extra += of_width[w + 1] * (1 + (w + 1 + 6) / 7);
		bytes = packed_size(m, w) + extra + 1;
		if (bytes < p->bytes) {
			p->bytes = bytes;
			p->width = w;
			p->exceptions = over;
		}
	}
	p->bytes += 2 + varint_size(zigzag(p->median));
	if (order)
		p->bytes += varint_size(zigzag(v[0]));
	if (order == 2)
		p->bytes += varint_size(zigzag(sub(v[1], v[0])));
}

static void put_exceptions(struct buf *out, const struct int_plan *p, uint64_t *residuals,
			   uint32_t m)
{
	uint32_t last = 0;

	column_put_varint(out, p->exceptions);
	for (uint32_t i = 0; i < m; i++) {
		if (bits_of(residuals[i]) <= p->width)
			continue;
		column_put_varint(out, i - last);
		column_put_varint(out, residuals[i]);
		residuals[i] = 0;
		last = i;
	}
}

static void pack_bits(struct buf *out, const uint64_t *v, uint32_t n, unsigned width)
{
	size_t bytes = packed_size(n, width);
	char *at = buf_reserve(out, bytes + WORD);
	unsigned __int128 held = 0;
	unsigned bits = 0;

	if (!at || !width)
		return;
	for (uint32_t i = 0; i < n; i++) {
		held |= (unsigned __int128)v[i] << bits;
		bits += width;
		if (bits >= 64) {
			uint64_t word = (uint64_t)held;

			memcpy(at, &word, sizeof(word));
			at += sizeof(word);
			held >>= 64;
			bits -= 64;
		}
	}
	if (bits) {
		uint64_t word = (uint64_t)held;

		memcpy(at, &word, sizeof(word));
	}
	out->n += bytes;
}

void metric_ints_put(struct buf *out, const int64_t *v, uint32_t n, const struct int_scratch *s)
{
	struct int_plan best, p;
	uint64_t *residuals = s->residuals, *spare = s->sorted;

	plan_order(&best, v, n, 0, residuals);
	for (unsigned order = 1; order < ORDERS && order < n; order++) {
		plan_order(&p, v, n, order, spare);
		if (p.bytes < best.bytes) {
			uint64_t *swap = residuals;

			best = p;
			residuals = spare;
			spare = swap;
		}
	}
	buf_put_char(out, (char)(best.order | (best.exceptions ? EXCEPTIONS : 0)));
	buf_put_char(out, (char)best.width);
	if (best.order)
		column_put_varint(out, zigzag(v[0]));
	if (best.order == 2)
		column_put_varint(out, zigzag(sub(v[1], v[0])));
	column_put_varint(out, zigzag(best.median));
	if (best.exceptions)
		put_exceptions(out, &best, residuals, n - best.order);
	pack_bits(out, residuals, n - best.order, best.width);
}

/* ---- decoding ---- */

/* Return `width` bits at bit `at`; at most 8 + 1 bytes are read, within `end`. */
static uint64_t bits_at(const uint8_t *p, const uint8_t *end, uint64_t at, unsigned width)
{
	const uint8_t *from = p + at / 8;
	unsigned shift = at % 8;
	uint64_t low = 0, high = 0;
	size_t left = (size_t)(end - from);

	memcpy(&low, from, left < WORD ? left : WORD);
	if (shift + width > 64 && left > WORD)
		high = from[WORD];
	low >>= shift;
	if (shift)
		low |= high << (64 - shift);
	return width < 64 ? low & (((uint64_t)1 << width) - 1) : low;
}

static void unpack_bits(struct column_cursor *c, int64_t *v, uint32_t n, unsigned width)
{
	const uint8_t *p = column_bytes(c, packed_size(n, width)), *end;
	uint32_t i = 0;

	if (!p || !width) {
		memset(v, 0, n * sizeof(*v));
		return;
	}
	end = p + packed_size(n, width);
	if (width <= 56) { /* a number is within one word */
		uint64_t mask = ((uint64_t)1 << width) - 1, at = 0, word;

		for (; i < n && p + at / 8 + WORD <= end; i++, at += width) {
			memcpy(&word, p + at / 8, sizeof(word));
			v[i] = (int64_t)(word >> at % 8 & mask);
		}
	}
	for (; i < n; i++)
		v[i] = (int64_t)bits_at(p, end, (uint64_t)i * width, width);
}

/* An exception, until the packed bits are read. */
static void apply_exceptions(struct column_cursor c, uint32_t n, int64_t *v, uint32_t m)
{
	uint64_t at = 0;

	for (uint32_t i = 0; i < n; i++) {
		at += column_varint(&c);
		if (at >= m)
			return;
		v[at] = (int64_t)column_varint(&c);
	}
}

/* Skip the exceptions, checking their places. */
static uint32_t skip_exceptions(struct column_cursor *c, uint32_t m)
{
	uint64_t at = 0, n = column_varint(c);

	if (n > m)
		c->bad = true;
	for (uint64_t i = 0; i < n && !c->bad; i++) {
		uint64_t gap = column_varint(c);

		column_varint(c);
		at += gap;
		if (gap > m || at >= m)
			c->bad = true;
	}
	return c->bad ? 0 : (uint32_t)n;
}

void metric_ints_get(struct column_cursor *c, int64_t *v, uint32_t n)
{
	const uint8_t *head = column_bytes(c, 2);
	unsigned order = head ? head[0] & 3 : 0, width = head ? head[1] : 0;
	int64_t first = 0, step = 0, median;
	struct column_cursor exceptions;
	uint32_t exception_n = 0, m;

	if (order >= ORDERS || order >= n || width > WIDTH_MAX || (head && head[0] > 7)) {
		c->bad = true;
		order = 0;
		width = 0;
	}
	m = n - order;
	if (order)
		first = unzigzag(column_varint(c));
	if (order == 2)
		step = unzigzag(column_varint(c));
	median = unzigzag(column_varint(c));
	exceptions = *c;
	if (head && head[0] & EXCEPTIONS) {
		exception_n = skip_exceptions(c, m);
		(void)column_varint(&exceptions); /* their number */
	}
	unpack_bits(c, v + order, m, width);
	if (exception_n)
		apply_exceptions(exceptions, exception_n, v + order, m);
	if (!order) {
		for (uint32_t i = 0; i < n; i++)
			v[i] = add(unzigzag((uint64_t)v[i]), median);
		return;
	}
	v[0] = first;
	if (order == 1) {
		for (uint32_t i = 1; i < n; i++)
			v[i] = first = add(first, add(unzigzag((uint64_t)v[i]), median));
		return;
	}
	v[1] = first = add(first, step);
	for (uint32_t i = 2; i < n; i++) {
		step = add(step, add(unzigzag((uint64_t)v[i]), median));
		v[i] = first = add(first, step);
	}
}
