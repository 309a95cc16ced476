/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The bounds of exponential buckets are products of at most eight factors, 2^(1/2), 2^(1/4), ...:
 * the numbers that Prometheus has in a table, to the last bit.
 */
#include "signal/metric/native_histogram.h"

#include <float.h>
#include <math.h>

#include "signal/metric/number_text.h"

static const char *check_spans(const struct native_side *side, bool custom)
{
	uint64_t total = 0;
	int64_t index = 0;

	for (uint32_t i = 0; i < side->span_count; i++) {
		const struct native_span *span = &side->spans[i];

		if ((i || custom) && span->offset < 0)
			return "a span has a negative offset";
		index += (int64_t)span->offset + span->length;
		total += span->length;
		if (total > NATIVE_BUCKETS_MAX || index > INT32_MAX || index < INT32_MIN)
			return "the spans are too long";
	}
	if (total != side->count)
		return "the spans do not have the number of the buckets";
	for (uint32_t i = 0; i < side->count; i++)
		if (side->counts[i] < 0)
			return "a bucket has a negative count";
	return NULL;
}

static const char *check_custom(const struct native_histogram *h)
{
	uint64_t length = 0;

	if (h->zero_count != 0 || h->zero_threshold != 0 || h->negative.count)
		return "custom buckets have no zero bucket and no negative buckets";
	if (h->custom_count > NATIVE_BUCKETS_MAX)
		return "too many custom bounds";
	for (uint32_t i = 0; i < h->custom_count; i++)
		if (!isfinite(h->custom[i]) || (i && h->custom[i] <= h->custom[i - 1]))
			return "custom bounds are not finite and increasing";
	for (uint32_t i = 0; i < h->positive.span_count; i++)
		length += (uint64_t)(uint32_t)h->positive.spans[i].offset +
			  h->positive.spans[i].length;
	return length > (uint64_t)h->custom_count + 1 ? "too few custom bounds" : NULL;
}

const char *native_check(const struct native_histogram *h)
{
	const char *text;

	if (!native_is_custom(h) &&
	    (h->schema < NATIVE_SCHEMA_MIN || h->schema > NATIVE_SCHEMA_MAX))
		return "unknown schema";
	text = check_spans(&h->positive, native_is_custom(h));
	if (!text)
		text = check_spans(&h->negative, native_is_custom(h));
	if (!text && native_is_custom(h))
		text = check_custom(h);
	if (!text && !native_is_custom(h) && h->custom_count)
		text = "exponential buckets have no custom bounds";
	if (!text && (h->count < 0 || h->zero_count < 0))
		text = "a negative count";
	return text;
}

static uint64_t bits_of(double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof(bits));
	return bits;
}

bool native_is_stale(const struct native_histogram *h)
{
	return bits_of(h->sum) == NATIVE_STALE_BITS;
}

double native_bound(int32_t index, int32_t schema)
{
	/* 2^(2^-level) for the levels from 1 on */
	static const double factors[] = {0x1.6a09e667f3bccp+0, 0x1.306fe0a31b715p+0,
					 0x1.172b83c7d517bp+0, 0x1.0b5586cf9890fp+0,
					 0x1.059b0d3158574p+0, 0x1.02c9a3e778061p+0,
					 0x1.0163da9fb3335p+0, 0x1.00b1afa5abcbfp+0};
	double fraction = 0.5;
	int64_t exponent;

	if (schema <= 0) {
		exponent = (int64_t)index * (1 << -schema);
		if (exponent == 1024)
			return DBL_MAX;
		return ldexp(1, exponent > 5000 ? 5000 : exponent < -5000 ? -5000 : (int)exponent);
	}
	for (int level = 1; level <= schema; level++)
		if (index >> (schema - level) & 1)
			fraction *= factors[level - 1];
	exponent = (int64_t)(index >> schema) + 1;
	if (fraction == 0.5 && exponent == 1025)
		return DBL_MAX;
	return ldexp(fraction, exponent > 5000 ? 5000 : exponent < -5000 ? -5000 : (int)exponent);
}

static double bound_of(const struct native_histogram *h, int32_t index)
{
	if (!native_is_custom(h))
		return native_bound(index, h->schema);
	if (index < 0)
		return -INFINITY;
	return (uint32_t)index < h->custom_count ? h->custom[index] : INFINITY;
}

