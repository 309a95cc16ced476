/* SPDX-License-Identifier: Apache-2.0 */
/* The exporter and its sinks against a scripted server on loopback. */
#include "sdk/export/export.h"
#include "sdk/export/sink_otlp.h"

#include <errno.h>
#include <sys/wait.h>

#include "test/http_sink.h"
#include "test/test.h"
#include "wire/compress/compress.h"

#define ANSWER(line, headers) "HTTP/1.1 " line "\r\n" headers "Content-Length: 0\r\n\r\n"

static const struct exporter_options quick = {
	.timeout_ms = 2000, .retry_first_ms = 10, .retry_max_ms = 50, .retry_total_ms = 5000};

static struct export_item *item_of(enum export_signal signal, const char *text)
{
	struct export_item *item = export_item_new(signal);

	assert_non_null(item);
	item->kind = VARVE_CPU;
	buf_put_str(&item->body, str_from(text));
	return item;
}

static struct exporter *start(const char *url, const char *headers,
			      const struct exporter_options *o)
{
	struct exporter *x;
	struct sink *sink;
	struct err e = {0};

	assert_ok_err(
		sink_otlp_http(&sink, url, &(struct otlp_sink_options){.headers = headers}, &e),
		&e);
	assert_ok_err(exporter_new(&x, sink, o, &e), &e);
	return x;
}

static struct varve_delivery counters(struct exporter *x)
{
	struct varve_delivery d = {0};

	exporter_counters(x, &d);
	return d;
}

static void assert_body(struct http_sink *s, unsigned i, const char *path, const char *text)
{
	struct arena a;
	struct str out;
	struct err e = {0};

	arena_init(&a, NULL);
	assert_non_null(strstr(s->requests[i].head, path));
	assert_ok_err(
		decompress_bytes(COMPRESS_GZIP, buf_str(&s->requests[i].body), &a, NULL, &out, &e),
		&e);
	assert_str_equal(out, str_from(text));
	arena_fini(&a);
}

/* Put and flush one item: otherwise signals are sent in parallel. */
static void put_and_flush(struct exporter *x, enum export_signal signal, const char *text)
{
	assert_ok(exporter_put(x, item_of(signal, text)));
	assert_ok(exporter_flush(x, 10000));
}

static void each_signal_has_its_own_path_and_connection(void **state)
{
	struct http_sink server;
	struct exporter *x;
	struct varve_delivery d;

	(void)state;
	http_sink_start(&server);
	x = start(server.url, "authorization=Bearer%20x, x-tenant = a", &quick);
	put_and_flush(x, EXPORT_PROFILES, "profile");
	put_and_flush(x, EXPORT_TRACES, "trace");
	put_and_flush(x, EXPORT_METRICS, "metric");
	put_and_flush(x, EXPORT_METRICS, "another");
	d = counters(x);
	assert_int_equal(d.sent, 4);
	assert_int_equal(d.confirmed, 4);
	assert_int_equal(d.failed, 0);
	assert_int_equal(d.pending, 0);
	assert_true(d.success_rate == 1);
	assert_true(d.bytes > 0);
	exporter_free(x, 0);
	assert_body(&server, 0, "POST /v1development/profiles HTTP/1.1\r\n", "profile");
	assert_body(&server, 1, "POST /v1/traces HTTP/1.1\r\n", "trace");
	assert_body(&server, 2, "POST /v1/metrics HTTP/1.1\r\n", "metric");
	assert_non_null(strstr(server.requests[0].head, "authorization: Bearer x\r\n"));
	assert_non_null(strstr(server.requests[0].head, "x-tenant: a\r\n"));
	assert_non_null(
		strstr(server.requests[0].head, "Content-Type: application/x-protobuf\r\n"));
	assert_non_null(strstr(server.requests[0].head, "Content-Encoding: gzip\r\n"));
	for (unsigned i = 0; i < 3; i++)
		assert_non_null(strstr(server.requests[i].head, "\r\nvarve-profiler: samples="));
	assert_int_equal(server.connections, 3);
	http_sink_stop(&server);
}

