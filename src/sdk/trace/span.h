/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_SDK_TRACE_SPAN_H
#define VARVE_SDK_TRACE_SPAN_H

#include "base/err.h"
#include "varve/varve.h"

/*
 * The tracer: its start and stop. Running spans are slots of a fixed pool (span_slot.h). A sampled
 * span that ends is encoded as OTLP at once into the tracer's buffer (span_encode.h), which the
 * collector passes to the exporter every export interval, or earlier when much is pending. What is
 * current on a thread is in span_thread.h.
 */

struct tracer_options {
	enum varve_sampler sampler;
	double ratio;
	uint32_t max_spans; /* running at the same time; 0: 4096 */
	/* encoded bytes of ended spans, 0: 4 MiB; spans that do not fit are dropped and counted */
	size_t max_bytes;
	bool export;
	/* put a record into the ring when a span ends: conditional profiling */
	bool records;
	/* profile only while spans of this name run; may be NULL */
	const char *only_name;
	/* publish thread contexts to host profilers: otel_thread_ctx_v1 */
	bool publish;
};

/* Start. 0, -EALREADY or -ENOMEM. */
MUST_USE int tracer_start(const struct tracer_options *o, struct err *e);

/* Stop: wait until no thread is inside a function of the tracer, then free its memory. */
void tracer_stop(void);

/*
 * Register for membarrier(), so that threads enter the tracer without a fence; tracer_stop() then
 * issues one for all threads. In a process of several threads the kernel may need some 10 ms for
 * this, so a start does not wait for it. Library threads only.
 */
void tracer_register_membarrier(void);

/*
 * In a forked child: running spans of this thread go on but are exported by the parent, as are
 * ended spans.
 */
void tracer_forked(void);

/* Return the number of spans exported since the start, and of spans dropped. */
void tracer_counters(uint64_t *spans, uint64_t *lost);

#endif
