/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_CONVERT_PROMETHEUS_PROM_VALUES_H
#define VARVE_PIPELINE_CONVERT_PROMETHEUS_PROM_VALUES_H

#include "pipeline/convert/prometheus/prom_attributes.h"
#include "pipeline/convert/prometheus/prom_points.h"

/* Private to this folder: times, values and exemplars of the data points of OTLP. */
struct prom_value_reader {
	struct prom_text text;
	struct err *e;
};

/*
 * Read a data point of a metric of this kind (enum otlp_metric_kind) into *out, whose metric is
 * set; its labels are not read. Return 0, -ENOMEM or -EBADMSG.
 */
MUST_USE int prom_value_read(const struct prom_value_reader *c, uint32_t kind, struct str message,
			     struct prom_point *out);

/* Return the field number of the attributes in a data point of this kind. */
uint32_t prom_value_attributes(uint32_t kind);

#endif
