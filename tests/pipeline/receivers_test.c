/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The receivers over real sockets: responses to requests, and the data that reaches the end of the
 * pipeline.
 */
#include "base/thread.h"
#include "format/otlp/otlp.h"
#include "format/pprof/pprof.h"
#include "pipeline/service.h"
#include "signal/profile/profile_builder.h"
#include "signal/profile/profile_rows.h"
#include "test/net.h"
#include "wire/compress/compress.h"
#include "wire/proto.h"
#include "wire/text.h"

/* The end of the pipeline: record deliveries and complete them on another thread with `answer`. */
static struct {
	struct thread thread;
	struct queue queue;
	struct delivery_result answer;
	_Atomic unsigned deliveries;
	int64_t total;
	char series[4000]; /* "service type", a line each */
	uint8_t id[PROFILE_ID_SIZE];
	char tenant[50];
	char spans[4000]; /* "service name", a line each */
} sink;

static void record_spans(const struct span_batch *b)
{
	for (uint32_t i = 0; i < b->spans.n; i++) {
		size_t n = strlen(sink.spans);

		snprintf(sink.spans + n, sizeof(sink.spans) - n, "%.*s %.*s\n",
			 STR_ARG(b->spans.at[i].service), STR_ARG(b->spans.at[i].name));
	}
}

static void record(const struct delivery *d)
{
	snprintf(sink.tenant, sizeof(sink.tenant), "%.*s", STR_ARG(d->tenant));
	if (d->signal == SIGNAL_TRACES) {
		record_spans(d->spans);
		return;
	}
	for (uint32_t i = 0; i < d->batch->sample_count; i++)
		if (d->series->of_sample[i] != SERIES_NONE)
			sink.total += sample_total(d->batch, i) *
				      d->series->series.at[d->series->of_sample[i]].scale;
	for (uint32_t i = 0; i < d->series->series.n; i++) {
		struct label_set labels = d->series->series.at[i].labels;
		size_t n = strlen(sink.series);

		snprintf(sink.series + n, sizeof(sink.series) - n, "%.*s %.*s\n",
			 STR_ARG(label_set_get(labels, STR("service_name"))),
			 STR_ARG(label_set_get(labels, STR("__profile_type__"))));
	}
	if (d->batch->profiles.n)
		memcpy(sink.id, d->batch->profiles.at[0].id, sizeof(sink.id));
}

static void run_sink(void *arg)
{
	void *item;

	(void)arg;
	while (!queue_pop(&sink.queue, &item, QUEUE_FOREVER)) {
		record(item);
		sink.deliveries++;
		delivery_done(item, &sink.answer);
	}
}

static bool sink_consume(void *instance, struct delivery *d)
{
	(void)instance;
	assert_ok(queue_push(&sink.queue, d, 0, QUEUE_FOREVER));
	return false;
}

static bool full;

static bool sink_admit(void *instance, uint64_t bytes, struct delivery_result *why)
{
	(void)instance;
	(void)bytes;
	if (!full)
		return true;
	*why = (struct delivery_result){.rc = -EAGAIN, .retry_after_ms = 2500, .reason = "full"};
	return false;
}

static int sink_create(void **instance, const struct component_env *env, const void *settings,
		       struct err *e)
{
	(void)env;
	(void)settings;
	(void)e;
	*instance = &sink;
	return 0;
}

static void sink_destroy(void *instance)
{
	(void)instance;
}

static const struct component sink_exporter = {
	.name = "sink",
	.kind = COMPONENT_EXPORTER,
	.signals = SIGNAL_PROFILES | SIGNAL_TRACES,
	.form = FORM_DECODED,
	.create = sink_create,
	.consume = sink_consume,
	.admit = sink_admit,
	.destroy = sink_destroy,
};
static const struct component *const more[] = {&sink_exporter, NULL};

static const char text[] =
	"receivers:\n"
	"  otlp: {protocols: {grpc: {endpoint: '127.0.0.1:0'}, http: {endpoint: "
	"'127.0.0.1:0'}}}\n"
	"  pyroscope: {endpoint: '127.0.0.1:0', max_request_body_size: 1MiB}\n"
	"processors: {memory_limiter: {limit_mib: 8000}}\n"
	"exporters: {sink: }\n"
	"service: {pipelines: {profiles: {receivers: [otlp, pyroscope], processors: "
	"[memory_limiter], exporters: [sink]}, traces: {receivers: [otlp], processors: "
	"[memory_limiter], exporters: [sink]}}}\n";

static struct {
	struct config config;
	struct host host;
	struct service *service;
	uint16_t port;
	struct arena arena;
} s;

