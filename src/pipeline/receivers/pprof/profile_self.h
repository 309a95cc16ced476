/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_RECEIVERS_PPROF_PROFILE_SELF_H
#define VARVE_PIPELINE_RECEIVERS_PPROF_PROFILE_SELF_H

#include "pipeline/component.h"
#include "pipeline/receivers/pprof/pprof_settings.h"
#include "pipeline/receivers/scrape/scrape.h"

/* The section `self`: CPU profiles of this process, one after the other, by host.take_profile. */
struct profile_self;

/* Return 0, or a negative errno with text in `e`. The settings outlive it. */
MUST_USE int profile_self_new(struct profile_self **out, const struct component_env *env,
			      const struct pprof_self_settings *settings, struct err *e);

/* After the scheduler was stopped. Takes NULL. */
void profile_self_free(struct profile_self *s);

/* Add its job to the scheduler. Return 0, or a negative errno with text in `e`. */
MUST_USE int profile_self_start(struct profile_self *s, struct scrape_scheduler *scheduler,
				struct err *e);

#endif
