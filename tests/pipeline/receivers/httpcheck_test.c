/* SPDX-License-Identifier: Apache-2.0 */
/* The httpcheck receiver: metrics of real responses, by the text of the debug exporter. */
#include "pipeline/receivers/httpcheck/httpcheck_receiver.h"

#include <errno.h>

#include "base/clock.h"
#include "pipeline/exporters/debug/debug_text.h"
#include "test/component.h"
#include "test/http_sink.h"

struct fixture {
	struct host host;
	struct component_env env;
	struct consumer next;
	struct test_component x;
	struct http_sink sink;
	pthread_mutex_t mu; /* guards the following fields */
	struct buf text;    /* what was emitted */
	unsigned emitted;
};

static bool take_metrics(void *state, struct delivery *d)
{
	struct fixture *f = state;
	struct buf scratch = {0};

	pthread_mutex_lock(&f->mu);
	debug_write_normal(&f->text, d->signal, payload_str(d->payload, &scratch));
	f->emitted++;
	pthread_mutex_unlock(&f->mu);
	buf_fini(&scratch);
	delivery_done(d, &(struct delivery_result){0});
	return true;
}

static int fixture_setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));
	struct err e = {0};

	*state = f;
	if (!f || host_init(&f->host, 1, 16 * MIB, NULL, &e))
		return -1;
	pthread_mutex_init(&f->mu, NULL);
	f->env = (struct component_env){.id = "httpcheck", .host = &f->host};
	f->next = (struct consumer){.state = f, .consume = take_metrics};
	f->env.next[signal_index(SIGNAL_METRICS)] = &f->next;
	http_sink_start(&f->sink);
	return 0;
}

static int fixture_teardown(void **state)
{
	struct fixture *f = *state;

	if (f->x.type)
		test_component_free(&f->x);
	http_sink_stop(&f->sink);
	host_fini(&f->host);
	buf_fini(&f->text);
	pthread_mutex_destroy(&f->mu);
	free(f);
	return 0;
}

/* Run the checks of a list of targets, with %s for the URL of the sink, `n` times; return the text. */
static const char *check(struct fixture *f, const char *targets, unsigned n)
{
	char yaml[1500];
	unsigned emitted = 0;

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
	n = n ? n : 1;
	strcpy(yaml, "initial_delay: 0s\ncollection_interval: 100ms\ntargets: ");
	snprintf(yaml + strlen(yaml), sizeof(yaml) - strlen(yaml), targets, f->sink.url);
#pragma GCC diagnostic pop
	assert_ok_err(test_component_new(&f->x, &httpcheck_receiver, &f->env, yaml), &f->x.e);
	assert_ok_err(f->x.type->start(f->x.instance, &f->x.e), &f->x.e);
	for (unsigned i = 0; i < 2000 && emitted < n; i++) {
		nanosleep(&(struct timespec){.tv_nsec = 10 * 1000 * 1000}, NULL);
		pthread_mutex_lock(&f->mu);
		emitted = f->emitted;
		pthread_mutex_unlock(&f->mu);
	}
	f->x.type->stop(f->x.instance);
	assert_true(f->emitted >= n);
	buf_put_char(&f->text, 0);
	return f->text.p;
}

static void assert_has(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("no \"%s\" in:\n%s", part, text);
}

static void the_class_of_the_status_is_1(void **state)
{
	struct fixture *f = *state;
	const char *text;

	f->sink.answers[0] = "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n";
	f->sink.answer_count = 1;
	text = check(f, "[{endpoint: '%s/a?b=c', headers: {X-Team: blue}}]", 1);
	assert_has(text, "/a?b=c,http.status_code=404,http.method=GET,http.status_class=4xx} 1\n");
	assert_has(text, "/a?b=c,http.status_code=0,http.method=GET,http.status_class=2xx} 0\n");
	assert_has(text, "httpcheck.duration{http.url=http://127.0.0.1:");
	assert_null(strstr(text, "httpcheck.error"));
	assert_has(f->sink.requests[0].head, "GET /a?b=c HTTP/1.1\r\n");
	assert_non_null(strcasestr(f->sink.requests[0].head, "\r\nx-team: blue\r\n"));
}

static void a_body_gets_its_content_type(void **state)
{
	struct fixture *f = *state;
	const char *text;

	f->sink.answers[0] = HTTP_SINK_OK;
	f->sink.answer_count = 1;
	text = check(f,
		     "[{endpoint: '%s', method: POST, body: '{\"a\": 1}', auto_content_type: "
		     "true}]",
		     1);
	assert_has(text, "http.status_code=200,http.method=POST,http.status_class=2xx} 1\n");
	assert_non_null(
		strcasestr(f->sink.requests[0].head, "\r\ncontent-type: application/json\r\n"));
	assert_str_equal(buf_str(&f->sink.requests[0].body), STR("{\"a\": 1}"));
}