static int setup(void **state)
{
	struct err e = {0};

	(void)state;
	arena_init(&s.arena, NULL);
	assert_ok(queue_init(&sink.queue, 100, 0));
	assert_ok(thread_start(&sink.thread, "sink", run_sink, NULL, &e));
	assert_ok(config_init(&s.config, NULL));
	assert_ok(host_init(&s.host, 2, 256 * MIB, NULL, &e));
	assert_ok_err(config_parse(&s.config, str_from(text), "c.yaml", NULL, NULL, &e), &e);
	assert_ok_err(service_new(&s.service, &s.config, &s.host, more, &e), &e);
	assert_ok_err(service_start(s.service, NULL, &e), &e);
	s.port = listeners_port(&s.host.listeners, STR("127.0.0.1:0"));
	return s.port ? 0 : -1;
}

static int teardown(void **state)
{
	(void)state;
	service_stop(s.service, 1000);
	service_free(s.service);
	queue_close(&sink.queue);
	thread_join(&sink.thread);
	queue_fini(&sink.queue);
	host_fini(&s.host);
	config_fini(&s.config);
	arena_fini(&s.arena);
	return 0;
}

static void reset(void)
{
	sink.answer = (struct delivery_result){0};
	sink.deliveries = 0;
	sink.total = 0;
	sink.series[0] = '\0';
	full = false;
}

/* Send a POST request; `headers` are complete lines. */
static struct test_answer post(const char *path, const char *headers, struct str body)
{
	struct test_answer a = {0};
	struct buf request = {0};
	int fd = test_connect(s.port);

	buf_printf(&request, "POST %s HTTP/1.1\r\nhost: x\r\ncontent-length: %zu\r\n%s\r\n", path,
		   body.n, headers);
	buf_put_str(&request, body);
	test_send(fd, buf_str(&request));
	test_next_answer(fd, &a);
	buf_fini(&request);
	close(fd);
	return a;
}

/* Check the status of the response, and that its body contains `text`. */
static void expect(struct test_answer a, unsigned status, const char *says)
{
	if (a.status != status || (*says && str_find_str(a.body, str_from(says)) == a.body.n))
		fail_msg("%u %.*s, expected %u %s", a.status, STR_ARG(a.body), status, says);
	test_answer_fini(&a);
}

/* Check that the metrics of the process have this line. */
static void expect_metric(const char *line)
{
	struct buf out = {0};

	telemetry_write(&s.host.telemetry, &out);
	if (str_find_str(buf_str(&out), str_from(line)) == out.n)
		fail_msg("no %s in:\n%.*s", line, STR_ARG(buf_str(&out)));
	buf_fini(&out);
}

static struct str small_profile(const struct format *f, int64_t value)
{
	struct keyvalue service = {STR("service.name"), VALUE_OF_STR(STR("shop"))};
	struct profile_builder b;
	struct profile_batch batch;
	struct profile row = {.time_unix_nano = 1700000000 * NS_PER_SECOND};
	struct buf out = {0};
	struct str copy;
	struct err e = {0};
	uint32_t location, stack;

	assert_ok(profile_batch_init(&batch, NULL));
	assert_ok(profile_builder_init(&b, &batch));
	assert_ok(profile_add_resource(&b, &service, 1));
	assert_ok(profile_add_scope(&b, STR(""), STR(""), NULL, 0));
	assert_ok(profile_add_string(&b, STR("cpu"), &row.sample_type.type));
	assert_ok(profile_add_string(&b, STR("nanoseconds"), &row.sample_type.unit));
	assert_ok(profile_add_profile(&b, &row, NULL, 0));
	assert_ok(profile_add_frame(&b, STR("work"), STR("w.c"), 3, &location));
	assert_ok(profile_add_stack(&b, &location, 1, &stack));
	assert_ok(profile_add_sample(&b, stack, 0, NULL, 0, value));
	assert_ok_err(f->encode(&out, &batch, NULL, &e), &e);
	assert_ok(arena_copy_str(&s.arena, buf_str(&out), &copy));
	buf_fini(&out);
	profile_batch_fini(&batch);
	return copy;
}

static struct str gzip(struct str in)
{
	struct buf out = {0};
	struct str copy;

	assert_ok(compress_bytes(&out, COMPRESS_GZIP, 0, in, NULL));
	assert_ok(arena_copy_str(&s.arena, buf_str(&out), &copy));
	buf_fini(&out);
	return copy;
}

