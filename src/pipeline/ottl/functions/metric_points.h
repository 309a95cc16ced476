/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_OTTL_FUNCTIONS_METRIC_POINTS_H
#define VARVE_PIPELINE_OTTL_FUNCTIONS_METRIC_POINTS_H

#include "pipeline/ottl/ottl_eval.h"
#include "pipeline/ottl/ottl_field.h"
#include "signal/otlp/build.h"

/* The data of the current metric and its data points, for functions of metrics. */

/* Field numbers of opentelemetry.proto.metrics.v1. */
enum {
	METRIC_NAME = 1,
	METRIC_DESCRIPTION = 2,
	METRIC_UNIT = 3,
	DATA_POINTS = 1,
	DATA_TEMPORALITY = 2,
	DATA_MONOTONIC = 3,
	POINT_START = 2, /* of all kinds of points */
	POINT_TIME = 3,
	POINT_DOUBLE = 4, /* of number points */
	POINT_INT = 6,
	POINT_COUNT = 4, /* of the other kinds */
	POINT_SUM = 5,
	HISTOGRAM_BOUNDS = 7,
	HISTOGRAM_MIN = 11,
	HISTOGRAM_MAX = 12,
	POINT_QUANTILES = 6,
	QUANTILE_VALUE = 2,
};

enum ottl_point_kind point_kind_of_data(uint32_t data_field);

/* Return the field of the attributes of a data point. */
uint32_t point_attributes_field(enum ottl_point_kind kind);

/* Make `data` the data of the current metric; it replaces data of another kind. */
MUST_USE int put_metric_data(struct ottl_eval *ev, uint32_t kind, struct str data);

/* Return the data with the temporality and is_monotonic of a sum. */
MUST_USE int number_data(struct ottl_eval *ev, struct str data, enum otlp_temporality temporality,
			 bool monotonic, struct str *out);

/* Replace the data points of the current metric by those of a list of their bytes. */
MUST_USE int replace_points(struct ottl_eval *ev, uint32_t kind, struct str data,
			    const struct ottl_list *points);

#endif
