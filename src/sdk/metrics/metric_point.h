/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_SDK_METRICS_METRIC_POINT_H
#define VARVE_SDK_METRICS_METRIC_POINT_H

#include "sdk/metrics/instrument.h"

/* Private to sdk/metrics/: reading the value of a series, for both encodings. */

/* The value of one series; which fields are set depends on the kind of the instrument. */
struct metric_point {
	uint64_t value; /* of sums and gauges: an integer or the bits of a double */
	/* of histograms */
	uint64_t count;
	double sum, min, max;
	uint64_t buckets[BOUNDS_MAX + 1];
	struct exponential exponential;
};

/* Read the series. False: it has no value yet, or its `observe` has not set it. */
bool metric_point_read(struct metric_point *out, struct varve_series *s);

/*
 * Call all `observe` functions, and keep other readers out until metrics_end_reading(). To be
 * called by threads of the library or inside guest_call_begin().
 */
void metrics_begin_reading(void);
void metrics_end_reading(void);

#endif
