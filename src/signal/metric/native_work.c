/* SPDX-License-Identifier: Apache-2.0 */
#include "signal/metric/native_work.h"

#include <math.h>

#include "signal/metric/kahan.h"

enum { MIN_CAPACITY = 16 };

void native_work_init(struct native_work *w, struct arena *arena)
{
	*w = (struct native_work){.arena = arena};
}

static int reserve(struct native_work *w, struct native_work_side *side, uint32_t n)
{
	uint32_t cap = side->cap ? side->cap : MIN_CAPACITY;
	int32_t *index;
	double *count, *c;

	if (n <= side->cap)
		return 0;
	while (cap < n)
		cap *= 2;
	index = arena_alloc(w->arena, cap, sizeof(*index));
	count = arena_alloc(w->arena, cap, sizeof(*count));
	c = arena_alloc(w->arena, cap, sizeof(*c));
	if (!index || !count || !c)
		return -ENOMEM;
	if (side->n) {
		memcpy(index, side->index, side->n * sizeof(*index));
		memcpy(count, side->count, side->n * sizeof(*count));
		memcpy(c, side->c, side->n * sizeof(*c));
	}
	side->index = index;
	side->count = count;
	side->c = c;
	side->cap = cap;
	return 0;
}

static int set_side(struct native_work *w, struct native_work_side *to,
		    const struct native_side *from)
{
	struct native_side_iter it;

	to->n = 0;
	if (reserve(w, to, from->count))
		return -ENOMEM;
	native_side_iter_init(&it, from);
	while (native_side_iter_next(&it)) {
		to->index[to->n] = it.index;
		to->count[to->n] = it.count;
		to->c[to->n++] = 0;
	}
	return 0;
}

void native_work_clear(struct native_work *w, const struct native_histogram *h)
{
	w->schema = h->schema;
	w->reset = NATIVE_UNKNOWN;
	w->zero_threshold = 0;
	w->zero_count = w->count = w->sum = 0;
	w->zero_c = w->count_c = w->sum_c = 0;
	w->positive.n = w->negative.n = 0;
	w->custom = h->custom;
	w->custom_count = h->custom_count;
	w->compensated = false;
}

int native_work_set(struct native_work *w, const struct native_histogram *h)
{
	native_work_clear(w, h);
	w->reset = h->reset;
	w->zero_threshold = h->zero_threshold;
	w->zero_count = h->zero_count;
	w->count = h->count;
	w->sum = h->sum;
	return set_side(w, &w->positive, &h->positive) || set_side(w, &w->negative, &h->negative)
		       ? -ENOMEM
		       : 0;
}

static int copy_side(struct native_work *w, struct native_work_side *to,
		     const struct native_work_side *from)
{
	to->n = 0;
	if (reserve(w, to, from->n))
		return -ENOMEM;
	if (from->n) {
		memcpy(to->index, from->index, from->n * sizeof(*to->index));
		memcpy(to->count, from->count, from->n * sizeof(*to->count));
		memcpy(to->c, from->c, from->n * sizeof(*to->c));
	}
	to->n = from->n;
	return 0;
}

int native_work_copy(struct native_work *w, const struct native_work *from)
{
	struct native_work copy = *from;

	copy.arena = w->arena;
	copy.positive = w->positive;
	copy.negative = w->negative;
	*w = copy;
	return copy_side(w, &w->positive, &from->positive) ||
			       copy_side(w, &w->negative, &from->negative)
		       ? -ENOMEM
		       : 0;
}

/* Add `value` to one bucket. */
static void add_value(const struct native_work *w, double value, double *count, double *c)
{
	if (w->compensated)
		kahan_add(value, count, c);
	else
		*count += value;
}

