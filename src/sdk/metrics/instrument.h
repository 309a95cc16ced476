/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_SDK_METRICS_INSTRUMENT_H
#define VARVE_SDK_METRICS_INSTRUMENT_H

#include <stdatomic.h>

#include "base/str.h"
#include "sdk/metrics/exemplar.h"
#include "sdk/metrics/exponential.h"
#include "varve/varve.h"

/*
 * Private to sdk/metrics/: instruments and their series.
 *
 * A series holds its value in **shards**, each on cache lines of its own; a thread always uses the
 * same shard, so adding is one uncontended atomic addition, and reading sums the shards.
 * Instruments and series are never freed and their lists only grow, so readers need no lock; making
 * them is guarded by a hook_lock.
 */
enum {
	INSTRUMENTS_MAX = 1024,
	INSTRUMENT_NAME_MAX = 255,
	INSTRUMENT_TEXT_MAX = 1024, /* bytes of a description */
	METRIC_SHARDS = 8,
	METRIC_SLOW_SHARDS = 4, /* of exponential histograms, which are large */
	BOUNDS_MAX = 63,
	SERIES_DEFAULT = 2000, /* of an instrument */
};

/* Bytes of all instruments and series. */
#define METRICS_BYTES_MAX (64 * MIB)

/* A value of a sum or gauge: an integer or the bits of a double. */
struct metric_cell {
	_Alignas(64) _Atomic uint64_t value;
};

/* A shard of a histogram; followed by `counts`, one more than there are bounds. */
struct histogram_shard {
	_Alignas(64) _Atomic uint64_t sum, min, max; /* bits of doubles */
	_Atomic uint64_t counts[];
};

/* An encoded attribute set, shared by the series that have it. */
struct attribute_set {
	struct attribute_set *next; /* in its bucket */
	uint64_t hash;
	size_t n;
	uint8_t bytes[];
};

struct varve_series {
	struct varve_series *next; /* in the list of its instrument, newest first */
	struct varve_instrument *instrument;
	const struct attribute_set *set;
	_Atomic uint64_t start_unix_ns;
	/* the round of metrics_collect() in which an observable series was set */
	_Atomic uint64_t observed;
	_Atomic bool touched; /* a gauge was set */
	struct exemplars exemplars;
	struct metric_cell *cells; /* sums: METRIC_SHARDS of them; gauges: one */
	char *histogram;	   /* METRIC_SHARDS shards, `histogram_stride` apart */
	struct exponential_shard *exponential;
};

/*
 * A table of series by the hash of their attributes; replaced by a larger one when half full.
 * Replaced ones are kept, because readers may be using them.
 */
struct series_table {
	struct series_table *older;
	uint32_t mask;
	struct varve_series *_Atomic slots[];
};

struct varve_instrument {
	enum varve_instrument_kind kind;
	bool real, observable;
	struct str name, unit, description; /* with a NUL after each */
	uint32_t bound_count;
	double *bounds;
	size_t histogram_stride;
	void (*_Atomic observe)(void *arg, struct varve_observation *out);
	void *arg;
	struct varve_series *_Atomic series; /* the list */
	struct series_table *_Atomic table;
	_Atomic uint32_t series_count;
	struct varve_series *_Atomic plain;    /* without attributes */
	struct varve_series *_Atomic overflow; /* otel.metric.overflow */
};

/* All instruments, in order of their making. */
extern struct metric_registry {
	struct varve_instrument *_Atomic instruments[INSTRUMENTS_MAX];
	_Atomic uint32_t count;
	_Atomic uint32_t series_max; /* option metric_series; 0: SERIES_DEFAULT */
	_Atomic size_t bytes;
} metric_registry;

/* Return the series of attributes, made if needed; see varve_bind(). NULL: no memory. */
struct varve_series *series_of(struct varve_instrument *instrument,
			       const struct varve_attribute *attributes, size_t count);

/* Return shard `index` of a histogram. */
static inline struct histogram_shard *histogram_shard_of(const struct varve_series *s,
							 uint32_t index)
{
	return (struct histogram_shard *)(void *)(s->histogram +
						  index * s->instrument->histogram_stride);
}

/* Set all cells to zero, which are those of a new series. No other thread uses it. */
void series_reset(struct varve_series *s);

/* Set a gauge or the total of an observable sum. */
void series_set(struct varve_series *s, double value);

/* Release the lock that another thread of the parent may have held. In a forked child. */
void instruments_forked(void);

static inline double double_of(uint64_t bits)
{
	double value;

	memcpy(&value, &bits, sizeof(value));
	return value;
}

static inline uint64_t bits_of(double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof(bits));
	return bits;
}

#endif
