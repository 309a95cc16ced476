/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The otlp receiver before consumers of payloads, over real sockets: the delivered bytes are those
 * of the request, and results become responses.
 */
#include "format/otlp/otlp.h"
#include "net/rpc/grpc_client.h"
#include "pipeline/service.h"
#include "signal/otlp/build.h"
#include "signal/random_batch.h"
#include "test/net.h"
#include "wire/compress/compress.h"

/* The end of the pipeline: keep the payload of the last delivery, and answer at once. */
static struct {
	struct delivery_result answer;
	_Atomic unsigned deliveries; /* written last, by the thread of the receiver */
	struct payload *payload;
	enum signal_kind signal;
	char transport[10], team[10];
} sink;

static void note_team(const struct delivery *d)
{
	for (uint32_t i = 0; i < d->metadata_count; i++)
		if (str_eq(d->metadata[i].name, STR("x-team")))
			snprintf(sink.team, sizeof(sink.team), "%.*s",
				 STR_ARG(d->metadata[i].value));
}

static bool keep_consume(void *instance, struct delivery *d)
{
	(void)instance;
	sink.signal = d->signal;
	snprintf(sink.transport, sizeof(sink.transport), "%s", d->transport);
	sink.team[0] = '\0';
	note_team(d);
	payload_release(sink.payload);
	sink.payload = payload_keep(d->payload, NULL);
	sink.deliveries++;
	delivery_done(d, &sink.answer);
	return false;
}

static int keep_create(void **instance, const struct component_env *env, const void *settings,
		       struct err *e)
{
	(void)env;
	(void)settings;
	(void)e;
	*instance = &sink;
	return 0;
}

static void keep_destroy(void *instance)
{
	(void)instance;
}

static const struct component keep_exporter = {
	.name = "keep",
	.kind = COMPONENT_EXPORTER,
	.signals = SIGNAL_PROFILES | SIGNAL_TRACES | SIGNAL_METRICS | SIGNAL_LOGS,
	.form = FORM_PAYLOAD,
	.create = keep_create,
	.consume = keep_consume,
	.destroy = keep_destroy,
};
static const struct component *const more[] = {&keep_exporter, NULL};

static const char text[] =
	"extensions: {bearertokenauth: {token: secret}}\n"
	"receivers:\n"
	"  otlp: {protocols: {grpc: {endpoint: '127.0.0.1:0', include_metadata: true}}}\n"
	"  otlp/locked: {protocols: {http: {endpoint: 'localhost:0',\n"
	"    max_request_body_size: 100KiB, auth: {authenticator: bearertokenauth}},\n"
	"    grpc: {endpoint: '127.0.0.1:4318', enabled: false}}}\n"
	"exporters: {keep: }\n"
	"service:\n"
	"  extensions: [bearertokenauth]\n"
	"  pipelines:\n"
	"    profiles: {receivers: [otlp], exporters: [keep]}\n"
	"    traces: {receivers: [otlp], exporters: [keep]}\n"
	"    metrics: {receivers: [otlp, otlp/locked], exporters: [keep]}\n"
	"    logs: {receivers: [otlp], exporters: [keep]}\n";

static struct {
	struct config config;
	struct host host;
	struct service *service;
	uint16_t port, locked_port;
	struct arena arena;
} s;

static int setup(void **state)
{
	struct err e = {0};

	(void)state;
	arena_init(&s.arena, NULL);
	assert_ok(config_init(&s.config, NULL));
	assert_ok(host_init(&s.host, 2, 256 * MIB, NULL, &e));
	assert_ok_err(config_parse(&s.config, str_from(text), "c.yaml", NULL, NULL, &e), &e);
	assert_ok_err(service_new(&s.service, &s.config, &s.host, more, &e), &e);
	assert_ok_err(service_start(s.service, NULL, &e), &e);
	s.port = listeners_port(&s.host.listeners, STR("127.0.0.1:0"));
	s.locked_port = listeners_port(&s.host.listeners, STR("localhost:0"));
	return s.port && s.locked_port ? 0 : -1;
}

static int teardown(void **state)
{
	(void)state;
	payload_release(sink.payload);
	service_stop(s.service, 1000);
	service_free(s.service);
	host_fini(&s.host);
	config_fini(&s.config);
	arena_fini(&s.arena);
	return 0;
}

