/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Life of the library: start, fork, stop, and the callbacks that make exports of collected data.
 * There is one instance, `state.running`; users hold a counted reference (sdk_acquire()), for which
 * varve_stop() waits.
 */
#include "sdk/sdk.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "format/otlp/encode.h"
#include "format/otlp/prepare.h"
#include "format/pprof/pprof.h"
#include "sdk/collect/metrics.h"
#include "sdk/collect/own_cond.h"
#include "sdk/collect/summary.h"
#include "sdk/collect/window.h"
#include "sdk/control/control_thread.h"
#include "sdk/debug/debug_pprof.h"
#include "sdk/export/redact.h"
#include "sdk/export/sink_callback.h"
#include "sdk/export/sink_files.h"
#include "sdk/export/sink_otlp.h"
#include "sdk/export/sink_pyroscope.h"
#include "sdk/hook/guest.h"
#include "sdk/hook/heap_table.h"
#include "sdk/hook/last_thread.h"
#include "sdk/hook/stack_ids.h"
#include "sdk/labels.h"
#include "sdk/logs/log_records.h"
#include "sdk/metrics/instruments.h"
#include "sdk/profile/operation.h"
#include "sdk/profile/own_spans.h"
#include "sdk/resource.h"
#include "sdk/trace/baggage.h"
#include "sdk/trace/process_context.h"
#include "sdk/trace/propagation.h"
#include "sdk/trace/span.h"
#include "sdk/trace/span_encode.h"
#include "wire/proto.h"

/* Guarded by `mu`, which is held during start. varve_stop() frees the instance without it. */
static struct {
	pthread_mutex_t mu;
	pthread_cond_t released;
	struct sdk *running;
	unsigned users;
	bool stopping, fork_handled;
	_Atomic pid_t pid; /* of the process that has the library's threads; 0: none */
} state = {.mu = PTHREAD_MUTEX_INITIALIZER, .released = PTHREAD_COND_INITIALIZER};

struct sdk *sdk_acquire(void)
{
	struct sdk *s;

	pthread_mutex_lock(&state.mu);
	s = state.stopping ? NULL : state.running;
	state.users += s != NULL;
	pthread_mutex_unlock(&state.mu);
	return s;
}

void sdk_release(struct sdk *s)
{
	if (!s)
		return;
	pthread_mutex_lock(&state.mu);
	if (!--state.users)
		pthread_cond_broadcast(&state.released);
	pthread_mutex_unlock(&state.mu);
}

bool sdk_is_stopping(void)
{
	bool stopping;

	pthread_mutex_lock(&state.mu);
	stopping = state.stopping;
	pthread_mutex_unlock(&state.mu);
	return stopping;
}

size_t sdk_memory(const struct sdk *s)
{
	struct heap_table_stats blocks;

	heap_table_stats(&blocks);
	return atomic_load(&s->budget.used) + stack_ids_bytes() + blocks.bytes;
}

struct err *sdk_error(void)
{
	static __thread struct err last;

	return &last;
}

struct err *sdk_clear_error(void)
{
	struct err *e = sdk_error();

	*e = (struct err){0};
	return e;
}

const char *varve_last_error(void)
{
	return sdk_error()->text;
}

/* -- export ------------------------------------------------------------------------------------ */

static int encode_otlp(struct buf *out, const struct profile_batch *batch)
{
	struct profile_batch prepared;
	struct proto_writer w;
	int rc = profile_batch_init(&prepared, NULL);

	rc = rc ? rc : otlp_prepare(&prepared, batch);
	if (!rc) {
		proto_writer_init(&w, NULL);
		rc = otlp_encode(&w, &prepared);
		if (!rc)
			buf_put_str(out, proto_writer_str(&w));
		proto_writer_fini(&w);
	}
	profile_batch_fini(&prepared);
	return rc ? rc : buf_error(out);
}

static int encode_profile(struct sdk *s, const struct profile_batch *batch, struct buf *out)
{
	struct encode_options options = {0};

	return exporter_wants_pprof(s->exporter) ? pprof_encode_raw(out, batch, &options, NULL)
						 : encode_otlp(out, batch);
}

/* Encode only cumulative values, without memory in use: for a program that exec replaces. */
static int encode_cumulative(struct sdk *s, const struct profile_batch *batch, struct buf *out)
{
	struct profile_batch sums;
	int rc = profile_batch_init(&sums, &s->budget);

	rc = rc ? rc : sink_keep_sums(&sums, batch);
	rc = rc ? rc : encode_profile(s, &sums, out);
	profile_batch_fini(&sums);
	return rc;
}

