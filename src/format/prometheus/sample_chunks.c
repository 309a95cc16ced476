/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bits are written from the highest of a byte to the lowest. A chunk begins with the number of its
 * samples in two bytes, high byte first. Times are differences of differences, values are XORed
 * with the value before and written without the zero bits around what remains.
 */
#include "format/prometheus/sample_chunks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct bits {
	struct buf *out;
	uint64_t held; /* the lowest `n` bits are not written yet */
	unsigned n;    /* less than 8 */
};

static void put_bits(struct bits *b, uint64_t value, unsigned n)
{
	if (n > 32) {
		put_bits(b, value >> 32, n - 32);
		n = 32;
	}
	value &= (UINT64_C(1) << n) - 1;
	b->held = b->held << n | value;
	b->n += n;
	while (b->n >= 8) {
		b->n -= 8;
		buf_put_char(b->out, (char)(b->held >> b->n));
	}
	b->held &= (UINT64_C(1) << b->n) - 1;
}

static void end_bits(struct bits *b)
{
	if (b->n)
		buf_put_char(b->out, (char)(b->held << (8 - b->n)));
	b->n = 0;
}

static uint64_t bits_of(double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof(bits));
	return bits;
}

static void put_uvarint(struct bits *b, uint64_t value)
{
	for (; value >= 0x80; value >>= 7)
		put_bits(b, value | 0x80, 8);
	put_bits(b, value, 8);
}

static bool fits(int64_t value, unsigned bits)
{
	const int64_t most = INT64_C(1) << (bits - 1);

	return value > -most && value <= most;
}

/* ---- values ---- */

/* A value of the samples, and the zero bits around the last difference that was written. */
struct xor_value {
	uint64_t bits;
	unsigned leading, trailing;
	bool known;
};

static void put_xor(struct bits *b, struct xor_value *old, double value)
{
	const uint64_t bits = bits_of(value), delta = bits ^ old->bits;
	unsigned leading, trailing, width;

	old->bits = bits;
	put_bits(b, delta != 0, 1);
	if (!delta)
		return;
	leading = (unsigned)__builtin_clzll(delta);
	trailing = (unsigned)__builtin_ctzll(delta);
	if (leading > 31)
		leading = 31;
	if (old->known && leading >= old->leading && trailing >= old->trailing) {
		put_bits(b, 0, 1);
		put_bits(b, delta >> old->trailing, 64 - old->leading - old->trailing);
		return;
	}
	*old = (struct xor_value){bits, leading, trailing, true};
	width = 64 - leading - trailing;
	put_bits(b, 1, 1);
	put_bits(b, leading, 5);
	put_bits(b, width & 63, 6); /* 64 is written as 0 */
	put_bits(b, delta >> trailing, width);
}

/* ---- floats ---- */

static void put_time_delta(struct bits *b, int64_t dod)
{
	if (!dod) {
		put_bits(b, 0, 1);
	} else if (fits(dod, 14)) {
		put_bits(b, 2, 2);
		put_bits(b, (uint64_t)dod, 14);
	} else if (fits(dod, 17)) {
		put_bits(b, 6, 3);
		put_bits(b, (uint64_t)dod, 17);
	} else if (fits(dod, 20)) {
		put_bits(b, 14, 4);
		put_bits(b, (uint64_t)dod, 20);
	} else {
		put_bits(b, 15, 4);
		put_bits(b, (uint64_t)dod, 64);
	}
}

static int64_t minus(int64_t a, int64_t b)
{
	return (int64_t)((uint64_t)a - (uint64_t)b);
}

void sample_chunk_floats(struct buf *out, const int64_t *times, const double *values, uint32_t n)
{
	struct bits b = {.out = out};
	struct xor_value last = {.bits = bits_of(values[0])};
	int64_t delta = 0;

	put_bits(&b, n, 16);
	put_uvarint(&b, (uint64_t)times[0] << 1 ^ (uint64_t)(times[0] >> 63));
	put_bits(&b, bits_of(values[0]), 64);
	for (uint32_t i = 1; i < n; i++) {
		const int64_t next = minus(times[i], times[i - 1]);

		if (i == 1)
			put_uvarint(&b, (uint64_t)next);
		else
			put_time_delta(&b, minus(next, delta));
		delta = next;
		put_xor(&b, &last, values[i]);
	}
	end_bits(&b);
}

/* ---- histograms ---- */

/* The widths of numbers, each with a prefix of one more set bit. */
static const uint8_t widths[] = {3, 6, 9, 12, 18, 25, 56};

static void put_varbit(struct bits *b, uint64_t value, unsigned size)
{
	const unsigned all = sizeof(widths);

	if (size == all) {
		put_bits(b, 0xff, 8);
		put_bits(b, value, 64);
		return;
	}
	put_bits(b, ((UINT64_C(1) << (size + 1)) - 1) << 1, size + 2);
	put_bits(b, value, widths[size]);
}

static void put_varbit_int(struct bits *b, int64_t value)
{
	unsigned size = 0;

	if (!value) {
		put_bits(b, 0, 1);
		return;
	}
	while (size < sizeof(widths) && !fits(value, widths[size]))
		size++;
	put_varbit(b, (uint64_t)value, size);
}

static void put_varbit_uint(struct bits *b, uint64_t value)
{
	unsigned size = 0;

	if (!value) {
		put_bits(b, 0, 1);
		return;
	}
	while (size < sizeof(widths) && value >> widths[size])
		size++;
	put_varbit(b, value, size);
}

