/* SPDX-License-Identifier: Apache-2.0 */
/* The prometheus receiver: from text to OTLP, and the component against a real server. */
#include <errno.h>
#include <sys/stat.h>

#include "format/otlp/schema.h"
#include "pipeline/receivers/prometheus/prometheus_receiver.h"
#include "pipeline/receivers/prometheus/scrape_output.h"
#include "test/component.h"
#include "test/http_sink.h"

#define SECOND ((uint64_t)1000000000)

/* ---- from text to OTLP ---- */

struct fixture {
	struct scraped_state state;
	struct scrape_rules rules;
	struct prom_labels target;
	struct arena arena;
	struct buf json;
	struct err e;
	struct scrape_counts counts;
};

static int fixture_setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	*state = f;
	arena_init(&f->arena, NULL);
	if (prom_labels_set(&f->target, &f->arena, STR("instance"), STR("host:80")) ||
	    prom_labels_set(&f->target, &f->arena, STR("job"), STR("j")))
		return -1;
	f->rules = (struct scrape_rules){.honor_timestamps = true, .target = &f->target};
	return scraped_state_init(&f->state);
}

static int fixture_teardown(void **state)
{
	struct fixture *f = *state;

	scraped_state_fini(&f->state);
	arena_fini(&f->arena);
	buf_fini(&f->json);
	free(f);
	return 0;
}

static void write_outcome(struct fixture *f, enum scrape_end end, uint64_t time)
{
	struct scrape_outcome outcome = {
		.end = end, .time = time, .counts = f->counts, .scheme = STR("http")};
	struct payload *p = scrape_output(&f->state, &f->rules, &outcome, &f->arena, NULL);
	struct buf scratch = {0};

	assert_non_null(p);
	buf_clear(&f->json);
	assert_ok(schema_to_json(&f->json, &otlp_metrics_request, payload_str(p, &scratch), &f->e));
	buf_put_char(&f->json, 0);
	payload_release(p);
}

/* Scrape this text at a time in seconds; the result is JSON. Return the result of the scrape. */
static int scrape_as(struct fixture *f, enum text_format format, const char *text, uint64_t seconds)
{
	int rc;

	f->e = (struct err){0};
	rc = scrape_ingest(&f->state, &f->rules,
			   &(struct scrape_input){format, str_from(text), seconds * SECOND},
			   &f->counts, &f->arena, &f->e);
	write_outcome(f, rc ? SCRAPE_FAILED : SCRAPE_OK, seconds * SECOND);
	if (!rc)
		assert_ok(scraped_state_compact(&f->state));
	return rc;
}

static int scrape(struct fixture *f, const char *text, uint64_t seconds)
{
	return scrape_as(f, TEXT_PROMETHEUS, text, seconds);
}

static void check_has(struct fixture *f, const char *part, bool wanted)
{
	if ((strstr(f->json.p, part) != NULL) != wanted)
		fail_msg("%s \"%s\" in %s", wanted ? "no" : "unexpected", part, f->json.p);
}

#define has(f, part) check_has(f, part, true)
#define has_not(f, part) check_has(f, part, false)