struct native_bucket native_bucket_of(const struct native_histogram *h, bool positive,
				      int32_t index, double count)
{
	struct native_bucket b = {.count = count, .index = index};

	b.upper = bound_of(h, positive ? index : index - 1);
	b.lower = bound_of(h, positive ? index - 1 : index);
	if (!positive) {
		b.upper = -b.upper;
		b.lower = -b.lower;
	}
	b.lower_inclusive = native_is_custom(h) ? index == 0 : b.lower < 0;
	b.upper_inclusive = native_is_custom(h) || b.upper > 0;
	return b;
}

static int copy_side(struct native_side *out, const struct native_side *side, struct arena *a)
{
	out->spans = arena_alloc(a, side->span_count, sizeof(*out->spans));
	out->counts = arena_alloc(a, side->count, sizeof(*out->counts));
	if (!out->spans || !out->counts)
		return -ENOMEM;
	if (side->span_count)
		memcpy(out->spans, side->spans, side->span_count * sizeof(*out->spans));
	if (side->count)
		memcpy(out->counts, side->counts, side->count * sizeof(*out->counts));
	out->span_count = side->span_count;
	out->count = side->count;
	return 0;
}

int native_copy(struct native_histogram *out, const struct native_histogram *h, struct arena *a)
{
	struct native_histogram copy = *h;
	double *custom = NULL;

	if (copy_side(&copy.positive, &h->positive, a) ||
	    copy_side(&copy.negative, &h->negative, a))
		return -ENOMEM;
	if (h->custom_count) {
		custom = arena_alloc(a, h->custom_count, sizeof(*custom));
		if (!custom)
			return -ENOMEM;
		memcpy(custom, h->custom, h->custom_count * sizeof(*custom));
	}
	copy.custom = custom;
	*out = copy;
	return 0;
}

void native_side_iter_init(struct native_side_iter *it, const struct native_side *side)
{
	*it = (struct native_side_iter){.side = side};
}

bool native_side_iter_next(struct native_side_iter *it)
{
	const struct native_side *side = it->side;

	if (it->at >= side->count)
		return false;
	if (it->at)
		it->index++;
	else if (side->span_count)
		it->index = side->spans[0].offset;
	while (it->span < side->span_count && it->in_span >= side->spans[it->span].length) {
		it->in_span = 0;
		if (++it->span < side->span_count)
			it->index += side->spans[it->span].offset;
	}
	if (it->span >= side->span_count)
		return false;
	it->count = side->counts[it->at++];
	it->in_span++;
	return true;
}

static bool sides_equal(const struct native_side *a, const struct native_side *b)
{
	struct native_side_iter x, y;

	if (a->count != b->count)
		return false;
	native_side_iter_init(&x, a);
	native_side_iter_init(&y, b);
	while (native_side_iter_next(&x))
		if (!native_side_iter_next(&y) || x.index != y.index ||
		    bits_of(x.count) != bits_of(y.count))
			return false;
	return true;
}

bool native_same_bounds(const struct native_histogram *a, const struct native_histogram *b)
{
	if (a->custom_count != b->custom_count)
		return false;
	for (uint32_t i = 0; a->custom != b->custom && i < a->custom_count; i++)
		if (a->custom[i] != b->custom[i])
			return false;
	return true;
}

bool native_equal(const struct native_histogram *a, const struct native_histogram *b)
{
	return a->schema == b->schema && bits_of(a->count) == bits_of(b->count) &&
	       bits_of(a->sum) == bits_of(b->sum) &&
	       (!native_is_custom(a) || native_same_bounds(a, b)) &&
	       a->zero_threshold == b->zero_threshold &&
	       bits_of(a->zero_count) == bits_of(b->zero_count) &&
	       sides_equal(&a->negative, &b->negative) && sides_equal(&a->positive, &b->positive);
}

uint32_t native_sample_size(const struct native_histogram *h)
{
	uint32_t words = h->positive.span_count + h->negative.span_count + h->positive.count +
			 h->negative.count + h->custom_count;

	return (176 + 8 * words) / 16;
}

