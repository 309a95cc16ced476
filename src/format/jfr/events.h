/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_FORMAT_JFR_EVENTS_H
#define VARVE_FORMAT_JFR_EVENTS_H

#include "format/jfr/resolve.h"
#include "format/jfr/samples.h"

/*
 * Turns the events of a chunk into observations: which events are known, what their fields mean,
 * and how the recording's settings scale them. Settings stay valid from chunk to chunk.
 */
struct jfr_settings {
	/* What async-profiler samples by: "cpu", "wall", "cache-misses". */
	struct str event;
	/* Version of async-profiler; empty for another recorder. */
	struct str version;
	/* Of async-profiler's event, in its own unit; 0: unknown. */
	int64_t interval;
	/* Nanoseconds; -1: unknown. */
	int64_t wall;
	/* Nanoseconds between the JDK's samples; 0: unknown. */
	int64_t execution, native;
	int64_t alloc; /* bytes */
	struct str jvm_name, jvm_version;
	int64_t pid;
};

/*
 * Add the events of one chunk to `samples`. Settings are copied to the samples' arena. Return 0 or
 * -errno.
 */
MUST_USE int jfr_events_read(struct jfr_samples *samples, struct jfr_settings *settings,
			     struct jfr_resolver *resolver, struct err *e);

/* Return the event's name if it is not a clock, so that its values are no nanoseconds; else "". */
struct str jfr_counted_event(const struct jfr_settings *settings);

#endif
