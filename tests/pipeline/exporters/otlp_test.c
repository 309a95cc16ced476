/* SPDX-License-Identifier: Apache-2.0 */
/* The exporter otlp against a second instance, and against a server that answers as a test says. */
#include "pipeline/exporters/otlp/otlp_exporter.h"

#include "pipeline/exporters/otlp/otlp_endpoint.h"
#include "pipeline/extensions/bearertokenauth/bearertokenauth.h"
#include "test/exporter.h"
#include "test/http_sink.h"
#include "test/otlp_receiver.h"
#include "test/otlp_sink.h"

#define UNQUEUED "sending_queue: {enabled: false}"
#define ONCE UNQUEUED ", retry_on_failure: {enabled: false}"
#define RETRIES "retry_on_failure: {initial_interval: 1ms, max_interval: 1ms}"
#define FAST UNQUEUED ", " RETRIES
#define PLAIN "tls: {insecure: true}, "

static char directory[] = "/tmp/varve-otlp-XXXXXX";
static struct test_identity server_id, other_id;

static int files_setup(void **state)
{
	(void)state;
	assert_non_null(mkdtemp(directory));
	test_identity_make(&server_id, directory, "server", "DNS:telemetry.example,IP:127.0.0.1");
	test_identity_make(&other_id, directory, "other", "IP:127.0.0.1");
	return 0;
}

static int files_teardown(void **state)
{
	const struct test_identity *ids[] = {&server_id, &other_id};

	(void)state;
	for (size_t i = 0; i < countof(ids); i++) {
		unlink(ids[i]->certificate);
		unlink(ids[i]->key);
	}
	return rmdir(directory);
}

/* Send a payload of each signal and check that its bytes arrive. */
static void check_all_signals(struct test_exporter *f, struct otlp_sink *s)
{
	struct payload *sent[] = {test_profile("shop", 5), test_sliced_spans(&f->arena, 20),
				  test_gauge("cpu", 3), test_logs("hello")};

	for (unsigned i = 0; i < SIGNALS; i++) {
		struct buf want = {0};

		for (uint32_t k = 0; k < sent[i]->slice_count; k++)
			buf_put_str(&want, sent[i]->slices[k].bytes);
		s->bytes[i].n = 0;
		test_result(test_exporter_send(f, sent[i]), 0, "");
		assert_str_equal(buf_str(&s->bytes[i]), buf_str(&want));
		buf_fini(&want);
	}
}

static void all_signals_arrive_with_each_compression(void **state)
{
	static const char *const codings[] = {"gzip", "zstd", "snappy", "none"};
	struct test_exporter *f = *state;
	struct otlp_sink s;

	otlp_sink_start(&s, NULL);
	for (size_t i = 0; i < countof(codings); i++) {
		test_exporter_make(f, &otlp_exporter,
				   "{endpoint: '127.0.0.1:%u', compression: %s, " PLAIN FAST "}",
				   s.port, codings[i]);
		check_all_signals(f, &s);
		assert_string_equal(s.coding, i < 3 ? codings[i] : "");
	}
	assert_int_equal(s.calls, s.requests);
	test_exporter_metric(f, "otelcol_exporter_sent_metric_points{exporter=\"test\"} 12");
	test_exporter_end(f);
	otlp_sink_stop(&s);
}

static void certificates_are_verified(void **state)
{
	static const char *const accepted[] = {
		"{endpoint: '127.0.0.1:%u', tls: {ca_file: %s}, " FAST "}",
		"{endpoint: 'https://127.0.0.1:%u', tls: {ca_file: %s}, " FAST "}",
		"{endpoint: '127.0.0.1:%u', tls: {insecure: true, ca_file: %s}, " FAST "}",
		"{endpoint: 'https://127.0.0.1:%u', tls: {insecure_skip_verify: true}, " FAST "}",
		"{endpoint: '127.0.0.1:%u', tls: {ca_file: %s, server_name_override: "
		"telemetry.example}, " FAST "}",
	};
	struct test_exporter *f = *state;
	struct otlp_sink s;

	otlp_sink_start(&s, &server_id);
	for (size_t i = 0; i < countof(accepted); i++) {
		char yaml[500];

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
		snprintf(yaml, sizeof(yaml), accepted[i], s.port, server_id.certificate);
#pragma GCC diagnostic pop
		test_exporter_make(f, &otlp_exporter, "%s", yaml);
		check_all_signals(f, &s);
	}
	test_exporter_make(f, &otlp_exporter,
			   "{endpoint: '127.0.0.1:%u', tls: {ca_file: %s}, " ONCE "}", s.port,
			   other_id.certificate);
	test_result(test_exporter_send(f, test_logs("x")), -EAGAIN, "certificate");
	test_exporter_end(f);
	otlp_sink_stop(&s);
}