/* Start at the side, in the direction of the iteration. */
static void begin_side(struct native_iter *it, const struct native_side *side, bool backwards)
{
	it->backwards = backwards;
	it->span = it->in_span = it->at = 0;
	it->index = side->span_count ? side->spans[0].offset - 1 : 0;
	if (!backwards)
		return;
	it->index = 0;
	for (uint32_t i = 0; i < side->span_count; i++)
		it->index += side->spans[i].offset + (int32_t)side->spans[i].length;
	it->span = side->span_count;
	it->at = side->count;
}

/* Move within the side. Return false at its end. */
static bool next_in_side(struct native_iter *it, const struct native_side *side, double *count)
{
	if (!it->backwards) {
		if (it->at >= side->count)
			return false;
		it->index++;
		while (it->span < side->span_count && it->in_span >= side->spans[it->span].length) {
			it->in_span = 0;
			if (++it->span < side->span_count)
				it->index += side->spans[it->span].offset;
		}
		if (it->span >= side->span_count)
			return false;
		it->in_span++;
		*count = side->counts[it->at++];
		return true;
	}
	if (!it->at)
		return false;
	while (!it->in_span) {
		if (!it->span)
			return false;
		if (it->span < side->span_count)
			it->index -= side->spans[it->span].offset;
		it->span--;
		it->in_span = side->spans[it->span].length;
	}
	it->in_span--;
	it->index--;
	*count = side->counts[--it->at];
	return true;
}

void native_iter_init(struct native_iter *it, const struct native_histogram *h, bool reverse)
{
	*it = (struct native_iter){.h = h, .reverse = reverse};
	begin_side(it, reverse ? &h->positive : &h->negative, true);
}

static void cut_at_zero(struct native_bucket *b, double threshold)
{
	if (b->upper < 0 && b->upper > -threshold)
		b->upper = -threshold;
	else if (b->lower > 0 && b->lower < threshold)
		b->lower = threshold;
}

bool native_iter_next(struct native_iter *it)
{
	const struct native_histogram *h = it->h;
	double count;

	for (; it->stage < 3; it->stage++) {
		bool positive = it->reverse == (it->stage == 0);

		if (it->stage == 1) {
			begin_side(it, it->reverse ? &h->negative : &h->positive, false);
			if (!(h->zero_count > 0))
				continue;
			it->stage++;
			it->bucket = (struct native_bucket){-h->zero_threshold,
							    h->zero_threshold,
							    h->zero_count,
							    true,
							    true,
							    0};
			return true;
		}
		if (!next_in_side(it, positive ? &h->positive : &h->negative, &count))
			continue;
		it->bucket = native_bucket_of(h, positive, it->index, count);
		cut_at_zero(&it->bucket, h->zero_threshold);
		return true;
	}
	return false;
}

static void put_bucket(struct buf *b, const struct native_bucket *bucket)
{
	buf_put_str(b, bucket->lower_inclusive ? STR(", [") : STR(", ("));
	number_text(b, bucket->lower, NUMBER_SHORT);
	buf_put_char(b, ',');
	number_text(b, bucket->upper, NUMBER_SHORT);
	buf_put_str(b, bucket->upper_inclusive ? STR("]:") : STR("):"));
	number_text(b, bucket->count, NUMBER_SHORT);
}

void native_put_text(struct buf *b, const struct native_histogram *h)
{
	struct native_histogram uncut = *h;
	struct native_iter it;
	bool zero_put = h->zero_count == 0;

	buf_put_str(b, STR("{count:"));
	number_text(b, h->count, NUMBER_SHORT);
	buf_put_str(b, STR(", sum:"));
	number_text(b, h->sum, NUMBER_SHORT);
	uncut.zero_threshold = uncut.zero_count = 0;
	native_iter_init(&it, &uncut, false);
	for (;;) {
		bool more = native_iter_next(&it);

		if (!zero_put && (!more || it.stage == 2)) {
			struct native_bucket zero = {-h->zero_threshold,
						     h->zero_threshold,
						     h->zero_count,
						     true,
						     true,
						     0};

			put_bucket(b, &zero);
			zero_put = true;
		}
		if (!more)
			break;
		if (it.bucket.count != 0)
			put_bucket(b, &it.bucket);
	}
	buf_put_char(b, '}');
}
