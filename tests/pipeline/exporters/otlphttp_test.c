/* SPDX-License-Identifier: Apache-2.0 */
/* The exporter otlphttp against a real receiver, and against a server with scripted responses. */
#include "pipeline/exporters/otlphttp/otlphttp_exporter.h"

#include <sys/stat.h>

#include "pipeline/extensions/bearertokenauth/bearertokenauth.h"
#include "test/exporter.h"
#include "test/http_sink.h"
#include "test/net.h"
#include "test/otlp_receiver.h"
#include "test/otlp_sink.h"

#define UNQUEUED "sending_queue: {enabled: false}"
#define ONCE UNQUEUED ", retry_on_failure: {enabled: false}"
#define FAST UNQUEUED ", retry_on_failure: {initial_interval: 1ms, max_interval: 1ms}"
#define RETRIES "retry_on_failure: {initial_interval: 1ms, max_interval: 1ms}"

static char directory[] = "/tmp/varve-otlphttp-XXXXXX";
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

/* ---- against a receiver ---- */

/* Send a payload of each signal and check that its bytes arrive. */
static void check_all_signals(struct test_exporter *f, struct otlp_sink *s)
{
	struct payload *sent[] = {test_profile("shop", 5), test_sliced_spans(&f->arena, 20),
				  test_gauge("cpu", 3), test_logs("hello")};

	for (unsigned i = 0; i < SIGNALS; i++) {
		struct buf want = {0};

		assert_int_equal(signal_index(sent[i]->signal), i);
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
	static const char *const codings[] = {"gzip", "zstd", "none", "zlib", "deflate", "lz4"};
	struct test_exporter *f = *state;
	struct otlp_sink s;

	otlp_sink_start(&s, NULL);
	for (size_t i = 0; i < countof(codings); i++) {
		test_exporter_make(f, &otlphttp_exporter,
				   "{endpoint: 'http://127.0.0.1:%u', compression: %s, " FAST "}",
				   s.port, codings[i]);
		check_all_signals(f, &s);
		assert_string_equal(s.coding, strcmp(codings[i], "none") ? codings[i] : "");
	}
	assert_int_equal(s.calls, 0);
	test_exporter_metric(f, "otelcol_exporter_sent_spans{exporter=\"test\"} 1200");
	test_exporter_metric(f, "otelcol_exporter_sent_profile_samples{exporter=\"test\"} 6");
	test_exporter_end(f);
	otlp_sink_stop(&s);
}

static void messages_can_be_json(void **state)
{
	static const char partial[] = "HTTP/1.1 200 X\r\nContent-Type: application/json\r\n"
				      "Content-Length: 65\r\n\r\n{\"partialSuccess\":{"
				      "\"rejectedLogRecords\":\"1\",\"errorMessage\":\"no\"}}";
	static const char error[] =
		"HTTP/1.1 400 X\r\nContent-Type: application/json\r\n"
		"Content-Length: 34\r\n\r\n{\"code\":3,\"message\":\"bad span id\"}";
	struct test_exporter *f = *state;
	struct test_receiver r;
	struct delivery_result result;
	struct http_sink s;

	test_receiver_start(&r);
	test_exporter_make(f, &otlphttp_exporter,
			   "{endpoint: 'http://127.0.0.1:%u', encoding: json, " ONCE "}", r.port);
	test_result(test_exporter_send(f, test_sliced_spans(&f->arena, 20)), 0, "");
	test_result(test_exporter_send(f, test_profile("shop", 5)), 0, "");
	assert_int_equal(r.items[signal_index(SIGNAL_TRACES)], 200);
	assert_int_equal(r.items[signal_index(SIGNAL_PROFILES)], 1);
	test_receiver_stop(&r);

	http_sink_start(&s);
	s.answers[0] = partial;
	s.answers[1] = error;
	s.answer_count = 2;
	test_exporter_make(f, &otlphttp_exporter,
			   "{endpoint: '%s', encoding: json, compression: none, " ONCE "}", s.url);
	result = test_exporter_send(f, test_logs("hello"));
	test_result(result, 0, "no");
	assert_int_equal(result.rejected, 1);
	assert_non_null(strstr(s.requests[0].head, "content-type: application/json\r\n"));
	assert_str_equal(buf_str(&s.requests[0].body),
			 STR("{\"resourceLogs\":[{\"resource\":{},\"scopeLogs\":[{\"scope\":{},"
			     "\"logRecords\":[{"
			     "\"timeUnixNano\":\"1\",\"body\":{\"stringValue\":\"hello\"}}]}]}]}"));
	test_result(test_exporter_send(f, test_gauge("cpu", 1)), -EINVAL, "Message=bad span id");
	assert_non_null(strstr(s.requests[1].head, "POST /v1/metrics HTTP"));
	test_result(test_exporter_send(f, payload_copy(SIGNAL_LOGS, 1, STR("\x0a\x7f"), NULL)),
		    -EINVAL, "at byte");
	test_exporter_end(f);
	http_sink_stop(&s);
}

static void certificates_are_verified(void **state)
{
	struct test_exporter *f = *state;
	struct otlp_sink s;

	otlp_sink_start(&s, &server_id);
	test_exporter_make(f, &otlphttp_exporter,
			   "{endpoint: 'https://127.0.0.1:%u', tls: {ca_file: %s}, " FAST "}",
			   s.port, server_id.certificate);
	check_all_signals(f, &s);
	test_exporter_make(f, &otlphttp_exporter,
			   "{endpoint: 'https://127.0.0.1:%u', tls: {ca_file: %s, "
			   "server_name_override: telemetry.example}, " FAST "}",
			   s.port, server_id.certificate);
	check_all_signals(f, &s);
	test_exporter_make(
		f, &otlphttp_exporter,
		"{endpoint: 'https://127.0.0.1:%u', tls: {insecure_skip_verify: true}, " FAST "}",
		s.port);
	check_all_signals(f, &s);
	test_exporter_make(f, &otlphttp_exporter,
			   "{endpoint: 'https://127.0.0.1:%u', tls: {ca_file: %s}, " ONCE "}",
			   s.port, other_id.certificate);
	test_result(test_exporter_send(f, test_logs("x")), -EAGAIN, "certificate");
	test_exporter_end(f);
	otlp_sink_stop(&s);
}

/* A second instance that is overloaded for a while: everything arrives, once. */
static void queued_requests_survive_an_overload(void **state)
{
	struct test_exporter *f = *state;
	struct test_receiver r;

	test_receiver_start(&r);
	atomic_store(&r.busy, true);
	test_exporter_make(f, &otlphttp_exporter,
			   "{endpoint: 'http://127.0.0.1:%u', sending_queue: {num_consumers: "
			   "3}, " RETRIES "}",
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
	test_exporter_log(f, "HTTP Status Code 503, Message=busy", true);
	test_exporter_log(f, "Dropping", false);
	test_receiver_stop(&r);
}

static void a_partial_success_is_counted_and_not_repeated(void **state)
{
	struct test_exporter *f = *state;
	struct delivery_result r;
	struct otlp_sink s;

	otlp_sink_start(&s, NULL);
	s.rejected = 2;
	s.reason = STR("too old");
	test_exporter_make(f, &otlphttp_exporter, "{endpoint: 'http://127.0.0.1:%u', " FAST "}",
			   s.port);
	r = test_exporter_send(f, test_spans(&f->arena, "shop", 0, 5));
	test_result(r, 0, "too old");
	assert_int_equal(r.rejected, 2);
	assert_int_equal(s.requests, 1);
	test_exporter_metric(f, "otelcol_exporter_sent_spans{exporter=\"test\"} 3");
	test_exporter_metric(f, "otelcol_exporter_send_failed_spans{exporter=\"test\"} 2");
	test_exporter_end(f);
	otlp_sink_stop(&s);
}

/* ---- against a script ---- */

#define REPLY(status, more) "HTTP/1.1 " status " X\r\n" more "Content-Length: 0\r\n\r\n"

static void check_answer(struct test_exporter *f, struct http_sink *s, const char *answer, int rc,
			 const char *part)
{
	pthread_mutex_lock(&s->mu);
	s->answers[s->count] = answer;
	s->answer_count = s->count + 1;
	pthread_mutex_unlock(&s->mu);
	test_result(test_exporter_send(f, test_logs("x")), rc, part);
}

static void only_some_statuses_are_repeated(void **state)
{
	struct test_exporter *f = *state;
	struct http_sink s;

	http_sink_start(&s);
	test_exporter_make(f, &otlphttp_exporter, "{endpoint: '%s', " ONCE "}", s.url);
	check_answer(f, &s, REPLY("429", ""), -EAGAIN, "HTTP Status Code 429");
	check_answer(f, &s, REPLY("502", ""), -EAGAIN, "HTTP Status Code 502");
	check_answer(f, &s, REPLY("503", ""), -EAGAIN, "HTTP Status Code 503");
	check_answer(f, &s, REPLY("504", ""), -EAGAIN, "HTTP Status Code 504");
	check_answer(f, &s, REPLY("400", ""), -EINVAL, "not retryable error: request to");
	check_answer(f, &s, REPLY("401", ""), -EINVAL, "HTTP Status Code 401");
	check_answer(f, &s, REPLY("413", ""), -EINVAL, "HTTP Status Code 413");
	check_answer(f, &s, REPLY("500", "Retry-After: 1\r\n"), -EINVAL, "HTTP Status Code 500");
	check_answer(f, &s, REPLY("301", "Location: /\r\n"), -EINVAL, "HTTP Status Code 301");
	check_answer(f, &s, REPLY("202", ""), 0, "");
	test_exporter_end(f);
	http_sink_stop(&s);
}

static void reasons_are_those_of_the_server(void **state)
{
	static const char status[] = "HTTP/1.1 400 X\r\nContent-Type: application/x-protobuf\r\n"
				     "Content-Length: 13\r\n\r\n\x08\x03\x12\x09no\nspan b";
	static const char text[] = "HTTP/1.1 403 X\r\nContent-Type: text/plain; charset=utf-8\r\n"
				   "Content-Length: 12\r\n\r\nnot allowed\n";
	static const char page[] = "HTTP/1.1 404 X\r\nContent-Type: text/html\r\n"
				   "Content-Length: 6\r\n\r\n<html>";
	static const char junk[] = "HTTP/1.1 200 OK\r\nContent-Type: application/x-protobuf\r\n"
				   "Content-Length: 3\r\n\r\n\x0a\x7fx";
	struct test_exporter *f = *state;
	struct delivery_result r;
	struct http_sink s;

	http_sink_start(&s);
	test_exporter_make(f, &otlphttp_exporter, "{endpoint: '%s', " ONCE "}", s.url);
	check_answer(f, &s, status, -EINVAL, "Code 400, Message=no span b");
	check_answer(f, &s, text, -EINVAL, "Code 403, Message=not allowed");
	check_answer(f, &s, page, -EINVAL, "/v1/logs responded with HTTP Status Code 404");
	check_answer(f, &s, junk, 0, "");
	s.answers[s.answer_count++] = REPLY("503", "Retry-After: 7\r\n");
	r = test_exporter_send(f, test_logs("x"));
	assert_int_equal(r.retry_after_ms, 7000);
	test_exporter_end(f);
	http_sink_stop(&s);
}

static void requests_are_repeated_until_they_are_accepted(void **state)
{
	struct test_exporter *f = *state;
	struct http_sink s;

	http_sink_start(&s);
	s.answers[0] = REPLY("503", "");
	s.answers[1] = NULL; /* the connection ends without a response */
	s.answers[2] = REPLY("429", "");
	s.answers[3] = HTTP_SINK_OK;
	s.answer_count = 4;
	test_exporter_make(f, &otlphttp_exporter, "{endpoint: '%s', compression: none, " FAST "}",
			   s.url);
	test_result(test_exporter_send(f, test_sliced_spans(&f->arena, 3)), 0, "");
	assert_int_equal(http_sink_count(&s), 4);
	for (unsigned i = 1; i < 4; i++)
		assert_str_equal(buf_str(&s.requests[i].body), buf_str(&s.requests[0].body));
	test_exporter_end(f);
	http_sink_stop(&s);
}

static void assert_head(struct http_sink *s, unsigned i, const char *part)
{
	if (!strstr(s->requests[i].head, part))
		fail_msg("no \"%s\" in:\n%s", part, s->requests[i].head);
}

static void requests_have_the_configured_headers_and_paths(void **state)
{
	struct component_env env;
	struct test_exporter *f = *state;
	struct test_component auth;
	struct extension extension = {"bearertokenauth", &bearertokenauth_extension, NULL};
	struct http_sink s;

	http_sink_start(&s);
	env = test_exporter_env(f);
	assert_ok_err(test_component_new(&auth, extension.type, &env, "{token: sesame}"), &auth.e);
	extension.instance = auth.instance;
	f->extensions = &extension;
	f->extension_count = 1;
	test_exporter_make(
		f, &otlphttp_exporter,
		"{endpoint: '%s/base/', traces_endpoint: '%s/t?k=v', headers: {X-Team: a "
		"b, User-Agent: probe/1}, auth: {authenticator: bearertokenauth}, " FAST "}",
		s.url, s.url);
	test_result(test_exporter_send(f, test_logs("x")), 0, "");
	test_result(test_exporter_send(f, test_spans(&f->arena, "a", 0, 1)), 0, "");
	test_result(test_exporter_send(f, test_profile("a", 1)), 0, "");
	assert_head(&s, 0, "POST /base/v1/logs HTTP/1.1\r\n");
	assert_head(&s, 0, "content-type: application/x-protobuf\r\n");
	assert_head(&s, 0, "content-encoding: gzip\r\n");
	assert_head(&s, 0, "x-team: a b\r\n");
	assert_head(&s, 0, "user-agent: probe/1\r\n");
	assert_head(&s, 0, "authorization: Bearer sesame\r\n");
	assert_head(&s, 1, "POST /t?k=v HTTP/1.1\r\n");
	assert_head(&s, 2, "POST /base/v1development/profiles HTTP/1.1\r\n");
	test_exporter_end(f);
	f->extension_count = 0;
	test_component_free(&auth);
	http_sink_stop(&s);
}

static void requests_end_at_the_timeout(void **state)
{
	struct test_exporter *f = *state;
	struct http_sink s;

	http_sink_start(&s);
	s.answers[0] = "";
	test_exporter_make(f, &otlphttp_exporter, "{endpoint: '%s', timeout: 100ms, " ONCE "}",
			   s.url);
	test_result(test_exporter_send(f, test_logs("x")), -EAGAIN, "timed out");
	test_exporter_end(f);
	http_sink_stop(&s);
}

static void a_refused_connection_is_tried_again(void **state)
{
	struct test_exporter *f = *state;
	struct sender_stats stats;
	struct http_sink s;
	char url[64];

	http_sink_start(&s);
	memcpy(url, s.url, sizeof(url));
	http_sink_stop(&s);
	test_exporter_make(f, &otlphttp_exporter, "{endpoint: '%s', " ONCE "}", url);
	test_result(test_exporter_send(f, test_logs("x")), -EAGAIN, "retry_on_failure is disabled");
	assert_int_equal(sender_list_copy(&f->host.exporters, &stats, 1), 1);
	assert_false(stats.reachable);
	assert_string_equal(stats.destination, url);
}

static void a_signal_without_an_endpoint_is_refused(void **state)
{
	struct test_exporter *f = *state;

	test_exporter_make(f, &otlphttp_exporter,
			   "{traces_endpoint: 'http://u:secret@127.0.0.1:1/t', " ONCE "}");
	test_result(test_exporter_send(f, test_logs("x")), -EINVAL,
		    "either endpoint or logs_endpoint must be specified");
	test_result(test_exporter_send(f, test_spans(&f->arena, "a", 0, 1)), -EAGAIN,
		    "http://127.0.0.1:1/t");
	test_exporter_log(f, "secret", false);
}

static void bad_settings_are_refused(void **state)
{
	struct component_env env = test_exporter_env(*state);
	static const struct {
		const char *yaml, *says;
	} cases[] = {
		{"{}", "at least one endpoint must be specified"},
		{"{endpoint: 'localhost:4318'}", "\"endpoint\": expected a URL"},
		{"{endpoint: 'http://'}", "\"endpoint\": expected a URL"},
		{"{logs_endpoint: '/v1/logs'}", "\"logs_endpoint\": expected a URL"},
		{"{endpoint: 'http://a', encoding: xml}", "expected proto or json, found \"xml\""},
		{"{endpoint: 'http://a', compression: br}", "unsupported compression type \"br\""},
		{"{endpoint: 'http://a', tls: {cert_file: a}}", "both certificate and key"},
		{"{endpoint: 'http://a', auth: {authenticator: none}}", "references extension"},
		{"{endpoint: 'http://a', sending_queue: {queue_size: 0}}", "`queue_size`"},
		{"{endpoint: 'http://a', timout: 1s}", "timout"},
	};

	for (size_t i = 0; i < countof(cases); i++)
		test_component_refused(&otlphttp_exporter, &env, cases[i].yaml, cases[i].says);
}

#define sent(name)                                                                                 \
	cmocka_unit_test_setup_teardown(name, test_exporter_setup, test_exporter_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		sent(all_signals_arrive_with_each_compression),
		sent(messages_can_be_json),
		sent(certificates_are_verified),
		sent(queued_requests_survive_an_overload),
		sent(a_partial_success_is_counted_and_not_repeated),
		sent(only_some_statuses_are_repeated),
		sent(reasons_are_those_of_the_server),
		sent(requests_are_repeated_until_they_are_accepted),
		sent(requests_have_the_configured_headers_and_paths),
		sent(requests_end_at_the_timeout),
		sent(a_refused_connection_is_tried_again),
		sent(a_signal_without_an_endpoint_is_refused),
		sent(bad_settings_are_refused),
	};

	return cmocka_run_group_tests(tests, files_setup, files_teardown);
}
