/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads the values of all metrics. Runs on threads of the library and of callers of
 * varve_metrics_text(); never in hooks.
 */
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/clock.h"
#include "sdk/collect/metrics.h"
#include "sdk/hook/guest.h"
#include "sdk/hook/heap.h"
#include "sdk/logs/log_records.h"
#include "sdk/sdk.h"
#include "sdk/trace/span.h"
static size_t read_proc_text(const char *path, char *out, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, out, size - 1);

	if (fd >= 0)
		close(fd);
	out[n > 0 ? n : 0] = 0;
	return n > 0 ? (size_t)n : 0;
}

static void read_memory(struct metric_values *v)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	char text[128], *at = text;

	if (!read_proc_text("/proc/self/statm", text, sizeof(text)))
		return;
	v->virtual_size = strtoull(at, &at, 10) * page;
	v->resident = strtoull(at, &at, 10) * page;
}

static void read_thread_count(struct metric_values *v)
{
	char text[4096];
	const char *at;

	read_proc_text("/proc/self/status", text, sizeof(text));
	at = strstr(text, "\nThreads:");
	if (at)
		v->threads = strtoull(at + 9, NULL, 10);
}

static double seconds_of(struct timeval t)
{
	return (double)t.tv_sec + (double)t.tv_usec * 1e-6;
}

static void read_usage(struct metric_values *v)
{
	struct rusage u;

	if (getrusage(RUSAGE_SELF, &u))
		return;
	v->cpu_user_s = seconds_of(u.ru_utime);
	v->cpu_system_s = seconds_of(u.ru_stime);
	v->switches_voluntary = (uint64_t)u.ru_nvcsw;
	v->switches_involuntary = (uint64_t)u.ru_nivcsw;
	v->faults_minor = (uint64_t)u.ru_minflt;
	v->faults_major = (uint64_t)u.ru_majflt;
}

struct live {
	int64_t bytes, objects;
};

static void sum_live_block(void *arg, const struct heap_block *b)
{
	struct live *live = arg;

	live->bytes += b->bytes;
	live->objects += b->objects;
}

/*
 * mallinfo2() exists in glibc since 2.33; another interposed allocator leaves its numbers near 0.
 */
/* NOLINTNEXTLINE(readability-redundant-declaration) */
extern struct mallinfo2 mallinfo2(void) __attribute__((weak));

static void read_heap(struct metric_values *v)
{
	struct live live = {0};

	if (mallinfo2) {
		struct mallinfo2 m = mallinfo2();

		v->heap_used = m.uordblks + m.hblkhd;
		v->heap_mapped = m.arena + m.hblkhd;
	}
	heap_each_live(sum_live_block, &live);
	v->heap_live_bytes = live.bytes > 0 ? (uint64_t)live.bytes : 0;
	v->heap_live_objects = live.objects > 0 ? (uint64_t)live.objects >> 16 : 0;
}

static void read_own(struct sdk *s, struct metric_values *v)
{
	struct varve_delivery d = {0};
	struct watch_state w = {0};

	watch_state(s->watch, &w);
	v->own_cpu_s = (double)(guest_own_cpu_ns() + atomic_load(&guest.hook_ns)) * 1e-9;
	v->own_share = w.load.overhead;
	v->cpu_hz = w.cpu_hz;
	v->interval_ms = w.interval_ms;
	v->shed = w.shed;
	v->refused = w.refused + atomic_load(&s->refused);
	v->buffers = sdk_memory(s);
	v->samples = atomic_load(&guest.samples);
	v->samples_lost = atomic_load(&guest.lost);
	v->samples_cut = collect_cut_count(s->collector);
	tracer_counters(&v->spans, &v->spans_lost);
	logs_counters(&v->logs, &v->logs_lost);
	v->aliases = s->options.o.metric_aliases != 0;
	exporter_counters(s->exporter, &d);
	v->exports_sent = d.sent;
	v->exports_confirmed = d.confirmed;
	v->exports_failed = d.failed;
	v->exports_pending = d.pending;
	v->export_bytes = d.bytes;
}

void metrics_read(struct sdk *s, struct metric_values *out)
{
	*out = (struct metric_values){0};
	read_memory(out);
	read_thread_count(out);
	read_usage(out);
	read_heap(out);
	read_own(s, out);
}

/* Read only the values of the heap, and the number of threads. */
static void metrics_read_runtime(struct metric_values *out)
{
	*out = (struct metric_values){0};
	read_thread_count(out);
	read_heap(out);
}

void varve_span_set_runtime(struct varve_span *span)
{
	struct guest_call call = guest_call_begin();
	struct sdk *s = span ? sdk_acquire() : NULL;
	struct metric_values now;

	if (s) {
		metrics_read_runtime(&now);
		sdk_release(s);
		varve_span_set_int(span, "runtime.heap_alloc", (int64_t)now.heap_used);
		varve_span_set_int(span, "runtime.heap_objects", (int64_t)now.heap_live_objects);
		varve_span_set_int(span, "runtime.threads", (int64_t)now.threads);
	}
	guest_call_end(call);
}

int metrics_text_of(struct sdk *s, struct buf *out)
{
	struct metric_values v;

	metrics_read(s, &v);
	return metrics_text(out, &v);
}

char *varve_metrics_text(void)
{
	struct guest_call call = guest_call_begin();
	struct sdk *s = sdk_acquire();
	struct buf out = {0};

	if (s) {
		if (metrics_text_of(s, &out))
			buf_fini(&out);
		else
			buf_put_char(&out, 0);
		if (buf_error(&out))
			buf_fini(&out);
		sdk_release(s);
	}
	guest_call_end(call);
	return out.p;
}
