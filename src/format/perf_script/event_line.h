/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_FORMAT_PERF_SCRIPT_EVENT_LINE_H
#define VARVE_FORMAT_PERF_SCRIPT_EVENT_LINE_H

#include "base/str.h"

/*
 * The first line of a sample. All fields are optional, but their order is fixed:
 *
 * V8 Worker 24636/25607 [002] 6544038.708352: 1001001 cpu-clock:u: 7f2d84 _start+0x4 (/lib/ld.so)
 * comm      pid/tid     cpu   time            period  event        the only frame, or a payload
 */
struct perf_event {
	struct str comm; /* may be empty */
	bool has_pid, has_tid, has_cpu, has_time, has_period;
	int64_t pid, tid;
	uint64_t cpu, time, period;
	struct str event;  /* with its modifiers, without the colon; empty: not printed */
	struct str rest;   /* after the event */
	struct str source; /* the text of comm, pid, tid and cpu */
};

/*
 * Parse an event line. Return false unless there is a time, or an event after a number; if `loose`,
 * an event after a comm is enough.
 */
bool perf_event_parse(struct str line, bool loose, struct perf_event *out);

/*
 * Parse " hot 9915 556ce5530210 leaf (/tmp/hot)": a line with neither time nor event, whose frame
 * becomes `rest`.
 */
bool perf_event_parse_with_frame(struct str line, struct perf_event *out);

/* Parse a line of only comm and pid; the caller checks that frames follow. */
bool perf_event_parse_bare(struct str line, struct perf_event *out);

/* Return whether the line is a record other than a sample (PERF_RECORD_MMAP2, ...). */
bool perf_event_is_record(const struct perf_event *e);

/*
 * Return whether the event is a tracepoint or probe ("sched:sched_switch"), so that the rest of the
 * line is its payload.
 */
bool perf_event_is_tracepoint(struct str event);

/* Return the event without modifiers: "cycles" of "cycles:ppp", "sched:sched_switch" unchanged. */
struct str perf_event_base(struct str event);

#endif