/* Collect, encode and queue one kind of profile of a window. Return 0 or -errno. */
static int queue_kind(struct sdk *s, struct window *w, enum varve_profile kind,
		      struct profile_batch *batch, struct own_spans *spans, size_t *size)
{
	struct export_item *item = export_item_new(EXPORT_PROFILES);
	int rc = item ? 0 : -ENOMEM;

	if (!rc && kind == VARVE_THREADS)
		rc = collect_threads(s->collector, batch, NULL);
	else if (!rc)
		rc = collect_batch(s->collector, w, kind, batch, NULL);
	if (!rc)
		own_profile_collected(spans, batch);
	if (!rc && batch->sample_count) {
		item->kind = kind;
		item->start_unix_ns = w->start_unix_ns;
		item->duration_ns = w->end_ns - w->start_ns;
		rc = s->replaced ? encode_cumulative(s, batch, &item->body)
				 : encode_profile(s, batch, &item->body);
		*size = item->body.n;
		if (!rc && item->body.n > s->options.o.max_profile_size)
			rc = -E2BIG;
		if (!rc)
			rc = exporter_put(s->exporter, take_ptr(&item));
		if (!rc) {
			s->exported_profiles++;
			s->exported_bytes += *size;
		}
	}
	export_item_free(item);
	return rc;
}

/* Export one kind of profile of a window. A profile without samples is not sent. */
static void export_kind(struct sdk *s, struct window *w, enum varve_profile kind)
{
	struct own_spans spans = own_profile_begin(s->options.o.trace_profiler != 0, kind);
	struct profile_batch batch;
	size_t size = 0;
	int rc = profile_batch_init(&batch, &s->budget);

	rc = rc ? rc : queue_kind(s, w, kind, &batch, &spans, &size);
	if (rc)
		atomic_fetch_add(&s->refused, 1);
	own_profile_end(&spans, size, rc);
	profile_batch_fini(&batch);
}

/* Export the spans that have ended since the last call. */
static void export_spans(struct sdk *s)
{
	struct export_item *item = export_item_new(EXPORT_TRACES);
	uint64_t spans, lost;

	if (item && !tracer_take(&item->body, s->resource, s->resource_count, &spans, &lost) &&
	    item->body.n && !exporter_profiles_only(s->exporter) &&
	    !redact_message(s->sanitizer, SIGNAL_TRACES, &item->body))
		(void)!exporter_put(s->exporter, take_ptr(&item)); /* it counts drops itself */
	export_item_free(item);
}

static void export_metrics(struct sdk *s)
{
	struct export_item *item;
	struct metric_values v;

	if (s->options.o.no_metrics || exporter_profiles_only(s->exporter))
		return;
	/* A child without a sample, of which a shell has many, exports nothing at its end. */
	if (s->child && s->ending && atomic_load(&guest.samples) == s->samples_before &&
	    !instruments_have_values())
		return;
	item = export_item_new(EXPORT_METRICS);
	metrics_read(s, &v);
	if (item &&
	    !metrics_encode(&item->body, &v, s->resource, s->resource_count, s->start_unix_ns,
			    clock_realtime_ns()) &&
	    !redact_message(s->sanitizer, SIGNAL_METRICS, &item->body))
		(void)!exporter_put(s->exporter, take_ptr(&item)); /* it counts drops itself */
	export_item_free(item);
}

/* Export the log records made since the last call. */
static void export_logs(struct sdk *s)
{
	struct export_item *item;

	if (!logs_pending() || exporter_profiles_only(s->exporter))
		return;
	item = export_item_new(EXPORT_LOGS);
	if (item && !logs_take(&item->body, s->resource, s->resource_count) && item->body.n)
		(void)!exporter_put(s->exporter, take_ptr(&item)); /* it counts drops itself */
	export_item_free(item);
}

/* Export a window of the schedule, with a span of its own. */
static void on_scheduled(void *arg, struct window *w, enum varve_profile kind)
{
	struct sdk *s = arg;
	uint64_t profiles = s->exported_profiles, bytes = s->exported_bytes;
	struct own_spans span = own_export_begin(s->options.o.trace_profiler != 0);

	if (!watch_sheds(s->watch))
		export_kind(s, w, kind);
	own_export_end(&span, s->exported_profiles - profiles, s->exported_bytes - bytes);
}

