/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_EXPORTERS_PROMETHEUS_EXPOSITION_H
#define VARVE_PIPELINE_EXPORTERS_PROMETHEUS_EXPOSITION_H

#include "base/buf.h"
#include "pipeline/exporters/prometheus/kept_points.h"

/* Writes kept points as text for a scrape. */
struct exposition_options {
	bool openmetrics; /* else the text format 0.0.4 */
	bool utf8;	  /* names that are not plain in quotes, else with `_` */
	bool timestamps;
};

/* Append all families, sorted by name. Return 0 or -ENOMEM. */
MUST_USE int exposition_write(struct buf *out, const struct kept_points *k,
			      const struct exposition_options *o);

#endif