/* A signal without a response blocks no other signal, and counts as failed once it is overdue. */
static void no_signal_blocks_another(void **state)
{
	static const char *const paths[] = {"/v1development/profiles", "/v1/traces", "/v1/metrics",
					    "/v1/logs"};

	(void)state;
	for (unsigned stuck = 0; stuck < EXPORT_SIGNALS; stuck++) {
		struct exporter_options o = quick;
		struct http_sink server;
		struct exporter *x;

		http_sink_start(&server);
		server.silent_for = paths[stuck];
		o.timeout_ms = 60000;
		x = start(server.url, NULL, &o);
		assert_ok(exporter_put(x, item_of((enum export_signal)stuck, "no answer")));
		while (!http_sink_count(&server))
			nanosleep(&(struct timespec){0, 1000000}, NULL);
		for (unsigned i = 0; i < 2 * EXPORT_SIGNALS; i++)
			if (i % EXPORT_SIGNALS != stuck)
				assert_ok(exporter_put(
					x, item_of((enum export_signal)(i % EXPORT_SIGNALS), "x")));
		while (counters(x).confirmed < 2 * (EXPORT_SIGNALS - 1))
			nanosleep(&(struct timespec){0, 1000000}, NULL);
		assert_int_equal(counters(x).pending, 1);
		assert_true(counters(x).success_rate == 1);
		exporter_free(x, 10);
		http_sink_stop(&server);
	}
}

static void overdue_items_count_as_failed_until_they_succeed(void **state)
{
	struct exporter_options o = quick;
	struct http_sink server;
	struct exporter *x;

	(void)state;
	http_sink_start(&server);
	server.answers[0] = ANSWER("503 Service Unavailable", "Retry-After: 30\r\n");
	server.answers[1] = HTTP_SINK_OK;
	server.answer_count = 2;
	o.timeout_ms = 50;
	o.retry_total_ms = 600000;
	x = start(server.url, NULL, &o);
	assert_ok(exporter_put(x, item_of(EXPORT_PROFILES, "late")));
	while (counters(x).success_rate > 0) /* 1 until it is overdue */
		nanosleep(&(struct timespec){0, 1000000}, NULL);
	assert_int_equal(counters(x).failed, 0);
	assert_int_equal(counters(x).pending, 1);
	assert_ok(exporter_flush(x, 10000)); /* retries now */
	assert_int_equal(counters(x).confirmed, 1);
	assert_true(counters(x).success_rate == 1);
	exporter_free(x, 0);
	http_sink_stop(&server);
}

static void retryable_errors_are_retried(void **state)
{
	static const char *const passing[] = {ANSWER("503 Service Unavailable", ""),
					      ANSWER("429 Too Many Requests", ""),
					      ANSWER("502 Bad Gateway", ""),
					      ANSWER("504 Gateway Timeout", ""),
					      NULL,
					      "nonsense\r\n\r\n",
					      "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nab"};

	(void)state;
	for (size_t i = 0; i < countof(passing); i++) {
		struct http_sink server;
		struct exporter *x;
		struct varve_delivery d;
		struct exporter_options o = quick;

		http_sink_start(&server);
		server.answers[0] = passing[i];
		server.answers[1] = HTTP_SINK_OK;
		server.answer_count = 2;
		o.timeout_ms = 300;
		x = start(server.url, NULL, &o);
		assert_ok(exporter_put(x, item_of(EXPORT_TRACES, "again")));
		/* an incomplete response is awaited until the timeout */
		assert_ok(exporter_flush(x, 5000));
		d = counters(x);
		assert_int_equal(d.sent, 1);
		assert_int_equal(d.confirmed, 1);
		assert_int_equal(d.failed, 0);
		exporter_free(x, 0);
		assert_int_equal(server.count, 2);
		assert_body(&server, 1, "/v1/traces", "again");
		http_sink_stop(&server);
	}
}

