/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Detection of counter resets: the buckets of both histograms are compared in the coarser schema,
 * without those that the zero bucket covers.
 */
#include <math.h>

#include "signal/metric/native_histogram.h"
#include "signal/metric/native_work.h"

/* The buckets of one side in a coarser schema, from a bound on. */
struct reduced_iter {
	struct native_side_iter in;
	unsigned shift;
	int32_t schema;
	double from;
	bool custom, started, more;
	int32_t index;
	double count;
};

static void reduced_init(struct reduced_iter *it, const struct native_histogram *h,
			 const struct native_side *side, int32_t schema, double from)
{
	*it = (struct reduced_iter){.schema = schema, .from = from, .custom = native_is_custom(h)};
	it->shift = it->custom ? 0 : (unsigned)(h->schema - schema);
	native_side_iter_init(&it->in, side);
	it->more = native_side_iter_next(&it->in);
}

static bool reduced_next(struct reduced_iter *it)
{
	do {
		if (!it->more)
			return false;
		it->index = native_reduced_index(it->in.index, it->shift);
		it->count = 0;
		do {
			it->count += it->in.count;
			it->more = native_side_iter_next(&it->in);
		} while (it->more && it->shift &&
			 native_reduced_index(it->in.index, it->shift) == it->index);
	} while (!it->started && it->from != 0 && !it->custom &&
		 native_bound(it->index, it->schema) <= it->from);
	it->started = true;
	return true;
}

static bool side_was_reset(const struct native_histogram *h, const struct native_histogram *before,
			   bool positive)
{
	struct reduced_iter now, old;
	bool more;

	reduced_init(&now, h, positive ? &h->positive : &h->negative, h->schema, h->zero_threshold);
	reduced_init(&old, before, positive ? &before->positive : &before->negative, h->schema,
		     h->zero_threshold);
	more = reduced_next(&now);
	while (reduced_next(&old)) {
		while (more && now.index < old.index)
			more = reduced_next(&now);
		if (!more || now.index > old.index) {
			if (old.count != 0)
				return true;
		} else if (now.count < old.count) {
			return true;
		}
	}
	return false;
}

/* Add up the buckets with upper bounds up to `bound`. */
static double count_up_to(struct native_iter *it, bool *more, double bound)
{
	double sum = 0;

	while (*more && it->bucket.upper <= bound) {
		sum += it->bucket.count;
		*more = native_iter_next(it);
	}
	return sum;
}

/* Compare what lies between the bounds that both have. */
static bool custom_was_reset(const struct native_histogram *h,
			     const struct native_histogram *before)
{
	struct native_iter now, old;
	bool more_now, more_old;
	uint32_t i = 0, k = 0;

	native_iter_init(&now, h, false);
	native_iter_init(&old, before, false);
	more_now = native_iter_next(&now);
	more_old = native_iter_next(&old);
	while (i <= h->custom_count && k <= before->custom_count) {
		double a = i < h->custom_count ? h->custom[i] : INFINITY;
		double b = k < before->custom_count ? before->custom[k] : INFINITY;

		if (a == b && count_up_to(&now, &more_now, a) < count_up_to(&old, &more_old, a))
			return true;
		i += a <= b;
		k += b <= a;
	}
	return false;
}

bool native_detect_reset(const struct native_histogram *h, const struct native_histogram *before)
{
	double zero_count, threshold = h->zero_threshold;

	if (h->reset == NATIVE_RESET)
		return true;
	if (h->reset == NATIVE_NOT_RESET)
		return false;
	if (h->count < before->count)
		return true;
	if (native_is_custom(h)) {
		if (!native_is_custom(before))
			return true;
		if (!native_same_bounds(h, before))
			return custom_was_reset(h, before);
	} else if (native_is_custom(before)) {
		return true;
	}
	if (h->schema > before->schema || h->zero_threshold < before->zero_threshold)
		return true;
	zero_count = native_widened_zero_count(before, &threshold);
	if (threshold != h->zero_threshold || h->zero_count < zero_count)
		return true;
	return side_was_reset(h, before, true) || side_was_reset(h, before, false);
}