static void ingest_responds_when_the_data_is_stored(void **state)
{
	(void)state;
	reset();
	expect(post("/ingest?name=app%7Ba%3Db%7D", "", STR("x;y 5\n")), 200, "");
	assert_string_equal(sink.series, "app process_cpu:cpu:nanoseconds:cpu:nanoseconds\n");
	assert_int_equal(sink.total, 50000000);
	expect(post("/pyroscope/ingest?name=app&format=pprof", "content-encoding: gzip\r\n",
		    small_profile(&format_pprof, 7)),
	       200, "");
	assert_int_equal(sink.total, 50000007);
	assert_int_equal(sink.deliveries, 2);
	expect(post("/ingest?name=app&format=pprof", "idempotency-key: k1\r\n",
		    small_profile(&format_pprof, 7)),
	       200, "");
	assert_int_not_equal(sink.id[0], 0);
	expect(post("/ingest?name=app", "", STR("")), 200, "");
	assert_int_equal(sink.deliveries, 3);
}

static void ingest_errors_are_those_of_pyroscope(void **state)
{
	struct test_answer a;
	static char large[(1 << 20) + 1];

	(void)state;
	reset();
	a = post("/ingest?name=", "", STR("x 1\n"));
	assert_str_equal(test_answer_header(&a, "content-type"), STR("application/json"));
	expect(a, 400,
	       "{\"code\":\"invalid_argument\",\"message\":\"name: service name is required\"}");
	expect(post("/ingest?name=a&format=jfr", "", STR("junk")), 422, "{\"code\":\"unknown\",");
	expect(post("/ingest?name=a", "", str_of(large, sizeof(large))), 413, "{\"code\":");
	expect(post("/ingest?name=a&format=pprof", "", gzip(str_of(large, sizeof(large)))), 413,
	       "{\"code\":");
	assert_int_equal(sink.deliveries, 0);
	sink.answer =
		(struct delivery_result){.rc = -EAGAIN, .retry_after_ms = 1500, .reason = "busy"};
	a = post("/ingest?name=a", "", STR("x 1\n"));
	assert_str_equal(test_answer_header(&a, "retry-after"), STR("2"));
	expect(a, 429, "{\"code\":\"resource_exhausted\",\"message\":\"busy\"}");
	sink.answer = (struct delivery_result){.rc = -ENOSPC, .reason = "the disk is full"};
	expect(post("/ingest?name=a", "", STR("x 1\n")), 503, "the disk is full");
	assert_int_equal(test_status(s.port, STR("GET /ingest?name=a HTTP/1.1\r\nhost: x\r\n\r\n")),
			 405);
}

/* Make a PushRequest with two series of one profile each. */
static struct str push_request(struct str first, struct str second)
{
	struct str profiles[] = {first, second};
	struct proto_writer w;
	struct str copy;

	proto_writer_init(&w, NULL);
	for (size_t i = 2; i-- > 0;) {
		size_t series = proto_mark(&w), at = series;

		proto_put_bytes(&w, 2, i ? STR("second") : STR("first"));
		proto_put_bytes(&w, 1, profiles[i]);
		proto_put_header(&w, 2, at);
		at = proto_mark(&w);
		proto_put_bytes(&w, 2, STR("process_cpu"));
		proto_put_bytes(&w, 1, STR("__name__"));
		proto_put_header(&w, 1, at);
		proto_put_header(&w, 1, series);
	}
	assert_ok(arena_copy_str(&s.arena, proto_writer_str(&w), &copy));
	proto_writer_fini(&w);
	return copy;
}

#define PUSH "/push.v1.PusherService/Push"

static void push_accepts_protobuf_and_json(void **state)
{
	struct str good = small_profile(&format_pprof_raw, 3), request = push_request(good, good);
	struct buf json = {0}, base64 = {0};
	struct test_answer a;

	(void)state;
	reset();
	a = post(PUSH, "content-type: application/proto\r\n", request);
	assert_int_equal(a.body.n, 0);
	expect(a, 200, "");
	assert_int_equal(sink.deliveries, 2);
	assert_int_equal(sink.total, 6);
	assert_string_equal(sink.series, "unknown_service process_cpu:cpu:nanoseconds::\n"
					 "unknown_service process_cpu:cpu:nanoseconds::\n");
	expect(post(PUSH, "content-type: application/proto\r\ncontent-encoding: gzip\r\n",
		    gzip(request)),
	       200, "");
	base64_encode(&base64, good);
	buf_printf(
		&json,
		"{\"series\":[{\"labels\":[{\"name\":\"__name__\",\"value\":\"memory\"},{\"name\":"
		"\"service_name\",\"value\":\"js\"}],\"samples\":[{\"rawProfile\":\"%.*s\"}]}]}",
		STR_ARG(buf_str(&base64)));
	sink.series[0] = '\0';
	expect(post(PUSH, "content-type: application/json\r\n", buf_str(&json)), 200, "{}");
	assert_string_equal(sink.series, "js memory:cpu:nanoseconds::\n");
	buf_fini(&json);
	buf_fini(&base64);
}

