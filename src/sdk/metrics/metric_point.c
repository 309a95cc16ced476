/* SPDX-License-Identifier: Apache-2.0 */
/* Reading values: sums of the shards, and calls of the program's `observe` functions. */
#include "sdk/metrics/metric_point.h"

#include <math.h>
#include <pthread.h>

#include "sdk/metrics/instruments.h"

struct varve_observation {
	struct varve_instrument *instrument;
};

static struct {
	pthread_mutex_t mu; /* held while values are read */
	_Atomic uint64_t round;
} reading = {.mu = PTHREAD_MUTEX_INITIALIZER};

/* This thread is inside an `observe` function. */
static __thread bool observing __attribute__((tls_model("initial-exec")));

void varve_observe(struct varve_observation *out, double value,
		   const struct varve_attribute *attributes, size_t count)
{
	struct varve_series *s =
		out && !isnan(value) ? series_of(out->instrument, attributes, count) : NULL;

	if (!s)
		return;
	series_set(s, value);
	atomic_store(&s->observed, atomic_load(&reading.round));
}

void varve_instrument_unobserve(struct varve_instrument *instrument)
{
	if (!instrument)
		return;
	atomic_store(&instrument->observe, NULL);
	if (observing)
		return;
	pthread_mutex_lock(&reading.mu); /* wait for a running call */
	pthread_mutex_unlock(&reading.mu);
}

void metrics_begin_reading(void)
{
	uint32_t n = atomic_load_explicit(&metric_registry.count, memory_order_acquire);

	pthread_mutex_lock(&reading.mu);
	atomic_fetch_add(&reading.round, 1);
	observing = true;
	for (uint32_t k = 0; k < n; k++) {
		struct varve_instrument *i = atomic_load(&metric_registry.instruments[k]);
		void (*observe)(void *arg, struct varve_observation *out) =
			atomic_load(&i->observe);
		struct varve_observation out = {i};

		if (observe)
			observe(i->arg, &out);
	}
	observing = false;
}

void metrics_end_reading(void)
{
	pthread_mutex_unlock(&reading.mu);
}

static bool read_sum(struct metric_point *out, const struct varve_series *s)
{
	double sum = 0;

	out->value = 0;
	for (uint32_t k = 0; k < METRIC_SHARDS; k++) {
		uint64_t bits = atomic_load_explicit(&s->cells[k].value, memory_order_relaxed);

		out->value += bits;
		sum += double_of(bits);
	}
	if (s->instrument->real)
		out->value = bits_of(sum);
	return true;
}

static bool read_histogram(struct metric_point *out, const struct varve_series *s)
{
	out->count = 0;
	out->sum = 0;
	out->min = INFINITY;
	out->max = -INFINITY;
	memset(out->buckets, 0, sizeof(out->buckets));
	for (uint32_t k = 0; k < METRIC_SHARDS; k++) {
		struct histogram_shard *shard = histogram_shard_of(s, k);
		double low, high;

		for (uint32_t i = 0; i <= s->instrument->bound_count; i++)
			out->buckets[i] +=
				atomic_load_explicit(&shard->counts[i], memory_order_acquire);
		out->sum += double_of(atomic_load(&shard->sum));
		low = double_of(atomic_load(&shard->min));
		high = double_of(atomic_load(&shard->max));
		out->min = low < out->min ? low : out->min;
		out->max = high > out->max ? high : out->max;
	}
	for (uint32_t i = 0; i <= s->instrument->bound_count; i++)
		out->count += out->buckets[i];
	return out->count != 0;
}

bool metric_point_read(struct metric_point *out, struct varve_series *s)
{
	if (s->histogram)
		return read_histogram(out, s);
	if (s->exponential) {
		exponential_read(&out->exponential, s->exponential, METRIC_SLOW_SHARDS);
		return out->exponential.count != 0;
	}
	if (!s->instrument->observable && s->instrument->kind != VARVE_GAUGE)
		return read_sum(out, s);
	out->value = atomic_load(&s->cells[0].value);
	if (!s->instrument->observable)
		return atomic_load_explicit(&s->touched, memory_order_acquire);
	return atomic_load(&s->instrument->observe) &&
	       atomic_load(&s->observed) == atomic_load(&reading.round);
}

static bool has_value(struct varve_series *s)
{
	struct metric_point p;

	if (s->instrument->observable)
		return false; /* it is not known without calling `observe` */
	return metric_point_read(&p, s) &&
	       (s->instrument->kind > VARVE_UP_DOWN_COUNTER || p.value != 0);
}

bool instruments_have_values(void)
{
	uint32_t n = atomic_load_explicit(&metric_registry.count, memory_order_acquire);

	for (uint32_t k = 0; k < n; k++)
		for (struct varve_series *s =
			     atomic_load(&atomic_load(&metric_registry.instruments[k])->series);
		     s; s = s->next)
			if (has_value(s))
				return true;
	return false;
}

void instruments_in_child(void)
{
	uint32_t n = atomic_load(&metric_registry.count);

	pthread_mutex_init(&reading.mu, NULL); /* its owner does not exist here */
	observing = false;
	instruments_forked();
	for (uint32_t k = 0; k < n; k++)
		for (struct varve_series *s =
			     atomic_load(&atomic_load(&metric_registry.instruments[k])->series);
		     s; s = s->next)
			series_reset(s);
}

void instruments_configure(unsigned series_max, unsigned filter)
{
	atomic_store(&metric_registry.series_max, series_max);
	atomic_store(&exemplar_filter, filter);
}
