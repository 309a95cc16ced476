/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_SIGNAL_METRIC_NATIVE_HISTOGRAM_H
#define VARVE_SIGNAL_METRIC_NATIVE_HISTOGRAM_H

#include <errno.h>

#include "base/arena.h"
#include "base/buf.h"

/*
 * Prometheus' native histograms with float counts.
 *
 * An exponential histogram of schema n (-4..8) has buckets with the bounds base^(i-1) < x <= base^i,
 * base = 2^(2^-n); negative values are mirrored, and values of at most the zero threshold are in
 * the zero bucket. A histogram of schema NATIVE_CUSTOM has the upper bounds `custom`, strictly
 * increasing, and the bucket of index custom_count up to +Inf; it has no zero bucket and no
 * negative buckets.
 *
 * Buckets are absolute counts (not deltas), in spans of consecutive indices: the offset of the
 * first span is its first index, of others the gap to the span before. Observations that are NaN
 * are in `count` and in no bucket, and make `sum` NaN. In a stale marker `sum` has the bits of
 * NATIVE_STALE_BITS.
 *
 * A histogram borrows its arrays. Functions never change their inputs, and results have their own
 * arrays in the arena that is given. Functions with a return code return 0, -ENOMEM, or what they
 * document. No globals; any thread.
 */

enum {
	NATIVE_SCHEMA_MIN = -4,
	NATIVE_SCHEMA_MAX = 8,
	NATIVE_CUSTOM = -53,
	/* Buckets of one side, and custom bounds. Schema 8 has 2 x 2^18 indices; none uses them. */
	NATIVE_BUCKETS_MAX = 1 << 20,
};

#define NATIVE_STALE_BITS UINT64_C(0x7ff0000000000002)

/* What is known about a reset of the counter between the previous sample and this one. */
enum native_reset { NATIVE_UNKNOWN, NATIVE_RESET, NATIVE_NOT_RESET, NATIVE_GAUGE };

struct native_span {
	int32_t offset;
	uint32_t length;
};

/* The buckets of one side. The lengths of the spans add up to `count`. */
struct native_side {
	struct native_span *spans;
	double *counts;
	uint32_t span_count, count;
};

struct native_histogram {
	int32_t schema;
	enum native_reset reset;
	double zero_threshold, zero_count;
	double count, sum;
	struct native_side positive, negative;
	const double *custom; /* NATIVE_CUSTOM only */
	uint32_t custom_count;
};

/* A bucket with its bounds. */
struct native_bucket {
	double lower, upper, count;
	bool lower_inclusive, upper_inclusive;
	int32_t index;
};

/*
 * Check a histogram from outside: schema, spans that fit the counts, offsets, counts that are not
 * negative, custom bounds. Return NULL if it is valid, else a text that says what is not.
 */
const char *native_check(const struct native_histogram *h);

static inline bool native_is_custom(const struct native_histogram *h)
{
	return h->schema == NATIVE_CUSTOM;
}

/* Return whether it is a stale marker. */
bool native_is_stale(const struct native_histogram *h);

/* Return the upper bound of the bucket `index` of an exponential schema. */
double native_bound(int32_t index, int32_t schema);

/* Copy with all arrays. */
MUST_USE int native_copy(struct native_histogram *out, const struct native_histogram *h,
			 struct arena *a);

/* Return whether all values and buckets are equal bit by bit; reset hints are not compared. */
bool native_equal(const struct native_histogram *a, const struct native_histogram *b);

/* Return whether the counter was reset between `before` and `h`, by their hints or their counts. */
bool native_detect_reset(const struct native_histogram *h, const struct native_histogram *before);

/* Return whether both have the same custom bounds. */
bool native_same_bounds(const struct native_histogram *a, const struct native_histogram *b);

/* Return the size that Prometheus counts for a histogram in memory, in float samples of 16 bytes. */
uint32_t native_sample_size(const struct native_histogram *h);

/*
 * Append the text form, such as "{count:3, sum:5, [-0.001,0.001]:1, (1,2]:2}", as Prometheus'
 * count_values() and series texts have it.
 */
void native_put_text(struct buf *b, const struct native_histogram *h);

/* Iteration over the buckets of one side, by index, from the zero bucket outwards or back. */
struct native_side_iter {
	const struct native_side *side;
	uint32_t span, in_span, at; /* of the next bucket */
	int32_t index;		    /* of the current bucket */
	double count;
};

void native_side_iter_init(struct native_side_iter *it, const struct native_side *side);
bool native_side_iter_next(struct native_side_iter *it);

/* Return the bucket of a histogram that has this index and count. */
struct native_bucket native_bucket_of(const struct native_histogram *h, bool positive,
				      int32_t index, double count);

/*
 * Iteration over all buckets from the lowest to the highest value, or in reverse. Buckets that
 * overlap the zero bucket are cut at its edge.
 */
struct native_iter {
	const struct native_histogram *h;
	bool reverse;
	uint8_t stage;	/* 0, 1, 2: sides and zero bucket, in the order of the direction */
	bool backwards; /* through the side: from its last bucket */
	uint32_t span, in_span, at;
	int32_t index;
	struct native_bucket bucket;
};

void native_iter_init(struct native_iter *it, const struct native_histogram *h, bool reverse);

/* Move to the next bucket; buckets with count 0 are included, except an empty zero bucket. */
bool native_iter_next(struct native_iter *it);

#endif