static void reset(void)
{
	payload_release(sink.payload);
	memset(&sink, 0, sizeof(sink));
}

/* Send a POST request; `headers` are complete lines. */
static struct test_answer post_to(uint16_t port, const char *path, const char *headers,
				  struct str body)
{
	struct test_answer a = {0};
	struct buf request = {0};
	int fd = test_connect(port);

	buf_printf(&request, "POST %s HTTP/1.1\r\nhost: x\r\ncontent-length: %zu\r\n%s\r\n", path,
		   body.n, headers);
	buf_put_str(&request, body);
	test_send(fd, buf_str(&request));
	test_next_answer(fd, &a);
	buf_fini(&request);
	close(fd);
	return a;
}

#define PROTOBUF "content-type: application/x-protobuf\r\n"

/* Check the status of the response, and that its body contains `says`. */
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

/* A request of `n` log records; the last one has a text of 1,000 bytes. */
static struct str logs_message(uint32_t n)
{
	static char filler[1000];
	struct otlp_builder b;
	struct payload *p;
	struct str copy;

	memset(filler, 'x', sizeof(filler));
	otlp_builder_init(&b, SIGNAL_LOGS, NULL);
	for (uint32_t i = 0; i < n; i++)
		otlp_add_log(&b, &(struct otlp_log){.time = 1 + i,
						    .body = VALUE_OF_STR(str_of(filler, 1000))});
	p = otlp_builder_finish(&b);
	otlp_builder_fini(&b);
	assert_non_null(p);
	assert_ok(arena_copy_str(&s.arena, p->slices[0].bytes, &copy));
	payload_release(p);
	return copy;
}

static struct str compressed(enum compress_kind kind, struct str in)
{
	struct buf out = {0};
	struct str copy;

	assert_ok(compress_bytes(&out, kind, 0, in, NULL));
	assert_ok(arena_copy_str(&s.arena, buf_str(&out), &copy));
	buf_fini(&out);
	return copy;
}

static void expect_payload(enum signal_kind signal, struct str message, uint32_t items)
{
	assert_int_equal(sink.deliveries, 1);
	assert_int_equal(sink.signal, signal);
	assert_non_null(sink.payload);
	assert_int_equal(sink.payload->items, items);
	assert_int_equal(sink.payload->slice_count, 1);
	assert_str_equal(sink.payload->slices[0].bytes, message);
	reset();
}

/* ---- HTTP ---- */

/* Small bodies are copied and handled by the loop, large ones are taken over by a worker. */
static void the_received_bytes_are_delivered(void **state)
{
	static const uint32_t sizes[] = {1, 10, 100, 1000};

	(void)state;
	for (size_t i = 0; i < countof(sizes); i++) {
		struct str message = logs_message(sizes[i]);

		reset();
		expect(post_to(s.port, "/v1/logs", PROTOBUF, message), 200, "");
		assert_int_equal(sink.deliveries, 1);
		assert_string_equal(sink.transport, "http");
		expect_payload(SIGNAL_LOGS, message, sizes[i]);
		expect(post_to(s.port, "/v1/logs", PROTOBUF "content-encoding: gzip\r\n",
			       compressed(COMPRESS_GZIP, message)),
		       200, "");
		expect_payload(SIGNAL_LOGS, message, sizes[i]);
		expect(post_to(s.port, "/v1/logs", PROTOBUF "content-encoding: zstd\r\n",
			       compressed(COMPRESS_ZSTD, message)),
		       200, "");
		expect_payload(SIGNAL_LOGS, message, sizes[i]);
	}
}

/* Wait until no payload is charged: the receiver drops its reference after the response. */
static void expect_memory_is_free(void)
{
	for (int i = 0; i < 1000 && atomic_load(&s.host.memory.used); i++)
		usleep(10000);
	assert_int_equal(atomic_load(&s.host.memory.used), 0);
}

/* The kept payload is charged to the memory of the pipelines, and to nothing once released. */
static void a_taken_body_is_charged_to_the_pipelines(void **state)
{
	struct str message = logs_message(100);

	(void)state;
	reset();
	expect_memory_is_free();
	expect(post_to(s.port, "/v1/logs", PROTOBUF, message), 200, "");
	assert_in_range(atomic_load(&s.host.memory.used), message.n, 2 * message.n);
	reset();
	expect_memory_is_free();
}

