/* SPDX-License-Identifier: Apache-2.0 */
/* The library as a program uses it: linked profiles, spans and metrics arrive at a server. */
#include <errno.h>
#include <pthread.h>
#include <sys/stat.h>
#include <time.h>

#include "base/clock.h"
#include "format/otlp/otlp.h"
#include "format/pprof/pprof.h"
#include "test/http_sink.h"
#include "test/test.h"
#include "varve/varve.h"
#include "wire/compress/compress.h"
#include "wire/proto.h"

static volatile uint64_t sink;

static uint64_t cpu_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * NS_PER_SECOND + (uint64_t)now.tv_nsec;
}

/* Use that much CPU time, however long it takes. */
__attribute__((noinline)) static void burn(uint64_t ms)
{
	uint64_t until = cpu_ns() + ms * NS_PER_MS;

	while (cpu_ns() < until)
		for (int i = 0; i < 1000; i++)
			sink = sink * 31 + (uint64_t)i;
}

static struct str unpack(struct arena *a, struct str in)
{
	struct err e = {0};
	struct str out;

	assert_ok_err(decompress_bytes(COMPRESS_GZIP, in, a, NULL, &out, &e), &e);
	return out;
}

/* Compare the prefix of names: compilers clone functions under a name with a suffix. */
static bool stack_has(const struct profile_batch *b, uint32_t sample, const char *name)
{
	struct list stack = b->stacks.at[b->sample_stack[sample]];

	for (uint32_t i = 0; i < stack.n; i++) {
		struct list lines = b->locations.at[b->stack_locations.at[stack.at + i]].lines;

		for (uint32_t k = 0; k < lines.n; k++) {
			uint32_t function = b->lines.at[lines.at + k].function;

			if (str_starts(string_of(b, b->functions.at[function].name),
				       str_from(name)))
				return true;
		}
	}
	return false;
}

/* Count samples of burn() in the received profiles: those linked to a span, and all. */
static void count_linked(struct http_sink *server, int64_t *linked, int64_t *all)
{
	struct decode_options options = {0};
	struct err e = {0};

	*linked = *all = 0;
	for (unsigned i = 0; i < server->count; i++) {
		struct profile_batch b;
		struct arena a;

		if (!strstr(server->requests[i].head, "/v1development/profiles"))
			continue;
		arena_init(&a, NULL);
		assert_ok(profile_batch_init(&b, NULL));
		assert_ok_err(otlp_decode(&b, unpack(&a, buf_str(&server->requests[i].body)),
					  &options, &e),
			      &e);
		for (uint32_t p = 0; p < b.profiles.n; p++) {
			const struct profile *row = &b.profiles.at[p];

			if (!str_eq(string_of(&b, row->sample_type.type), STR("samples")))
				continue;
			for (uint32_t s = row->sample_first;
			     s < row->sample_first + row->sample_count; s++) {
				if (!stack_has(&b, s, "burn"))
					continue;
				for (uint32_t v = b.sample_values_at[s];
				     v < b.sample_values_at[s + 1]; v++) {
					*all += b.values.at[v];
					if (b.sample_link[s])
						*linked += b.values.at[v];
				}
			}
		}
		profile_batch_fini(&b);
		arena_fini(&a);
	}
}

static unsigned requests_to(struct http_sink *server, const char *path)
{
	unsigned n = 0;

	for (unsigned i = 0; i < server->count; i++)
		n += strstr(server->requests[i].head, path) != NULL;
	return n;
}

