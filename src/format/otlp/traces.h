/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_FORMAT_OTLP_TRACES_H
#define VARVE_FORMAT_OTLP_TRACES_H

#include "base/buf.h"
#include "signal/span_batch.h"

/*
 * Decode OpenTelemetry traces, an ExportTraceServiceRequest (TracesData has the same fields), into
 * an empty batch. Spans with an id of the wrong length or of zeros, and spans larger than
 * SPAN_DETAILS_MAX, are dropped and counted in out->rejected. Text that is not UTF-8 is repaired.
 * Unknown fields are dropped. The service name is derived as for profiles (docs/series.md).
 *
 * The batch borrows from `in`. Return 0, -EBADMSG with "at byte N: expected X, found Y" in `e`, or
 * -ENOMEM; after an error the batch is empty.
 */
MUST_USE int otlp_traces_decode(struct span_batch *out, struct str in, struct err *e);

/* Decode the same from one message in JSON (ids in hex). The batch borrows nothing. */
MUST_USE int otlp_traces_decode_json(struct span_batch *out, struct str in, struct err *e);

/*
 * Append the spans as a TracesData message, grouped by resource and scope in the order of
 * the batch's resources and scopes. A span without a resource gets one with the name of its service. Return 0 or -ENOMEM.
 */
MUST_USE int otlp_traces_encode(struct buf *out, const struct span_batch *b);

/* Append the same in OTLP's JSON. Return 0 or -ENOMEM. */
MUST_USE int otlp_traces_encode_json(struct buf *out, const struct span_batch *b);

#endif