static void on_export(void *arg, struct window *w)
{
	struct sdk *s = arg;
	unsigned kinds = watch_sheds(s->watch) ? 0 : s->profiles & ~schedule_kinds(&s->schedule);
	bool all = s->ending || atomic_load(&s->flushing);
	uint64_t profiles = s->exported_profiles, bytes = s->exported_bytes;
	struct own_spans span = own_export_begin(s->options.o.trace_profiler != 0);

	for (unsigned kind = VARVE_CPU; kind <= VARVE_MMAP; kind <<= 1)
		if (kinds & kind)
			export_kind(s, w, kind);
	own_export_end(&span, s->exported_profiles - profiles, s->exported_bytes - bytes);
	if (all)
		schedule_flush(&s->schedule, s->collector, on_scheduled, s);
	if (all || !s->options.o.metric_interval_ms)
		export_metrics(s);
	export_logs(s);
	export_spans(s);
	if (s->leaving)
		sdk_write_summary(s);
}

/* Export metrics that have an interval of their own. */
static void tick_metrics(struct sdk *s, uint64_t now_ns)
{
	uint64_t interval = s->options.o.metric_interval_ms * NS_PER_MS;

	if (!interval || now_ns - s->metrics_ns < interval)
		return;
	if (s->metrics_ns)
		export_metrics(s);
	s->metrics_ns = now_ns;
}

/* Start the control thread when the process has run for a second. Collector's thread. */
static void start_control(struct sdk *s, uint64_t now_ns)
{
	if (s->control_tried || now_ns < s->control_after_ns)
		return;
	s->control_tried = true;
	if (s->inside || !control_thread_wanted(&s->options.o))
		return;
	pthread_mutex_lock(&s->settings.mu);
	if (!s->control_closed)
		(void)!control_thread_start(&s->control, s, NULL); /* runs without it */
	pthread_mutex_unlock(&s->settings.mu);
}

static void stop_control(struct sdk *s)
{
	struct control_thread *control;

	pthread_mutex_lock(&s->settings.mu);
	s->control_closed = true;
	control = take_ptr(&s->control);
	pthread_mutex_unlock(&s->settings.mu);
	control_thread_stop(control);
}

static void on_tick(void *arg, uint64_t now_ns)
{
	enum { MANY = 512 << 10 };
	struct sdk *s = arg;

	last_thread_tick(now_ns);
	watch_tick(s->watch, s->collector, now_ns);
	if (!s->settled && now_ns - s->start_ns > 50 * NS_PER_MS) {
		s->settled = true;
		tracer_register_membarrier();
	}
	start_control(s, now_ns);
	context_refresh(s->resource, s->resource_count);
	schedule_tick(&s->schedule, s->collector, s->profiles, now_ns, on_scheduled, s);
	tick_metrics(s, now_ns);
	if (tracer_pending() > MANY)
		export_spans(s); /* before the end of the interval */
	if (logs_pending() > LOG_BUFFER / 4)
		export_logs(s);
}

/* Give a forked child that lives its own identity. On its collector's thread. */
static void on_child_collector(void *arg)
{
	struct sdk *s = arg;

	(void)!sdk_new_instance(s); /* on failure it keeps its parent's */
	if (!s->options.o.no_link)
		(void)!context_publish(s->resource, s->resource_count, NULL);
}

/* -- start and stop ---------------------------------------------------------------------------- */

/*
 * Our own programs make few records, which are not urgent. Two ticks a second instead of ten save
 * most of the profilers' overhead in an idle server.
 */
enum { INSIDE_TICK_MS = 500 };

/* A program that ends sooner is not controlled, and has one thread less. */
#define CONTROL_DELAY_NS NS_PER_SECOND

/*
 * Arguments of a start: options and a file; or, inside one of our own programs, options and a sink.
 */
struct start_request {
	const struct varve_options *options;
	struct str file;
	const char *path;
	struct sink *inside; /* owned, until the exporter takes it; NULL: none */
};

