/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_RECEIVERS_PROMETHEUS_SCRAPE_TARGET_H
#define VARVE_PIPELINE_RECEIVERS_PROMETHEUS_SCRAPE_TARGET_H

#include "pipeline/component.h"
#include "pipeline/receivers/prometheus/scrape_settings.h"
#include "pipeline/receivers/prometheus/target_spec.h"
#include "pipeline/receivers/scrape/scrape.h"

/* A target that is being scraped: a job of the scheduler, its connection, and its state. */
struct scrape_target;

/* What the targets of a job share. Outlives them. */
struct target_context {
	const struct component_env *env;
	const struct prometheus_receiver_settings *settings;
	const struct scrape_config *config;
	struct scrape_scheduler *scheduler;
	struct relabel *metric_relabel; /* NULL: no rules */
	pthread_mutex_t relabel_mu;
	/* Set before the scheduler is stopped: targets end without staleness markers. */
	_Atomic bool stopping;
	_Atomic bool over_limit; /* target_limit: scrapes fail */
};

/* Copy the spec and start to scrape. Return 0, or a negative errno with text in `e`. */
MUST_USE int scrape_target_start(struct scrape_target **out, struct target_context *context,
				 const struct target_spec *spec, struct err *e);

/* Return the identity of its spec. */
struct str scrape_target_identity(const struct scrape_target *t);

/*
 * End a target that has vanished: its series become stale. It is freed. Targets that are left when
 * the scheduler stops are freed by it.
 */
void scrape_target_end(struct scrape_target *t);

#endif