static void reduce_side(const struct native_work *w, struct native_work_side *side, unsigned shift)
{
	uint32_t out = 0;

	for (uint32_t i = 0; i < side->n; i++) {
		int32_t index = native_reduced_index(side->index[i], shift);

		if (out && side->index[out - 1] == index) {
			add_value(w, side->count[i], &side->count[out - 1], &side->c[out - 1]);
			if (w->compensated)
				kahan_add(side->c[i], &side->count[out - 1], &side->c[out - 1]);
			continue;
		}
		side->index[out] = index;
		side->count[out] = side->count[i];
		side->c[out++] = side->c[i];
	}
	side->n = out;
}

void native_work_reduce(struct native_work *w, int32_t schema)
{
	if (w->schema == NATIVE_CUSTOM || schema == NATIVE_CUSTOM || schema >= w->schema)
		return;
	reduce_side(w, &w->positive, (unsigned)(w->schema - schema));
	reduce_side(w, &w->negative, (unsigned)(w->schema - schema));
	w->schema = schema;
}

static void compact_side(struct native_work_side *side, bool compensated)
{
	uint32_t out = 0;

	for (uint32_t i = 0; i < side->n; i++) {
		if (side->count[i] == 0 && (!compensated || side->c[i] == 0))
			continue;
		side->index[out] = side->index[i];
		side->count[out] = side->count[i];
		side->c[out++] = side->c[i];
	}
	side->n = out;
}

void native_work_compact(struct native_work *w)
{
	compact_side(&w->positive, w->compensated);
	compact_side(&w->negative, w->compensated);
}

/* Insert a bucket at position `at`. Return 0 or -ENOMEM. */
static int insert(struct native_work *w, struct native_work_side *side, uint32_t at, int32_t index,
		  double count, double c)
{
	uint32_t rest = side->n - at;

	if (reserve(w, side, side->n + 1))
		return -ENOMEM;
	memmove(side->index + at + 1, side->index + at, rest * sizeof(*side->index));
	memmove(side->count + at + 1, side->count + at, rest * sizeof(*side->count));
	memmove(side->c + at + 1, side->c + at, rest * sizeof(*side->c));
	side->index[at] = index;
	side->count[at] = count;
	side->c[at] = c;
	side->n++;
	return 0;
}

/* Add the buckets of `from`, which is finer by `shift`. Buckets inside the zero bucket are skipped. */
static int add_side(struct native_work *w, struct native_work_side *side,
		    const struct native_side *from, unsigned shift, double sign)
{
	bool below = w->schema != NATIVE_CUSTOM, more;
	struct native_side_iter it;
	uint32_t at = 0;

	native_side_iter_init(&it, from);
	more = native_side_iter_next(&it);
	while (more) {
		int32_t index = native_reduced_index(it.index, shift);
		double count = it.count, c = 0;

		while ((more = native_side_iter_next(&it)) && shift &&
		       native_reduced_index(it.index, shift) == index)
			add_value(w, it.count, &count, &c);
		below = below && native_bound(index, w->schema) <= w->zero_threshold;
		if (below)
			continue;
		while (at < side->n && side->index[at] < index)
			at++;
		if (at == side->n || side->index[at] != index) {
			if (insert(w, side, at, index, sign * count, sign * c))
				return -ENOMEM;
			continue;
		}
		add_value(w, sign * count, &side->count[at], &side->c[at]);
		if (w->compensated && c != 0)
			kahan_add(sign * c, &side->count[at], &side->c[at]);
	}
	return 0;
}

/* Widen over one side. Return true if *threshold moved to the edge of a populated bucket. */
static bool widen_over(double lower, double upper, double count, double *threshold, bool *done)
{
	*done = upper > *threshold || lower >= *threshold;
	if (upper > *threshold && lower < *threshold && count != 0) {
		*threshold = upper;
		return true;
	}
	return false;
}