static void types_become_metrics(void **state)
{
	struct fixture *f = *state;

	assert_ok_err(scrape(f,
			     "# HELP c_total some \\n help\n# TYPE c_total counter\n"
			     "c_total{x=\"1\",job=\"mine\"} 3\n"
			     "# TYPE h histogram\nh_bucket{le=\"1\"} 2\nh_bucket{le=\"2.5\"} 2\n"
			     "h_bucket{le=\"+Inf\"} 5\nh_sum 12.5\nh_count 5\n"
			     "# TYPE s summary\ns{quantile=\"0.5\"} 7\ns_sum 20\ns_count 4\n"
			     "# TYPE g gauge\ng -1\nfree 4 1500\n"
			     "target_info{version=\"9\"} 1\n",
			     100),
		      &f->e);
	has(f, "{\"key\":\"service.name\",\"value\":{\"stringValue\":\"j\"}}");
	has(f, "{\"key\":\"service.instance.id\",\"value\":{\"stringValue\":\"host:80\"}}");
	has(f, "{\"key\":\"server.address\",\"value\":{\"stringValue\":\"host\"}}");
	has(f, "{\"key\":\"server.port\",\"value\":{\"stringValue\":\"80\"}}");
	has(f, "{\"key\":\"url.scheme\",\"value\":{\"stringValue\":\"http\"}}");
	has(f, "{\"key\":\"version\",\"value\":{\"stringValue\":\"9\"}}");
	has(f, "{\"name\":\"c_total\",\"description\":\"some \\n help\",\"sum\":{\"dataPoints\":["
	       "{\"startTimeUnixNano\":\"100000000000\",\"timeUnixNano\":\"100000000000\","
	       "\"asDouble\":3,\"attributes\":[{\"key\":\"exported_job\",\"value\":"
	       "{\"stringValue\":\"mine\"}},{\"key\":\"x\",\"value\":{\"stringValue\":\"1\"}}]}],"
	       "\"aggregationTemporality\":2,\"isMonotonic\":true}}");
	has(f, "\"count\":\"5\",\"sum\":12.5,\"bucketCounts\":[\"2\",\"0\",\"3\"],"
	       "\"explicitBounds\":[1,2.5]");
	has(f, "{\"name\":\"s\",\"summary\":");
	has(f, "\"count\":\"4\",\"sum\":20,\"quantileValues\":[{\"quantile\":0.5,\"value\":7}]");
	has(f, "{\"name\":\"g\",\"gauge\":{\"dataPoints\":[{\"timeUnixNano\":\"100000000000\","
	       "\"asDouble\":-1}]}}");
	has(f, "{\"name\":\"free\",\"gauge\":{\"dataPoints\":[{\"timeUnixNano\":\"1500000000\","
	       "\"asDouble\":4}]}}");
	has(f, "{\"name\":\"up\",\"description\":\"The scraping was successful\",\"gauge\":"
	       "{\"dataPoints\":[{\"timeUnixNano\":\"100000000000\",\"asDouble\":1}]}}");
	has(f, "{\"name\":\"scrape_samples_scraped\",");
	has_not(f, "target_info");
	assert_int_equal(f->counts.scraped, 12);
	assert_int_equal(f->counts.kept, 12);
	assert_int_equal(f->counts.added, 12);
}

static void openmetrics_has_units_and_exemplars(void **state)
{
	struct fixture *f = *state;

	assert_ok_err(
		scrape_as(f, TEXT_OPENMETRICS,
			  "# TYPE c_seconds counter\n# UNIT c_seconds seconds\n"
			  "c_seconds_total 3 # {trace_id=\"0102030405060708090a0b0c0d0e0f10\","
			  "span_id=\"0102030405060708\",k=\"v\"} 0.5 99\n"
			  "c_seconds_created 50.5\n"
			  "# TYPE i info\ni_info{v=\"1\"} 1\n"
			  "# TYPE gh gaugehistogram\ngh_bucket{le=\"+Inf\"} 1\ngh_gcount 1\n"
			  "# EOF\n",
			  100),
		&f->e);
	has(f, "{\"name\":\"c_seconds_total\",\"unit\":\"s\",\"sum\":{\"dataPoints\":[{"
	       "\"startTimeUnixNano\":\"50500000000\",\"timeUnixNano\":\"100000000000\","
	       "\"asDouble\":3,\"exemplars\":[{\"timeUnixNano\":\"99000000000\",\"asDouble\":0.5,"
	       "\"spanId\":\"0102030405060708\",\"traceId\":\"0102030405060708090a0b0c0d0e0f10\","
	       "\"filteredAttributes\":[{\"key\":\"k\",\"value\":{\"stringValue\":\"v\"}}]}]}]");
	has_not(f, "_created");
	has_not(f, "gh");
	has(f, "{\"name\":\"i_info\",\"sum\":");
	assert_int_equal(f->counts.kept, 3);
}

