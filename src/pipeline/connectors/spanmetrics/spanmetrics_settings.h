/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_CONNECTORS_SPANMETRICS_SETTINGS_H
#define VARVE_PIPELINE_CONNECTORS_SPANMETRICS_SETTINGS_H

#include "pipeline/connectors/spanmetrics/span_dimensions.h"

/* The settings of the spanmetrics connector. */
enum { SPANMETRICS_SERIES_MAX = 200000 };

struct bucket_list {
	const uint64_t *at; /* nanoseconds */
	uint32_t n;
};

struct explicit_settings {
	struct bucket_list buckets;
};

struct histogram_settings {
	bool disable, has_exponential;
	struct str unit;
	struct explicit_settings explicit;
	struct span_dimension_list dimensions;
};

struct exemplar_settings {
	bool enabled;
	int64_t max;
};

struct spanmetrics_settings {
	struct str namespace, temporality;
	struct histogram_settings histogram;
	struct span_dimension_list dimensions, calls_dimensions;
	struct setting_list excluded, resource_keys;
	struct exemplar_settings exemplars;
	uint64_t interval, resource_expiration, series_expiration;
	int64_t resources, cardinality;
};

extern const struct setting spanmetrics_table[];

/* Check the settings against each other. Return 0, or -EINVAL with text in `e`. */
int spanmetrics_check(const void *settings, struct err *e);

/* Return whether each interval is counted from 0. */
bool spanmetrics_is_delta(const struct spanmetrics_settings *s);

#endif
