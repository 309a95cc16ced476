/* SPDX-License-Identifier: Apache-2.0 */
/* The table of metrics, and its two encodings. */
#include "sdk/collect/metrics.h"

#include <stddef.h>

#include "sdk/export/otlp_parts.h"
#include "sdk/metrics/instruments.h"

enum metric_kind {
	GAUGE,
	COUNTER,
};

/* Rows of one metric are adjacent; they differ by an attribute. */
static const struct metric_row {
	const char *name, *prometheus, *unit, *help;
	enum metric_kind kind;
	bool real; /* a double, else a uint64_t */
	const char *key, *value;
	size_t offset;
	bool alias; /* only with the option metric_aliases */
} rows[] = {
#define U(field) false, NULL, NULL, offsetof(struct metric_values, field), false
#define D(field) true, NULL, NULL, offsetof(struct metric_values, field), false
#define BY(real, key, value, field) real, key, value, offsetof(struct metric_values, field), false
#define ALIAS(field) false, NULL, NULL, offsetof(struct metric_values, field), true
	{"process.memory.usage", "process_resident_memory_bytes", "By", "Resident memory", GAUGE,
	 U(resident)},
	{"process.memory.virtual", "process_virtual_memory_bytes", "By", "Address space", GAUGE,
	 U(virtual_size)},
	{"process.thread.count", "process_threads", "{thread}", "Threads", GAUGE, U(threads)},
	{"process.cpu.time", "process_cpu_seconds_total", "s", "CPU time used", COUNTER,
	 BY(true, "cpu.mode", "user", cpu_user_s)},
	{"process.cpu.time", "process_cpu_seconds_total", "s", "CPU time used", COUNTER,
	 BY(true, "cpu.mode", "system", cpu_system_s)},
	{"process.context_switches", "process_context_switches_total", "{context_switch}",
	 "Context switches", COUNTER,
	 BY(false, "process.context_switch.type", "voluntary", switches_voluntary)},
	{"process.context_switches", "process_context_switches_total", "{context_switch}",
	 "Context switches", COUNTER,
	 BY(false, "process.context_switch.type", "involuntary", switches_involuntary)},
	{"process.paging.faults", "process_paging_faults_total", "{fault}", "Page faults", COUNTER,
	 BY(false, "system.paging.fault.type", "minor", faults_minor)},
	{"process.paging.faults", "process_paging_faults_total", "{fault}", "Page faults", COUNTER,
	 BY(false, "system.paging.fault.type", "major", faults_major)},
	{"varve.heap.used", "varve_heap_used_bytes", "By",
	 "Bytes in use, reported by the allocator", GAUGE, U(heap_used)},
	{"varve.heap.mapped", "varve_heap_mapped_bytes", "By",
	 "Bytes mapped from the system, reported by the allocator", GAUGE, U(heap_mapped)},
	{"varve.heap.live", "varve_heap_live_bytes", "By", "Bytes in use, estimated from samples",
	 GAUGE, U(heap_live_bytes)},
	{"varve.heap.objects", "varve_heap_live_objects", "{object}",
	 "Blocks in use, estimated from samples", GAUGE, U(heap_live_objects)},
	{"varve.profiler.cpu.time", "varve_profiler_cpu_seconds_total", "s",
	 "CPU time of hooks and the library's own threads", COUNTER, D(own_cpu_s)},
	{"varve.profiler.overhead", "varve_profiler_overhead_ratio", "1",
	 "Share of the process's CPU time, in the last second", GAUGE, D(own_share)},
	{"varve.profiler.buffers", "varve_profiler_buffer_bytes", "By", "Memory of the buffers",
	 GAUGE, U(buffers)},
	{"varve.profiler.samples", "varve_profiler_samples_total", "{sample}", "Samples taken",
	 COUNTER, U(samples)},
	{"varve.profiler.samples.lost", "varve_profiler_samples_lost_total", "{sample}",
	 "Samples dropped because a buffer was full", COUNTER, U(samples_lost)},
	{"varve.profiler.samples.cut", "varve_profiler_samples_cut_total", "{sample}",
	 "Samples whose stacks were truncated towards the leaf: too many different stacks", COUNTER,
	 U(samples_cut)},
	{"varve.profiler.refused", "varve_profiler_refused_total", "{profile}",
	 "Profiles refused by a guard or a limit", COUNTER, U(refused)},
	{"varve.profiler.shed", "varve_profiler_shed_total", "{interval}",
	 "Intervals dropped because the machine was busy", COUNTER, U(shed)},
	{"varve.profiler.rate", "varve_profiler_rate_hertz", "Hz", "Current rate of CPU samples",
	 GAUGE, U(cpu_hz)},
	{"varve.profiler.interval", "varve_profiler_interval_milliseconds", "ms",
	 "Current export interval", GAUGE, U(interval_ms)},
	{"varve.tracer.spans", "varve_tracer_spans_total", "{span}", "Spans ended", COUNTER,
	 U(spans)},
	{"varve.tracer.spans.lost", "varve_tracer_spans_lost_total", "{span}", "Spans dropped",
	 COUNTER, U(spans_lost)},
	{"varve.logs.records", "varve_logs_records_total", "{record}", "Log records", COUNTER,
	 U(logs)},
	{"varve.logs.lost", "varve_logs_lost_total", "{record}", "Log records dropped", COUNTER,
	 U(logs_lost)},
	{"varve.exporter.exports", "varve_exporter_exports_total", "{export}", "Exports by result",
	 COUNTER, BY(false, "result", "sent", exports_sent)},
	{"varve.exporter.exports", "varve_exporter_exports_total", "{export}", "Exports by result",
	 COUNTER, BY(false, "result", "confirmed", exports_confirmed)},
	{"varve.exporter.exports", "varve_exporter_exports_total", "{export}", "Exports by result",
	 COUNTER, BY(false, "result", "failed", exports_failed)},
	{"varve.exporter.pending", "varve_exporter_pending", "{export}", "Queued exports", GAUGE,
	 U(exports_pending)},
	{"varve.exporter.bytes", "varve_exporter_sent_bytes_total", "By", "Bytes sent, compressed",
	 COUNTER, U(export_bytes)},
	{"runtime.memory.heap_alloc_bytes", "runtime_memory_heap_alloc_bytes", "By",
	 "Bytes in use, reported by the allocator", GAUGE, ALIAS(heap_used)},
	{"runtime.memory.heap_objects", "runtime_memory_heap_objects", "{object}",
	 "Blocks in use, estimated from samples", GAUGE, ALIAS(heap_live_objects)},
};

