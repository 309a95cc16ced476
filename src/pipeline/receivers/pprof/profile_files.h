/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_RECEIVERS_PPROF_PROFILE_FILES_H
#define VARVE_PIPELINE_RECEIVERS_PPROF_PROFILE_FILES_H

#include "pipeline/component.h"
#include "pipeline/receivers/pprof/pprof_settings.h"
#include "pipeline/receivers/scrape/scrape.h"

/*
 * The section `file`: files that match a pattern. A file is read when it is new or has changed. Its
 * profiles are identified by its content, so that a store takes them once, also after a restart.
 */
struct profile_files;

/* Return 0, or a negative errno with text in `e`. The settings outlive it. */
MUST_USE int profile_files_new(struct profile_files **out, const struct component_env *env,
			       const struct pprof_file_settings *settings, struct err *e);

/* After the scheduler was stopped. Takes NULL. */
void profile_files_free(struct profile_files *f);

/* Add its job to the scheduler. Return 0, or a negative errno with text in `e`. */
MUST_USE int profile_files_start(struct profile_files *f, struct scrape_scheduler *scheduler,
				 struct err *e);

#endif
