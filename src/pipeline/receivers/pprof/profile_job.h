/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_RECEIVERS_PPROF_PROFILE_JOB_H
#define VARVE_PIPELINE_RECEIVERS_PPROF_PROFILE_JOB_H

#include "pipeline/component.h"
#include "pipeline/receivers/pprof/pprof_settings.h"
#include "pipeline/receivers/scrape/scrape.h"

/* An element of scrape_configs: each profile of each of its addresses is scraped on its own. */
struct profile_job;

/* Return 0, or a negative errno with text in `e`. The settings outlive the job. */
MUST_USE int profile_job_new(struct profile_job **out, const struct component_env *env,
			     const struct pprof_job *settings, struct err *e);

/* After the scheduler was stopped. Takes NULL. */
void profile_job_free(struct profile_job *j);

/* Discover targets and add them to the scheduler. Return 0, or a negative errno with `e`. */
MUST_USE int profile_job_start(struct profile_job *j, struct scrape_scheduler *scheduler,
			       struct err *e);

#endif
