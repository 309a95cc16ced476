/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_QUERY_DRIFT_DRIFT_MODEL_H
#define VARVE_QUERY_DRIFT_DRIFT_MODEL_H

#include "query/drift/drift.h"

/*
 * What is usual for one function: its share, by hour of the week, and how far sums over windows
 * deviate from it. The last DRIFT_KEPT slots are kept as counts and as expected counts.
 */
enum { DRIFT_KEPT = 256, DRIFT_WINDOWS = 4, DRIFT_HOURS = 168, DRIFT_DAY_HOURS = 24 };

/* The lengths of the windows in slots: 30 minutes, 2, 8 and 24 hours. */
extern const uint16_t drift_windows[DRIFT_WINDOWS];

/* Counts and expected counts of a range of slots. */
struct drift_sums {
	double n, expected;
};

struct drift_model {
	uint64_t born;				   /* the first slot that is counted */
	uint64_t last;				   /* the newest slot */
	float n[DRIFT_KEPT], expected[DRIFT_KEPT]; /* by slot % DRIFT_KEPT; both 0: no data */
	double level;				   /* logarithm of the usual share */
	float day[DRIFT_DAY_HOURS]; /* logarithm of the ratio of an hour of the day to it */
	float week[DRIFT_HOURS];    /* and of an hour of the week to both */
	uint8_t days[DRIFT_DAY_HOURS], weeks[DRIFT_HOURS]; /* how often these hours were seen */
	struct drift_sums hour; /* of the current hour, without the season */
	double ratio;		/* usual share in the current hour */
	uint64_t ratio_hour;	/* hour of `ratio`, counted from 1970; 0: unknown */
	/* Mean squares of what sums deviate beyond the error of counting, and their number. */
	float unrest[DRIFT_WINDOWS];
	uint32_t unrest_n[DRIFT_WINDOWS];
	struct drift_sums window[DRIFT_WINDOWS]; /* sums of the last slots */
};

/* A function that has `share` of the total, from `slot` on. */
void drift_model_init(struct drift_model *m, uint64_t slot, double share);

/*
 * Begin a slot with that total: learn from the hour that ended, unless `frozen`, and return how many
 * samples are usual. Slots between the last one and this one have no data.
 */
double drift_model_begin(struct drift_model *m, uint64_t slot, double total, bool frozen);

/*
 * Add the slot that was begun. `total` may differ from that of drift_model_begin(). With `frozen`, what
 * is usual does not change.
 */
void drift_model_add(struct drift_model *m, uint64_t slot, double n, double total, bool frozen);

/* Return `from`, or the oldest slot that is kept if that is later. */
uint64_t drift_model_oldest(const struct drift_model *m, uint64_t from);

/* Return the sums of slots `from` to `to`, both included; slots that are not kept count 0. */
struct drift_sums drift_model_sums(const struct drift_model *m, uint64_t from, uint64_t to);

/* Return the logarithm of the ratio of counts to expected counts. */
double drift_log_ratio(struct drift_sums s);

/* Return the standard deviation of drift_log_ratio() of a range of that many slots. */
double drift_model_sigma(const struct drift_model *m, struct drift_sums s, uint32_t slots);

/* Make the cost from `since` on the usual one: multiply what is usual by exp(log_ratio). */
void drift_model_shift(struct drift_model *m, uint64_t since, double log_ratio);

/* Forget the slots `from` to `to`, as if there were no data. */
void drift_model_forget(struct drift_model *m, uint64_t from, uint64_t to);

#endif
