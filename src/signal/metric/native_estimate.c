/* SPDX-License-Identifier: Apache-2.0 */
#include "signal/metric/native_estimate.h"

#include <math.h>

#include "signal/metric/kahan.h"

/* Return the part of the bucket below `v`. */
static double fraction_below(const struct native_bucket *b, double v, bool linear)
{
	double lower, upper, log_v;

	if (linear)
		return (v - b->lower) / (b->upper - b->lower);
	lower = log2(fabs(b->lower));
	upper = log2(fabs(b->upper));
	log_v = log2(fabs(v));
	if (v > 0)
		return (log_v - lower) / (upper - lower);
	return 1 - (log_v - upper) / (lower - upper);
}

/* The zero bucket ends at 0 on a side without buckets. */
static void narrow_zero_bucket(const struct native_histogram *h, struct native_bucket *b)
{
	if (!h->negative.count && h->positive.count)
		b->lower = 0;
	else if (!h->positive.count && h->negative.count)
		b->upper = 0;
}

/* Find the bucket with the observation of that rank; *count is the sum up to it. */
static void find_rank(struct native_iter *it, double rank, struct native_bucket *found,
		      double *count)
{
	*count = 0;
	*found = (struct native_bucket){0};
	while (native_iter_next(it)) {
		*found = it->bucket;
		if (it->bucket.count == 0)
			continue;
		*count += it->bucket.count;
		if (*count >= rank)
			break;
	}
}

static double inside_bucket(const struct native_histogram *h, const struct native_bucket *b,
			    double fraction)
{
	double lower, upper;

	if (native_is_custom(h) || (b->lower <= 0 && b->upper >= 0))
		return b->lower + (b->upper - b->lower) * fraction;
	lower = log2(fabs(b->lower));
	upper = log2(fabs(b->upper));
	if (b->lower > 0)
		return exp2(lower + (upper - lower) * fraction);
	return -exp2(upper + (lower - upper) * (1 - fraction));
}

double native_quantile(const struct native_histogram *h, double q, enum native_nan_note *note)
{
	bool upwards = isnan(h->sum) || q < 0.5;
	struct native_bucket b;
	struct native_iter it;
	double rank, count;

	*note = NATIVE_NAN_NONE;
	if (q < 0)
		return -INFINITY;
	if (q > 1)
		return INFINITY;
	if (h->count == 0 || isnan(q))
		return NAN;
	rank = upwards ? q * h->count : (1 - q) * h->count;
	native_iter_init(&it, h, !upwards);
	find_rank(&it, rank, &b, &count);
	if (native_is_custom(h)) {
		if (b.lower == -INFINITY) {
			if (b.upper <= 0)
				return b.upper;
			b.lower = 0;
		} else if (b.upper == INFINITY) {
			return b.lower;
		}
	} else if (b.lower < 0 && b.upper > 0) {
		narrow_zero_bucket(h, &b);
	}
	if (count > h->count)
		count = h->count;
	if (count < rank) {
		if (!isnan(h->sum))
			return b.upper;
		*note = NATIVE_NAN_RESULT;
		return NAN;
	}
	rank = upwards ? rank - (count - b.count) : count - rank;
	if (isnan(h->sum)) {
		while (native_iter_next(&it))
			count += it.bucket.count;
		if (count < h->count)
			*note = NATIVE_NAN_SKEW;
	}
	return inside_bucket(h, &b, rank / b.count);
}

/* One bound of native_fraction(), while the buckets are walked. */
struct fraction_bound {
	double value, rank;
	bool set;
};

static void place_bound(struct fraction_bound *bound, const struct native_bucket *b, double rank,
			bool linear)
{
	if (bound->set)
		return;
	if (b->lower >= bound->value) {
		bound->rank = rank;
	} else if (b->upper > bound->value) {
		if (linear && b->lower == -INFINITY)
			bound->rank = b->count;
		else
			bound->rank = rank + b->count * fraction_below(b, bound->value, linear);
	} else {
		return;
	}
	bound->set = true;
}

double native_fraction(const struct native_histogram *h, double lower, double upper,
		       enum native_nan_note *note)
{
	struct fraction_bound low = {.value = lower}, high = {.value = upper};
	double count = 0, rank = 0;
	struct native_iter it;

	*note = NATIVE_NAN_NONE;
	if (h->count == 0 || isnan(lower) || isnan(upper))
		return NAN;
	if (lower >= upper)
		return 0;
	native_iter_init(&it, h, false);
	while (native_iter_next(&it)) {
		struct native_bucket b = it.bucket;
		bool zero = b.lower <= 0 && b.upper >= 0;

		count += b.count;
		if (zero)
			narrow_zero_bucket(h, &b);
		place_bound(&low, &b, rank, zero || native_is_custom(h));
		place_bound(&high, &b, rank, zero || native_is_custom(h));
		if (low.set && high.set)
			break;
		rank += b.count;
	}
	if (isnan(h->sum)) {
		while (native_iter_next(&it))
			count += it.bucket.count;
		if (count < h->count)
			*note = NATIVE_NAN_EXCLUDED;
	} else {
		count = h->count;
	}
	if (!low.set || low.rank > count)
		low.rank = count;
	if (!high.set || high.rank > count)
		high.rank = count;
	return (high.rank - low.rank) / h->count;
}