static void empty_requests_succeed_without_a_delivery(void **state)
{
	struct test_answer a;

	(void)state;
	reset();
	a = post_to(s.port, "/v1/traces", PROTOBUF, STR(""));
	assert_int_equal(a.body.n, 0);
	expect(a, 200, "");
	expect(post_to(s.port, "/v1/metrics", PROTOBUF, STR("\x0a\x02\x12\x00")), 200, "");
	assert_int_equal(sink.deliveries, 0);
}

static void damaged_messages_are_refused(void **state)
{
	struct test_answer a;

	(void)state;
	reset();
	a = post_to(s.port, "/v1/traces", PROTOBUF, STR("\x0a\x06\x12\x04\x12\x02\x28\x01"));
	assert_int_equal(a.body.p[0], 8); /* code = 3, INVALID_ARGUMENT */
	assert_int_equal(a.body.p[1], 3);
	expect(a, 400, "at byte 6, in Span: field 5 does not have the wire type 0");
	expect(post_to(s.port, "/v1/logs", PROTOBUF, STR("\x0a\x7f")), 400, "is truncated");
	assert_int_equal(sink.deliveries, 0);
}

static void results_become_responses(void **state)
{
	static const struct {
		const char *path;
		struct str message;
	} partial[] = {
		{"/v1/traces", STR_INIT("\x0a\x04\x12\x02\x12\x00")},
		{"/v1/metrics", STR_INIT("\x0a\x08\x12\x06\x12\x04\x2a\x02\x0a\x00")},
		{"/v1/logs", STR_INIT("\x0a\x04\x12\x02\x12\x00")},
	};
	struct test_answer a;

	(void)state;
	reset();
	for (size_t i = 0; i < countof(partial); i++) {
		sink.answer = (struct delivery_result){.rejected = 1, .reason = "invalid"};
		a = post_to(s.port, partial[i].path, PROTOBUF, partial[i].message);
		assert_str_equal(str_head(a.body, 2), STR("\x0a\x0b"));
		expect(a, 200, "\x08\x01\x12\x07invalid");
	}
	sink.answer = (struct delivery_result){
		.rc = -EAGAIN, .retry_after_ms = 1500, .reason = "the queue is full"};
	a = post_to(s.port, "/v1/logs", PROTOBUF, partial[2].message);
	assert_str_equal(test_answer_header(&a, "retry-after"), STR("2"));
	expect(a, 503, "the queue is full");
	expect_metric("\notelcol_receiver_accepted_metric_points{receiver=\"otlp\",transport="
		      "\"http\"} 0\n");
	expect_metric("\notelcol_receiver_refused_metric_points{receiver=\"otlp\",transport="
		      "\"http\"} 1\n");
	sink.answer = (struct delivery_result){.rc = -EBADMSG, .reason = "bad"};
	expect(post_to(s.port, "/v1/logs", PROTOBUF, partial[2].message), 400, "bad");
}

/* ---- profiles ---- */

#define PROFILES "/v1development/profiles"

/* Return profiles in the current layout. */
static struct str profile_message(void)
{
	struct profile_builder b;
	struct profile_batch batch;
	struct buf out = {0};
	struct str copy;
	struct err e = {0};

	assert_ok(profile_batch_init(&batch, NULL));
	assert_ok(profile_builder_init(&b, &batch));
	assert_ok(random_batch(&b, 1, 2, 100));
	assert_ok_err(format_otlp.encode(&out, &batch, NULL, &e), &e);
	assert_ok(arena_copy_str(&s.arena, buf_str(&out), &copy));
	buf_fini(&out);
	profile_batch_fini(&batch);
	return copy;
}

static void current_profiles_are_delivered_as_received(void **state)
{
	struct str message = profile_message();

	(void)state;
	reset();
	expect(post_to(s.port, PROFILES, PROTOBUF, message), 200, "");
	expect_payload(SIGNAL_PROFILES, message, 200);
}