static int make_sink(struct sink **out, const struct sdk *s, struct err *e)
{
	const struct varve_options *o = &s->options.o;
	const char *endpoint = o->endpoint ? o->endpoint : "http://127.0.0.1:4318";
	struct otlp_sink_options otlp = {.headers = o->headers,
					 .keys = s->keys,
					 .no_compression = o->no_compression != 0,
					 .environment = !s->options.endpoint_by_code};

	if (o->directory)
		return sink_files(out, o->directory, s->keys, e);
	if (o->on_profile && !o->endpoint)
		return sink_callback(out, o, e);
	if (o->protocol == VARVE_PROTOCOL_GRPC)
		return sink_otlp_grpc(out, endpoint, &otlp, e);
	if (o->protocol == VARVE_PROTOCOL_PYROSCOPE)
		return sink_pyroscope(out, endpoint, &otlp, s->resource, s->resource_count, e);
	return sink_otlp_http(out, endpoint, &otlp, e);
}

static void flush_and_free_exporter(struct sdk *s, uint64_t flush_ms)
{
	struct varve_delivery delivery = {0};

	if (!s->exporter)
		return;
	(void)!exporter_flush(s->exporter, flush_ms);
	exporter_counters(s->exporter, &delivery);
	sdk_write_delivery(&delivery);
	exporter_free(s->exporter, 0);
}

static void write_cut_note(struct sdk *s)
{
	uint64_t cut = collect_cut_count(s->collector);
	char text[160];

	if (!cut)
		return;
	snprintf(text, sizeof(text),
		 "%" PRIu64 " samples have stacks cut to their leaf frames: too many "
		 "different stacks (docs/sdk.md)",
		 cut);
	sdk_write_note("cut", text);
}

static void sdk_free(struct sdk *s, uint64_t flush_ms)
{
	if (!s)
		return;
	endpoint_stop(s->endpoint);
	stop_control(s);
	operations_stop(s->collector);
	if (s->collector) {
		s->ending = true;
		collect_export_now(s->collector);
		sdk_write_summary(s);
		write_cut_note(s);
	}
	collect_free(s->collector);
	watch_free(s->watch);
	tracer_stop();
	logs_stop();
	context_withdraw();
	labels_stop();
	flush_and_free_exporter(s, flush_ms);
	sanitizer_free(s->sanitizer);
	key_ring_unref(s->keys);
	sdk_options_fini(&s->options);
	arena_fini(&s->arena);
	free(s);
}

/*
 * Start the endpoint. An address in use, or not of this host, does not fail the start:
 * varve_last_error() reports it, and the rest runs.
 */
static int start_endpoint(struct sdk *s, struct err *e)
{
	int rc;

	if (!s->options.o.listen || !*s->options.o.listen)
		return 0;
	rc = endpoint_start(&s->endpoint, s->options.o.listen, s->options.o.listen_hosts,
			    debug_pprof_answer, NULL, e);
	return rc == -EINVAL ? rc : 0;
}

static int start_components(struct sdk *s, struct start_request *b, struct err *e)
{
	const struct varve_options *o = &s->options.o;
	struct tracer_options tracer = {.sampler = o->sampler,
					.ratio = o->sampler_ratio,
					.export = !o->no_traces,
					.records = o->conditional != 0,
					.publish = !o->no_link,
					.only_name = o->only_in_spans};
	struct exporter_options exporter = {.max_bytes = o->max_buffer,
					    .timeout_ms = o->timeout_ms};
	struct collect_options collect = {.o = o,
					  .kinds = o->profiles & ~schedule_part_kinds(&s->schedule),
					  .resource = s->resource,
					  .resource_count = s->resource_count,
					  .sanitizer = s->sanitizer,
					  .budget = &s->budget,
					  .stack_bytes = o->guards.max_memory / 8 * 3,
					  .table_bytes = o->guards.max_memory / 4,
					  .keep_all = sdk_summary_directory() != NULL,
					  .tick_ms = b->inside ? INSIDE_TICK_MS : 0,
					  .on_tick = on_tick,
					  .on_child = on_child_collector,
					  .on_export = on_export,
					  .arg = s};
	struct sink *sink = take_ptr(&b->inside);
	int rc = sink ? 0 : make_sink(&sink, s, e);

	/* before the library's first thread: see tracer_register_membarrier() */
	rc = rc ? rc : tracer_start(&tracer, e);
	if (rc && sink)
		sink->free(sink);
	rc = rc ? rc : exporter_new(&s->exporter, sink, &exporter, e);
	if (!rc && !o->no_logs)
		rc = logs_start(o->log_level, e);
	if (!rc && !o->no_link)
		(void)!context_publish(s->resource, s->resource_count, NULL);
	rc = rc ? rc : watch_new(&s->watch, o);
	rc = rc ? rc : collect_new(&s->collector, &collect, e);
	return rc ? rc : start_endpoint(s, e);
}

