/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_SDK_COLLECT_METRICS_H
#define VARVE_SDK_COLLECT_METRICS_H

#include "base/buf.h"
#include "signal/profile/profile.h"

/*
 * Metrics of the process and of the profilers: as OTLP every export interval, as Prometheus text on
 * request. One table (metrics.c) declares them all.
 */
struct metric_values {
	uint64_t resident, virtual_size, threads;
	uint64_t switches_voluntary, switches_involuntary, faults_minor, faults_major;
	double cpu_user_s, cpu_system_s;
	uint64_t heap_used, heap_mapped; /* reported by the allocator; 0: not reported */
	uint64_t heap_live_bytes, heap_live_objects; /* estimated by the heap profiler */
	double own_cpu_s, own_share;
	uint64_t buffers; /* bytes that count against the library's budget */
	uint64_t samples, samples_lost, samples_cut, spans, spans_lost, logs, logs_lost;
	uint64_t exports_sent, exports_confirmed, exports_failed, exports_pending, export_bytes;
	uint64_t refused, shed, cpu_hz, interval_ms;
	bool aliases; /* also under the names of the option metric_aliases */
};

struct sdk;

/* Read all values. Not for hooks. (metrics_read.c) */
void metrics_read(struct sdk *s, struct metric_values *out);

/* Append the text of all metrics of a running library. Return 0 or -ENOMEM. (metrics_read.c) */
MUST_USE int metrics_text_of(struct sdk *s, struct buf *out);

/*
 * Append an ExportMetricsServiceRequest, with the metrics of the program (sdk/metrics/) as a second
 * scope. Return 0 or -ENOMEM.
 */
MUST_USE int metrics_encode(struct buf *out, const struct metric_values *v,
			    const struct keyvalue *resource, uint32_t resource_count,
			    uint64_t start_unix_ns, uint64_t now_unix_ns);

/* Append Prometheus text, with the metrics of the program. Return 0 or -ENOMEM. */
MUST_USE int metrics_text(struct buf *out, const struct metric_values *v);

#endif
