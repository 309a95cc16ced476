/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_TELEMETRY_PROCESS_METRICS_H
#define VARVE_PIPELINE_TELEMETRY_PROCESS_METRICS_H

#include "base/buf.h"

/* Return the resident memory of this process. */
uint64_t process_resident_bytes(void);

/*
 * Append uptime, CPU time and memory of this process in Prometheus' text format, with the names of
 * the OpenTelemetry Collector; `suffix` is added to those of counters. `started` is in nanoseconds
 * since 1970.
 */
void process_metrics(struct buf *out, uint64_t started, const char *suffix);

#endif