static int start_sdk(struct start_request *b, struct err *e)
{
	struct sdk *s = calloc(1, sizeof(*s));
	int rc;

	if (!s)
		return err_errno(e, -ENOMEM, "start");
	arena_init(&s->arena, NULL);
	s->start_unix_ns = clock_realtime_ns();
	s->start_ns = clock_monotonic_ns();
	s->inside = b->inside != NULL;
	s->control_after_ns = s->start_ns + CONTROL_DELAY_NS;
	s->child = !b->inside && sink_is_child();
	s->samples_before = atomic_load(&guest.samples);
	s->pid = getpid();
	rc = b->inside ? sdk_options_from_code(&s->options, b->options, e)
		       : sdk_options_load(&s->options, b->options, b->file, b->path, e);
	if (!rc && s->options.o.disabled) {
		(void)!err_set(e, 0, "disabled by service.disabled (OTEL_SDK_DISABLED)");
		sdk_free(s, 0);
		return 0;
	}
	rc = rc ? rc : schedule_read(&s->schedule, s->options.o.schedule, e);
	rc = rc ? rc : baggage_set_labels(s->options.o.baggage_labels, e);
	instruments_configure(s->options.o.metric_series, s->options.o.exemplars);
	propagation_configure(s->options.o.propagators);
	/* the rest is for stack tables and live blocks: start_components() */
	s->budget.limit = s->options.o.guards.max_memory / 8 * 3;
	s->profiles = s->options.o.profiles;
	sdk_settings_init(s);
	rc = rc ? rc : sdk_make_resource(s, e);
	rc = rc ? rc : redact_new(&s->sanitizer, &s->options.o, e);
	rc = rc ? rc : redact_resource(s->sanitizer, &s->arena, s->resource, s->resource_count);
	if (!rc && s->options.o.key_file && *s->options.o.key_file)
		rc = key_ring_open(&s->keys, s->options.o.key_file, NULL, e);
	rc = rc ? rc : start_components(s, b, e);
	if (rc) {
		sdk_free(s, 0);
	} else {
		state.running = s;
		state.pid = getpid();
	}
	return rc;
}

/* -- fork: the child has none of the library's threads ----------------------------------------- */

/*
 * The waits in here are not for locks of the host, so they are kept out of its profiles by
 * guest_call_begin().
 */
static void before_fork(void)
{
	struct guest_call call = guest_call_begin();

	pthread_mutex_lock(&state.mu);
	if (state.running) {
		pthread_mutex_lock(&state.running->settings.mu);
		collect_before_fork(state.running->collector);
		exporter_before_fork(state.running->exporter);
	}
	guest_call_end(call);
}

static void after_fork(void)
{
	struct guest_call call = guest_call_begin();

	if (state.running) {
		exporter_after_fork(state.running->exporter);
		collect_after_fork(state.running->collector);
		pthread_mutex_unlock(&state.running->settings.mu);
	}
	pthread_mutex_unlock(&state.mu);
	guest_call_end(call);
}

static void start_in_child(struct sdk *s)
{
	s->pid = getpid();
	context_withdraw();
	watch_forked(s->watch);
	endpoint_forked(take_ptr(&s->endpoint)); /* the parent keeps the address */
	sdk_settings_forked(s);
	control_thread_forked(take_ptr(&s->control));
	s->control_tried = false;
	s->control_after_ns = clock_monotonic_ns() + CONTROL_DELAY_NS;
	tracer_forked();
	logs_forked();
	instruments_in_child();
	labels_forked();
	s->start_unix_ns = clock_realtime_ns();
	s->child = true;
	s->samples_before = atomic_load(&guest.samples);
	guest_forked(); /* before the library's first thread, because it forgets the parent's */
	exporter_in_child(s->exporter);
	if (collect_in_child(s->collector))
		atomic_store(&guest.on, 0); /* no thread: this child is not profiled */
	operations_forked(s->collector);
}

static void in_child(void)
{
	struct guest_call call = guest_call_begin(); /* threads started here are the library's */

	pthread_mutex_init(&state.mu, NULL);
	pthread_cond_init(&state.released, NULL);
	state.users = 0;
	if (state.running) {
		start_in_child(state.running);
		state.pid = getpid();
	}
	guest_call_end(call);
}