static void missing_files_are_found_at_the_start(void **state)
{
	struct component_env env = test_exporter_env(*state);
	struct test_component x;

	assert_ok(test_component_new(&x, &otlp_exporter, &env,
				     "{endpoint: 'a:1', tls: {ca_file: /nowhere/ca.pem}}"));
	assert_int_not_equal(otlp_exporter.start(x.instance, &x.e), 0);
	assert_err_says(&x.e, "/nowhere/ca.pem");
	otlp_exporter.stop(x.instance);
	test_component_free(&x);
}

static void queued_requests_survive_an_overload(void **state)
{
	struct test_exporter *f = *state;
	struct test_receiver r;

	test_receiver_start(&r);
	atomic_store(&r.busy, true);
	test_exporter_make(f, &otlp_exporter,
			   "{endpoint: 'dns:///127.0.0.1:%u', sending_queue: {num_consumers: "
			   "3}, " PLAIN RETRIES "}",
			   r.port);
	for (unsigned i = 0; i < 50; i++)
		test_result(test_exporter_send(f, test_spans(&f->arena, "shop", i * 4, 4)), 0, "");
	test_result(test_exporter_send(f, test_profile("shop", 3)), 0, "");
	while (atomic_load(&r.requests) < 3)
		usleep(1000);
	atomic_store(&r.busy, false);
	test_exporter_end(f); /* drains the queue */
	assert_int_equal(r.items[signal_index(SIGNAL_TRACES)], 200);
	assert_int_equal(r.items[signal_index(SIGNAL_PROFILES)], 1);
	test_exporter_log(f, "code = Unavailable desc = busy", true);
	test_exporter_log(f, "Dropping", false);
	test_receiver_stop(&r);
}

static void only_some_codes_are_repeated(void **state)
{
	static const struct {
		enum rpc_code code;
		int rc;
		const char *says;
	} cases[] = {
		{RPC_CANCELLED, -EAGAIN, "code = Canceled"},
		{RPC_UNKNOWN, -EINVAL, "code = Unknown"},
		{RPC_INVALID_ARGUMENT, -EINVAL, "code = InvalidArgument desc = no, for 100%"},
		{RPC_DEADLINE_EXCEEDED, -EAGAIN, "code = DeadlineExceeded"},
		{RPC_NOT_FOUND, -EINVAL, "code = NotFound"},
		{RPC_ALREADY_EXISTS, -EINVAL, "code = AlreadyExists"},
		{RPC_PERMISSION_DENIED, -EINVAL, "code = PermissionDenied"},
		{RPC_RESOURCE_EXHAUSTED, -EAGAIN, "code = ResourceExhausted"},
		{RPC_FAILED_PRECONDITION, -EINVAL, "code = FailedPrecondition"},
		{RPC_ABORTED, -EAGAIN, "code = Aborted"},
		{RPC_OUT_OF_RANGE, -EAGAIN, "code = OutOfRange"},
		{RPC_UNIMPLEMENTED, -EINVAL, "not retryable error: rpc error: code = Unimpl"},
		{RPC_INTERNAL, -EINVAL, "code = Internal"},
		{RPC_UNAVAILABLE, -EAGAIN, "code = Unavailable"},
		{RPC_DATA_LOSS, -EAGAIN, "code = DataLoss"},
		{RPC_UNAUTHENTICATED, -EINVAL, "code = Unauthenticated"},
	};
	struct test_exporter *f = *state;
	struct delivery_result r;
	struct otlp_sink s;

	otlp_sink_start(&s, NULL);
	test_exporter_make(f, &otlp_exporter, "{endpoint: 'http://127.0.0.1:%u', " ONCE "}",
			   s.port);
	for (size_t i = 0; i < countof(cases); i++) {
		s.error = (struct rpc_error){cases[i].code, STR("no, for 100%\n"), 0, {0}};
		r = test_exporter_send(f, test_logs("x"));
		test_result(r, cases[i].rc, cases[i].says);
	}
	s.error = (struct rpc_error){RPC_RESOURCE_EXHAUSTED,
				     STR("grpc: received message larger than max (9 vs. 4)"),
				     0,
				     {0}};
	test_result(test_exporter_send(f, test_logs("x")), -EINVAL, "larger than max");
	s.error = (struct rpc_error){RPC_RESOURCE_EXHAUSTED, STR("slow down"), 2500, {0}};
	r = test_exporter_send(f, test_logs("x"));
	assert_int_equal(r.retry_after_ms, 2500);
	test_exporter_end(f);
	otlp_sink_stop(&s);
}

