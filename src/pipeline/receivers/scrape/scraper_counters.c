/* SPDX-License-Identifier: Apache-2.0 */
/* Looks up the metrics of a scraper. */
#include "pipeline/receivers/scrape/scraper_counters.h"

struct scraper_counters scraper_counters_of(struct telemetry *t, const char *receiver,
					    const char *scraper)
{
	const struct telemetry_label labels[] = {{"receiver", receiver}, {"scraper", scraper}};

	return (struct scraper_counters){
		telemetry_get(t, TELEMETRY_COUNTER, "otelcol_scraper_scraped_metric_points",
			      "Number of metric points successfully scraped.", labels,
			      countof(labels)),
		telemetry_get(t, TELEMETRY_COUNTER, "otelcol_scraper_errored_metric_points",
			      "Number of metric points that were unable to be scraped.", labels,
			      countof(labels)),
	};
}
