/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_SDK_COLLECT_METRICS_H
#define VARVE_SDK_COLLECT_METRICS_H

#include "base/buf.h"
#include "signal/profile/profile.h"

/*
 * Numbers about the process and about the profilers themselves: as OTLP metrics every export interval, and as Prometheus text when
 * somebody asks. What there is, is one table (metrics.c).
 */
struct metric_values {
	uint64_t resident, virtual_size, threads;
	uint64_t switches_voluntary, switches_involuntary, faults_minor, faults_major;
	double cpu_user_s, cpu_system_s;
	uint64_t heap_used, heap_mapped; /* as the allocator says; 0 when it says nothing */
	uint64_t heap_live_bytes, heap_live_objects; /* as the heap profiler estimates */
	double own_cpu_s, own_share;
	uint64_t buffers; /* bytes that the library holds within its budget */
	uint64_t samples, samples_lost, samples_cut, spans, spans_lost;
	uint64_t exports_sent, exports_confirmed, exports_failed, exports_pending, export_bytes;
	uint64_t refused, shed, cpu_hz, interval_ms;
};

struct sdk;
void metrics_read(struct sdk *s, struct metric_values *out);

/* An ExportMetricsServiceRequest. 0 or -ENOMEM. */
MUST_USE int metrics_encode(struct buf *out, const struct metric_values *v,
			    const struct keyvalue *resource, uint32_t resource_count,
			    uint64_t start_unix_ns, uint64_t now_unix_ns);

/* Prometheus's text format. 0 or -ENOMEM. */
MUST_USE int metrics_text(struct buf *out, const struct metric_values *v);

#endif
