/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_RECEIVERS_PROMETHEUS_SCRAPE_POOL_H
#define VARVE_PIPELINE_RECEIVERS_PROMETHEUS_SCRAPE_POOL_H

#include "pipeline/receivers/prometheus/scrape_target.h"

/*
 * The targets of one scrape config: those of static_configs, and those of files, which are read
 * again from time to time. Targets that are new are started, others that have vanished are ended.
 */
struct scrape_pool;

/* Return 0, or a negative errno with text in `e`. */
MUST_USE int scrape_pool_new(struct scrape_pool **out, const struct component_env *env,
			     const struct prometheus_receiver_settings *settings,
			     const struct scrape_config *config, struct err *e);

/* After the scheduler was stopped. Takes NULL. */
void scrape_pool_free(struct scrape_pool *p);

/* Discover targets and add their jobs, and that of the files, to the scheduler. */
MUST_USE int scrape_pool_start(struct scrape_pool *p, struct scrape_scheduler *scheduler,
			       struct err *e);

/* Let targets end without staleness markers from here on. Any thread. */
void scrape_pool_stopping(struct scrape_pool *p);

#endif