static void a_bad_profile_in_a_push_is_refused_alone(void **state)
{
	struct str good = small_profile(&format_pprof_raw, 3);

	(void)state;
	reset();
	expect(post(PUSH, "content-type: application/proto\r\n", push_request(STR("junk"), good)),
	       400, "\"message\":\"push series with index 0 and id first failed: pprof: at byte");
	assert_int_equal(sink.deliveries, 1);
	assert_int_equal(sink.total, 3);
	expect(post(PUSH, "content-type: application/proto\r\n", STR("")), 400,
	       "{\"code\":\"invalid_argument\",\"message\":\"no profiles received\"}");
	expect(post(PUSH, "content-type: application/proto\r\n", STR("\x0a\x7f")), 400,
	       "invalid_argument");
	expect(post(PUSH, "content-type: application/json\r\n", STR("{\"series\":1}")), 400,
	       "expected an array");
	expect(post(PUSH, "content-type: text/plain\r\n", STR("")), 415, "");
	sink.answer =
		(struct delivery_result){.rc = -EAGAIN, .retry_after_ms = 1000, .reason = "busy"};
	expect(post(PUSH, "content-type: application/proto\r\n", push_request(STR("junk"), good)),
	       503, "{\"code\":\"unavailable\"");
}

#define PROFILES "/v1development/profiles"

static void otlp_responds_in_the_encoding_of_the_request(void **state)
{
	struct str proto = small_profile(&format_otlp, 9),
		   json = small_profile(&format_otlp_json, 4);
	struct test_answer a;

	(void)state;
	reset();
	a = post(PROFILES, "content-type: application/x-protobuf\r\n", proto);
	assert_str_equal(test_answer_header(&a, "content-type"), STR("application/x-protobuf"));
	assert_int_equal(a.body.n, 0);
	expect(a, 200, "");
	assert_string_equal(sink.series, "shop process_cpu:cpu:nanoseconds:cpu:nanoseconds\n");
	assert_int_equal(sink.total, 9);
	a = post(PROFILES, "content-type: application/json; charset=utf-8\r\n", json);
	assert_str_equal(test_answer_header(&a, "content-type"), STR("application/json"));
	expect(a, 200, "{}");
	assert_int_equal(sink.total, 13);
	expect(post(PROFILES, "content-type: application/x-protobuf\r\ncontent-encoding: gzip\r\n",
		    gzip(proto)),
	       200, "");
	assert_int_equal(sink.total, 22);
	expect(post(PROFILES, "content-type: application/x-protobuf\r\n", STR("")), 200, "");
}

static void otlp_errors_carry_a_status(void **state)
{
	struct test_answer a;
	struct str proto = small_profile(&format_otlp, 9);

	(void)state;
	reset();
	a = post(PROFILES, "content-type: application/x-protobuf\r\n", STR("\x0a\xff"));
	assert_int_equal(a.body.p[0], 8); /* code = 3, INVALID_ARGUMENT */
	assert_int_equal(a.body.p[1], 3);
	expect(a, 400, "at byte");
	expect(post(PROFILES, "content-type: application/json\r\n",
		    STR("{\"resourceProfiles\":1}")),
	       400, "{\"code\":3,\"message\":\"");
	expect(post(PROFILES, "content-type: text/plain\r\n", STR("x")), 415, "supported: [");
	expect(post(PROFILES, "content-type: application/json\r\ncontent-encoding: gzip\r\n",
		    STR("no gzip")),
	       400, "{\"code\":3,");
	sink.answer =
		(struct delivery_result){.rc = -EAGAIN, .retry_after_ms = 1000, .reason = "busy"};
	a = post(PROFILES, "content-type: application/json\r\n",
		 small_profile(&format_otlp_json, 4));
	assert_str_equal(test_answer_header(&a, "retry-after"), STR("1"));
	expect(a, 503, "{\"code\":14,\"message\":\"busy\"}");
	full = true;
	a = post(PROFILES, "content-type: application/x-protobuf\r\n", proto);
	assert_str_equal(test_answer_header(&a, "retry-after"), STR("3"));
	expect(a, 503, "full");
	expect(post("/ingest?name=a", "", STR("x 1\n")), 429, "\"message\":\"full\"");
	expect(post(PUSH, "content-type: application/proto\r\n", STR("")), 429,
	       "{\"code\":\"resource_exhausted\"");
}

