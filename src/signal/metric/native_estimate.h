/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_SIGNAL_METRIC_NATIVE_ESTIMATE_H
#define VARVE_SIGNAL_METRIC_NATIVE_ESTIMATE_H

#include "signal/metric/native_work.h"

/*
 * What is estimated from the buckets of a native histogram: quantiles, fractions, variance, and
 * trimmed histograms. Inside a bucket, observations are spread evenly on a logarithmic scale
 * (exponential buckets) or a linear one (custom buckets and the zero bucket).
 */

/* Why an estimate is not what it seems: observations of NaN. */
enum native_nan_note { NATIVE_NAN_NONE, NATIVE_NAN_RESULT, NATIVE_NAN_SKEW, NATIVE_NAN_EXCLUDED };

/* Return the quantile; -Inf and +Inf for a `q` below 0 and above 1, NaN if there is no result. */
double native_quantile(const struct native_histogram *h, double q, enum native_nan_note *note);

/* Return the fraction of the observations between two bounds. */
double native_fraction(const struct native_histogram *h, double lower, double upper,
		       enum native_nan_note *note);

/* Return the variance, with all observations of a bucket in its middle. */
double native_variance(const struct native_histogram *h);

/*
 * Remove the observations above (`upper`) or below the bound; count and sum are estimated anew if
 * anything is removed. Return 0 or -ENOMEM.
 */
MUST_USE int native_work_trim(struct native_work *w, const struct native_histogram *h, double bound,
			      bool upper);

#endif