double native_widened_zero_count(const struct native_histogram *h, double *threshold)
{
	const struct native_side *sides[] = {&h->positive, &h->negative};
	double count, c = 0;
	bool again;

	if (*threshold == h->zero_threshold)
		return h->zero_count;
	do {
		again = false;
		count = h->zero_count;
		for (unsigned i = 0; i < 2 && !again; i++) {
			struct native_side_iter it;
			bool done = false;

			native_side_iter_init(&it, sides[i]);
			while (!done && native_side_iter_next(&it)) {
				double lower = native_bound(it.index - 1, h->schema);
				double upper = native_bound(it.index, h->schema);

				if (lower >= *threshold)
					break;
				kahan_add(it.count, &count, &c);
				/* The positive side is done first and stays valid. */
				again = widen_over(lower, upper, it.count, threshold, &done) && i;
			}
		}
	} while (again);
	return count;
}

/* native_widened_zero_count() for what is calculated with, with compensations. */
static void widen_zero_bucket(struct native_work *w, double threshold)
{
	struct native_work_side *sides[] = {&w->positive, &w->negative};
	double count, c = w->zero_c;
	bool again;

	do {
		again = false;
		count = w->zero_count;
		for (unsigned i = 0; i < 2 && !again; i++) {
			bool done = false;

			for (uint32_t k = 0; k < sides[i]->n && !done; k++) {
				double lower = native_bound(sides[i]->index[k] - 1, w->schema);
				double upper = native_bound(sides[i]->index[k], w->schema);

				if (lower >= threshold)
					break;
				kahan_add(sides[i]->count[k], &count, &c);
				if (w->compensated)
					kahan_add(sides[i]->c[k], &count, &c);
				again = widen_over(lower, upper, sides[i]->count[k], &threshold,
						   &done) &&
					i;
			}
		}
	} while (again);
	w->zero_count = count;
	w->zero_c = w->compensated ? c : 0;
	w->zero_threshold = threshold;
	for (unsigned i = 0; i < 2; i++)
		for (uint32_t k = 0;
		     k < sides[i]->n && native_bound(sides[i]->index[k] - 1, w->schema) < threshold;
		     k++)
			sides[i]->count[k] = sides[i]->c[k] = 0;
	native_work_compact(w);
}

/* Give both zero buckets the same threshold. Return the count of the other one. */
static double reconcile_zero(struct native_work *w, const struct native_histogram *h)
{
	double count = h->zero_count, threshold = h->zero_threshold;

	/* A NaN threshold would never become equal. */
	while (threshold < w->zero_threshold || threshold > w->zero_threshold) {
		if (w->zero_threshold > threshold) {
			threshold = w->zero_threshold;
			count = native_widened_zero_count(h, &threshold);
		}
		if (threshold > w->zero_threshold)
			widen_zero_bucket(w, threshold);
	}
	return count;
}

static bool merge_resets(struct native_work *w, enum native_reset other)
{
	if (other == w->reset || w->reset == NATIVE_GAUGE)
		return false;
	if (other == NATIVE_GAUGE) {
		w->reset = NATIVE_GAUGE;
		return false;
	}
	if (w->reset == NATIVE_UNKNOWN)
		return false;
	w->reset = NATIVE_UNKNOWN;
	return other != NATIVE_UNKNOWN;
}

/* Return the first common bound from `at` on that is not below `bound`; `n` if there is none. */
static uint32_t map_bound(const double *common, uint32_t n, uint32_t at, double bound)
{
	while (at < n && common[at] < bound)
		at++;
	return at;
}

/* Add a bucket with the given upper bound to the sums by common bounds. */
static void add_mapped(double *counts, double *cs, uint32_t at, double value)
{
	kahan_add(value, &counts[at], &cs[at]);
}

