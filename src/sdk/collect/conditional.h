/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_SDK_COLLECT_CONDITIONAL_H
#define VARVE_SDK_COLLECT_CONDITIONAL_H

#include "sdk/hook/record.h"
#include "varve/varve.h"

/*
 * Conditional profiling: samples that were taken inside a span are held back until the span ends, and go on only if it was slow, used
 * much CPU, or failed. A span that was none of these leaves its samples to its parent, if that runs in this process: a slow
 * request keeps what its quick steps did.
 *
 * CPU, wall, block and mutex samples are held; the heap's are not (what is in use must add up), nor are samples outside of
 * spans. What waits is bounded: over it, the span that has waited longest loses its samples, which is counted. Collector's mutex held.
 */
struct conditional;

struct conditional_options {
	uint64_t slow_ns;
	double busy_share;
	/* an error is no reason to keep a span's samples */
	bool no_failed;
	uint32_t max_records; /* 16384 */
};

MUST_USE int conditional_new(struct conditional **out, const struct conditional_options *o);
void conditional_free(struct conditional *c);
void conditional_reset(struct conditional *c);

/* Judge a record: `emit` is called for each one that goes on, now or held until now. */
void conditional_add(struct conditional *c, const struct record *r,
		     void (*emit)(void *arg, const struct record *r), void *arg);

struct conditional_counters {
	uint64_t kept_spans, dropped_spans; /* that had samples */
	uint64_t dropped_records, evicted_records;
	uint32_t held;
};
void conditional_counters(const struct conditional *c, struct conditional_counters *out);

/* Is it a sample that only counts in spans of the name that is asked for, taken outside of them? */
bool conditional_unwanted(const struct record *r);

#endif