static void a_lower_value_starts_a_counter_again(void **state)
{
	struct fixture *f = *state;

	assert_ok(scrape(f, "# TYPE c counter\nc 3\n", 100));
	assert_ok(scrape(f, "# TYPE c counter\nc 4\n", 110));
	has(f, "\"startTimeUnixNano\":\"100000000000\",\"timeUnixNano\":\"110000000000\"");
	assert_ok(scrape(f, "# TYPE c counter\nc 1\n", 120));
	has(f, "\"startTimeUnixNano\":\"120000000000\",\"timeUnixNano\":\"120000000000\"");
	assert_ok(scrape(f, "# TYPE c counter\nc 2\n", 130));
	has(f, "\"startTimeUnixNano\":\"120000000000\",\"timeUnixNano\":\"130000000000\"");
}

static void what_vanishes_becomes_stale(void **state)
{
	struct fixture *f = *state;

	assert_ok(scrape(f, "a 1\nb 2\nc 3 5\n", 100));
	assert_ok(scrape(f, "a 1\n", 110));
	has(f, "{\"name\":\"b\",\"gauge\":{\"dataPoints\":[{\"timeUnixNano\":\"110000000000\","
	       "\"flags\":1}]}}");
	has_not(f, "{\"name\":\"c\","); /* it has times of its own */
	assert_ok(scrape(f, "a 1\n", 120));
	has_not(f, "{\"name\":\"b\",");
	assert_int_equal(scrape(f, "a 1\n?\n", 130), -EBADMSG);
	has(f, "{\"name\":\"a\",\"gauge\":{\"dataPoints\":[{\"timeUnixNano\":\"130000000000\","
	       "\"flags\":1}]}}");
	has(f, "{\"timeUnixNano\":\"130000000000\",\"asDouble\":0}"); /* up */
	assert_err_says(&f->e, "line 2");
	assert_ok(scrape(f, "a 1\n", 140));
	write_outcome(f, SCRAPE_GONE, 150 * SECOND);
	has(f, "{\"name\":\"a\",\"gauge\":{\"dataPoints\":[{\"timeUnixNano\":\"150000000000\","
	       "\"flags\":1}]}}");
	has(f, "{\"name\":\"up\",\"description\":\"The scraping was successful\",\"gauge\":"
	       "{\"dataPoints\":[{\"timeUnixNano\":\"150000000000\",\"flags\":1}]}}");
}

/* A marker says which buckets and quantiles have ended. */
static void stale_distributions_keep_their_bounds(void **state)
{
	struct fixture *f = *state;

	assert_ok(scrape(f,
			 "# TYPE h histogram\nh_bucket{le=\"1\"} 2\nh_bucket{le=\"+Inf\"} 5\n"
			 "h_sum 12.5\nh_count 5\n"
			 "# TYPE s summary\ns{quantile=\"0.5\"} 7\ns_sum 20\ns_count 4\n",
			 100));
	assert_ok(scrape(f, "", 110));
	has(f, "\"timeUnixNano\":\"110000000000\",\"bucketCounts\":[\"0\",\"0\"],"
	       "\"explicitBounds\":[1],\"flags\":1");
	has(f, "\"timeUnixNano\":\"110000000000\",\"quantileValues\":[{\"quantile\":0.5}],"
	       "\"flags\":1");
}

static void a_changed_type_is_noticed(void **state)
{
	struct fixture *f = *state;

	assert_ok(scrape(f, "# TYPE a gauge\na 1\n", 100));
	assert_ok(scrape(f, "# TYPE a counter\na 2\n", 110));
	has(f, "{\"name\":\"a\",\"gauge\":{\"dataPoints\":[{\"timeUnixNano\":\"110000000000\","
	       "\"flags\":1}]}}");
	has(f, "{\"name\":\"a\",\"sum\":{");
	assert_ok(scrape(f, "# TYPE a counter\na 2\n", 120));
	has_not(f, "{\"name\":\"a\",\"gauge\":{");
}