static int register_fork_handlers(struct err *e)
{
	int rc;

	if (state.fork_handled)
		return 0;
	/*
	 * The allocator's fork handlers have to be registered first, because ours allocate in the
	 * child.
	 */
	free(malloc(1));
	rc = pthread_atfork(before_fork, after_fork, in_child);
	if (rc)
		return err_errno(e, -rc, "register the fork handlers");
	state.fork_handled = true;
	return 0;
}

static int start_locked(struct start_request *b, struct err *e)
{
	int rc;

	pthread_mutex_lock(&state.mu);
	if (state.running)
		rc = err_set(e, -EALREADY, "varve is already running");
	else
		rc = register_fork_handlers(e);
	rc = rc ? rc : start_sdk(b, e);
	pthread_mutex_unlock(&state.mu);
	return rc;
}

int varve_start(const struct varve_options *options)
{
	struct guest_call call = guest_call_begin();
	struct start_request b = {.options = options};
	int rc = start_locked(&b, sdk_clear_error());

	guest_call_end(call);
	if (!rc)
		guest_thread_begin();
	return rc;
}

int sdk_start_inside(const struct varve_options *options, struct sink *sink, struct err *e)
{
	struct guest_call call = guest_call_begin();
	struct start_request b = {.options = options, .inside = sink};
	int rc = start_locked(&b, e);

	if (b.inside)
		b.inside->free(b.inside);
	guest_call_end(call);
	if (!rc)
		guest_thread_begin();
	return rc;
}

static int read_options_file(struct buf *out, const char *path, struct err *e)
{
	enum { FILE_MAX = 1 << 20 };
	int fd = open(path, O_RDONLY | O_CLOEXEC), rc = 0;
	ssize_t n = 1;

	if (fd < 0) {
		rc = -errno;
		return err_set(e, rc, "%s: %s", path, strerror(errno));
	}
	while (n > 0 && !rc) {
		char *at = buf_reserve(out, 4096);

		n = at ? read(fd, at, 4096) : -1;
		if (n > 0)
			out->n += (size_t)n;
		else if (n < 0)
			rc = err_set(e, at ? -errno : -ENOMEM, "%s: read failed", path);
		if (!rc && out->n > FILE_MAX)
			rc = err_set(e, -EFBIG, "%s: larger than 1 MiB", path);
	}
	close(fd);
	return rc;
}

int sdk_start_with_file(const struct varve_options *options, const char *path)
{
	struct guest_call call = guest_call_begin();
	struct err *e = sdk_clear_error();
	struct buf file = {0};
	int rc = read_options_file(&file, path, e);
	struct start_request b = {.options = options, .file = buf_str(&file), .path = path};

	rc = rc ? rc : start_locked(&b, e);
	buf_fini(&file);
	guest_call_end(call);
	if (!rc)
		guest_thread_begin();
	return rc;
}

int varve_start_file(const char *path)
{
	return sdk_start_with_file(NULL, path);
}

void varve_stop(void)
{
	enum { FLUSH_MS = 5000 };
	struct guest_call call = guest_call_begin();
	struct sdk *s;

	pthread_mutex_lock(&state.mu);
	s = state.running;
	if (s && !state.stopping) {
		state.stopping = true;
		while (state.users)
			pthread_cond_wait(&state.released, &state.mu);
		state.running = NULL;
		state.pid = 0;
		pthread_mutex_unlock(&state.mu);
		sdk_free(s, FLUSH_MS);
		pthread_mutex_lock(&state.mu);
		state.stopping = false;
	}
	pthread_mutex_unlock(&state.mu);
	guest_call_end(call);
}

/* Does anything but samples wait for its export? */
static bool has_pending(void)
{
	return tracer_pending() || logs_pending() || instruments_have_values();
}

void sdk_stop_at_exit(void)
{
	struct guest_call call = guest_call_begin();
	struct sdk *s;
	bool idle;

	pthread_mutex_lock(&state.mu);
	s = state.running;
	idle = s && !state.stopping && !state.users && !has_pending() &&
	       collect_is_idle_child(s->collector);
	if (idle) {
		collect_abandon(s->collector);
		state.running = NULL;
	}
	pthread_mutex_unlock(&state.mu);
	guest_call_end(call);
	if (!idle)
		varve_stop();
}