double native_variance(const struct native_histogram *h)
{
	double mean = h->sum / h->count, sum = 0, c = 0;
	struct native_iter it;

	native_iter_init(&it, h, false);
	while (native_iter_next(&it)) {
		const struct native_bucket *b = &it.bucket;
		double value, delta;

		if (b->count == 0)
			continue;
		if (native_is_custom(h))
			value = (b->upper + b->lower) / 2;
		else if (b->lower <= 0 && b->upper >= 0)
			value = 0;
		else
			value = b->upper < 0 ? -sqrt(b->upper * b->lower)
					     : sqrt(b->upper * b->lower);
		delta = value - mean;
		kahan_add(b->count * delta * delta, &sum, &c);
	}
	return (sum + c) / h->count;
}

/* Return the middle of the values that remain in a bucket. */
static double middle(double lower, double upper, bool positive, bool linear)
{
	double mean;

	if (isinf(lower))
		return isinf(upper) ? 0 : upper > 0 ? upper / 2 : upper;
	if (isinf(upper))
		return lower;
	if (linear)
		return (lower + upper) / 2;
	mean = sqrt(fabs(lower * upper));
	return positive ? mean : -mean;
}

static double zero_if_infinite(double value)
{
	return isinf(value) ? 0 : value;
}

/* The count that remains of a bucket without a lower or upper bound, and the middle of it. */
static double trim_unbounded(const struct native_bucket *b, double bound, bool upper, double *mid)
{
	if (b->lower == -INFINITY && upper) {
		if (bound >= b->upper) {
			*mid = 0;
			return b->count;
		}
		if (bound > 0 && b->upper > 0 && !isinf(b->upper)) {
			*mid = bound / 2;
			return b->count * bound / b->upper;
		}
		*mid = b->upper <= 0 ? bound : zero_if_infinite(b->upper);
		return b->upper <= 0 ? b->count : 0;
	}
	if (b->lower == -INFINITY) {
		if (bound <= b->lower) {
			*mid = 0;
			return b->count;
		}
		if (bound >= 0 && b->upper > bound && !isinf(b->upper)) {
			*mid = (bound + b->upper) / 2;
			return b->count * (1 - bound / b->upper);
		}
		*mid = zero_if_infinite(b->upper);
		return 0;
	}
	if (!upper && bound >= b->lower) {
		*mid = bound;
		return b->count;
	}
	*mid = zero_if_infinite(b->lower);
	return 0;
}

/* The count that remains of a bucket that the bound cuts, and the middle of it. */
static double trim_cut(const struct native_bucket *b, double bound, bool upper, bool positive,
		       bool linear, double *mid)
{
	double below;

	if (b->lower == -INFINITY || b->upper == INFINITY)
		return trim_unbounded(b, bound, upper, mid);
	below = bound <= b->lower   ? 0
		: bound >= b->upper ? b->count
				    : b->count * fraction_below(b, bound, linear);
	*mid = upper ? middle(b->lower, bound, positive, linear)
		     : middle(bound, b->upper, positive, linear);
	return upper ? below : b->count - below;
}

struct trim {
	double bound, count, sum;
	bool upper, trimmed;
};

/* Trim the buckets of one side. Return whether it has observations. */
static bool trim_side(struct trim *t, struct native_work_side *side,
		      const struct native_histogram *h, bool positive)
{
	bool linear = native_is_custom(h), any = false;

	for (uint32_t i = 0; i < side->n; i++) {
		struct native_bucket b =
			native_bucket_of(h, positive, side->index[i], side->count[i]);
		double mid = 0, keep = 0;

		if (b.count == 0)
			continue;
		any = true;
		if (t->upper ? b.upper <= t->bound : b.lower >= t->bound) {
			keep = b.count;
			mid = middle(b.lower, b.upper, positive, linear);
		} else if (t->upper ? b.lower < t->bound : b.upper > t->bound) {
			keep = trim_cut(&b, t->bound, t->upper, positive, linear, &mid);
		} else {
			side->count[i] = 0;
			t->trimmed = true;
			continue;
		}
		t->count += keep;
		t->sum += mid * keep;
		if (keep != b.count) {
			side->count[i] = keep;
			t->trimmed = true;
		}
	}
	return any;
}

/* Return the count that remains of the zero bucket, and the middle of it. */
static double trim_zero(const struct trim *t, double count, double lower, double upper, double *mid)
{
	if (t->bound <= lower || t->bound >= upper) {
		bool all = t->upper ? t->bound > lower : t->bound <= lower;

		*mid = all ? (lower + upper) / 2 : 0;
		return all ? count : 0;
	}
	*mid = t->upper ? (lower + t->bound) / 2 : (t->bound + upper) / 2;
	return count * ((t->upper ? t->bound - lower : upper - t->bound) / (upper - lower));
}

int native_work_trim(struct native_work *w, const struct native_histogram *h, double bound,
		     bool upper)
{
	struct trim t = {.bound = bound, .upper = upper};
	bool positive, negative;

	if (native_work_set(w, h))
		return -ENOMEM;
	positive = trim_side(&t, &w->positive, h, true);
	negative = trim_side(&t, &w->negative, h, false);
	if (w->zero_count > 0) {
		double from = positive && !negative ? 0 : -h->zero_threshold;
		double to = negative && !positive ? 0 : h->zero_threshold;
		double mid, keep = trim_zero(&t, w->zero_count, from, to, &mid);

		if (keep != w->zero_count)
			t.trimmed = true;
		w->zero_count = keep;
		t.sum += mid * keep;
		t.count += keep;
	}
	if (!t.trimmed)
		return 0;
	w->count = t.count;
	w->sum = t.sum;
	native_work_compact(w);
	return 0;
}