static void honored_labels_make_resources(void **state)
{
	struct fixture *f = *state;

	f->rules.honor_labels = true;
	assert_ok(scrape(f, "a{job=\"x\",instance=\"y\"} 1\nb{otel_scope_name=\"s\"} 1\n", 100));
	has(f, "{\"stringValue\":\"x\"}},{\"key\":\"service.instance.id\",\"value\":"
	       "{\"stringValue\":\"y\"}}");
	has(f, "\"scope\":{\"name\":\"s\"}");
	has_not(f, "otel_scope_name");
}

static void limits_fail_a_scrape(void **state)
{
	struct fixture *f = *state;

	f->rules.limits.samples = 2;
	assert_ok(scrape(f, "a 1\nb 1\n", 100));
	assert_int_equal(scrape(f, "a 1\nb 1\nc 1\n", 110), -E2BIG);
	assert_err_says(&f->e, "sample_limit of 2 exceeded");
	f->rules.limits.samples = 0;
	f->rules.limits.labels = 4;
	assert_int_equal(scrape(f, "d{x=\"1\",y=\"1\"} 1\n", 120), -E2BIG);
	assert_err_says(&f->e, "label_limit exceeded");
	f->rules.limits.labels = 0;
	f->rules.limits.label_value_length = 10;
	assert_int_equal(scrape(f, "d{x=\"12345678901\"} 1\n", 120), -E2BIG);
	assert_err_says(&f->e, "label_value_length_limit exceeded: label \"x\"");
	f->rules.limits.label_value_length = 0;
	assert_int_equal(scrape(f, "d{x=\"1\",x=\"2\"} 1\n", 130), -EBADMSG);
	assert_err_says(&f->e, "non-unique label names: \"x\"");
}

/* Series that come and go do not fill the memory, and those that stay keep what is known. */
static void unused_series_are_forgotten(void **state)
{
	struct fixture *f = *state;
	struct buf text = {0};
	char stays[200];

	for (unsigned i = 0; i < 30; i++) {
		buf_clear(&text);
		buf_printf(&text, "# TYPE c counter\nc{stays=\"1\"} %u\n# TYPE m%u counter\n", i,
			   i);
		for (unsigned k = 0; k < 200; k++)
			buf_printf(&text, "c{x=\"%u-%u\"} 1\n", i, k);
		buf_put_char(&text, 0);
		assert_ok(scrape(f, text.p, 100 + i));
		snprintf(stays, sizeof(stays),
			 "{\"startTimeUnixNano\":\"100000000000\",\"timeUnixNano\":\"%u000000000\","
			 "\"asDouble\":%u,\"attributes\":[{\"key\":\"stays\"",
			 100 + i, i);
		has(f, stays);
	}
	assert_true(f->state.series.n < 2000);
	assert_true(f->state.metas.n < 30);
	has(f, "\"flags\":1");
	buf_fini(&text);
}

/* ---- the component ---- */

static pthread_mutex_t mu = PTHREAD_MUTEX_INITIALIZER;
static struct buf received; /* guarded by mu */

static bool keep_delivery(void *state, struct delivery *d)
{
	struct buf scratch = {0};
	struct err e = {0};

	(void)state;
	pthread_mutex_lock(&mu);
	assert_ok_err(schema_to_json(&received, &otlp_metrics_request,
				     payload_str(d->payload, &scratch), &e),
		      &e);
	buf_put_char(&received, '\n');
	pthread_mutex_unlock(&mu);
	buf_fini(&scratch);
	d->copied = true;
	delivery_done(d, &(struct delivery_result){0});
	return true;
}

static bool received_has(const char *part)
{
	bool found;

	pthread_mutex_lock(&mu);
	found = str_find_str(buf_str(&received), str_from(part)) < received.n;
	pthread_mutex_unlock(&mu);
	return found;
}

static void wait_for(const char *part)
{
	for (int i = 0; i < 5000 && !received_has(part); i++)
		usleep(2000);
	if (!received_has(part))
		fail_msg("did not receive \"%s\" but %.*s", part, STR_ARG(buf_str(&received)));
}

