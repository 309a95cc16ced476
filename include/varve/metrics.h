/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_METRICS_H
#define VARVE_METRICS_H

/*
 * Metrics of the program. Included by varve/varve.h.
 *
 *     static struct varve_instrument *requests;
 *     static struct varve_series *found;
 *     struct varve_attribute ok[] = {varve_int("http.response.status_code", 200)};
 *
 *     requests = varve_counter("http.server.requests", "{request}", "Requests served");
 *     found = varve_bind(requests, ok, 1);
 *     ...
 *     varve_add(found, 1);
 *
 * An **instrument** is a metric; each set of attributes that values are recorded with is a
 * **series** of it. varve_bind() looks a series up once, so that recording is an addition to a cell
 * of the thread: no lock, no allocation, async-signal-safe.
 *
 * Instruments and series may be made at any time, also before varve_start(), and exist until the
 * process ends; values that are recorded while the library does not run count, too. In a child that
 * is forked while the library runs all values begin at zero. Every function accepts NULL for
 * instruments and series, which the functions that make them return on failure.
 *
 * They are exported with the library's own metrics every export interval as cumulative OTLP, and
 * as Prometheus text by varve_metrics_text() and by /metrics of `listen`.
 */

#include "varve/attribute.h"

#ifdef __cplusplus
extern "C" {
#endif

enum varve_instrument_kind {
	VARVE_COUNTER = 1,     /* a sum that grows */
	VARVE_UP_DOWN_COUNTER, /* a sum */
	VARVE_GAUGE,	       /* the last value */
	VARVE_HISTOGRAM,       /* counts between fixed bounds */
	/* at most 160 buckets per sign, whose width follows the values (base-2 exponential) */
	VARVE_EXPONENTIAL_HISTOGRAM,
};

struct varve_instrument;
struct varve_series;
struct varve_observation;

struct varve_instrument_options {
	enum varve_instrument_kind kind;
	/* a letter, then letters, digits and "_.-/", at most 255 characters */
	const char *name;
	const char *unit;	 /* UCUM: "s", "By", "{request}"; NULL: none */
	const char *description; /* NULL: none */
	int real;		 /* sums and gauges of doubles; 0: of 64-bit integers */
	/* upper bounds of a histogram, ascending, at most 63; NULL: OpenTelemetry's, 0 to 10000 */
	const double *bounds;
	size_t bound_count;
	/*
	 * Observable: called on a thread of the library before each export and scrape, one call at
	 * a time, and calls varve_observe() for each series; series that it leaves out are not
	 * exported. It must not call varve_stop() or varve_flush(). Not for histograms.
	 */
	void (*observe)(void *arg, struct varve_observation *out);
	void *arg;
	uintptr_t reserved[6]; /* zero */
};

/*
 * Return the instrument of that name, made if it does not exist yet. NULL, with the reason in
 * varve_last_error(): an invalid option, another kind or unit than that of the existing instrument,
 * more than 1024 instruments, or no memory.
 */
VARVE_API struct varve_instrument *
varve_instrument_new(const struct varve_instrument_options *options);

/* The same for the usual kinds: a counter of integers, a gauge of doubles, ... */
VARVE_API struct varve_instrument *varve_counter(const char *name, const char *unit,
						 const char *description);
VARVE_API struct varve_instrument *varve_up_down_counter(const char *name, const char *unit,
							 const char *description);
VARVE_API struct varve_instrument *varve_gauge(const char *name, const char *unit,
					       const char *description);
VARVE_API struct varve_instrument *varve_histogram(const char *name, const char *unit,
						   const char *description);

/* Stop calling an instrument's `observe`; waits for a running call, unless called from it. */
VARVE_API void varve_instrument_unobserve(struct varve_instrument *instrument);

/*
 * Return the series of these attributes, made if it does not exist yet. Beyond the limit of series
 * per instrument (metric_series, 2000) and for more than 32 attributes or 4 KiB of them, this is
 * the series with the attribute otel.metric.overflow=true.
 */
VARVE_API struct varve_series *varve_bind(struct varve_instrument *instrument,
					  const struct varve_attribute *attributes, size_t count);

/*
 * Add to a counter or up-down counter. A counter ignores negative values. Async-signal-safe, and
 * takes a few nanoseconds.
 */
VARVE_API void varve_add(struct varve_series *series, int64_t value);
VARVE_API void varve_add_double(struct varve_series *series, double value);

/* Set a gauge. Async-signal-safe. */
VARVE_API void varve_set(struct varve_series *series, double value);

/* Record a value in a histogram; NaN is ignored. */
VARVE_API void varve_record(struct varve_series *series, double value);

/* The same by attributes: a lookup without a lock, then as above. Not async-signal-safe. */
VARVE_API void varve_add_with(struct varve_instrument *instrument, int64_t value,
			      const struct varve_attribute *attributes, size_t count);
VARVE_API void varve_set_with(struct varve_instrument *instrument, double value,
			      const struct varve_attribute *attributes, size_t count);
VARVE_API void varve_record_with(struct varve_instrument *instrument, double value,
				 const struct varve_attribute *attributes, size_t count);

/* In `observe`: set the value of a series; for a counter its total since the start. */
VARVE_API void varve_observe(struct varve_observation *out, double value,
			     const struct varve_attribute *attributes, size_t count);

#ifdef __cplusplus
}
#endif

#endif
