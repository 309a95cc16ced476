/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_FORMAT_OTLP_TRACES_H
#define VARVE_FORMAT_OTLP_TRACES_H

#include "signal/span_batch.h"

/*
 * OpenTelemetry traces: an ExportTraceServiceRequest (which is laid out as TracesData) into an empty batch. Spans with
 * an id of the wrong length, or all zero, are counted in out->rejected and the others kept. The service is worked
 * out as for profiles: docs/series.md.
 *
 * The batch borrows from `in`. 0, -EBADMSG "at byte N: expected X, found Y", or -ENOMEM; after an error the batch is
 * empty.
 */
MUST_USE int otlp_traces_decode(struct span_batch *out, struct str in, struct err *e);

/* The same from JSON (ids in hex), one message. The batch borrows nothing. */
MUST_USE int otlp_traces_decode_json(struct span_batch *out, struct str in, struct err *e);

#endif