/* Decode the delivered profiles, which have one sample, and return its value. */
static int64_t delivered_value(void)
{
	struct decode_options options = {.strict = true};
	struct profile_batch b;
	struct err e = {0};
	int64_t value;

	assert_int_equal(sink.deliveries, 1);
	assert_true(otlp_is_current(sink.payload->slices[0].bytes));
	assert_int_equal(sink.payload->items, 1);
	assert_ok(profile_batch_init(&b, NULL));
	assert_ok_err(otlp_decode(&b, sink.payload->slices[0].bytes, &options, &e), &e);
	assert_int_equal(b.sample_count, 1);
	value = sample_total(&b, 0);
	profile_batch_fini(&b);
	return value;
}

/* Layout 1.9: the value is in field 2 of the sample, and its attributes in field 3. */
static void older_profiles_are_encoded_again(void **state)
{
	static const struct str old = STR_INIT(
		"\x0a\x3e\x12\x3c\x12\x3a\x0a\x04\x08\x01\x10\x01\x12\x14\x08\x01\x12\x01\x4d\x1a"
		"\x01\x01\x20\x00\x2a\x08\xe9\x03\x00\x00\x00\x00\x00\x00\x19\xe8\x03\x00\x00\x00"
		"\x00\x00\x00\x20\xf4\x03\x3a\x10\x00\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b"
		"\x0c\x0d\x0e\x0f\x12\x22\x0a\x00\x12\x00\x12\x02\x10\x07\x1a\x00\x22\x00\x2a\x00"
		"\x2a\x01\x61\x32\x00\x32\x06\x08\x01\x12\x02\x18\x01\x3a\x00\x3a\x03\x0a\x01\x01");

	(void)state;
	reset();
	expect(post_to(s.port, PROFILES, PROTOBUF, old), 200, "");
	assert_int_equal(delivered_value(), 77);
}

/* A text that is not UTF-8 is repaired. */
static void mistakes_in_profiles_are_repaired(void **state)
{
	struct str message = profile_message();
	size_t at = str_find_str(message, STR("function_"));

	(void)state;
	reset();
	assert_true(at < message.n);
	((char *)message.p)[at] = '\xff';
	expect(post_to(s.port, PROFILES, PROTOBUF, message), 200, "");
	assert_int_equal(sink.deliveries, 1);
	assert_int_equal(sink.payload->items, 200);
	message = sink.payload->slices[0].bytes;
	assert_true(str_find_str(message, STR("\xef\xbf\xbdunction_")) < message.n);
}

static void profiles_in_json_are_converted(void **state)
{
	struct str json =
		STR("{\"resourceProfiles\":[{\"scopeProfiles\":[{\"profiles\":[{\"sampleType\":{"
		    "\"typeStrindex\":1},\"timeUnixNano\":\"5\",\"samples\":[{\"values\":[\"7\"]}]}"
		    "]}]}],"
		    "\"dictionary\":{\"stringTable\":[\"\",\"cpu\"],\"stackTable\":[{}],"
		    "\"linkTable\":[{}],"
		    "\"attributeTable\":[{}],\"mappingTable\":[{}],\"locationTable\":[{}],"
		    "\"functionTable\":[{}]}}");

	(void)state;
	reset();
	expect(post_to(s.port, PROFILES, "content-type: application/json\r\n", json), 200, "{}");
	assert_int_equal(delivered_value(), 7);
}

/* ---- JSON ---- */

#define JSON "content-type: application/json\r\n"

static void json_is_converted(void **state)
{
	struct test_answer a;

	(void)state;
	reset();
	a = post_to(s.port, "/v1/traces", JSON,
		    STR("{\"resourceSpans\":[{\"scopeSpans\":[{\"spans\":[{\"kind\":2},{}]}]}]}"));
	assert_str_equal(test_answer_header(&a, "content-type"), STR("application/json"));
	expect(a, 200, "{}");
	expect_payload(SIGNAL_TRACES, STR("\x0a\x08\x12\x06\x12\x02\x30\x02\x12\x00"), 2);
	expect(post_to(s.port, "/v1/metrics", JSON,
		       STR("{\"resourceMetrics\":[{\"scopeMetrics\":[{\"metrics\":[{\"gauge\":{"
			   "\"dataPoints\":[{\"flags\":1}]}}]}]}]}")),
	       200, "{}");
	expect_payload(SIGNAL_METRICS, STR("\x0a\x0a\x12\x08\x12\x06\x2a\x04\x0a\x02\x40\x01"), 1);
	sink.answer = (struct delivery_result){.rejected = 1, .reason = "no"};
	expect(post_to(s.port, "/v1/logs", JSON,
		       STR("{\"resourceLogs\":[{\"scopeLogs\":[{\"logRecords\":[{}]}]}]}")),
	       200, "{\"partialSuccess\":{\"rejectedLogRecords\":\"1\",\"errorMessage\":\"no\"}}");
	expect_payload(SIGNAL_LOGS, STR("\x0a\x04\x12\x02\x12\x00"), 1);
	expect(post_to(s.port, "/v1/logs", JSON, STR("{}")), 200, "{}");
	assert_int_equal(sink.deliveries, 0);
}