/* Return the entry of this program and protocol in the list of senders. */
static struct known_sender sender_entry(const char *agent, enum receive_protocol protocol)
{
	static struct known_sender at[SENDERS_MAX];
	struct receive_sums sums[RECEIVE_PROTOCOLS];
	unsigned n = senders_copy(&s.host.senders, (struct str){0}, sums, at);

	for (unsigned i = 0; i < n; i++)
		if (!strcmp(at[i].agent, agent) && at[i].protocol == protocol)
			return at[i];
	fail_msg("no sender has the user agent %s", agent);
	return at[0];
}

static void the_list_of_senders_counts_requests_and_refusals(void **state)
{
#define AGENT "user-agent: bookish/1\r\n"
	struct str otlp = small_profile(&format_otlp, 9),
		   pprof = small_profile(&format_pprof_raw, 3);
	struct known_sender b;

	(void)state;
	reset();
	expect(post(PROFILES,
		    AGENT
		    "content-type: application/x-protobuf\r\nvarve-profiler: samples=7 lost=2 "
		    "cpu_ns=99 more=1\r\n",
		    otlp),
	       200, "");
	expect(post(PROFILES, AGENT "content-type: application/x-protobuf\r\n", STR("\x0a\xff")),
	       400, "at byte");
	b = sender_entry("bookish/1", RECEIVE_OTLP_HTTP);
	assert_string_equal(b.peer, "127.0.0.1");
	assert_int_equal(b.sums.requests, 2);
	assert_int_equal(b.sums.profiles, 1);
	assert_int_equal(b.sums.samples, 1);
	assert_int_equal(b.sums.bytes, otlp.n + 2);
	assert_int_equal(b.sums.refused[REFUSED_BAD], 1);
	assert_non_null(strstr(b.refusal, "at byte"));
	assert_int_equal(b.services.n, 1);
	assert_string_equal(b.services.at[0], "shop");
	assert_true(b.profiler.reported);
	assert_int_equal(b.profiler.samples, 7);
	assert_int_equal(b.profiler.lost, 2);
	assert_int_equal(b.profiler.cpu_ns, 99);

	expect(post(PUSH, AGENT "content-type: application/proto\r\n",
		    push_request(STR("junk"), pprof)),
	       400, "");
	b = sender_entry("bookish/1", RECEIVE_PUSH);
	assert_int_equal(b.sums.requests, 1);
	assert_int_equal(b.sums.profiles, 1);
	assert_int_equal(b.sums.refused[REFUSED_BAD], 1);
	assert_false(b.profiler.reported);

	expect(post("/ingest?name=app", AGENT, STR("x;y 5\n")), 200, "");
	sink.answer = (struct delivery_result){.rc = -ENOSPC, .reason = "the disk is full"};
	expect(post("/ingest?name=app", AGENT, STR("x 1\n")), 503, "");
	full = true;
	expect(post("/ingest?name=app", AGENT, STR("x 1\n")), 429, "");
	b = sender_entry("bookish/1", RECEIVE_INGEST);
	assert_int_equal(b.sums.requests, 3);
	assert_int_equal(b.sums.profiles, 1);
	assert_int_equal(b.sums.refused[REFUSED_FAILED], 1);
	assert_int_equal(b.sums.refused[REFUSED_OVERLOAD], 1);
	assert_string_equal(b.services.at[0], "app");
	assert_string_equal(b.refusal, "full");
}

static void a_profile_that_cannot_be_stored_is_a_partial_success(void **state)
{
	(void)state;
	reset();
	expect(post(PROFILES, "content-type: application/json\r\n",
		    STR("{\"resourceProfiles\":[{\"scopeProfiles\":[{\"profiles\":[{\"samples\":[{"
			"\"stackIndex\":0,\"values\":[1]}]},{\"sampleType\":{\"typeStrindex\":1,"
			"\"unitStrindex\":2},\"samples\":[{\"stackIndex\":0,\"values\":[8]}]}]}]}],"
			"\"dictionary\":{\"stringTable\":[\"\",\"cpu\",\"nanoseconds\"],"
			"\"stackTable\":[{}],"
			"\"linkTable\":[{}],\"attributeTable\":[{}],\"mappingTable\":[{}],"
			"\"locationTable\":[{}],\"functionTable\":[{}]}}")),
	       200,
	       "{\"partialSuccess\":{\"rejectedProfiles\":\"1\",\"errorMessage\":\"profile 0: no "
	       "sample type\"}}");
	assert_int_equal(sink.total, 8);
}