static void a_partial_success_is_counted_and_not_repeated(void **state)
{
	struct test_exporter *f = *state;
	struct delivery_result r;
	struct otlp_sink s;

	otlp_sink_start(&s, NULL);
	s.rejected = 2;
	s.reason = STR("too old");
	test_exporter_make(f, &otlp_exporter, "{endpoint: '127.0.0.1:%u', " PLAIN FAST "}", s.port);
	r = test_exporter_send(f, test_spans(&f->arena, "shop", 0, 5));
	test_result(r, 0, "too old");
	assert_int_equal(r.rejected, 2);
	assert_int_equal(s.requests, 1);
	test_exporter_metric(f, "otelcol_exporter_send_failed_spans{exporter=\"test\"} 2");
	test_exporter_end(f);
	otlp_sink_stop(&s);
}

static void requests_are_repeated_until_they_are_accepted(void **state)
{
	struct test_exporter *f = *state;
	struct otlp_sink s;

	otlp_sink_start(&s, NULL);
	s.error = (struct rpc_error){RPC_RESOURCE_EXHAUSTED, STR("busy"), 0, {0}};
	s.refusals = 5;
	test_exporter_make(f, &otlp_exporter, "{endpoint: '127.0.0.1:%u', " PLAIN FAST "}", s.port);
	check_all_signals(f, &s);
	assert_int_equal(s.requests, 9);
	test_exporter_end(f);
	otlp_sink_stop(&s);
}

static void requests_have_the_configured_headers(void **state)
{
	struct component_env env;
	struct test_exporter *f = *state;
	struct test_component auth;
	struct extension extension = {"bearertokenauth", &bearertokenauth_extension, NULL};
	struct otlp_sink s;

	otlp_sink_start(&s, NULL);
	env = test_exporter_env(f);
	assert_ok_err(test_component_new(&auth, extension.type, &env,
					 "{token: sesame, header: X-Team, scheme: Key}"),
		      &auth.e);
	extension.instance = auth.instance;
	f->extensions = &extension;
	f->extension_count = 1;
	test_exporter_make(f, &otlp_exporter,
			   "{endpoint: '127.0.0.1:%u', headers: [{name: X-Team, value: a b}], "
			   "authority: telemetry, " PLAIN FAST "}",
			   s.port);
	test_result(test_exporter_send(f, test_logs("x")), 0, "");
	assert_string_equal(s.header, "a b");
	assert_string_equal(s.authority, "telemetry");
	assert_string_equal(s.agent, "varve");
	test_exporter_make(f, &otlp_exporter,
			   "{endpoint: '127.0.0.1:%u', auth: {authenticator: bearertokenauth}, "
			   "balancer_name: pick_first, " PLAIN FAST "}",
			   s.port);
	test_result(test_exporter_send(f, test_logs("x")), 0, "");
	assert_string_equal(s.header, "Key sesame");
	test_exporter_end(f);
	f->extension_count = 0;
	test_component_free(&auth);
	otlp_sink_stop(&s);
}

static void an_endpoint_with_a_path_means_http(void **state)
{
	struct test_exporter *f = *state;
	struct http_sink s;

	http_sink_start(&s);
	test_exporter_make(f, &otlp_exporter,
			   "{endpoint: '%s/otlp', compression: snappy, " FAST "}", s.url);
	test_result(test_exporter_send(f, test_logs("x")), 0, "");
	assert_non_null(strstr(s.requests[0].head, "POST /otlp/v1/logs HTTP/1.1\r\n"));
	assert_non_null(strstr(s.requests[0].head, "content-encoding: snappy\r\n"));
	test_exporter_end(f);
	http_sink_stop(&s);
}

/* A server that accepts connections and does not respond, then none. */
static void an_unreachable_server_is_tried_again(void **state)
{
	struct test_exporter *f = *state;
	struct sender_stats stats;
	struct http_sink s;
	const char *address = s.url + strlen("http://");

	http_sink_start(&s);
	test_exporter_make(f, &otlp_exporter, "{endpoint: '%s', timeout: 100ms, " PLAIN ONCE "}",
			   address);
	test_result(test_exporter_send(f, test_logs("x")), -EAGAIN, "retry_on_failure is disabled");
	assert_int_equal(sender_list_copy(&f->host.exporters, &stats, 1), 1);
	assert_false(stats.reachable);
	assert_string_equal(stats.destination, address);
	http_sink_stop(&s);
	test_exporter_make(f, &otlp_exporter, "{endpoint: '%s', " PLAIN ONCE "}", address);
	test_result(test_exporter_send(f, test_logs("x")), -EAGAIN, "cannot connect");
}

