/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_RECEIVERS_PROMETHEUS_SCRAPE_OUTPUT_H
#define VARVE_PIPELINE_RECEIVERS_PROMETHEUS_SCRAPE_OUTPUT_H

#include "pipeline/receivers/prometheus/scrape_ingest.h"

/*
 * Makes the payload of a scrape: the metrics of the target by resource and scope, staleness markers
 * (points without value) of what has vanished, and the metrics about the scrape itself (`up` ...).
 *
 * Counters, histograms and summaries get a start time: that of `_created`, else the time of the
 * first scrape, or of the scrape after which the value was lower.
 */
enum scrape_end {
	SCRAPE_OK,
	SCRAPE_FAILED, /* all series of the target become stale; up is 0 */
	SCRAPE_GONE,   /* the target was removed: `up` becomes stale, too */
};

struct scrape_outcome {
	enum scrape_end end;
	uint64_t time, duration; /* nanoseconds */
	struct scrape_counts counts;
	struct str scheme; /* http or https */
	bool trim_metric_suffixes;
};

/* Return the payload, or NULL without memory. Memory of arrays is in `scratch`. */
struct payload *scrape_output(struct scraped_state *s, const struct scrape_rules *rules,
			      const struct scrape_outcome *outcome, struct arena *scratch,
			      struct budget *budget);

#endif
