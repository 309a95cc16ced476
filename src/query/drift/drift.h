/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_QUERY_DRIFT_DRIFT_H
#define VARVE_QUERY_DRIFT_DRIFT_H

#include "base/arena.h"
#include "base/err.h"

/*
 * Finds functions of one service whose share of the cost has changed and stays changed.
 *
 *	drift_new(&d, budget);
 *	for each slot of ten minutes, in order:
 *		drift_deploy(d, slot);		if a new version runs from this slot on
 *		drift_add(d, &counts, report, context, &e);
 *	drift_free(d);
 *
 * The baseline of a function is its usual share, multiplied by what is usual in that hour of the
 * week. Sums over windows of 30 minutes to 24 hours are compared with it. How much a sum deviates
 * without a cause is learned for each function and window, so that sampling errors and the service's
 * own unrest are both known. A deviation becomes a candidate when it exceeds what chance explains
 * over all functions and weeks, and a finding when it has lasted longer than the bursts of this
 * service do: how long these last and how frequent they are is learned as well
 * (drift_transients.h). After a deploy, fixed windows that begin with it are compared in addition.
 *
 * One thread at a time. Memory: about 3 KB for each monitored function. Deterministic: the same
 * slots give the same findings.
 */
enum {
	DRIFT_SLOT_SECONDS = 600,
	DRIFT_SLOTS_PER_HOUR = 6,
	DRIFT_SLOTS_PER_DAY = 144,
	DRIFT_SLOTS_PER_WEEK = 1008,
	DRIFT_MAX_FUNCTIONS = 1 << 20, /* ids are below it */
	DRIFT_MAX_MONITORED = 4096     /* functions with a model */
};

enum drift_kind {
	DRIFT_REGRESSION,
	DRIFT_IMPROVEMENT,
	DRIFT_NEW,  /* a function that was not seen before has a considerable share */
	DRIFT_ENDED /* an earlier finding is over: the function is back at its old share */
};

struct drift_finding {
	enum drift_kind kind;
	uint32_t function;
	uint64_t since, found; /* slots: the first one that is changed, and the current one */
	/* Cost divided by the expected cost since then, with the limits of its 95 % interval. */
	double ratio, low, high;
	double before, after; /* shares of the total */
	double z;	      /* deviation in standard deviations */
	bool deploy;	      /* it began with a deploy */
};

/* Called once for each finding, from drift_add(). */
typedef void drift_report(void *context, const struct drift_finding *finding);

struct drift_count {
	uint32_t function; /* a number of the caller's, constant over time, as small as possible */
	double n;	   /* samples of the function, self or total: always the same of both */
};

struct drift_slot {
	uint64_t slot; /* seconds since 1970 / DRIFT_SLOT_SECONDS; later than the one before */
	double total;  /* samples of all functions; 0: no data */
	const struct drift_count *counts; /* each function at most once; others have 0 */
	uint32_t n;
};

struct drift;

/* Return a detector that has seen nothing, or NULL without memory. */
struct drift *drift_new(struct budget *budget);
void drift_free(struct drift *d);

/*
 * Add the next slot and report what is found. Slots that were left out have no data. 0, -EINVAL for a
 * slot that is not later than the last one or a function number that is too large, or -ENOMEM: then
 * the slot is lost, and the detector can be used further.
 */
MUST_USE int drift_add(struct drift *d, const struct drift_slot *slot, drift_report *report,
		       void *context, struct err *e);

/* Note that a new version of the service runs from this slot on, which is not added yet. */
void drift_deploy(struct drift *d, uint64_t slot);

/* Return the number of functions with a model. */
uint32_t drift_monitored(const struct drift *d);

#endif