/* Add custom buckets with other bounds: the common bounds remain. */
static int add_mismatched(struct native_work *w, const struct native_histogram *h, double sign)
{
	uint32_t most = w->custom_count < h->custom_count ? w->custom_count : h->custom_count;
	double *common = arena_alloc(w->arena, (size_t)most + 1, sizeof(*common));
	double *counts = arena_zalloc(w->arena, (size_t)most + 1, sizeof(*counts));
	double *cs = arena_zalloc(w->arena, (size_t)most + 1, sizeof(*cs));
	uint32_t n = 0, at = 0;
	struct native_side_iter it;

	if (!common || !counts || !cs)
		return -ENOMEM;
	for (uint32_t i = 0, k = 0; i < w->custom_count && k < h->custom_count;) {
		double a = w->custom[i], b = h->custom[k];

		if (a == b)
			common[n++] = a;
		i += a <= b;
		k += b <= a;
	}
	for (uint32_t i = 0; i < w->positive.n; i++) {
		uint32_t index = (uint32_t)w->positive.index[i];

		at = index < w->custom_count ? map_bound(common, n, at, w->custom[index]) : n;
		add_mapped(counts, cs, at, w->positive.count[i]);
		if (w->compensated)
			add_mapped(counts, cs, at, w->positive.c[i]);
	}
	at = 0;
	native_side_iter_init(&it, &h->positive);
	while (native_side_iter_next(&it)) {
		uint32_t index = (uint32_t)it.index;

		at = index < h->custom_count ? map_bound(common, n, at, h->custom[index]) : n;
		add_mapped(counts, cs, at, sign * it.count);
	}
	w->positive.n = 0;
	for (uint32_t i = 0; i <= n; i++)
		if ((counts[i] != 0 || cs[i] != 0) &&
		    insert(w, &w->positive, w->positive.n, (int32_t)i, counts[i], cs[i]))
			return -ENOMEM;
	w->custom = n ? common : NULL;
	w->custom_count = n;
	return 0;
}

static int combine(struct native_work *w, const struct native_histogram *h, double sign,
		   struct native_notes *notes)
{
	unsigned shift;

	if ((w->schema == NATIVE_CUSTOM) != native_is_custom(h))
		return -EPROTOTYPE;
	if (merge_resets(w, h->reset))
		notes->reset_conflict = true;
	if (!native_is_custom(h))
		add_value(w, sign * reconcile_zero(w, h), &w->zero_count, &w->zero_c);
	add_value(w, sign * h->count, &w->count, &w->count_c);
	add_value(w, sign * h->sum, &w->sum, &w->sum_c);
	if (native_is_custom(h)) {
		struct native_histogram bounds = {.custom = w->custom,
						  .custom_count = w->custom_count};

		if (native_same_bounds(&bounds, h))
			return add_side(w, &w->positive, &h->positive, 0, sign);
		notes->bounds_reconciled = true;
		return add_mismatched(w, h, sign);
	}
	native_work_reduce(w, h->schema);
	shift = (unsigned)(h->schema - w->schema);
	return add_side(w, &w->positive, &h->positive, shift, sign) ||
			       add_side(w, &w->negative, &h->negative, shift, sign)
		       ? -ENOMEM
		       : 0;
}

int native_work_add(struct native_work *w, const struct native_histogram *h,
		    struct native_notes *notes)
{
	return combine(w, h, 1, notes);
}

int native_work_subtract(struct native_work *w, const struct native_histogram *h,
			 struct native_notes *notes)
{
	return combine(w, h, -1, notes);
}

int native_work_add_exactly(struct native_work *w, const struct native_histogram *h,
			    struct native_notes *notes)
{
	if ((w->schema == NATIVE_CUSTOM) != native_is_custom(h))
		return -EPROTOTYPE;
	w->compensated = true;
	return combine(w, h, 1, notes);
}

static void scale_side(struct native_work_side *side, double factor, bool divide)
{
	for (uint32_t i = 0; i < side->n; i++) {
		side->count[i] = divide ? side->count[i] / factor : side->count[i] * factor;
		side->c[i] = divide ? side->c[i] / factor : side->c[i] * factor;
	}
}

