/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_SDK_TRACE_SPAN_ENCODE_H
#define VARVE_SDK_TRACE_SPAN_ENCODE_H

#include "base/buf.h"

/* Ended spans as OTLP, between their end and their export. */

struct span_slot;
struct keyvalue;

/*
 * Append the span, which has ended at `end_ns`, to the tracer's buffer. False: the buffer is full.
 * Inside the tracer only.
 */
bool span_encode(struct span_slot *s, uint64_t end_ns);

/* Return the bytes of ended spans that wait for tracer_take(). */
size_t tracer_pending(void);

/*
 * Append an ExportTraceServiceRequest with the spans that have ended since the last call; nothing
 * if there are none. *spans is their number, *lost the number of spans dropped since the start. 0
 * or -errno. Collector only.
 */
MUST_USE int tracer_take(struct buf *out, const struct keyvalue *resource, uint32_t resource_count,
			 uint64_t *spans, uint64_t *lost);

#endif