static void permanent_errors_are_not_retried(void **state)
{
	static const char *const final[] = {ANSWER("400 Bad Request", ""),
					    ANSWER("401 Unauthorized", ""),
					    ANSWER("404 Not Found", ""),
					    ANSWER("413 Too Large", ""),
					    ANSWER("500 Internal Server Error", ""),
					    ANSWER("301 Moved", "Location: /x\r\n")};

	(void)state;
	for (size_t i = 0; i < countof(final); i++) {
		struct http_sink server;
		struct exporter *x;
		struct varve_delivery d;

		http_sink_start(&server);
		server.answers[0] = final[i];
		x = start(server.url, NULL, &quick);
		assert_ok(exporter_put(x, item_of(EXPORT_PROFILES, "no")));
		assert_ok(exporter_flush(x, 5000));
		d = counters(x);
		assert_int_equal(d.failed, 1);
		assert_int_equal(d.confirmed, 0);
		assert_true(d.success_rate == 0);
		exporter_free(x, 0);
		assert_int_equal(server.count, 1);
		http_sink_stop(&server);
	}
}

static void metrics_are_rarely_sent_to_a_server_that_rejects_them(void **state)
{
	struct http_sink server;
	struct exporter *x;
	struct varve_delivery d;

	(void)state;
	http_sink_start(&server);
	server.answers[0] = ANSWER("404 Not Found", "");
	server.answers[1] = HTTP_SINK_OK;
	server.answer_count = 2;
	x = start(server.url, NULL, &quick);
	assert_ok(exporter_put(x, item_of(EXPORT_METRICS, "no")));
	assert_ok(exporter_flush(x, 5000));
	put_and_flush(x, EXPORT_METRICS, "not again");
	put_and_flush(x, EXPORT_PROFILES, "yes");
	d = counters(x);
	assert_int_equal(d.sent, 1);
	assert_int_equal(d.confirmed, 1);
	assert_int_equal(d.failed, 0);
	exporter_free(x, 0);
	assert_int_equal(server.count, 2);
	http_sink_stop(&server);
}

static void partial_rejections_count_as_failed_with_the_reason(void **state)
{
	struct http_sink server;
	struct exporter *x;
	char why[512];

	(void)state;
	http_sink_start(&server);
	/* partial_success { rejected = 3, error_message = "too old" } */
	server.answers[0] = "HTTP/1.1 200 OK\r\nContent-Length: 13\r\n\r\n"
			    "\x0a\x0b\x08\x03\x12\x07too old";
	x = start(server.url, NULL, &quick);
	assert_ok(exporter_put(x, item_of(EXPORT_PROFILES, "part")));
	assert_ok(exporter_flush(x, 5000));
	assert_int_equal(counters(x).failed, 1);
	assert_true(exporter_last_error(x, why, sizeof(why)) > 0);
	assert_string_equal(why, "3 rejected: too old");
	exporter_free(x, 0);
	assert_int_equal(server.count, 1);
	http_sink_stop(&server);
}

static void the_oldest_item_is_dropped_over_the_limit(void **state)
{
	struct exporter_options o = quick;
	struct http_sink server;
	struct exporter *x;
	char large[200];

	(void)state;
	http_sink_start(&server);
	server.answers[0] = ""; /* no response to the first item */
	o.timeout_ms = 60000;
	o.max_items = 2;
	o.max_bytes = 100;
	x = start(server.url, NULL, &o);
	assert_ok(exporter_put(x, item_of(EXPORT_TRACES, "first")));
	while (!http_sink_count(&server))
		nanosleep(&(struct timespec){0, 1000000}, NULL);
	assert_ok(exporter_put(x, item_of(EXPORT_TRACES, "second")));
	assert_ok(exporter_put(x, item_of(EXPORT_TRACES, "third")));
	assert_ok(exporter_put(x, item_of(EXPORT_TRACES, "fourth")));
	assert_int_equal(counters(x).failed, 1); /* the second item */
	assert_int_equal(counters(x).pending, 3);
	memset(large, 'x', sizeof(large) - 1);
	large[95] = 0;
	assert_ok(exporter_put(x, item_of(EXPORT_TRACES, large)));
	assert_int_equal(counters(x).failed, 3); /* the third and fourth, by their size */
	large[95] = 'x';
	large[sizeof(large) - 1] = 0;
	assert_int_equal(exporter_put(x, item_of(EXPORT_TRACES, large)), -ENOBUFS);
	assert_int_equal(exporter_flush(x, 20), -ETIMEDOUT);
	exporter_free(x, 10); /* gives up on the silent server */
	http_sink_stop(&server);
}