struct running {
	struct test_component x;
	struct host host;
	struct component_env env;
	struct consumer next;
	struct http_sink sink;
};

static void start_sink(struct running *r)
{
	http_sink_start(&r->sink);
	assert_ok(host_init(&r->host, 1, MIB, NULL, NULL));
	r->next = (struct consumer){.consume = keep_delivery};
	r->env = (struct component_env){.id = "prometheus", .host = &r->host};
	r->env.next[signal_index(SIGNAL_METRICS)] = &r->next;
	buf_clear(&received);
}

static void start_receiver(struct running *r, const char *yaml)
{
	assert_ok_err(test_component_new(&r->x, &prometheus_receiver, &r->env, yaml), &r->x.e);
	assert_ok_err(prometheus_receiver.start(r->x.instance, &r->x.e), &r->x.e);
}

static void stop_receiver(struct running *r)
{
	prometheus_receiver.stop(r->x.instance);
	test_component_free(&r->x);
	http_sink_stop(&r->sink);
	host_fini(&r->host);
	buf_fini(&received);
}

static const char first_answer[] = "HTTP/1.1 200 OK\r\nContent-Length: 27\r\n"
				   "Content-Type: text/plain; version=0.0.4\r\n\r\n"
				   "a{x=\"1\"} 1\nb 2\ndropped_c 3\n";
static const char moved_answer[] = "HTTP/1.1 302 Found\r\nContent-Length: 0\r\n"
				   "Location: /elsewhere\r\n\r\n";
static const char second_answer[] = "HTTP/1.1 200 OK\r\nContent-Length: 11\r\n\r\na{x=\"1\"} 5\n";
static const char failed_answer[] = "HTTP/1.1 500 Oops\r\nContent-Length: 0\r\n\r\n";

static void a_target_is_scraped(void **state)
{
	struct running r = {0};
	char yaml[1000];

	(void)state;
	start_sink(&r);
	r.sink.answers[0] = first_answer;
	r.sink.answers[1] = moved_answer;
	r.sink.answers[2] = second_answer;
	r.sink.answers[3] = failed_answer;
	r.sink.answer_count = 4;
	snprintf(
		yaml, sizeof(yaml),
		"config:\n"
		"  global: {scrape_interval: 400ms, external_labels: {site: s1}}\n"
		"  scrape_configs:\n"
		"  - job_name: test\n"
		"    params: {p: [v]}\n"
		"    basic_auth: {username: u, password: p}\n"
		"    static_configs: [{targets: ['%.40s'], labels: {env: e1}}]\n"
		"    metric_relabel_configs:\n"
		"    - {source_labels: [__name__], regex: 'dropped_.*', action: drop}\n"
		"    - {source_labels: [x], regex: '(.*)', target_label: y, replacement: 'v$$1'}\n",
		r.sink.url + 7);
	start_receiver(&r, yaml);
	wait_for("\"asDouble\":2,\"attributes\":[{\"key\":\"env\","
		 "\"value\":{\"stringValue\":\"e1\"}},{\"key\":\"site\",\"value\":"
		 "{\"stringValue\":\"s1\"}},{\"key\":\"y\"");
	wait_for("\"asDouble\":5,");
	wait_for(
		"\"asDouble\":0,\"attributes\":[{\"key\":\"env\""); /* up, when the third scrape has failed */
	assert_true(received_has("{\"key\":\"y\",\"value\":{\"stringValue\":\"v1\"}}"));
	assert_false(received_has("dropped_c"));
	assert_true(received_has("\"flags\":1"));
	stop_receiver(&r);
	assert_non_null(strstr(r.sink.requests[0].head, "GET /metrics?p=v HTTP/1.1"));
	assert_non_null(strstr(r.sink.requests[0].head, "authorization: Basic dTpw\r\n"));
	assert_non_null(strstr(r.sink.requests[0].head, "application/openmetrics-text;version="));
	assert_non_null(strstr(r.sink.requests[0].head, "x-prometheus-scrape-timeout-seconds: 0."));
	assert_non_null(strstr(r.sink.requests[2].head, "GET /elsewhere HTTP/1.1"));
}

