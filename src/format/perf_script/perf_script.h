/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_FORMAT_PERF_SCRIPT_H
#define VARVE_FORMAT_PERF_SCRIPT_H

#include "format/format.h"

/* The text that `perf script` prints, with whatever fields it was told to print. */
extern const struct format format_perf_script;

/*
 * The line a sample begins with. Everything but the order is optional:
 *
 *	V8 Worker 24636/25607 [002] 6544038.708352:    1001001   cpu-clock:u: 7f2d84 _start+0x4 (/lib/ld.so)
 *	comm      pid/tid      cpu   time               period   event        the only frame, or a payload
 */
struct perf_event {
	struct str comm; /* may be empty */
	bool has_pid, has_tid, has_cpu, has_time, has_period;
	int64_t pid, tid;
	uint64_t cpu, time, period;
	struct str event;  /* with its modifiers, without the colon; empty: not printed */
	struct str rest;   /* behind the event */
	struct str source; /* the text of comm, pid and cpu: who was running */
};

/*
 * Is it such a line? True only when there is a time or an event behind a number (or `loose`, and
 * an event alone).
 */
bool perf_event_parse(struct str line, bool loose, struct perf_event *out);

/* "             hot  9915  556ce5530210 leaf (/tmp/hot)": neither time nor event, the frame in the rest. */
bool perf_event_parse_with_frame(struct str line, struct perf_event *out);

/* Only comm and pid, if frames come in the next lines. */
bool perf_event_parse_bare(struct str line, struct perf_event *out);

/* Some other record that was asked for: PERF_RECORD_MMAP2, ... */
bool perf_event_is_record(const struct perf_event *e);

/* Is the event's name one of a tracepoint or probe ("sched:sched_switch"), whose rest is a payload? */
bool perf_event_is_tracepoint(struct str event);

/* "cycles" of "cycles:ppp", "sched:sched_switch" as it is. */
struct str perf_event_base(struct str event);

/*
 * One frame:	ffffffff821f5618 __schedule+0x618 ([kernel.kallsyms])
 */
struct perf_frame {
	uint64_t address;
	struct str symbol; /* without the offset; empty: unknown */
	struct str dso;	   /* empty: unknown or not printed */
	bool inlined;
	bool has_dso; /* something stood in parentheses */
};

bool perf_frame_parse(struct str line, struct perf_frame *out);

/* "kernel", "native", "jit", or empty: as FlameGraph tells them, by the address too. */
struct str perf_frame_type(const struct perf_frame *f);

/* The line behind a frame with -F +srcline: "  main.c:12", "  main.c:12 (inlined)". */
struct perf_srcline {
	struct str file;
	int64_t line;
	bool inlined;
};
bool perf_srcline_parse(struct str line, struct perf_srcline *out);

#endif
