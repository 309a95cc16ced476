/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_RECEIVERS_PPROF_PPROF_SETTINGS_H
#define VARVE_PIPELINE_RECEIVERS_PPROF_PPROF_SETTINGS_H

#include "pipeline/exporters/sender/client_settings.h"
#include "pipeline/receivers/pprof/profile_kinds.h"
#include "pipeline/receivers/prometheus/scrape_config.h"

/*
 * The settings of the receiver: jobs, with the keys of Prometheus and of Alloy's pyroscope.scrape,
 * and the sources of the OpenTelemetry Collector's receiver.
 */
struct pprof_job {
	struct scrape_config http; /* the first member: see SCRAPE_REQUEST_SETTINGS */
	uint64_t delta_ns;	   /* delta_profiling_duration; 0: the interval - 1 s */
	struct profiling_settings profiling;
};

struct pprof_jobs {
	struct pprof_job *at;
	uint32_t n;
};

struct pprof_remote_settings {
	struct client_settings client;
	uint64_t interval_ns, initial_delay_ns, timeout_ns;
};

struct pprof_file_settings {
	struct str include;
	uint64_t interval_ns, initial_delay_ns;
};

struct pprof_self_settings {
	uint64_t interval_ns, initial_delay_ns;
};

struct pprof_settings {
	struct pprof_jobs jobs;
	struct pprof_remote_settings remote;
	struct pprof_file_settings file;
	struct pprof_self_settings self;
	bool has_remote, has_file, has_self; /* set by the table */
};

extern const struct setting pprof_receiver_table[];

/* Check the settings, and complete those of jobs. Return 0, or -EINVAL with text in `e`. */
MUST_USE int pprof_settings_check(const struct pprof_settings *s, struct err *e);

/* Return how many seconds the server is to record for a profile, of which one is scraped. */
uint64_t pprof_job_seconds(const struct pprof_job *job, uint64_t interval_ns);

#endif