static void put_file(const char *path, const char *text)
{
	char temporary[200];
	FILE *file;

	snprintf(temporary, sizeof(temporary), "%s.tmp", path);
	file = fopen(temporary, "w");
	assert_non_null(file);
	fputs(text, file);
	fclose(file);
	assert_ok(rename(temporary, path));
}

static void files_of_targets_are_read_again(void **state)
{
	char directory[] = "/tmp/varve-file-sd-XXXXXX", path[100], yaml[1000], text[500];
	struct running r = {0};

	(void)state;
	start_sink(&r);
	r.sink.answers[0] = second_answer;
	assert_non_null(mkdtemp(directory));
	snprintf(path, sizeof(path), "%s/t.json", directory);
	snprintf(text, sizeof(text), "[{\"targets\": [\"%.40s\"], \"labels\": {\"from\": \"f1\"}}]",
		 r.sink.url + 7);
	put_file(path, text);
	snprintf(yaml, sizeof(yaml),
		 "config: {global: {scrape_interval: 500ms}, scrape_configs: [{job_name: f, "
		 "file_sd_configs: [{files: ['%s/*.json'], refresh_interval: 100ms}]}]}",
		 directory);
	start_receiver(&r, yaml);
	wait_for("{\"stringValue\":\"f1\"}");
	put_file(path, "[{broken");
	usleep(500000);
	assert_false(received_has("\"flags\":1"));
	snprintf(text, sizeof(text), "- targets: ['%.40s']\n  labels: {from: f2}\n",
		 r.sink.url + 7);
	put_file(path, text);
	wait_for("\"flags\":1");
	wait_for("{\"stringValue\":\"f2\"}");
	stop_receiver(&r);
	unlink(path);
	rmdir(directory);
}

static void wrong_settings_are_refused(void **state)
{
	static const char *const rows[][2] = {
		{"config: {}", "no Prometheus scrape_configs"},
		{"config: {scrape_configs: [{job_name: ''}]}", "job_name is empty"},
		{"config: {scrape_configs: [{job_name: a}, {job_name: a}]}",
		 "multiple scrape configs with job name \"a\""},
		{"config: {scrape_configs: [{job_name: a, scrape_interval: 1s, scrape_timeout: "
		 "2s}]}",
		 "scrape timeout greater than scrape interval"},
		{"config: {rule_files: [x]}", "unsupported features: rule_files"},
		{"config: {scrape_configs: [{job_name: a, kubernetes_sd_configs: []}]}",
		 "use static_configs, or file_sd_configs"},
		{"config: {scrape_configs: [{job_name: a, bearer_token: x, basic_auth: {username: "
		 "u}}]}",
		 "at most one of basic_auth"},
		{"config: {scrape_configs: [{job_name: a, static_config: []}]}",
		 "did you mean \"static_configs\""},
	};
	struct component_env env = {.id = "prometheus"};

	(void)state;
	for (size_t i = 0; i < countof(rows); i++)
		test_component_refused(&prometheus_receiver, &env, rows[i][0], rows[i][1]);
}

TEST_MAIN(test_with(fixture, types_become_metrics),
	  test_with(fixture, openmetrics_has_units_and_exemplars),
	  test_with(fixture, a_lower_value_starts_a_counter_again),
	  test_with(fixture, what_vanishes_becomes_stale),
	  test_with(fixture, stale_distributions_keep_their_bounds),
	  test_with(fixture, a_changed_type_is_noticed),
	  test_with(fixture, honored_labels_make_resources),
	  test_with(fixture, limits_fail_a_scrape), test_with(fixture, unused_series_are_forgotten),
	  test(a_target_is_scraped), test(files_of_targets_are_read_again),
	  test(wrong_settings_are_refused))
