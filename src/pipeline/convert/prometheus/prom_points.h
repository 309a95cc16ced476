/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_CONVERT_PROMETHEUS_PROM_POINTS_H
#define VARVE_PIPELINE_CONVERT_PROMETHEUS_PROM_POINTS_H

#include "base/err.h"
#include "pipeline/convert/prometheus/prom_labels.h"
#include "pipeline/convert/prometheus/prom_names.h"
#include "pipeline/convert/prometheus/prom_series_cache.h"
#include "signal/otlp/payload.h"

/*
 * The data points of a metrics payload with names and labels of Prometheus, and the samples that
 * Prometheus has for each: what exporters for Prometheus share.
 */
enum prom_type {
	PROM_UNKNOWN,
	PROM_COUNTER,
	PROM_GAUGE,
	PROM_HISTOGRAM,
	PROM_NATIVE, /* an exponential histogram */
	PROM_SUMMARY,
};

struct prom_metric {
	struct str name; /* with suffixes */
	struct str help, unit;
	enum prom_type type;
	bool delta;
	uint32_t number; /* counts from 0 within the payload */
};

struct prom_pair {
	double at, value; /* bound and count of a bucket, or quantile and value */
};

struct prom_exemplar {
	struct prom_labels labels;
	double value;
	int64_t time_ms;
};

/* Buckets of an exponential histogram, as in OTLP. */
struct prom_buckets {
	int32_t offset;
	const uint64_t *counts;
	uint32_t n;
};

struct prom_point {
	const struct prom_metric *metric;
	struct prom_labels labels; /* sorted, without the name */
	/* With a cache: the label set with the name, then `labels` is empty; or its id there. */
	struct str series;
	uint32_t cache_id;
	uint64_t start, time; /* nanoseconds since 1970 */
	bool stale;	      /* there is no value */
	double value;
	uint64_t count;
	bool has_sum;
	double sum;
	/*
	 * Of histograms the bounds and counts of each bucket, not cumulative, without the last one,
	 * which is `overflow`; of summaries the quantiles.
	 */
	const struct prom_pair *pairs;
	uint32_t pair_count;
	uint64_t overflow;
	/* PROM_NATIVE */
	int32_t scale;
	uint64_t zero_count;
	double zero_threshold;
	struct prom_buckets positive, negative;
	const struct prom_exemplar *exemplars;
	uint32_t exemplar_count;
};

struct prom_options {
	enum prom_strategy strategy;
	struct str prefix;		 /* `namespace`; empty: none */
	struct prom_labels labels;	 /* of all points, unless they have them */
	bool resource_labels;		 /* attributes of resources become labels, too */
	bool exclude_service_attributes; /* but not service.name, .namespace, .instance.id */
	bool scope_labels;		 /* otel_scope_name ... */
	bool target_info;
	/* Of the label sets of gauges and sums. NULL: none. */
	struct prom_series_cache *cache;
};

/*
 * Call `each` for all points. Everything but the metric's number is in the arena or borrowed of the
 * payload. Points of metrics without a name are left out and counted in *refused. Return 0,
 * -ENOMEM, -EBADMSG with text in `e`, or what `each` returns if it is not 0.
 */
MUST_USE int prom_points(const struct payload *p, const struct prom_options *o,
			 int (*each)(void *arg, const struct prom_point *point), void *arg,
			 uint32_t *refused, struct arena *arena, struct err *e);

#endif
