/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_CONNECTORS_SPANMETRICS_WRITE_H
#define VARVE_PIPELINE_CONNECTORS_SPANMETRICS_WRITE_H

#include "pipeline/connectors/spanmetrics/span_series.h"
#include "signal/otlp/build.h"

/* Writes the series of the spanmetrics connector as OTLP metrics. */
struct spanmetrics_format {
	struct str calls, duration; /* names of the metrics */
	struct str unit;	    /* of the duration */
	bool no_duration;	    /* write only the calls */
	bool same;		    /* both metrics have the same attributes: see span_resource */
	enum otlp_temporality temporality;
};

/*
 * Write all series. `start` is the beginning of the interval, for delta metrics. Return the
 * payload, or NULL without memory. Exemplars are removed from the series.
 */
struct payload *spanmetrics_write(struct span_registry *r, const struct spanmetrics_format *format,
				  uint64_t start, uint64_t now, struct budget *budget);

#endif