/* Return the message with gRPC's prefix of five bytes. */
static struct str framed(struct str message)
{
	struct buf out = {0};
	struct str copy;

	for (int shift = 32; shift >= 0; shift -= 8) /* not compressed; then the length */
		buf_put_char(&out, (char)(shift == 32 ? 0 : message.n >> shift));
	buf_put_str(&out, message);
	assert_ok(arena_copy_str(&s.arena, buf_str(&out), &copy));
	buf_fini(&out);
	return copy;
}

#define EXPORT "/opentelemetry.proto.collector.profiles.v1development.ProfilesService/Export"
#define GRPC_WEB "content-type: application/grpc-web+proto\r\n"

static void remote_calls_are_answered_in_their_own_protocol(void **state)
{
	struct str pprof = small_profile(&format_pprof_raw, 3);

	(void)state;
	reset();
	expect(post(EXPORT, GRPC_WEB, framed(small_profile(&format_otlp, 9))), 200,
	       "grpc-status: 0");
	assert_int_equal(sink.total, 9);
	expect(post(EXPORT, GRPC_WEB, framed(STR("\x0a\xff"))), 200, "grpc-status: 3");
	expect(post(EXPORT, GRPC_WEB, framed(STR(""))), 200, "grpc-status: 0");
	expect(post(PUSH, GRPC_WEB, framed(push_request(pprof, pprof))), 200, "grpc-status: 0");
	assert_int_equal(sink.total, 15);
	expect(post(PUSH, GRPC_WEB, framed(push_request(STR("junk"), pprof))), 200,
	       "grpc-status: 3");
	/* plain OTLP/HTTP on gRPC's path, which Pyroscope accepts */
	expect(post(EXPORT, "content-type: application/x-protobuf\r\n",
		    small_profile(&format_otlp, 9)),
	       200, "");
	sink.answer =
		(struct delivery_result){.rc = -EAGAIN, .retry_after_ms = 1000, .reason = "busy"};
	expect(post(EXPORT, GRPC_WEB, framed(small_profile(&format_otlp, 9))), 200,
	       "grpc-status: 14");
}

/* Encode two spans of the service "shop" and, on demand, a third one with a bad id. */
static struct str two_spans(bool bad)
{
	static const char one[] = "\x0a\x10"
				  "0123456789abcdef\x12\x08"
				  "01234567\x2a\x03"
				  "one",
			  two[] = "\x0a\x10"
				  "0123456789abcdef\x12\x08"
				  "01234568\x2a\x03"
				  "two",
			  wrong[] = "\x12\x03\x61\x62\x63";
	struct proto_writer w;
	struct str copy;
	size_t mark;

	proto_writer_init(&w, NULL);
	if (bad)
		proto_put_entry(&w, 2, str_from(wrong));
	proto_put_entry(&w, 2, str_from(two));
	proto_put_entry(&w, 2, str_from(one));
	proto_put_header(&w, 2, 0);
	mark = proto_mark(&w);
	proto_put_bytes(&w, 1, STR("shop"));
	proto_put_header(&w, 2, mark);
	proto_put_bytes(&w, 1, STR("service.name"));
	proto_put_header(&w, 1, mark);
	proto_put_header(&w, 1, mark);
	proto_put_header(&w, 1, 0);
	assert_ok(arena_copy_str(&s.arena, proto_writer_str(&w), &copy));
	proto_writer_fini(&w);
	return copy;
}

#define TRACES "/opentelemetry.proto.collector.trace.v1.TraceService/Export"
#define PROTOBUF "content-type: application/x-protobuf\r\n"

