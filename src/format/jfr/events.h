/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_FORMAT_JFR_EVENTS_H
#define VARVE_FORMAT_JFR_EVENTS_H

#include "format/jfr/resolve.h"
#include "format/jfr/samples.h"

/*
 * Events -> observations: which events we know, what their fields mean, and what the recording's
 * settings say of them. Settings hold from chunk to chunk.
 */
struct jfr_settings {
	struct str event;   /* what async-profiler samples by: "cpu", "wall", "cache-misses" */
	struct str version; /* of async-profiler; empty: another recorder */
	int64_t interval;   /* of async-profiler's event, in its own unit; 0: not said */
	int64_t wall;	    /* nanoseconds; -1: not said */
	int64_t execution, native; /* nanoseconds between the JDK's samples; 0: not said */
	int64_t alloc;		   /* bytes */
	struct str jvm_name, jvm_version;
	int64_t pid;
};

/* Read the events of one chunk. What settings keep is copied to the samples' arena. 0 or -errno. */
MUST_USE int jfr_events_read(struct jfr_samples *samples, struct jfr_settings *settings,
			     struct jfr_resolver *resolver, struct err *e);

/* The event's name when it is not a clock, so that its numbers are no nanoseconds; else empty. */
struct str jfr_counted_event(const struct jfr_settings *settings);

#endif