static void put_zero_threshold(struct bits *b, double threshold)
{
	int exponent;
	double fraction = frexp(threshold, &exponent);

	if (threshold == 0) {
		put_bits(b, 0, 8);
	} else if (fraction != 0.5 || exponent < -242 || exponent > 11) {
		put_bits(b, 255, 8);
		put_bits(b, bits_of(threshold), 64);
	} else {
		exponent += 243;
		put_bits(b, (uint64_t)exponent, 8);
	}
}

static void put_spans(struct bits *b, const struct native_side *side)
{
	put_varbit_uint(b, side->span_count);
	for (uint32_t i = 0; i < side->span_count; i++) {
		put_varbit_uint(b, side->spans[i].length);
		put_varbit_int(b, side->spans[i].offset);
	}
}

/* Bounds with at most three decimals are whole numbers. */
static void put_bound(struct bits *b, double bound)
{
	const double scaled = bound * 1000;

	if (!(scaled >= 0 && scaled <= 33554430) || round(scaled) / 1000 != bound) {
		put_bits(b, 0, 1);
		put_bits(b, bits_of(bound), 64);
	} else {
		put_varbit_uint(b, (uint64_t)llround(scaled) + 1);
	}
}

static void put_layout(struct bits *b, const struct native_histogram *h)
{
	put_zero_threshold(b, h->zero_threshold);
	put_varbit_int(b, h->schema);
	put_spans(b, &h->positive);
	put_spans(b, &h->negative);
	if (!native_is_custom(h))
		return;
	put_varbit_uint(b, h->custom_count);
	for (uint32_t i = 0; i < h->custom_count; i++)
		put_bound(b, h->custom[i]);
}

/* Call `put` for all values of a histogram, in the order of the encoding. */
static void each_value(const struct native_histogram *h, void *ctx,
		       void (*put)(void *ctx, uint32_t i, double value))
{
	const double first[] = {h->count, h->zero_count, h->sum};
	uint32_t n = 0;

	for (; n < 3; n++)
		put(ctx, n, first[n]);
	for (uint32_t i = 0; i < h->positive.count; i++)
		put(ctx, n++, h->positive.counts[i]);
	for (uint32_t i = 0; i < h->negative.count; i++)
		put(ctx, n++, h->negative.counts[i]);
}

struct histogram_values {
	struct bits b;
	struct xor_value *last;
	bool first;
};

static void put_value(void *ctx, uint32_t i, double value)
{
	struct histogram_values *v = ctx;

	if (v->first) {
		v->last[i] = (struct xor_value){.bits = bits_of(value)};
		put_bits(&v->b, bits_of(value), 64);
	} else {
		put_xor(&v->b, &v->last[i], value);
	}
}

static bool same_side(const struct native_side *a, const struct native_side *b)
{
	return a->span_count == b->span_count && a->count == b->count &&
	       (!a->span_count ||
		!memcmp(a->spans, b->spans, a->span_count * sizeof(struct native_span)));
}

/* Return whether the histogram may follow the other in one chunk. */
static bool continues(const struct native_histogram *h, const struct native_histogram *before)
{
	const bool gauge = h->reset == NATIVE_GAUGE;

	return !native_is_stale(h) && !native_is_stale(before) && h->schema == before->schema &&
	       h->zero_threshold == before->zero_threshold &&
	       same_side(&h->positive, &before->positive) &&
	       same_side(&h->negative, &before->negative) &&
	       (!native_is_custom(h) || native_same_bounds(h, before)) &&
	       gauge == (before->reset == NATIVE_GAUGE) &&
	       (gauge || !native_detect_reset(h, before));
}

static unsigned reset_header(enum native_reset reset)
{
	static const uint8_t headers[] = {[NATIVE_UNKNOWN] = 0,
					  [NATIVE_RESET] = 0x80,
					  [NATIVE_NOT_RESET] = 0x40,
					  [NATIVE_GAUGE] = 0xc0};

	return headers[reset];
}

uint32_t sample_chunk_histograms(struct buf *out, const int64_t *times,
				 const struct native_histogram *h, uint32_t n)
{
	const struct native_histogram stale = {.sum = h->sum, .reset = h->reset};
	const struct native_histogram *first = native_is_stale(h) ? &stale : h;
	struct histogram_values v = {.b = {.out = out}, .first = true};
	size_t values = 3 + (size_t)first->positive.count + first->negative.count;
	uint32_t count = 1;
	int64_t delta = 0;

	v.last = calloc(values, sizeof(*v.last));
	if (!v.last) {
		out->failed = true;
		return n;
	}
	while (count < n && count < SAMPLE_CHUNK_MAX && continues(&h[count], &h[count - 1]))
		count++;
	put_bits(&v.b, count, 16);
	put_bits(&v.b, reset_header(first->reset), 8);
	put_layout(&v.b, first);
	for (uint32_t i = 0; i < count; i++) {
		const int64_t next = i ? minus(times[i], times[i - 1]) : 0;

		put_varbit_int(&v.b, i ? minus(next, delta) : times[0]);
		delta = next;
		v.first = !i;
		each_value(i ? &h[i] : first, &v, put_value);
	}
	end_bits(&v.b);
	free(v.last);
	return count;
}