static void samples_inside_spans_have_span_ids(void **state)
{
	struct varve_options o = {.service_name = "end-to-end",
				  .profiles = VARVE_CPU,
				  .cpu_hz = 250,
				  .trace_profiler = 1,
				  .export_interval_ms = 60000};
	struct varve_delivery d;
	struct http_sink server;
	int64_t linked, all;

	(void)state;
	http_sink_start(&server);
	o.endpoint = server.url;
	assert_ok(varve_start(&o));
	assert_ok(varve_check_endpoint());
	for (int i = 0; i < 600; i++) {
		struct varve_span *outer = varve_span_start("request", NULL);

		burn(2);
		{
			VARVE_SPAN(inner, "step");
			burn(1);
		}
		varve_span_end(outer);
	}
	assert_ok(varve_flush(5000));
	varve_delivery(&d);
	assert_int_equal(d.failed, 0);
	assert_true(d.confirmed >= 3);	      /* profiles, metrics, traces */
	assert_in_range(d.spans, 1200, 1210); /* including the profiler's spans */
	assert_int_equal(d.spans_lost, 0);
	varve_stop();
	count_linked(&server, &linked, &all);
	assert_in_range(all, 350, 600); /* 450 */
	print_message("# %lld of %lld samples carry ids\n", (long long)linked, (long long)all);
	assert_true((double)linked >= 0.995 * (double)all);
	assert_true(requests_to(&server, "/v1/traces") >= 1);
	assert_true(requests_to(&server, "/v1/metrics") >= 1);
	http_sink_stop(&server);
}

static void samples_can_be_limited_to_slow_spans(void **state)
{
	struct varve_options o = {.profiles = VARVE_CPU,
				  .cpu_hz = 250,
				  .conditional = 1,
				  .slow_span_ms = 1000,
				  .busy_span_share = 1,
				  .export_interval_ms = 60000};
	struct http_sink server;
	struct varve_span *s;
	int64_t linked, all;

	(void)state;
	http_sink_start(&server);
	o.endpoint = server.url;
	assert_ok(varve_start(&o));
	for (int i = 0; i < 20; i++) { /* fast spans: 400 ms in total */
		s = varve_span_start("quick", NULL);
		burn(20);
		varve_span_end(s);
	}
	s = varve_span_start("slow", NULL);
	burn(400);
	nanosleep(&(struct timespec){1, 0}, NULL);
	varve_span_end(s);
	assert_ok(varve_flush(5000));
	varve_stop();
	count_linked(&server, &linked, &all);
	assert_in_range(linked, 50, 130); /* 100 of the slow span, of 200 in total */
	http_sink_stop(&server);
}

static void samples_can_be_limited_to_spans_of_one_name(void **state)
{
	struct varve_options o = {.profiles = VARVE_CPU,
				  .cpu_hz = 250,
				  .only_in_spans = "wanted",
				  .export_interval_ms = 60000};
	struct http_sink server;
	struct varve_span *s;
	int64_t linked, all;

	(void)state;
	http_sink_start(&server);
	o.endpoint = server.url;
	assert_ok(varve_start(&o));
	burn(300);
	s = varve_span_start("wanted", NULL);
	burn(200);
	varve_span_end(s);
	s = varve_span_start("unwanted", NULL);
	burn(300);
	varve_span_end(s);
	assert_ok(varve_flush(5000));
	varve_stop();
	count_linked(&server, &linked, &all);
	assert_in_range(all, 25, 70); /* 50 of 200 */
	assert_int_equal(linked, all);
	http_sink_stop(&server);
}

struct seen {
	pthread_mutex_t mu;
	struct buf pprof;
	unsigned count;
	uint64_t start, duration;
};

static void on_profile(void *arg, enum varve_profile kind, const void *pprof, size_t size,
		       uint64_t start_unix_ns, uint64_t duration_ns)
{
	struct seen *s = arg;

	assert_int_equal(kind, VARVE_CPU);
	pthread_mutex_lock(&s->mu);
	buf_clear(&s->pprof);
	buf_put(&s->pprof, pprof, size);
	s->count++;
	s->start = start_unix_ns;
	s->duration = duration_ns;
	pthread_mutex_unlock(&s->mu);
}

