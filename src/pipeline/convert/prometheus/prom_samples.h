/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_CONVERT_PROMETHEUS_PROM_SAMPLES_H
#define VARVE_PIPELINE_CONVERT_PROMETHEUS_PROM_SAMPLES_H

#include "pipeline/convert/prometheus/prom_points.h"

/* The samples that Prometheus has for a data point. */

/* One sample of a point: the name is that of the metric with the suffix. */
struct prom_sample {
	struct str suffix;	/* "", "_bucket", "_sum", "_count" */
	struct prom_label more; /* le or quantile; no name: none */
	double value;
	const struct prom_exemplar *exemplar; /* or NULL */
};

/*
 * Call `each` for the samples of a point that is no PROM_NATIVE. Texts are valid until it returns.
 * Return 0, or what `each` returns if it is not 0.
 */
MUST_USE int prom_samples(const struct prom_point *p,
			  int (*each)(void *arg, const struct prom_sample *s), void *arg);

/* The value of a series that has ended. */
double prom_stale_value(void);

#endif
