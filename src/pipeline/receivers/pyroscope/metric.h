/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_PYROSCOPE_METRIC_H
#define VARVE_PIPELINE_PYROSCOPE_METRIC_H

#include "signal/profile/profile.h"

/*
 * Profile types of /ingest as Pyroscope names them: name (before the first colon), type and units.
 */
struct metric {
	struct str app; /* the service's name without the suffix for the type */
	struct str name, type, unit, period_type, period_unit;
	bool ticks; /* values count periods of the sample rate and are converted to nanoseconds */
};

/*
 * Set the type for formats without types, by the suffix of the app's name ("shop.inuse_space");
 * without a suffix it is CPU time.
 */
void metric_of_app(struct metric *m, struct str app);

/*
 * Set the type by the header X-Profile-Type: one of those suffixes, or a common word (cpu, heap,
 * allocs, goroutine, mutex, block). Any other name of letters, digits and _ sets the name only.
 * Return false if it is not a valid name.
 */
bool metric_of_header(struct metric *m, struct str type);

/* Set type, period and values of all profiles of the batch. Return 0 or -ENOMEM. */
MUST_USE int metric_apply(struct profile_batch *b, const struct metric *m, int64_t sample_rate);

/*
 * Set *name for a pprof profile by its sample types and their display names in `config` (JSON:
 * {"samples": {"display-name": ...}}; may be empty, ignored if invalid). Return 0 or -ENOMEM.
 */
MUST_USE int metric_of_pprof(struct str *name, const struct profile_batch *b, struct str config,
			     struct arena *arena);

/*
 * Set the types of speedscope profiles: CPU time for one profile, else by unit. Return 0 or
 * -ENOMEM.
 */
MUST_USE int metric_of_speedscope(struct profile_batch *b, int64_t sample_rate);

#endif