static void the_callback_gets_profiles_with_labels(void **state)
{
	struct seen seen = {.mu = PTHREAD_MUTEX_INITIALIZER};
	struct varve_options o = {.profiles = VARVE_CPU,
				  .cpu_hz = 250,
				  .on_profile = on_profile,
				  .on_profile_arg = &seen,
				  .export_interval_ms = 60000};
	struct arena a;
	char *text;

	(void)state;
	assert_int_equal(varve_label("too", "early"), -ENOTCONN);
	assert_null(varve_metrics_text());
	assert_ok(varve_start(&o));
	assert_ok(varve_label("tenant", "blue-whale"));
	assert_ok(varve_label("shard", "7"));
	assert_ok(varve_label("shard", NULL));
	assert_int_equal(varve_label("", "x"), -EINVAL);
	assert_int_equal(varve_label("bad", "\xff"), -EINVAL);
	burn(300);
	text = varve_metrics_text();
	assert_non_null(strstr(text, "\nvarve_profiler_samples_total "));
	varve_free(text);
	assert_ok(varve_flush(5000));
	varve_stop();
	assert_int_equal(seen.count, 1);
	assert_true(seen.duration > 250 * NS_PER_MS);
	arena_init(&a, NULL);
	struct str pprof = unpack(&a, buf_str(&seen.pprof));

	assert_true(str_find_str(pprof, STR("blue-whale")) < pprof.n);
	assert_true(str_find_str(pprof, STR("shard")) == pprof.n);
	assert_true(str_find_str(pprof, STR("burn")) < pprof.n);
	arena_fini(&a);
	buf_fini(&seen.pprof);
}

static int64_t sum_of_file(const char *path, const char *type)
{
	struct decode_options options = {0};
	struct profile_batch b;
	struct err e = {0};
	struct buf file = {0};
	struct arena a;
	FILE *f = fopen(path, "re");
	int64_t sum = 0;
	int c;

	assert_non_null(f);
	while ((c = fgetc(f)) != EOF)
		buf_put_char(&file, (char)c);
	fclose(f);
	arena_init(&a, NULL);
	assert_ok(profile_batch_init(&b, NULL));
	assert_ok_err(pprof_decode(&b, unpack(&a, buf_str(&file)), &options, &e), &e);
	for (uint32_t p = 0; p < b.profiles.n; p++) {
		const struct profile *row = &b.profiles.at[p];

		if (!str_eq(string_of(&b, row->sample_type.type), str_from(type)))
			continue;
		for (uint32_t v = b.sample_values_at[row->sample_first];
		     v < b.sample_values_at[row->sample_first + row->sample_count]; v++)
			sum += b.values.at[v];
	}
	profile_batch_fini(&b);
	arena_fini(&a);
	buf_fini(&file);
	return sum;
}

static void profile_files_cover_the_whole_run(void **state)
{
	char directory[] = "/tmp/varve-sdk-XXXXXX", path[128], nested[64];
	struct varve_options o = {
		.profiles = VARVE_CPU, .cpu_hz = 250, .export_interval_ms = 60000};
	struct varve_delivery d;
	int64_t first, second;

	(void)state;
	assert_non_null(mkdtemp(directory));
	snprintf(nested, sizeof(nested), "%s/a/b", directory);
	snprintf(path, sizeof(path), "%s/cpu.pb.gz", nested);
	o.directory = nested;
	assert_ok(varve_start(&o));
	burn(200);
	assert_ok(varve_flush(5000));
	first = sum_of_file(path, "cpu");
	burn(200);
	varve_span_end(varve_span_start("x", NULL));
	assert_ok(varve_flush(5000));
	varve_delivery(&d);
	assert_int_equal(d.failed, 0);
	varve_stop();
	second = sum_of_file(path, "cpu");
	assert_in_range(first, 100 * NS_PER_MS, 300 * NS_PER_MS);
	assert_in_range(second, 250 * NS_PER_MS, 600 * NS_PER_MS);
	snprintf(path, sizeof(path), "%s/traces.otlp", nested);
	struct stat status;

	assert_ok(stat(path, &status));
	assert_true(status.st_size > 50);
	snprintf(path, sizeof(path), "rm -r %s", directory);
	assert_ok(system(path));
}