bool sdk_is_running(void)
{
	return state.pid != 0;
}

bool sdk_stop_early(const char *note)
{
	struct sdk *s = guest_own ? NULL : sdk_acquire();
	bool ours = s && s->pid == getpid();

	sdk_release(s);
	if (!ours)
		return false;
	if (note)
		sdk_write_note("seccomp", note);
	varve_stop();
	return true;
}

/*
 * Like sdk_acquire(), but give up after 100 ms: the holder of the mutex may be this thread itself,
 * interrupted.
 */
static struct sdk *try_acquire(void)
{
	enum { TRIES = 100 };
	struct sdk *s;

	for (int i = 0; pthread_mutex_trylock(&state.mu); i++) {
		if (i == TRIES)
			return NULL;
		nanosleep(&(struct timespec){0, NS_PER_MS}, NULL);
	}
	s = state.stopping ? NULL : state.running;
	state.users += s != NULL;
	pthread_mutex_unlock(&state.mu);
	return s;
}

void sdk_flush_before_exit(bool exec)
{
	enum { LEAVE_MS = 5000 };
	struct varve_delivery delivery = {0};
	struct guest_call call;
	struct sdk *s;

	if (guest_own || !sdk_is_running() || getpid() != state.pid ||
	    (guest_self && guest_self->depth))
		return;
	call = guest_call_begin();
	s = try_acquire();
	if (s && (has_pending() || !collect_is_idle_child(s->collector))) {
		s->replaced = exec;
		s->leaving = s->ending = true;
		if (!collect_export_within(s->collector, LEAVE_MS))
			(void)!exporter_flush(s->exporter, LEAVE_MS);
		exporter_counters(s->exporter, &delivery);
		sdk_write_delivery(&delivery);
		s->leaving = s->ending = s->replaced = false; /* exec may fail */
	}
	if (s)
		sdk_release(s);
	guest_call_end(call);
}

/* -- the rest of varve.h ----------------------------------------------------------------------- */

int varve_flush(unsigned timeout_ms)
{
	struct guest_call call = guest_call_begin();
	int rc = 0;
	struct sdk *s = sdk_acquire();

	if (s) {
		atomic_fetch_add(&s->flushing, 1);
		collect_export_now(s->collector);
		atomic_fetch_sub(&s->flushing, 1);
		rc = exporter_flush(s->exporter, timeout_ms);
		sdk_release(s);
	}
	guest_call_end(call);
	return rc;
}

void varve_delivery(struct varve_delivery *out)
{
	struct guest_call call = guest_call_begin();
	struct sdk *s = sdk_acquire();

	*out = (struct varve_delivery){.success_rate = 1};
	if (s) {
		exporter_counters(s->exporter, out);
		out->samples = atomic_load(&guest.samples);
		out->samples_lost = atomic_load(&guest.lost);
		out->refused = atomic_load(&s->refused);
		tracer_counters(&out->spans, &out->spans_lost);
		sdk_release(s);
	}
	guest_call_end(call);
}

int varve_check_endpoint(void)
{
	struct guest_call call = guest_call_begin();
	int rc = -ENOTCONN;
	struct err *e = sdk_clear_error();
	struct sdk *s = sdk_acquire();

	if (s) {
		rc = exporter_check(s->exporter, e);
		sdk_release(s);
	}
	guest_call_end(call);
	return rc;
}

void sdk_set_cpu_hz(struct sdk *s, unsigned hz)
{
	struct sdk_rates own = sdk_settings_own(s);

	own.cpu_hz = hz;
	sdk_settings_change(s, &own);
}

int varve_set_cpu_hz(unsigned hz)
{
	struct sdk *s = sdk_acquire();

	if (!s)
		return -ENOTCONN;
	if (hz > 1000) {
		sdk_release(s);
		return -EINVAL;
	}
	sdk_set_cpu_hz(s, hz);
	sdk_release(s);
	return 0;
}

void sdk_set_profiles(struct sdk *s, unsigned profiles)
{
	struct sdk_rates own = sdk_settings_own(s);

	own.profiles = profiles;
	sdk_settings_change(s, &own);
}

int varve_set_profiles(unsigned profiles)
{
	struct sdk *s = sdk_acquire();

	if (!s)
		return -ENOTCONN;
	sdk_set_profiles(s, profiles);
	sdk_release(s);
	return 0;
}

void varve_free(void *p)
{
	free(p);
}