static void bad_json_is_refused(void **state)
{
	(void)state;
	reset();
	expect(post_to(s.port, "/v1/logs", JSON, STR("{\"resourceLogs\":1}")), 400,
	       "{\"code\":3,\"message\":\"at byte 16");
	expect(post_to(s.port, "/v1/traces", JSON,
		       STR("{\"resourceSpans\":[{\"scopeSpans\":[{\"spans\":[{\"traceId\":\"00\"}]}"
			   "]}"
			   "]}")),
	       400, "converted from JSON: at byte 8, in Span: expected a trace id of 16 bytes");
	assert_int_equal(sink.deliveries, 0);
}

/* ---- gRPC ---- */

#define GRPC(service) "/opentelemetry.proto.collector." service "/Export"

static struct grpc_client_answer call(struct grpc_client *c, const char *path, struct str message,
				      enum compress_kind compression)
{
	const struct http_header team = {STR_INIT("x-team"), STR_INIT("shop")};
	struct grpc_client_request request = {.path = str_from(path),
					      .message = message,
					      .headers = &team,
					      .header_count = 1,
					      .compression = compression};
	struct grpc_client_answer answer = {0};
	struct err e = {0};

	assert_ok_err(grpc_client_call(c, &request, &answer, &e), &e);
	return answer;
}

static struct grpc_client *connect_grpc(uint16_t port)
{
	struct net_client_options options = {0};
	struct grpc_client *c;
	char address[30];
	struct err e = {0};

	snprintf(address, sizeof(address), "127.0.0.1:%u", port);
	assert_ok_err(grpc_client_new(&c, address, false, &options, &e), &e);
	return c;
}

static void grpc_delivers_the_same(void **state)
{
	static const enum compress_kind kinds[] = {COMPRESS_NONE, COMPRESS_GZIP, COMPRESS_ZSTD};
	struct grpc_client *c = connect_grpc(s.port);
	struct grpc_client_answer a;

	(void)state;
	reset();
	for (size_t i = 0; i < countof(kinds); i++)
		for (uint32_t n = 1; n <= 1000; n *= 10) {
			struct str message = logs_message(n);

			a = call(c, GRPC("logs.v1.LogsService"), message, kinds[i]);
			assert_int_equal(a.code, RPC_OK);
			assert_int_equal(a.message.n, 0);
			assert_int_equal(sink.deliveries, 1);
			assert_string_equal(sink.transport, "grpc");
			assert_string_equal(sink.team, "shop");
			expect_payload(SIGNAL_LOGS, message, n);
			grpc_client_answer_fini(&a);
		}
	grpc_client_free(c);
}

static void grpc_errors_have_codes(void **state)
{
	struct grpc_client *c = connect_grpc(s.port);
	struct grpc_client_answer a;

	(void)state;
	reset();
	a = call(c, GRPC("trace.v1.TraceService"), STR("\x0a\x7f"), COMPRESS_NONE);
	assert_int_equal(a.code, RPC_INVALID_ARGUMENT);
	grpc_client_answer_fini(&a);
	sink.answer = (struct delivery_result){
		.rc = -EAGAIN, .retry_after_ms = 1500, .reason = "the queue is full"};
	a = call(c, GRPC("logs.v1.LogsService"), logs_message(1), COMPRESS_NONE);
	assert_int_equal(a.code, RPC_UNAVAILABLE);
	assert_int_equal(a.retry_after_ms, 1500);
	assert_str_equal(buf_str(&a.text), STR("the queue is full"));
	grpc_client_answer_fini(&a);
	grpc_client_free(c);
}

/* ---- settings ---- */

