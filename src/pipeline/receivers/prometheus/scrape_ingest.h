/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_RECEIVERS_PROMETHEUS_SCRAPE_INGEST_H
#define VARVE_PIPELINE_RECEIVERS_PROMETHEUS_SCRAPE_INGEST_H

#include <pthread.h>

#include "config/settings.h"
#include "pipeline/receivers/prometheus/scraped_state.h"

/* Puts the samples of one scrape into the state of its target. */

/* Limits per scrape; 0: none. */
struct scrape_limits {
	uint64_t body_size;
	int64_t samples, labels, label_name_length, label_value_length, targets;
};

/* How samples become series. Outlives the state. */
struct scrape_rules {
	bool honor_labels, honor_timestamps, track_timestamps_staleness;
	struct scrape_limits limits;
	const struct prom_labels *target; /* labels of the target: job, instance ... */
	struct setting_map external_labels;
	/* metric_relabel_configs, shared by the targets of a job, and what guards them. */
	struct relabel *relabel;
	pthread_mutex_t *relabel_mu;
};

/* What a target has answered. */
struct scrape_input {
	enum text_format format;
	struct str body;
	uint64_t time; /* of the scrape, nanoseconds since 1970 */
};

struct scrape_counts {
	uint64_t scraped, kept, added;
};

/*
 * Read an exposition. Texts of exemplars are in `scratch`. After an error the samples of this
 * scrape must not be used: see scrape_output.h. Return 0, -ENOMEM, -EBADMSG (text format, labels)
 * or -E2BIG (limits) with text in `e`.
 */
MUST_USE int scrape_ingest(struct scraped_state *s, const struct scrape_rules *rules,
			   const struct scrape_input *in, struct scrape_counts *counts,
			   struct arena *scratch, struct err *e);

#endif
