/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_SDK_COLLECT_CONDITIONAL_H
#define VARVE_SDK_COLLECT_CONDITIONAL_H

#include "sdk/hook/record.h"
#include "varve/varve.h"

/*
 * Conditional profiling: samples taken inside a span are held until the span ends, and are kept
 * only if the span was slow, used much CPU or failed. Otherwise they move to the parent span if
 * that runs in this process, so that a slow request keeps the samples of its fast steps.
 *
 * CPU, wall, block and mutex samples are held; heap samples are not, as allocations and frees must
 * balance, nor are samples outside of spans. The number of held records is bounded: above it, the
 * span that has waited longest loses its samples, which is counted. Requires the collector's mutex.
 */
struct conditional;

struct conditional_options {
	uint64_t slow_ns;
	double busy_share;
	/* a failed span does not keep its samples */
	bool no_failed;
	uint32_t max_records; /* 16384 */
};

MUST_USE int conditional_new(struct conditional **out, const struct conditional_options *o);
void conditional_free(struct conditional *c);

/* Change when a span is slow or busy, for spans that end from now on. */
void conditional_set_thresholds(struct conditional *c, uint64_t slow_ns, double busy_share);
void conditional_reset(struct conditional *c);

/* Pass a record on, hold it, or end its span: `emit` is called for each record that is kept. */
void conditional_add(struct conditional *c, const struct record *r,
		     void (*emit)(void *arg, const struct record *r), void *arg);

struct conditional_counters {
	uint64_t kept_spans, dropped_spans; /* spans that had samples */
	uint64_t dropped_records, evicted_records;
	uint32_t held;
};
void conditional_counters(const struct conditional *c, struct conditional_counters *out);

/* Return whether only_in_spans excludes this sample: it was taken outside of spans of that name. */
bool conditional_is_unwanted(const struct record *r);

#endif