/* Return whether the body of any request to the path has the text. */
static bool body_has(struct http_sink *server, const char *path, const char *text)
{
	bool found = false;

	for (unsigned i = 0; i < server->count && !found; i++) {
		struct str body = buf_str(&server->requests[i].body), plain;
		struct arena a;

		if (!strstr(server->requests[i].head, path))
			continue;
		arena_init(&a, NULL);
		plain = strstr(server->requests[i].head, "Content-Encoding: gzip")
				? unpack(&a, body)
				: body;
		found = str_find_str(plain, str_from(text)) < plain.n;
		arena_fini(&a);
	}
	return found;
}

static void logs_and_metrics_of_the_program_arrive(void **state)
{
	struct varve_options o = {.profiles = VARVE_CPU,
				  .metric_aliases = 1,
				  .no_compression = 1,
				  .export_interval_ms = 60000};
	struct varve_attribute a[] = {varve_str("queue", "orders-queue")};
	struct http_sink server;
	char *text;

	(void)state;
	http_sink_start(&server);
	o.endpoint = server.url;
	assert_ok(varve_start(&o));
	assert_ok(varve_log_with(VARVE_ERROR, "the queue is full", a, 1));
	varve_add_with(varve_counter("shop.orders", "{order}", "Orders"), 3, a, 1);
	text = varve_metrics_text();
	assert_non_null(strstr(text, "\nshop_orders_total{queue=\"orders-queue\"} 3\n"));
	assert_non_null(strstr(text, "\nruntime_memory_heap_alloc_bytes "));
	varve_free(text);
	assert_ok(varve_flush(5000));
	varve_stop();
	assert_true(body_has(&server, "/v1/logs", "the queue is full"));
	assert_true(body_has(&server, "/v1/logs", "orders-queue"));
	assert_true(body_has(&server, "/v1/metrics", "shop.orders"));
	assert_true(body_has(&server, "/v1/metrics", "runtime.memory.heap_objects"));
	http_sink_stop(&server);
}

static void the_spans_of_the_profilers_describe_their_work(void **state)
{
	static const char *const texts[] = {"cpu-profile-collection",
					    "heap-profile-collection",
					    "alloc-profile-collection",
					    "profile-export-flush",
					    "profiler.type",
					    "profiler.duration_ms",
					    "profiler.profile_available",
					    "profiles.count",
					    "profiler.profile_size_bytes",
					    "runtime.heap_alloc",
					    "runtime.heap_objects",
					    "runtime.threads",
					    "profile.id",
					    "profile.type"};
	struct varve_options o = {.profiles = VARVE_CPU | VARVE_HEAP,
				  .trace_profiler = 1,
				  .export_interval_ms = 60000};
	struct varve_operation *operation;
	struct http_sink server;
	struct varve_span *span;

	(void)state;
	http_sink_start(&server);
	o.endpoint = server.url;
	assert_ok(varve_start(&o));
	span = varve_span_start("checkout", NULL);
	varve_span_set_runtime(span);
	operation = varve_profile_start(VARVE_CPU, VARVE_THIS_THREAD, NULL);
	burn(50);
	assert_ok(varve_profile_stop(operation, NULL, NULL));
	varve_span_end(span);
	assert_ok(varve_flush(5000));
	varve_stop();
	for (size_t i = 0; i < countof(texts); i++)
		if (!body_has(&server, "/v1/traces", texts[i]))
			fail_msg("no %s in the spans", texts[i]);
	http_sink_stop(&server);
}

static void a_signal_may_have_an_endpoint_of_its_own(void **state)
{
	struct varve_options o = {.profiles = VARVE_CPU, .export_interval_ms = 60000};
	struct http_sink server, traces;
	char url[128];

	(void)state;
	http_sink_start(&server);
	http_sink_start(&traces);
	snprintf(url, sizeof(url), "%s/own/path", traces.url);
	setenv("OTEL_EXPORTER_OTLP_ENDPOINT", server.url, 1);
	setenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", url, 1);
	setenv("OTEL_EXPORTER_OTLP_TRACES_HEADERS", "x-key=traces-only", 1);
	assert_ok(varve_start(&o));
	varve_span_end(varve_span_start("x", NULL));
	assert_ok(varve_flush(5000));
	varve_stop();
	assert_int_equal(traces.count, 1);
	assert_non_null(strstr(traces.requests[0].head, "POST /own/path HTTP/1.1"));
	assert_non_null(strstr(traces.requests[0].head, "x-key: traces-only"));
	assert_int_equal(requests_to(&server, "/v1/traces"), 0);
	assert_true(requests_to(&server, "/v1/metrics") >= 1);
	assert_int_equal(requests_to(&server, "x-key"), 0);
	http_sink_stop(&server);
	http_sink_stop(&traces);
	unsetenv("OTEL_EXPORTER_OTLP_ENDPOINT");
	unsetenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT");
	unsetenv("OTEL_EXPORTER_OTLP_TRACES_HEADERS");
}

