/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_CONVERT_PROMETHEUS_PROM_BATCH_H
#define VARVE_PIPELINE_CONVERT_PROMETHEUS_PROM_BATCH_H

#include "pipeline/convert/prometheus/prom_deltas.h"
#include "pipeline/convert/prometheus/prom_points.h"
#include "signal/metric/metric_batch.h"

/*
 * Metrics of OpenTelemetry as series with samples: names and labels as the options say, histograms
 * as classic buckets, exponential histograms as native ones, points without a recorded value as
 * staleness markers.
 */
struct prom_batch_options {
	enum prom_strategy strategy;
	struct str tenant;
	/* Adds up delta temporality; NULL: such points are refused. */
	struct prom_deltas *deltas;
	/* Label sets of messages before, for the same strategy; may be NULL. */
	struct prom_series_cache *cache;
};

/*
 * Decode a payload into the empty batch, which borrows from it. Points that are refused are counted
 * in batch->rejected. Return 0, -ENOMEM, or -EBADMSG with text in `e`.
 */
MUST_USE int prom_batch_read(struct metric_batch *b, const struct payload *p,
			     const struct prom_batch_options *o, struct err *e);

#endif
