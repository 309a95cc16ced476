/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_RECEIVERS_SCRAPER_COUNTERS_H
#define VARVE_PIPELINE_RECEIVERS_SCRAPER_COUNTERS_H

#include "pipeline/telemetry/telemetry.h"

/* The metrics of a scraper: otelcol_scraper_scraped_metric_points{receiver, scraper}, errored. */
struct scraper_counters {
	struct telemetry_value *scraped, *errored;
};

struct scraper_counters scraper_counters_of(struct telemetry *t, const char *receiver,
					    const char *scraper);

#endif
