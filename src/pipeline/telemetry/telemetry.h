/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_TELEMETRY_TELEMETRY_H
#define VARVE_PIPELINE_TELEMETRY_TELEMETRY_H

#include <pthread.h>
#include <stdatomic.h>

#include "base/buf.h"

/*
 * The metrics of components, with the names and labels of the OpenTelemetry Collector
 * (otelcol_exporter_sent_spans{exporter="otlp"}). A component looks its metrics up once, when it is
 * created, and updates them without a lock. The registry belongs to the host and outlives all
 * components, so that counters survive a reload of the configuration.
 */
enum telemetry_kind { TELEMETRY_COUNTER, TELEMETRY_GAUGE, TELEMETRY_HISTOGRAM };

struct telemetry_label {
	const char *name;
	const char *value;
};

struct telemetry_metric;

struct telemetry {
	pthread_mutex_t mu; /* guards the list */
	struct telemetry_metric *first;
};

MUST_USE int telemetry_init(struct telemetry *t);
void telemetry_fini(struct telemetry *t);

/* A counter or gauge. Writers use the functions below. */
struct telemetry_value {
	_Atomic int64_t at;
};

/*
 * Return the value of that name and labels; the same one for the same arguments. Texts are copied.
 * Without memory it returns a value that is not shown, so callers need no check. `name` has the
 * prefix otelcol_ and no suffix _total; our own counters have the prefix varve_ and the suffix.
 */
struct telemetry_value *telemetry_get(struct telemetry *t, enum telemetry_kind kind,
				      const char *name, const char *help,
				      const struct telemetry_label *labels, size_t label_count);

static inline void telemetry_add(struct telemetry_value *v, int64_t n)
{
	if (n)
		atomic_fetch_add_explicit(&v->at, n, memory_order_relaxed);
}

static inline void telemetry_set(struct telemetry_value *v, int64_t n)
{
	atomic_store_explicit(&v->at, n, memory_order_relaxed);
}

/* A histogram with upper bounds in ascending order; texts and bounds are copied. */
struct telemetry_histogram;
struct telemetry_histogram *
telemetry_histogram(struct telemetry *t, const char *name, const char *help, const double *bounds,
		    size_t bound_count, const struct telemetry_label *labels, size_t label_count);
void telemetry_observe(struct telemetry_histogram *h, double value);

/* Append all metrics in Prometheus text format. Any thread. */
void telemetry_write(struct telemetry *t, struct buf *out);

/* The same with _total at the end of the names of counters. */
void telemetry_write_suffixed(struct telemetry *t, struct buf *out);

#endif
