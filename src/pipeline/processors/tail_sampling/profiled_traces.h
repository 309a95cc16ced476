/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_PROCESSORS_TAIL_SAMPLING_PROFILED_TRACES_H
#define VARVE_PIPELINE_PROCESSORS_TAIL_SAMPLING_PROFILED_TRACES_H

#include <pthread.h>

#include "pipeline/processors/tail_sampling/trace_id_set.h"
#include "signal/otlp/payload.h"

/*
 * The traces that samples of profiles link to, for the policy profile_samples: pipelines of
 * profiles note them, pipelines of traces look them up. Part of struct host. Any thread.
 */
struct profiled_traces {
	pthread_mutex_t mu;	 /* guards `set` */
	struct trace_id_set set; /* allocated with the first trace */
};

enum { PROFILED_TRACES_MAX = 1 << 17 };

void profiled_traces_init(struct profiled_traces *p);
void profiled_traces_fini(struct profiled_traces *p);

/* Note the traces in the table of links of profiles. Damaged data is ignored. */
void profiled_traces_note(struct profiled_traces *p, struct str tenant,
			  const struct payload *profiles);

bool profiled_traces_has(struct profiled_traces *p, const struct trace_key *key);

#endif
