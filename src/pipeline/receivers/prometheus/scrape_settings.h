/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_RECEIVERS_PROMETHEUS_SCRAPE_SETTINGS_H
#define VARVE_PIPELINE_RECEIVERS_PROMETHEUS_SCRAPE_SETTINGS_H

#include "pipeline/receivers/prometheus/scrape_config.h"

/* The settings of the receiver: the part of Prometheus' configuration file that is about scrapes. */
struct scrape_configs {
	struct scrape_config *at;
	uint32_t n;
};

struct prometheus_receiver_settings {
	struct prometheus_config {
		struct prometheus_global {
			uint64_t interval_ns, timeout_ns;
			struct setting_map external_labels;
			struct scrape_limits limits;
		} global;
		struct scrape_configs jobs;
	} config;
	bool trim_metric_suffixes;
	uint64_t initial_scrape_offset_ns;
};

extern const struct setting prometheus_receiver_table[];

/* Check the settings, and complete those of jobs by `global`. Return 0, or -EINVAL with `e`. */
MUST_USE int prometheus_receiver_check(const struct prometheus_receiver_settings *s, struct err *e);

#endif
