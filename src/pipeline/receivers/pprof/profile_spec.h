/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_RECEIVERS_PPROF_PROFILE_SPEC_H
#define VARVE_PIPELINE_RECEIVERS_PPROF_PROFILE_SPEC_H

#include "pipeline/receivers/pprof/pprof_settings.h"
#include "pipeline/receivers/prometheus/target_spec.h"

/*
 * Make the spec of one profile of a discovered address, whose labels are the attributes of its
 * profiles, with __name__, service_name, job and instance. Before relabelling the profile has the
 * labels __name__, __profile_path__ and __profile_path_prefix__ besides those of metrics. The
 * results are those of target_spec_make().
 */
MUST_USE int profile_spec_make(struct target_spec *out, const struct pprof_job *job,
			       const struct profile_choice *choice,
			       const struct discovered_target *found, struct relabel *relabel,
			       struct arena *arena, struct err *e);

#endif