void native_work_multiply(struct native_work *w, double factor)
{
	w->zero_count *= factor;
	w->count *= factor;
	w->sum *= factor;
	if (w->compensated) {
		w->zero_c *= factor;
		w->count_c *= factor;
		w->sum_c *= factor;
	}
	scale_side(&w->positive, factor, false);
	scale_side(&w->negative, factor, false);
	if (factor < 0)
		w->reset = NATIVE_GAUGE;
}

void native_work_divide(struct native_work *w, double divisor)
{
	w->zero_count /= divisor;
	w->count /= divisor;
	w->sum /= divisor;
	if (w->compensated) {
		w->zero_c /= divisor;
		w->count_c /= divisor;
		w->sum_c /= divisor;
	}
	if (divisor == 0)
		w->positive.n = w->negative.n = 0;
	scale_side(&w->positive, divisor, true);
	scale_side(&w->negative, divisor, true);
	if (divisor < 0)
		w->reset = NATIVE_GAUGE;
}

void native_work_settle(struct native_work *w)
{
	struct native_work_side *sides[] = {&w->positive, &w->negative};

	if (!w->compensated)
		return;
	w->zero_count += w->zero_c;
	w->count += w->count_c;
	w->sum += w->sum_c;
	w->zero_c = w->count_c = w->sum_c = 0;
	for (unsigned i = 0; i < 2; i++)
		for (uint32_t k = 0; k < sides[i]->n; k++) {
			sides[i]->count[k] += sides[i]->c[k];
			sides[i]->c[k] = 0;
		}
	w->compensated = false;
}

bool native_work_overflows(const struct native_work *w)
{
	const struct native_work_side *sides[] = {&w->positive, &w->negative};

	if (isinf(w->zero_count) || isinf(w->count) || isinf(w->sum))
		return true;
	for (unsigned i = 0; i < 2; i++)
		for (uint32_t k = 0; k < sides[i]->n; k++)
			if (isinf(sides[i]->count[k]))
				return true;
	return false;
}

static int finish_side(struct native_side *out, const struct native_work_side *side,
		       struct arena *a)
{
	uint32_t spans = 0;

	for (uint32_t i = 0; i < side->n; i++)
		spans += !i || side->index[i] != side->index[i - 1] + 1;
	*out = (struct native_side){.count = side->n};
	if (!side->n)
		return 0;
	out->spans = arena_alloc(a, spans, sizeof(*out->spans));
	out->counts = arena_alloc(a, side->n, sizeof(*out->counts));
	if (!out->spans || !out->counts)
		return -ENOMEM;
	memcpy(out->counts, side->count, side->n * sizeof(*out->counts));
	for (uint32_t i = 0; i < side->n; i++) {
		if (i && side->index[i] == side->index[i - 1] + 1) {
			out->spans[out->span_count - 1].length++;
			continue;
		}
		out->spans[out->span_count++] =
			(struct native_span){side->index[i] - (i ? side->index[i - 1] + 1 : 0), 1};
	}
	return 0;
}

struct native_histogram *native_work_finish(const struct native_work *w, struct arena *arena)
{
	struct native_histogram *h = arena_zalloc(arena, 1, sizeof(*h));
	double *custom = NULL;

	if (w->custom_count)
		custom = arena_alloc(arena, w->custom_count, sizeof(*custom));
	if (!h || (w->custom_count && !custom))
		return NULL;
	if (custom)
		memcpy(custom, w->custom, w->custom_count * sizeof(*custom));
	*h = (struct native_histogram){
		.schema = w->schema,
		.reset = w->reset,
		.zero_threshold = w->zero_threshold,
		.zero_count = w->zero_count,
		.count = w->count,
		.sum = w->sum,
		.custom = custom,
		.custom_count = w->custom_count,
	};
	if (finish_side(&h->positive, &w->positive, arena) ||
	    finish_side(&h->negative, &w->negative, arena))
		return NULL;
	return h;
}