static void traces_pass_their_pipeline_and_get_a_response_when_stored(void **state)
{
	struct str json = STR("{\"resourceSpans\":[{\"scopeSpans\":[{\"spans\":[{\"traceId\":"
			      "\"000102030405060708090a0b0c0d0e0f\",\"spanId\":"
			      "\"0001020304050607\",\"name\":\"j\"},{\"traceId\":\"00\"}]}]}]}");
	struct test_answer a;
	struct known_sender b;

	(void)state;
	reset();
	sink.spans[0] = '\0';
	expect(post("/v1/traces",
		    PROTOBUF "user-agent: tracer/1\r\n"
			     "x-scope-orgid: me\r\n",
		    two_spans(false)),
	       200, "");
	assert_string_equal(sink.spans, "shop one\nshop two\n");
	expect(post("/v1/traces",
		    PROTOBUF "user-agent: tracer/1\r\n"
			     "content-encoding: gzip\r\n",
		    gzip(two_spans(false))),
	       200, "");
	expect(post(TRACES, GRPC_WEB, framed(two_spans(false))), 200, "grpc-status: 0");
	a = post("/v1/traces", "content-type: application/json\r\n", json);
	expect(a, 200,
	       "{\"partialSuccess\":{\"rejectedSpans\":\"1\",\"errorMessage\":\"span 1: trace "
	       "id is all zero or not 16 bytes long\"}}");
	assert_string_equal(sink.spans, "shop one\nshop two\nshop one\nshop two\nshop one\nshop "
					"two\nunknown_service j\n");
	expect(post("/v1/traces", PROTOBUF "user-agent: tracer/1\r\n", two_spans(true)), 200,
	       "span 2: trace id");
	b = sender_entry("tracer/1", RECEIVE_OTLP_HTTP);
	assert_int_equal(b.sums.spans, 6);
	assert_int_equal(b.sums.profiles, 0);
	assert_int_equal(b.sums.refused[REFUSED_REJECTED], 1);
	assert_string_equal(b.services.at[0], "shop");
	assert_int_equal(count_get(&s.host.intakes.counters, COUNT_SPANS), 9);
	assert_int_equal(count_get(&s.host.intakes.counters, COUNT_REJECTED_SPANS), 2);
	expect(post("/v1/traces", PROTOBUF, STR("")), 200, "");
	expect_metric(
		"\notelcol_receiver_accepted_spans{receiver=\"otlp\",transport=\"grpc\"} 2\n");
	expect_metric(
		"\notelcol_receiver_accepted_spans{receiver=\"otlp\",transport=\"http\"} 7\n");
	expect_metric("\notelcol_receiver_accepted_profile_samples{receiver=\"pyroscope\","
		      "transport=\"http\"} ");
}

static void traces_are_refused_like_profiles(void **state)
{
	struct test_answer a;

	(void)state;
	reset();
	expect(post("/v1/traces", PROTOBUF, STR("\x0a\xff")), 400, "at byte");
	expect(post(TRACES, GRPC_WEB, framed(STR("\x0a\xff"))), 200, "grpc-status: 3");
	expect(post("/v1/traces", "content-type: application/json\r\n",
		    STR("{\"resourceSpans\":1}")),
	       400, "{\"code\":3,\"message\":\"at byte 17");
	expect(post("/v1/traces", "content-type: text/plain\r\n", STR("x")), 415, "supported: [");
	sink.answer = (struct delivery_result){
		.rc = -ENOSPC, .retry_after_ms = 5000, .reason = "the disk is full"};
	a = post("/v1/traces", PROTOBUF, two_spans(false));
	assert_str_equal(test_answer_header(&a, "retry-after"), STR("5"));
	expect(a, 503, "the disk is full");
	expect(post(TRACES, GRPC_WEB, framed(two_spans(false))), 200, "grpc-status: 14");
	full = true;
	a = post("/v1/traces", PROTOBUF, two_spans(false));
	assert_str_equal(test_answer_header(&a, "retry-after"), STR("3"));
	expect(a, 503, "full");
}

static int64_t large_total;

static void large_bodies_are_decoded_by_workers(void **state)
{
	struct buf body = {0};

	(void)state;
	reset();
	for (int i = 0; body.n < 3 * 65536; i++) {
		buf_printf(&body, "main;work%d;inner%d 1\n", i % 1000, i);
		large_total++;
	}
	expect(post("/ingest?name=app", "", buf_str(&body)), 200, "");
	assert_int_equal(sink.total, large_total * 10000000);
	buf_fini(&body);
}

#define METRICS "/opentelemetry.proto.collector.metrics.v1.MetricsService/Export"
#define LOGS "/opentelemetry.proto.collector.logs.v1.LogsService/Export"

static unsigned occurrences(struct str text_, const char *word)
{
	unsigned n = 0;
	size_t at;

	while ((at = str_find_str(text_, str_from(word))) < text_.n) {
		text_ = str_from_at(text_, at + 1);
		n++;
	}
	return n;
}

/*
 * The response is a success with the number of rejected points, so that an SDK continues with its
 * other signals. This is logged once for each signal.
 */