static void a_disabled_library_starts_nothing(void **state)
{
	(void)state;
	setenv("OTEL_SDK_DISABLED", "true", 1);
	assert_ok(varve_start(NULL));
	assert_non_null(strstr(varve_last_error(), "OTEL_SDK_DISABLED"));
	assert_null(varve_span_start("x", NULL));
	assert_null(varve_metrics_text());
	unsetenv("OTEL_SDK_DISABLED");
	varve_stop();
}

static void baggage_entries_become_labels_of_samples(void **state)
{
	struct seen seen = {.mu = PTHREAD_MUTEX_INITIALIZER};
	struct varve_options o = {.profiles = VARVE_CPU,
				  .cpu_hz = 250,
				  .baggage_labels = "tenant",
				  .on_profile = on_profile,
				  .on_profile_arg = &seen,
				  .export_interval_ms = 60000};
	struct varve_baggage *b = varve_baggage_parse("tenant=blue-whale,secret=hidden-word");
	struct varve_baggage *before;
	struct arena a;
	struct str pprof;

	(void)state;
	assert_ok(varve_start(&o));
	varve_baggage_attach(b, &before);
	burn(200);
	varve_baggage_detach(before);
	varve_baggage_release(b);
	burn(100);
	assert_ok(varve_flush(5000));
	varve_stop();
	arena_init(&a, NULL);
	pprof = unpack(&a, buf_str(&seen.pprof));
	assert_true(str_find_str(pprof, STR("blue-whale")) < pprof.n);
	assert_true(str_find_str(pprof, STR("hidden-word")) == pprof.n);
	arena_fini(&a);
	buf_fini(&seen.pprof);
}

static void kinds_of_a_schedule_are_exported_by_their_own_windows(void **state)
{
	struct seen seen = {.mu = PTHREAD_MUTEX_INITIALIZER};
	struct varve_options o = {.profiles = VARVE_CPU,
				  .cpu_hz = 250,
				  .schedule = "cpu=300ms/400ms",
				  .on_profile = on_profile,
				  .on_profile_arg = &seen,
				  .export_interval_ms = 3600000};
	unsigned count = 0;

	(void)state;
	assert_ok(varve_start(&o));
	for (int i = 0; i < 600 && count < 2; i++) { /* without a flush */
		burn(50);
		pthread_mutex_lock(&seen.mu);
		count = seen.count;
		pthread_mutex_unlock(&seen.mu);
	}
	assert_true(count >= 2);
	varve_stop();
	assert_true(seen.duration > 0);
	buf_fini(&seen.pprof);
	o.schedule = "gpu=10s";
	assert_int_equal(varve_start(&o), -EINVAL);
	assert_non_null(strstr(varve_last_error(), "profiling.schedule"));
}

TEST_MAIN(test(logs_and_metrics_of_the_program_arrive),
	  test(the_spans_of_the_profilers_describe_their_work),
	  test(a_signal_may_have_an_endpoint_of_its_own), test(a_disabled_library_starts_nothing),
	  test(baggage_entries_become_labels_of_samples),
	  test(kinds_of_a_schedule_are_exported_by_their_own_windows),
	  test(samples_inside_spans_have_span_ids), test(samples_can_be_limited_to_slow_spans),
	  test(samples_can_be_limited_to_spans_of_one_name),
	  test(the_callback_gets_profiles_with_labels), test(profile_files_cover_the_whole_run))