static double as_double(const struct metric_row *row, const struct metric_values *v)
{
	const char *at = (const char *)v + row->offset;

	return row->real ? *(const double *)at : (double)*(const uint64_t *)at;
}

/* NumberDataPoint { start = 2, time = 3, as_double = 4, as_int = 6, attributes = 7 }. */
static void put_metric_point(struct proto_writer *w, const struct metric_row *row,
			     const struct metric_values *v, uint64_t start, uint64_t now)
{
	const char *at = (const char *)v + row->offset;
	size_t end = proto_mark(w);
	uint64_t bits;

	if (row->key) {
		struct keyvalue pair = {str_from(row->key), VALUE_OF_STR(str_from(row->value))};

		otlp_put_keyvalue(w, 7, &pair);
	}
	memcpy(&bits, at, sizeof(bits));
	proto_put_fixed64_raw(w, bits);
	proto_put_varint(w, PROTO_TAG(row->real ? 4 : 6, PROTO_FIXED64));
	proto_put_fixed64(w, 3, now);
	proto_put_fixed64(w, 2, row->kind == COUNTER ? start : 0);
	proto_put_header(w, 1, end);
}

static bool same_metric(const struct metric_row *a, const struct metric_row *b)
{
	return !strcmp(a->name, b->name);
}

/* Metric { name = 1, description = 2, unit = 3, gauge = 5, sum = 7 } of rows first to last. */
static void put_metric(struct proto_writer *w, size_t first, size_t last,
		       const struct metric_values *v, uint64_t start, uint64_t now)
{
	enum { CUMULATIVE = 2 };
	const struct metric_row *row = &rows[first];
	size_t end = proto_mark(w);

	if (row->kind == COUNTER) {
		proto_put_uint(w, 3, 1); /* is_monotonic */
		proto_put_uint(w, 2, CUMULATIVE);
	}
	for (size_t i = last + 1; i-- > first;)
		put_metric_point(w, &rows[i], v, start, now);
	proto_put_header(w, row->kind == COUNTER ? 7 : 5, end);
	proto_put_bytes(w, 3, str_from(row->unit));
	proto_put_bytes(w, 2, str_from(row->help));
	proto_put_bytes(w, 1, str_from(row->name));
	proto_put_header(w, 2, end);
}

int metrics_encode(struct buf *out, const struct metric_values *v, const struct keyvalue *resource,
		   uint32_t resource_count, uint64_t start_unix_ns, uint64_t now_unix_ns)
{
	struct proto_writer w;
	size_t own;
	int rc;

	proto_writer_init(&w, NULL);
	instruments_put(&w, now_unix_ns);
	own = proto_mark(&w);
	for (size_t last = countof(rows); last-- > 0;) {
		size_t first = last;

		if (rows[last].alias && !v->aliases)
			continue;
		while (first && same_metric(&rows[first - 1], &rows[last]))
			first--;
		put_metric(&w, first, last, v, start_unix_ns, now_unix_ns);
		last = first;
	}
	otlp_put_scope(&w);
	proto_put_header(&w, 2, own); /* ResourceMetrics.scope_metrics */
	otlp_put_resource(&w, resource, resource_count);
	proto_put_header(&w, 1, 0);
	rc = proto_writer_error(&w);
	if (!rc) {
		buf_put_str(out, proto_writer_str(&w));
		rc = buf_error(out);
	}
	proto_writer_fini(&w);
	return rc;
}

/* Return the last word of a key as label name: "type" of "process.context_switch.type". */
static const char *label_name(const char *key)
{
	const char *dot = strrchr(key, '.');

	return dot ? dot + 1 : key;
}

int metrics_text(struct buf *out, const struct metric_values *v)
{
	for (size_t i = 0; i < countof(rows); i++) {
		const struct metric_row *row = &rows[i];

		if (row->alias && !v->aliases)
			continue;
		if (!i || !same_metric(row, &rows[i - 1]))
			buf_printf(out, "# HELP %s %s\n# TYPE %s %s\n", row->prometheus, row->help,
				   row->prometheus, row->kind == COUNTER ? "counter" : "gauge");
		buf_put_str(out, str_from(row->prometheus));
		if (row->key)
			buf_printf(out, "{%s=\"%s\"}", label_name(row->key), row->value);
		buf_printf(out, " %.17g\n", as_double(row, v));
	}
	instruments_text(out);
	return buf_error(out);
}
