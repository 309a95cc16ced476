/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_SIGNAL_SIGNAL_KIND_H
#define VARVE_SIGNAL_SIGNAL_KIND_H

/* The signals of OpenTelemetry. Their bits can be or-ed. */
enum signal_kind {
	SIGNAL_PROFILES = 1 << 0,
	SIGNAL_TRACES = 1 << 1,
	SIGNAL_METRICS = 1 << 2,
	SIGNAL_LOGS = 1 << 3,
};

enum { SIGNALS = 4 };

/* The index of a signal in an array of SIGNALS elements. */
static inline unsigned signal_index(enum signal_kind signal)
{
	return (unsigned)__builtin_ctz(signal);
}

/* "profiles", "traces", "metrics", "logs", by signal_index(). */
extern const char *const signal_names[SIGNALS];

/*
 * "profile_samples", "spans", "metric_points", "log_records": what a signal is counted in, as in
 * the names of the metrics of components.
 */
extern const char *const signal_items[SIGNALS];

#endif
