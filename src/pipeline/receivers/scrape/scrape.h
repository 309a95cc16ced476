/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_RECEIVERS_SCRAPE_SCRAPE_H
#define VARVE_PIPELINE_RECEIVERS_SCRAPE_SCRAPE_H

#include <stdatomic.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/str.h"

/*
 * A scheduler of periodic jobs that may block: scrapes, host metrics, checks. Each receiver has its
 * own.
 *
 * Jobs run on worker threads: one to begin with, and one more whenever all are busy and other jobs
 * wait, up to a limit. A job never runs twice at the same time. A run whose time passes while the
 * job is still running, or while no thread is free, is skipped and counted; the grid of times
 * stays.
 */
struct scrape_scheduler;
struct scrape_job;

/* One run of a job. */
struct scrape_run {
	/*
	 * Nanoseconds since 1970: the time for the data points. It lies on the grid of intervals
	 * if the run began within 2 ms (at most 1 % of the interval) of it, so that timestamps are
	 * regular.
	 */
	uint64_t time;
	uint64_t timeout;	       /* nanoseconds */
	uint64_t deadline;	       /* clock_monotonic_ns() at which the timeout is over */
	const _Atomic bool *cancelled; /* set when the job is removed: return soon */
};

struct scrape_spec {
	uint64_t interval; /* nanoseconds, at least 1 ms */
	uint64_t delay;	   /* nanoseconds before the first run */
	uint64_t timeout;  /* nanoseconds; 0: the interval */
	/* Called on a thread of the scheduler. */
	void (*run)(void *owner, const struct scrape_run *run);
	/* Called once after the last run, before scrape_remove() returns; may be NULL. */
	void (*end)(void *owner);
	void *owner;
};

/* The usual number of threads, and the limit, for jobs that take long. */
enum { SCRAPE_THREADS = 64, SCRAPE_THREADS_MAX = 1024 };

/* `name` is that of the threads, up to 15 bytes. Return 0 or -ENOMEM. */
MUST_USE int scrape_scheduler_new(struct scrape_scheduler **out, const char *name,
				  unsigned threads_max, struct err *e);

/* Stop and free. Accepts NULL. */
void scrape_scheduler_free(struct scrape_scheduler *s);

/* Start the first thread. Jobs may be added before and after. Return 0 or -errno. */
MUST_USE int scrape_scheduler_start(struct scrape_scheduler *s, struct err *e);

/*
 * Cancel all jobs, wait for those that are running, call end() of each job, and end the threads.
 * The jobs are freed. May be called again.
 */
void scrape_scheduler_stop(struct scrape_scheduler *s);

/* Add a job; *out may be NULL. Return 0, -ENOMEM, or -ECANCELED after scrape_scheduler_stop(). */
MUST_USE int scrape_add(struct scrape_scheduler *s, const struct scrape_spec *spec,
			struct scrape_job **out);

/* Cancel a job, wait until it does not run, call its end() and free it. Not from the job itself. */
void scrape_remove(struct scrape_scheduler *s, struct scrape_job *job);

/* Return the number of runs that were skipped. Any thread. */
uint64_t scrape_skipped(const struct scrape_scheduler *s);

/*
 * Return a delay below `interval` that depends on `key` only: it spreads jobs over the interval, in
 * the same way after each start.
 */
uint64_t scrape_offset(struct str key, uint64_t interval);

static inline bool scrape_cancelled(const struct scrape_run *run)
{
	return atomic_load_explicit(run->cancelled, memory_order_relaxed);
}

/* Return the nanoseconds until the deadline, 0 if it has passed or the run is cancelled. */
static inline uint64_t scrape_time_left(const struct scrape_run *run)
{
	uint64_t now = clock_monotonic_ns();

	return scrape_cancelled(run) || now >= run->deadline ? 0 : run->deadline - now;
}

#endif