static void an_authenticator_admits_requests(void **state)
{
	struct str message = STR("\x0a\x08\x12\x06\x12\x04\x2a\x02\x0a\x00");
	struct grpc_client *c = connect_grpc(s.locked_port);
	struct grpc_client_answer a;

	(void)state;
	reset();
	expect(post_to(s.locked_port, "/v1/metrics", PROTOBUF, message), 401, "");
	expect(post_to(s.locked_port, "/v1/metrics", PROTOBUF "authorization: Bearer wrong\r\n",
		       message),
	       401, "");
	a = call(c, GRPC("metrics.v1.MetricsService"), message, COMPRESS_NONE);
	assert_int_equal(a.code, RPC_UNAUTHENTICATED);
	grpc_client_answer_fini(&a);
	grpc_client_free(c);
	assert_int_equal(sink.deliveries, 0);
	expect(post_to(s.locked_port, "/v1/metrics", PROTOBUF "authorization: Bearer secret\r\n",
		       message),
	       200, "");
	assert_int_equal(sink.deliveries, 1);
	assert_string_equal(sink.team, "");
	expect_payload(SIGNAL_METRICS, message, 1);
	expect(post_to(s.locked_port, "/v1/metrics", PROTOBUF "authorization: Bearer secret\r\n",
		       logs_message(110)),
	       413, "");
}

static void check_config(const char *yaml, const char *says)
{
	struct config config;
	struct host host;
	struct service *service;
	struct err e = {0};

	assert_ok(config_init(&config, NULL));
	assert_ok(host_init(&host, 1, 64 * MIB, NULL, &e));
	assert_ok_err(config_parse(&config, str_from(yaml), "c.yaml", NULL, NULL, &e), &e);
	assert_int_equal(service_new(&service, &config, &host, more, &e), -EINVAL);
	assert_err_says(&e, says);
	host_fini(&host);
	config_fini(&config);
}

static void a_wrong_authenticator_is_an_error(void **state)
{
	(void)state;
	check_config("receivers: {otlp: {protocols: {grpc: {auth: {authenticator: nobody}}}}}\n"
		     "exporters: {keep: }\n"
		     "service: {pipelines: {logs: {receivers: [otlp], exporters: [keep]}}}\n",
		     "references extension \"nobody\"");
	check_config("extensions: {file_storage: {directory: /tmp}}\n"
		     "receivers: {otlp: {protocols: {grpc: {auth: {authenticator: "
		     "file_storage}}}}}\n"
		     "exporters: {keep: }\n"
		     "service: {extensions: [file_storage], pipelines: {logs: {receivers: [otlp], "
		     "exporters: [keep]}}}\n",
		     "extension \"file_storage\" does not authenticate requests");
}

static void a_protocol_can_be_turned_off(void **state)
{
	(void)state;
	check_config("receivers: {otlp: {protocols: {grpc: {enabled: false}}}}\n"
		     "exporters: {keep: }\n"
		     "service: {pipelines: {logs: {receivers: [otlp], exporters: [keep]}}}\n",
		     "\"protocols\" has to name at least one");
	assert_int_equal(listeners_port(&s.host.listeners, STR("127.0.0.1:4318")), 0);
}

static void only_tcp_is_served(void **state)
{
	(void)state;
	check_config("receivers: {otlp: {protocols: {grpc: {transport: unix}}}}\n"
		     "exporters: {keep: }\n"
		     "service: {pipelines: {logs: {receivers: [otlp], exporters: [keep]}}}\n",
		     "\"transport\": only tcp is served");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		test(the_received_bytes_are_delivered),
		test(a_taken_body_is_charged_to_the_pipelines),
		test(empty_requests_succeed_without_a_delivery),
		test(damaged_messages_are_refused),
		test(results_become_responses),
		test(current_profiles_are_delivered_as_received),
		test(older_profiles_are_encoded_again),
		test(mistakes_in_profiles_are_repaired),
		test(profiles_in_json_are_converted),
		test(json_is_converted),
		test(bad_json_is_refused),
		test(grpc_delivers_the_same),
		test(grpc_errors_have_codes),
		test(an_authenticator_admits_requests),
		test(a_wrong_authenticator_is_an_error),
		test(a_protocol_can_be_turned_off),
		test(only_tcp_is_served),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
