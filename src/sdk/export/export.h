/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_SDK_EXPORT_EXPORT_H
#define VARVE_SDK_EXPORT_EXPORT_H

#include "sdk/export/sink.h"

/*
 * The exporter: bounded queues of encoded messages and a thread per signal, so that a slow endpoint
 * blocks neither the collector nor other signals. Transient errors are retried with back-off.
 */
struct exporter;

struct exporter_options {
	size_t max_bytes;    /* of the queues; above it the oldest item is dropped, as a failure */
	uint32_t max_items;  /* 100 */
	uint64_t timeout_ms; /* of one delivery; 10000 */
	uint64_t retry_first_ms, retry_max_ms, retry_total_ms; /* 1000, 30000, 300000 */
};

/*
 * Make an exporter, which owns the sink, also on failure. The thread of a signal starts with its
 * first item. Return 0 or -ENOMEM.
 */
MUST_USE int exporter_new(struct exporter **out, struct sink *sink,
			  const struct exporter_options *o, struct err *e);

/*
 * Queue an item; takes ownership, also on failure. Return 0, -ENOBUFS when it exceeds max_bytes, or
 * -EAGAIN without a thread.
 */
MUST_USE int exporter_put(struct exporter *x, struct export_item *item);
struct export_item *export_item_new(enum export_signal signal);
void export_item_free(struct export_item *item);

/* Wait until all queued items are confirmed or failed. Return 0 or -ETIMEDOUT. */
MUST_USE int exporter_flush(struct exporter *x, uint64_t timeout_ms);

/* Flush with that timeout, stop and free. Takes NULL. */
void exporter_free(struct exporter *x, uint64_t timeout_ms);

/*
 * fork() handlers: before, after in the parent, and in the child, which starts with empty queues
 * and no threads.
 */
void exporter_before_fork(struct exporter *x);
void exporter_after_fork(struct exporter *x);
void exporter_in_child(struct exporter *x);

void exporter_counters(struct exporter *x, struct varve_delivery *out);
bool exporter_wants_pprof(const struct exporter *x);
bool exporter_profiles_only(const struct exporter *x);

/* Write the error of the last failed delivery, or "". Return the length, below `size`. */
size_t exporter_last_error(struct exporter *x, char *out, size_t size);

/* Ask the sink whether the server is ready. Return 0 or -errno with the reason. */
MUST_USE int exporter_check(struct exporter *x, struct err *e);
/*
 * Write the header sent with each export, "varve-profiler: samples=N lost=N cpu_ns=N", all since
 * the start: samples taken, samples dropped because a buffer was full, CPU time of the library's
 * threads and of sampling hooks. Return `out`.
 */
enum { SINK_COST_MAX = 128 };
const char *sink_cost(char out[SINK_COST_MAX]);

#endif
