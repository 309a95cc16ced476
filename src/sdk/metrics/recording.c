/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Recording values: an atomic addition in the shard of the thread, and an exemplar if the series
 * has none in this interval. Nothing here allocates or, except for exponential histograms, locks.
 */
#include <math.h>

#include "sdk/metrics/instrument.h"
#include "sdk/metrics/metric_shard.h"

__thread uint32_t metric_thread __attribute__((tls_model("initial-exec")));

NO_INLINE uint32_t metric_number_thread(void)
{
	static _Atomic uint32_t last;
	uint32_t n = atomic_fetch_add_explicit(&last, 1, memory_order_relaxed) + 1;

	metric_thread = n ? n : 1;
	return metric_thread;
}

static void add_to_bits(_Atomic uint64_t *cell, double value)
{
	uint64_t old = atomic_load_explicit(cell, memory_order_relaxed);

	while (!atomic_compare_exchange_weak_explicit(cell, &old, bits_of(double_of(old) + value),
						      memory_order_relaxed, memory_order_relaxed))
		;
}

static bool is_sum(const struct varve_series *s)
{
	return s->instrument->kind <= VARVE_UP_DOWN_COUNTER && !s->instrument->observable;
}

static _Atomic uint64_t *cell_of(struct varve_series *s)
{
	return &s->cells[metric_shard() % METRIC_SHARDS].value;
}

void varve_add(struct varve_series *series, int64_t value)
{
	if (unlikely(!series || !is_sum(series)))
		return;
	if (unlikely(value < 0) && series->instrument->kind == VARVE_COUNTER)
		return;
	if (unlikely(series->instrument->real))
		add_to_bits(cell_of(series), (double)value);
	else
		atomic_fetch_add_explicit(cell_of(series), (uint64_t)value, memory_order_relaxed);
	if (unlikely(exemplar_is_wanted(&series->exemplars, 0)))
		exemplar_offer(&series->exemplars, 0,
			       series->instrument->real ? bits_of((double)value) : (uint64_t)value);
}

void varve_add_double(struct varve_series *series, double value)
{
	if (!series || !is_sum(series) || isnan(value))
		return;
	if (!series->instrument->real) {
		if (fabs(value) < 0x1p63)
			varve_add(series, llround(value));
		return;
	}
	if (value < 0 && series->instrument->kind == VARVE_COUNTER)
		return;
	add_to_bits(cell_of(series), value);
	if (unlikely(exemplar_is_wanted(&series->exemplars, 0)))
		exemplar_offer(&series->exemplars, 0, bits_of(value));
}

void series_set(struct varve_series *s, double value)
{
	uint64_t bits = s->instrument->real    ? bits_of(value)
			: fabs(value) < 0x1p63 ? (uint64_t)llround(value)
					       : (uint64_t)(value > 0 ? INT64_MAX : INT64_MIN);

	atomic_store_explicit(&s->cells[0].value, bits, memory_order_relaxed);
	atomic_store_explicit(&s->touched, true, memory_order_release);
}

void varve_set(struct varve_series *series, double value)
{
	if (!series || series->instrument->kind != VARVE_GAUGE || series->instrument->observable ||
	    isnan(value))
		return;
	series_set(series, value);
	if (unlikely(exemplar_is_wanted(&series->exemplars, 0)))
		exemplar_offer(&series->exemplars, 0,
			       atomic_load_explicit(&series->cells[0].value, memory_order_relaxed));
}

/* Return the number of the first bound that is not below the value. */
static uint32_t bucket_of(const struct varve_instrument *i, double value)
{
	uint32_t low = 0, high = i->bound_count;

	while (low < high) {
		uint32_t middle = (low + high) / 2;

		if (i->bounds[middle] < value)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Lower (or raise) the value of a cell to `value`. */
static void keep_extreme(_Atomic uint64_t *cell, double value, bool lowest)
{
	uint64_t old = atomic_load_explicit(cell, memory_order_relaxed);

	while (lowest ? value < double_of(old) : value > double_of(old))
		if (atomic_compare_exchange_weak_explicit(
			    cell, &old, bits_of(value), memory_order_relaxed, memory_order_relaxed))
			return;
}

void varve_record(struct varve_series *series, double value)
{
	uint32_t bucket;

	if (!series || isnan(value))
		return;
	if (series->histogram) {
		struct histogram_shard *shard =
			histogram_shard_of(series, metric_shard() % METRIC_SHARDS);

		bucket = bucket_of(series->instrument, value);
		keep_extreme(&shard->min, value, true);
		keep_extreme(&shard->max, value, false);
		add_to_bits(&shard->sum, value);
		atomic_fetch_add_explicit(&shard->counts[bucket], 1, memory_order_release);
	} else if (series->exponential && isfinite(value)) {
		exponential_record(series->exponential, METRIC_SLOW_SHARDS, metric_shard(), value);
		bucket = series->exemplars.count;
		/* any slot that is still free */
		for (uint32_t k = 0;
		     k < series->exemplars.count && bucket == series->exemplars.count; k++)
			if (exemplar_is_wanted(&series->exemplars, k))
				bucket = k;
	} else {
		return;
	}
	if (bucket < series->exemplars.count && exemplar_is_wanted(&series->exemplars, bucket))
		exemplar_offer(&series->exemplars, bucket, bits_of(value));
}

void varve_add_with(struct varve_instrument *instrument, int64_t value,
		    const struct varve_attribute *attributes, size_t count)
{
	varve_add(series_of(instrument, attributes, count), value);
}

void varve_set_with(struct varve_instrument *instrument, double value,
		    const struct varve_attribute *attributes, size_t count)
{
	varve_set(series_of(instrument, attributes, count), value);
}

void varve_record_with(struct varve_instrument *instrument, double value,
		       const struct varve_attribute *attributes, size_t count)
{
	varve_record(series_of(instrument, attributes, count), value);
}