static void metrics_and_logs_are_rejected_as_partial_success(void **state)
{
	/* a gauge of two points, a sum of one, in two scopes */
	static const struct str metrics =
		STR_INIT("\x0a\x16\x12\x0a\x12\x08\x0a\x00\x2a\x04\x0a\x00"
			 "\x0a\x00\x12\x08\x12\x06\x3a\x04\x0a\x02\x40\x01");
	/* two records in one scope, one in another */
	static const struct str logs =
		STR_INIT("\x0a\x0c\x12\x04\x12\x00\x12\x00\x12\x04\x12\x02\x10\x01");
	static const char protobuf[] = "content-type: application/x-protobuf\r\n";
	int fds[2];
	struct log log;
	struct buf logged = {0};

	(void)state;
	reset();
	assert_ok(pipe(fds));
	log = (struct log){fds[1], LOG_INFO};
	s.host.log = &log;
	expect(post("/v1/metrics", protobuf, metrics), 200,
	       "\x08\x03\x12\x2fmetrics are discarded: no pipeline accepts them");
	expect(post("/v1/metrics", "content-type: application/json\r\n", STR("{}")), 200,
	       "{\"partialSuccess\":{\"errorMessage\":\"metrics are discarded");
	expect(post("/v1/logs", protobuf, logs), 200, "\x08\x03\x12\x2clogs are discarded");
	expect(post("/v1/logs", protobuf, STR("")), 200, "logs are discarded");
	expect(post(METRICS, GRPC_WEB, framed(metrics)), 200, "metrics are discarded");
	expect(post(METRICS, GRPC_WEB, framed(metrics)), 200, "grpc-status: 0");
	expect(post(LOGS, GRPC_WEB, framed(logs)), 200, "grpc-status: 0");
	assert_int_equal(sink.deliveries, 0);
	s.host.log = NULL;
	close(fds[1]);
	while (read(fds[0], buf_reserve(&logged, 1), 1) == 1)
		logged.n++;
	close(fds[0]);
	assert_int_equal(occurrences(buf_str(&logged), "discarding a signal"), 2);
	assert_int_equal(occurrences(buf_str(&logged), "signal=metrics"), 1);
	assert_int_equal(occurrences(buf_str(&logged), "signal=logs"), 1);
	buf_fini(&logged);
}

static const char two_ports[] =
	"receivers:\n"
	"  otlp: {protocols: {grpc: {endpoint: 'localhost:0'}, http: {endpoint: "
	"'127.0.0.1:0'}}}\n"
	"exporters: {sink: }\n"
	"service: {pipelines: {profiles: {receivers: [otlp], exporters: [sink]}}}\n";

/* Clients confuse 4317 and 4318. */
static void each_otlp_port_accepts_grpc_and_http(void **state)
{
	static const char *const addresses[] = {"localhost:0", "127.0.0.1:0"};
	uint16_t port = s.port;
	struct config config;
	struct service *service;
	struct host host;
	struct err e = {0};

	(void)state;
	reset();
	assert_ok(config_init(&config, NULL));
	assert_ok(host_init(&host, 1, 64 * MIB, NULL, &e));
	assert_ok_err(config_parse(&config, str_from(two_ports), "c.yaml", NULL, NULL, &e), &e);
	assert_ok_err(service_new(&service, &config, &host, more, &e), &e);
	assert_ok_err(service_start(service, NULL, &e), &e);
	assert_int_equal(listeners_count(&host.listeners), 2);
	for (size_t i = 0; i < countof(addresses); i++) {
		s.port = listeners_port(&host.listeners, str_from(addresses[i]));
		expect(post(PROFILES, "content-type: application/x-protobuf\r\n",
			    small_profile(&format_otlp, 9)),
		       200, "");
		expect(post(PROFILES, "content-type: application/json\r\n",
			    small_profile(&format_otlp_json, 9)),
		       200, "{}");
		expect(post(EXPORT, GRPC_WEB, framed(small_profile(&format_otlp, 9))), 200,
		       "grpc-status: 0");
		assert_int_equal(test_status(s.port, STR("GET /ready HTTP/1.1\r\nHost: h\r\n\r\n")),
				 200);
	}
	assert_int_equal(sink.deliveries, 6);
	s.port = port;
	service_stop(service, 1000);
	service_free(service);
	host_fini(&host);
	config_fini(&config);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		test(ingest_responds_when_the_data_is_stored),
		test(ingest_errors_are_those_of_pyroscope),
		test(push_accepts_protobuf_and_json),
		test(a_bad_profile_in_a_push_is_refused_alone),
		test(otlp_responds_in_the_encoding_of_the_request),
		test(otlp_errors_carry_a_status),
		test(the_list_of_senders_counts_requests_and_refusals),
		test(a_profile_that_cannot_be_stored_is_a_partial_success),
		test(remote_calls_are_answered_in_their_own_protocol),
		test(traces_pass_their_pipeline_and_get_a_response_when_stored),
		test(traces_are_refused_like_profiles),
		test(large_bodies_are_decoded_by_workers),
		test(metrics_and_logs_are_rejected_as_partial_success),
		test(each_otlp_port_accepts_grpc_and_http),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
