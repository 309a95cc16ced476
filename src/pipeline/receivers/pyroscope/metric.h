/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_PYROSCOPE_METRIC_H
#define VARVE_PIPELINE_PYROSCOPE_METRIC_H

#include "signal/profile/profile.h"

/* What Pyroscope calls the profiles of /ingest: the name before the first colon of a profile type. */
struct metric {
	struct str app; /* the service's name without the suffix that said the type */
	struct str name, type, unit, period_type, period_unit;
	bool ticks; /* values count ticks of the sample rate, and become nanoseconds */
};

/* For formats without types: the suffix of the app's name says it ("shop.inuse_space"); without one it is CPU time. */
void metric_of_app(struct metric *m, struct str app);

/*
 * What the header X-Profile-Type calls it: one of those suffixes, or a common word (cpu, heap, allocs, goroutine, mutex,
 * block). Any other name of letters, digits and _ is the name alone, without a type. false: it is no name.
 */
bool metric_of_header(struct metric *m, struct str type);

/* Set type, period and values of all profiles of the batch. 0 or -ENOMEM. */
MUST_USE int metric_apply(struct profile_batch *b, const struct metric *m, int64_t sample_rate);

/*
 * For pprof: by its sample types and what `config` (JSON: {"samples": {"display-name": ...}}; may be
 * empty) calls them. A config that is no JSON is as none. 0 or -ENOMEM.
 */
MUST_USE int metric_of_pprof(struct str *name, const struct profile_batch *b, struct str config,
			     struct arena *arena);

/* For speedscope: one profile is CPU time; several are what their units say. 0 or -ENOMEM. */
MUST_USE int metric_of_speedscope(struct profile_batch *b, int64_t sample_rate);

#endif
