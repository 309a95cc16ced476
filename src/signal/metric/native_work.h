/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_SIGNAL_METRIC_NATIVE_WORK_H
#define VARVE_SIGNAL_METRIC_NATIVE_WORK_H

#include "signal/metric/native_histogram.h"

/*
 * A native histogram that is calculated with: buckets as sorted arrays of indices and counts, with
 * a compensation for each count when sums are compensated (Kahan). Arrays grow in the arena and
 * are reused, so that adding many histograms of similar buckets does not allocate. Custom bounds are
 * borrowed from the histograms that were set or added, until native_work_finish().
 */
struct native_work_side {
	int32_t *index;
	double *count, *c;
	uint32_t n, cap;
};

struct native_work {
	struct arena *arena; /* borrowed */
	int32_t schema;
	enum native_reset reset;
	double zero_threshold;
	double zero_count, count, sum;
	double zero_c, count_c, sum_c;
	struct native_work_side positive, negative;
	const double *custom;
	uint32_t custom_count;
	bool compensated; /* the values have compensations */
};

/* What an addition or subtraction met. */
struct native_notes {
	bool reset_conflict;	/* one has the hint "reset", the other one "not reset" */
	bool bounds_reconciled; /* different custom bounds */
};

void native_work_init(struct native_work *w, struct arena *arena);

/* Set to a copy of `h`, reusing arrays. Return 0 or -ENOMEM. */
MUST_USE int native_work_set(struct native_work *w, const struct native_histogram *h);

/* Set to an empty histogram with the layout of `h`. */
void native_work_clear(struct native_work *w, const struct native_histogram *h);

/* Copy `from` into `w`, with its compensations. Return 0 or -ENOMEM. */
MUST_USE int native_work_copy(struct native_work *w, const struct native_work *from);

/*
 * Add or subtract. Both get the coarser schema, and the zero bucket the larger threshold, widened
 * to the edge of each populated bucket that it cuts. Return 0, -ENOMEM, or -EPROTOTYPE if one is
 * exponential and the other one has custom buckets; then `w` is unchanged.
 */
MUST_USE int native_work_add(struct native_work *w, const struct native_histogram *h,
			     struct native_notes *notes);
MUST_USE int native_work_subtract(struct native_work *w, const struct native_histogram *h,
				  struct native_notes *notes);

/* Add with compensation. Returns as native_work_add(). */
MUST_USE int native_work_add_exactly(struct native_work *w, const struct native_histogram *h,
				     struct native_notes *notes);

/* Reduce to a coarser schema; the same or a finer one and custom buckets are left alone. */
void native_work_reduce(struct native_work *w, int32_t schema);

/* Multiply or divide all values. A negative number makes a gauge; division by 0 drops buckets. */
void native_work_multiply(struct native_work *w, double factor);
void native_work_divide(struct native_work *w, double divisor);

/* Add the compensations to the values. */
void native_work_settle(struct native_work *w);

/* Remove empty buckets. */
void native_work_compact(struct native_work *w);

/* Return whether a value is infinite. */
bool native_work_overflows(const struct native_work *w);

/* Make a histogram of the values in the arena. Return it, or NULL if memory is exhausted. */
struct native_histogram *native_work_finish(const struct native_work *w, struct arena *arena);

/* Return the index in a schema that is coarser by `shift`. */
static inline int32_t native_reduced_index(int32_t index, unsigned shift)
{
	return shift ? ((index - 1) >> shift) + 1 : index;
}

/*
 * Return the count of the zero bucket widened to *threshold, which is widened to the edge of each
 * populated bucket that it cuts.
 */
double native_widened_zero_count(const struct native_histogram *h, double *threshold);

#endif