static void endpoints_have_several_forms(void **state)
{
	static const struct {
		const char *text;
		enum otlp_scheme scheme;
		bool has_path;
		const char *address;
	} cases[] = {
		{"tempo:4317", OTLP_SCHEME_NONE, false, "tempo:4317"},
		{"[::1]:4317", OTLP_SCHEME_NONE, false, "[::1]:4317"},
		{"dns:///tempo:4317", OTLP_SCHEME_NONE, false, "tempo:4317"},
		{"dns://8.8.8.8/tempo:4317", OTLP_SCHEME_NONE, false, "tempo:4317"},
		{"dns:tempo:4317", OTLP_SCHEME_NONE, false, "tempo:4317"},
		{"passthrough:///tempo:4317", OTLP_SCHEME_NONE, false, "tempo:4317"},
		{"http://tempo:4317", OTLP_SCHEME_HTTP, false, "tempo:4317"},
		{"https://tempo:4317/", OTLP_SCHEME_HTTPS, false, "tempo:4317"},
		{"https://tempo", OTLP_SCHEME_HTTPS, false, "tempo:443"},
		{"https://[::1]", OTLP_SCHEME_HTTPS, false, "[::1]:443"},
		{"https://host.example/otlp", OTLP_SCHEME_HTTPS, true, ""},
		{"http://host:1/a?b", OTLP_SCHEME_HTTP, true, ""},
	};
	struct arena arena;

	(void)state;
	arena_init(&arena, NULL);
	for (size_t i = 0; i < countof(cases); i++) {
		struct otlp_endpoint to;
		struct err e = {0};

		assert_ok_err(otlp_endpoint_parse(&to, str_from(cases[i].text), &arena, &e), &e);
		assert_int_equal(to.scheme, cases[i].scheme);
		assert_int_equal(to.has_path, cases[i].has_path);
		assert_str_equal(to.address, str_from(cases[i].address));
	}
	arena_fini(&arena);
}

static void bad_settings_are_refused(void **state)
{
	struct component_env env = test_exporter_env(*state);
	static const struct {
		const char *yaml, *says;
	} cases[] = {
		{"{}", "requires a non-empty \"endpoint\""},
		{"{endpoint: tempo}", "missing port in address: expected host:port, such as tempo"},
		{"{endpoint: 'http://tempo'}", "missing port in address"},
		{"{endpoint: ':4317'}", "missing host in address"},
		{"{endpoint: 'tempo:x'}", "invalid port \"x\""},
		{"{endpoint: 'tempo:99999'}", "invalid port \"99999\""},
		{"{endpoint: 'https://'}", "missing port"},
		{"{endpoint: 'unix:///s'}", "Unix sockets are not supported"},
		{"{endpoint: 'http:///otlp'}", "missing port"},
		{"{endpoint: 'a:1', compression: lz4}", "lz4 is not supported over gRPC"},
		{"{endpoint: 'a:1', balancer_name: x}", "expected round_robin or pick_first"},
		{"{endpoint: 'a:1', retry_on_failure: {randomization_factor: 2}}", "within [0, 1]"},
	};

	for (size_t i = 0; i < countof(cases); i++)
		test_component_refused(&otlp_exporter, &env, cases[i].yaml, cases[i].says);
}

#define sent(name)                                                                                 \
	cmocka_unit_test_setup_teardown(name, test_exporter_setup, test_exporter_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		sent(all_signals_arrive_with_each_compression),
		sent(certificates_are_verified),
		sent(missing_files_are_found_at_the_start),
		sent(queued_requests_survive_an_overload),
		sent(only_some_codes_are_repeated),
		sent(a_partial_success_is_counted_and_not_repeated),
		sent(requests_are_repeated_until_they_are_accepted),
		sent(requests_have_the_configured_headers),
		sent(an_endpoint_with_a_path_means_http),
		sent(an_unreachable_server_is_tried_again),
		sent(endpoints_have_several_forms),
		sent(bad_settings_are_refused),
	};

	return cmocka_run_group_tests(tests, files_setup, files_teardown);
}