static void an_unreachable_server_is_retried_until_the_deadline(void **state)
{
	struct exporter_options o = quick;
	struct http_sink server;
	struct exporter *x;
	char url[64], why[512];

	(void)state;
	http_sink_start(&server);
	memcpy(url, server.url, sizeof(url));
	http_sink_stop(&server);
	o.retry_total_ms = 100;
	x = start(url, NULL, &o);
	assert_ok(exporter_put(x, item_of(EXPORT_TRACES, "lost")));
	assert_ok(exporter_flush(x, 5000));
	assert_int_equal(counters(x).failed, 1);
	exporter_last_error(x, why, sizeof(why));
	assert_non_null(strstr(why, "Connection refused"));
	assert_int_not_equal(exporter_check(x, NULL), 0);
	exporter_free(x, 0);
}

static void stopping_sends_queued_items(void **state)
{
	struct http_sink server;
	struct exporter *x;

	(void)state;
	http_sink_start(&server);
	x = start(server.url, NULL, &quick);
	for (int i = 0; i < 20; i++)
		assert_ok(exporter_put(x, item_of(EXPORT_TRACES, "last words")));
	exporter_free(x, 5000);
	assert_int_equal(server.count, 20);
	http_sink_stop(&server);
}

static void the_readiness_check_runs_beside_exports(void **state)
{
	struct http_sink server;
	struct exporter *x;
	struct err e = {0};

	(void)state;
	http_sink_start(&server);
	server.answers[1] = ANSWER("503 Service Unavailable", "");
	server.answer_count = 2;
	x = start(server.url, NULL, &quick);
	assert_ok(exporter_check(x, &e));
	assert_non_null(strstr(server.requests[0].head, "GET /ready HTTP/1.1\r\n"));
	assert_int_not_equal(exporter_check(x, &e), 0);
	assert_err_says(&e, "GET /ready answers 503");
	/* an OTLP-only server has no such page */
	server.answers[2] = ANSWER("404 Not Found", "");
	server.answers[3] = HTTP_SINK_OK;
	server.answers[4] = ANSWER("404 Not Found", "");
	server.answer_count = 5;
	assert_ok(exporter_check(x, NULL));
	assert_non_null(strstr(server.requests[3].head, "POST /v1development/profiles "));
	e = (struct err){0};
	assert_int_not_equal(exporter_check(x, &e), 0);
	assert_err_says(&e, "no OTLP server at this address");
	exporter_free(x, 0);
	http_sink_stop(&server);
}

static void a_forked_child_has_its_own_queue_and_connection(void **state)
{
	struct http_sink server;
	struct exporter *x;
	int status = 0;
	pid_t pid;

	(void)state;
#ifdef __SANITIZE_THREAD__
	print_message("skipped: the thread sanitizer allows no threads in a forked child\n");
	skip();
#endif
	http_sink_start(&server);
	x = start(server.url, NULL, &quick);
	assert_ok(exporter_put(x, item_of(EXPORT_TRACES, "parent")));
	assert_ok(exporter_flush(x, 5000));
	exporter_before_fork(x);
	pid = fork();
	if (!pid) {
		int rc;

		exporter_in_child(x);
		rc = exporter_put(x, item_of(EXPORT_TRACES, "child"));
		rc = rc ? rc : exporter_flush(x, 10000);
		_exit(rc || counters(x).confirmed != 1);
	}
	exporter_after_fork(x);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	put_and_flush(x, EXPORT_TRACES, "parent again");
	assert_int_equal(counters(x).confirmed, 2);
	exporter_free(x, 0);
	assert_int_equal(http_sink_count(&server), 3);
	assert_body(&server, 1, "/v1/traces", "child");
	assert_body(&server, 2, "/v1/traces", "parent again");
	assert_int_equal(server.connections, 2);
	http_sink_stop(&server);
}