static void bodies_are_validated(void **state)
{
	struct fixture *f = *state;
	const char *text;

	f->sink.answers[0] =
		"HTTP/1.1 200 OK\r\nContent-Length: 63\r\n\r\n"
		"{\"status\": \"up\", \"a.b\": true, \"items\": [{\"n\": 1}, {\"n\": 2.50}]}";
	f->sink.answer_count = 1;
	text = check(f,
		     "[{endpoint: '%s', validations: [{contains: status}, {contains: down}, "
		     "{not_contains: down}, {json_path: status, equals: up}, {json_path: "
		     "items.1.n, equals: 2.50}, {json_path: 'a\\.b', equals: true}, {json_path: "
		     "'items.#', equals: 2}, {json_path: $.status, equals: up}, {json_path: "
		     "items.2.n}, {json_path: status.x}, {min_size: 63, max_size: 63}, {min_size: "
		     "64}, {regex: '\"n\": [0-9]+\\.'}]}]\n"
		     "metrics: {httpcheck.validation.passed: {enabled: true}, "
		     "httpcheck.validation.failed: {enabled: true}, httpcheck.response.size: "
		     "{enabled: true}}",
		     1);
	assert_has(text, "httpcheck.response.size{http.url=http://127.0.0.1:");
	assert_has(text, "} 63\n");
	assert_has(text, "validation.type=contains} 1\n");
	assert_has(text, "validation.type=not_contains} 1\n");
	assert_has(text, "validation.type=json_path} 5\n");
	assert_has(text, "validation.type=json_path} 2\n");
	assert_has(text, "validation.type=not_contains} 0\n");
	assert_has(text, "validation.type=size} 1\n");
	assert_has(text, "validation.type=regex} 1\n");
}

static void a_body_that_is_no_json_fails_its_paths(void **state)
{
	struct fixture *f = *state;
	const char *text;

	f->sink.answers[0] = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n{\"a\":";
	f->sink.answer_count = 1;
	text = check(f,
		     "[{endpoint: '%s', validations: [{json_path: a, equals: ''}]}]\n"
		     "metrics: {httpcheck.validation.failed: {enabled: true}}",
		     1);
	assert_has(text, "validation.type=json_path} 1\n");
	assert_null(strstr(text, "validation.passed"));
}

static void an_empty_body_contains_nothing(void **state)
{
	struct fixture *f = *state;
	const char *text;

	f->sink.answers[0] = "HTTP/1.1 204 No Content\r\n\r\n";
	f->sink.answer_count = 1;
	text = check(f,
		     "[{endpoint: '%s', validations: [{contains: a, not_contains: b, regex: '^$', "
		     "max_size: 0}]}]\n"
		     "metrics: {httpcheck.validation.passed: {enabled: true}}",
		     1);
	assert_has(text, "validation.type=contains} 0\n");
	assert_has(text, "validation.type=not_contains} 1\n");
	assert_has(text, "validation.type=regex} 1\n");
	assert_has(text, "validation.type=size} 1\n");
}

static void redirects_are_followed(void **state)
{
	struct fixture *f = *state;
	const char *text;

	f->sink.answers[0] = "HTTP/1.1 302 Found\r\nLocation: /new\r\nContent-Length: 0\r\n\r\n";
	f->sink.answers[1] = HTTP_SINK_OK;
	f->sink.answer_count = 2;
	text = check(f, "[{endpoint: '%s/old', method: POST, body: x}]", 1);
	assert_has(text, "/old,http.status_code=200,http.method=POST,http.status_class=2xx} 1\n");
	assert_has(f->sink.requests[1].head, "GET /new HTTP/1.1\r\n");
}

static void a_missing_response_is_an_error(void **state)
{
	struct fixture *f = *state;
	const char *text;

	f->sink.answers[0] = "";
	f->sink.answer_count = 1;
	text = check(f, "[{endpoint: '%s', timeout: 50ms}, {endpoints: ['http://127.0.0.1:9']}]",
		     2);
	assert_has(text, "httpcheck.error{http.url=http://127.0.0.1:9,error.message=");
	assert_has(text, "http.status_class=2xx} 0\n");
	assert_null(strstr(text, "http.status_code=2"));
}

static void settings_are_checked(void **state)
{
	static const char *const cases[][2] = {
		{"{}", "no targets configured"},
		{"{targets: [{method: GET}]}",
		 "at least one of 'endpoint' or 'endpoints' must be specified"},
		{"{targets: [{endpoint: 'localhost:80'}]}",
		 "must be in the form of <scheme>://<hostname>[:<port>]"},
		{"{targets: [{endpoints: ['ftp://a/']}]}", "must be in the form of"},
		{"{targets: [{endpoint: 'http://a', method: 'GET /'}]}", "no method of HTTP"},
		{"{targets: [{endpoint: 'http://a', metod: GET}]}", "did you mean \"method\""},
		{"{targets: [{endpoint: 'http://a', validations: [{equals: x}]}]}",
		 "a validation needs contains"},
		{"{targets: [{endpoint: 'http://a', validations: [{json_path: 'a.#(b>1)'}]}]}",
		 "only names, indexes"},
		{"{targets: [{endpoint: 'http://a', validations: [{regex: '('}]}]}", "regex"},
		{"{targets: [{endpoint: 'http://a', validations: [{contain: x}]}]}",
		 "did you mean \"contains\""},
		{"{targets: http://a}", "\"targets\" has to be a list"},
		{"{targets: [{endpoint: 'http://a'}], collection_interval: 0}", "1ms or more"},
	};
	struct fixture *f = *state;

	for (size_t i = 0; i < countof(cases); i++)
		test_component_refused(&httpcheck_receiver, &f->env, cases[i][0], cases[i][1]);
}

TEST_MAIN(test_with(fixture, the_class_of_the_status_is_1),
	  test_with(fixture, a_body_gets_its_content_type),
	  test_with(fixture, bodies_are_validated),
	  test_with(fixture, a_body_that_is_no_json_fails_its_paths),
	  test_with(fixture, an_empty_body_contains_nothing),
	  test_with(fixture, redirects_are_followed),
	  test_with(fixture, a_missing_response_is_an_error),
	  test_with(fixture, settings_are_checked))
