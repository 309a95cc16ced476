/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_SDK_TRACE_SPAN_H
#define VARVE_SDK_TRACE_SPAN_H

#include "base/buf.h"
#include "base/err.h"
#include "sdk/hook/guest.h"
#include "varve/varve.h"

/*
 * The tracer. A span that runs is a slot of a fixed pool; ended spans that are sampled are encoded as OTLP at once into the
 * tracer's buffer, which the collector's thread hands to the exporter every export interval or when it is half full.
 *
 * What is current on a thread is a `struct thread_context`, the very record of OTEP 4947 that host profilers read; hooks copy
 * the ids out of it. Making a span current is a few stores with a compiler fence between them.
 */

/* OTEP 4947: what the TLS symbol otel_thread_ctx_v1 points at. */
struct thread_context {
	uint8_t trace_id[16], span_id[8];
	uint8_t valid, trace_flags;
	uint16_t attributes_size;
	uint8_t attributes[612]; /* SPAN_ATTRIBUTES_BYTES */
} __attribute__((packed, aligned(8)));

/* The current ids of this thread for a record; false and zeros: none. Hook-safe. */
bool span_current_ids(uint8_t trace_id[16], uint8_t span_id[8]);

/*
 * The same of another thread, which sleeps: `record` is what span_thread_record() said on that thread, and stays readable. NULL: none.
 */
bool span_ids_of(const void *record, uint8_t trace_id[16], uint8_t span_id[8]);
const void *span_thread_record(void); /* of this thread; NULL: none yet. Hook-safe */

struct tracer_options {
	enum varve_sampler sampler;
	double ratio;
	uint32_t max_spans; /* that run; 4096 */
	size_t max_bytes;   /* ended ones, encoded; 4 MB; over it they are dropped and counted */
	bool export;
	bool records;	       /* tell the collector when spans end: conditional profiling */
	const char *only_name; /* profile only while spans of this name run; may be NULL */
	bool publish;	       /* show threads' contexts to host profilers: otel_thread_ctx_v1 */
};

MUST_USE int tracer_start(const struct tracer_options *o, struct err *e);
void tracer_stop(void);

/*
 * Let threads do without a fence when they go inside; tracer_stop() then makes one for all of them. The kernel may take some 10 ms
 * to prepare for that in a process of several threads, so that is not for a start to wait for. Any thread of ours.
 */
void tracer_settle(void);

/* In a forked child: spans that run go on, but are the parent's to send; those that have ended are too. */
void tracer_forked(void);

/* Bytes of ended spans that wait for tracer_take(). */
size_t tracer_pending(void);

/* How many spans have ended since the start, and how many of them were dropped. */
void tracer_counters(uint64_t *spans, uint64_t *lost);

/* Append an ExportTraceServiceRequest of what has ended since the last call; its spans are counted in *spans. Empty when none. */
struct keyvalue;
MUST_USE int tracer_take(struct buf *out, const struct keyvalue *resource, uint32_t resource_count,
			 uint64_t *spans, uint64_t *lost);

/* Let otel_thread_ctx_v1 of this thread point there; NULL: to nothing (span_tls.c). */
void span_publish_thread(struct thread_context *context);

/*
 * The labels of this thread for host profilers, as OTEP 4947 has them: {u8 key, u8 length, value}*, keys being places in the process context's
 * threadlocal.attribute_key_map. Replaces what was there. Nothing while the tracer is off.
 */
enum { SPAN_ATTRIBUTES_BYTES = 612 };
void span_set_attributes(const void *bytes, size_t n);

/* Only profile now? False when only_name is set and no such span runs on this thread. Hook-safe. */
bool span_wants_samples(void);

#endif