static void invalid_endpoints_and_headers_are_reported(void **state)
{
	static const char *const bad[] = {"ftp://x",	    "http://",		"http://x:0",
					  "http://x:99999", "http://a b:1",	"http://user@x:1",
					  "http://[::1:2",  "http://x:1/a\r\nb"};
	struct sink *sink = NULL;
	struct err e = {0};

	(void)state;
	for (size_t i = 0; i < countof(bad); i++) {
		e = (struct err){0};
		assert_int_equal(sink_otlp_http(&sink, bad[i], &(struct otlp_sink_options){0}, &e),
				 -EINVAL);
		assert_err_says(&e, "endpoint");
	}
	e = (struct err){0};
	assert_int_equal(sink_otlp_http(&sink, "http://x:1",
					&(struct otlp_sink_options){.headers = "a=b%0d%0ac: d"},
					&e),
			 -EINVAL);
	assert_err_says(&e, "control characters");
	assert_int_equal(sink_otlp_http(&sink, "http://x:1",
					&(struct otlp_sink_options){.headers = "no value"}, NULL),
			 -EINVAL);
	assert_ok(sink_otlp_http(&sink, "http://[::1]:4318/prefix/",
				 &(struct otlp_sink_options){.headers = "a=b,"}, NULL));
	sink->free(sink);
}

/* OTEL_EXPORTER_OTLP_<signal>_ENDPOINT and _HEADERS, whose URL is used as it is. */
static void each_signal_can_have_its_own_endpoint_and_headers(void **state)
{
	static const char *const words[] = {[EXPORT_PROFILES] = "PROFILES",
					    [EXPORT_TRACES] = "TRACES",
					    [EXPORT_METRICS] = "METRICS",
					    [EXPORT_LOGS] = "LOGS"};

	(void)state;
	for (unsigned i = 0; i < EXPORT_SIGNALS; i++) {
		const struct otlp_sink_options options = {.headers = "x-who=all",
							  .environment = true};
		char endpoint[64], headers[64], url[128];
		struct http_sink server, other;
		struct sink *sink;
		struct err e = {0};
		uint64_t after = 0;

		http_sink_start(&server);
		http_sink_start(&other);
		snprintf(endpoint, sizeof(endpoint), "OTEL_EXPORTER_OTLP_%s_ENDPOINT", words[i]);
		snprintf(headers, sizeof(headers), "OTEL_EXPORTER_OTLP_%s_HEADERS", words[i]);
		snprintf(url, sizeof(url), "%s/own/path", server.url);
		setenv(endpoint, url, 1);
		setenv(headers, "x-who=own", 1);
		assert_ok_err(sink_otlp_http(&sink, other.url, &options, &e), &e);
		unsetenv(endpoint);
		unsetenv(headers);
		for (unsigned k = 0; k < EXPORT_SIGNALS; k++) {
			struct export_item *item = item_of(k, "x");

			assert_ok_err(sink->deliver(sink, item, 5000, &after, &e), &e);
			export_item_free(item);
		}
		assert_int_equal(http_sink_count(&server), 1);
		assert_int_equal(http_sink_count(&other), EXPORT_SIGNALS - 1);
		assert_non_null(strstr(server.requests[0].head, "POST /own/path HTTP"));
		assert_non_null(strstr(server.requests[0].head, "x-who: own\r\n"));
		assert_non_null(strstr(other.requests[0].head, "x-who: all\r\n"));
		sink->free(sink);
		http_sink_stop(&server);
		http_sink_stop(&other);
	}
}

TEST_MAIN(test(each_signal_has_its_own_path_and_connection), test(no_signal_blocks_another),
	  test(overdue_items_count_as_failed_until_they_succeed),
	  test(retryable_errors_are_retried), test(permanent_errors_are_not_retried),
	  test(metrics_are_rarely_sent_to_a_server_that_rejects_them),
	  test(partial_rejections_count_as_failed_with_the_reason),
	  test(the_oldest_item_is_dropped_over_the_limit),
	  test(an_unreachable_server_is_retried_until_the_deadline),
	  test(stopping_sends_queued_items), test(the_readiness_check_runs_beside_exports),
	  test(a_forked_child_has_its_own_queue_and_connection),
	  test(invalid_endpoints_and_headers_are_reported),
	  test(each_signal_can_have_its_own_endpoint_and_headers))
