/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_FORMAT_OTLP_LOGS_H
#define VARVE_FORMAT_OTLP_LOGS_H

#include "base/buf.h"
#include "signal/log_batch.h"

/*
 * Decode OpenTelemetry logs, an ExportLogsServiceRequest (LogsData has the same fields), into an
 * empty batch. Records larger than LOG_RECORD_MAX are dropped and counted in out->rejected. The
 * service name is derived as for profiles (docs/series.md). Text is expected to be UTF-8, as
 * otlp_validate() checks it.
 *
 * The batch borrows from `in`. Return 0, -EBADMSG with "at byte N: expected X, found Y" in `e`, or
 * -ENOMEM; after an error the batch is empty.
 */
MUST_USE int otlp_logs_decode(struct log_batch *out, struct str in, struct err *e);

/*
 * Append the records as a LogsData message, grouped by resource and scope in the order of the
 * records. Return 0 or -ENOMEM.
 */
MUST_USE int otlp_logs_encode(struct buf *out, const struct log_batch *b);

#endif
