/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_RECEIVERS_PPROF_PROFILE_REMOTE_H
#define VARVE_PIPELINE_RECEIVERS_PPROF_PROFILE_REMOTE_H

#include "pipeline/component.h"
#include "pipeline/receivers/pprof/pprof_settings.h"
#include "pipeline/receivers/scrape/scrape.h"

/* The section `remote`: one URL, with the settings of the OpenTelemetry Collector's clients. */
struct profile_remote;

/* Return 0, or a negative errno with text in `e`. The settings outlive it. */
MUST_USE int profile_remote_new(struct profile_remote **out, const struct component_env *env,
				const struct pprof_remote_settings *settings, struct err *e);

/* After the scheduler was stopped. Takes NULL. */
void profile_remote_free(struct profile_remote *r);

/* Add its job to the scheduler. Return 0, or a negative errno with text in `e`. */
MUST_USE int profile_remote_start(struct profile_remote *r, struct scrape_scheduler *scheduler,
				  struct err *e);

#endif
