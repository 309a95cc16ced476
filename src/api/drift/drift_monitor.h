/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_API_DRIFT_DRIFT_MONITOR_H
#define VARVE_API_DRIFT_DRIFT_MONITOR_H

#include "api/drift/drift_log.h"
#include "store/store.h"

/*
 * Watches all services for drift (docs/drift.md): a thread reads each slot of ten minutes of each
 * service from the store some minutes after its end, feeds a detector for each service and profile
 * type (drift_watch.h), and adds what it finds to the log of events (drift_log.h).
 *
 * Detectors are in memory only. After the start they are made from what is stored of the last
 * weeks; this and everything else uses at most a part of one processor. What was found before is
 * not added again.
 *
 *	drift_monitor_new(&m, &options, &e);
 *	drift_monitor_start(m, &e);
 *	...
 *	drift_monitor_stop(m);			before the store is closed
 *	drift_monitor_free(m);
 */
struct drift_monitor;

enum {
	DRIFT_HISTORY_SLOTS = 4 * DRIFT_SLOTS_PER_WEEK,
	DRIFT_WATCHES_MAX = 20000, /* services and types */
};

struct drift_monitor_options {
	struct store *store; /* borrowed */
	const char *file;    /* of events; NULL: none */
	struct key_ring *keys;
	const struct log *log;
	/* Bytes of all detectors; and while slots are read. */
	size_t memory, query_memory;
	struct budget *rest;   /* of which they use it; may be NULL */
	unsigned cpu_percent;  /* of one processor, at most; 1 to 100 */
	uint64_t delay_ns;     /* how long after its end a slot is read */
	uint64_t retention_ns; /* of events; 0: unlimited */
};

/* Make a monitor with the events of its file. Return 0 or -ENOMEM. */
MUST_USE int drift_monitor_new(struct drift_monitor **out, const struct drift_monitor_options *o);
void drift_monitor_free(struct drift_monitor *m); /* takes NULL */

/* Start its thread. Return 0 or -errno. */
MUST_USE int drift_monitor_start(struct drift_monitor *m, struct err *e);

/* End the thread and write the file. Takes NULL; may be called twice. */
void drift_monitor_stop(struct drift_monitor *m);

/*
 * Read some of the slots that ended before `now`. Return 1 if there is more to read, else 0. The
 * thread calls it; tests do without a thread.
 */
int drift_monitor_run(struct drift_monitor *m, uint64_t now);

struct drift_log *drift_monitor_log(struct drift_monitor *m);

/* What the monitor does; any thread. */
struct drift_monitor_stats {
	uint64_t watching;  /* services and types with a detector */
	uint64_t learning;  /* of these, with less than a week of data */
	uint64_t reading;   /* of these, with slots that are still to be read */
	uint64_t refused;   /* without a detector, for lack of memory */
	uint64_t functions; /* with a model */
	uint64_t memory, memory_limit;
	uint64_t slots, failures; /* read; that could not be read */
	uint64_t moved;		  /* findings that were not reported: the cost moved */
	uint64_t events[4];	  /* added, by kind */
	uint64_t cpu_ns;
};
void drift_monitor_stats(struct drift_monitor *m, struct drift_monitor_stats *out);

#endif
