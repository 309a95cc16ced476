/* SPDX-License-Identifier: Apache-2.0 */
/* Rules and alerts in Prometheus' API, and that the answers conform to docs/openapi.json. */
#include "api_test.h"

#include <unistd.h>

#include "api/endpoint.h"
#include "api/prometheus/prometheus_request.h"
#include "openapi.h"
#include "rules/rules.h"
#include "rules/test/rule_memory.h"

#define NOW INT64_C(1700000000000)

static const char text[] =
	"groups:\n"
	"  - name: first\n"
	"    limit: 9\n"
	"    labels: {team: a}\n"
	"    rules:\n"
	"      - {record: r, expr: vector(1)}\n"
	"      - alert: A\n"
	"        expr: vector(2) > 1\n"
	"        keep_firing_for: 1m\n"
	"        annotations: {text: 'is {{ $value }}'}\n"
	"      - {record: bad, expr: 'vector(1) + on(a) group_left(b) (x or y)', "
	"labels: {team: b}}\n"
	"  - name: second\n"
	"    rules: [{alert: B, expr: vector(1) < 0}]\n";

struct rules_fixture {
	struct rules *rules;
	struct rule_memory memory;
	struct api api;
};

static int fixture_setup(void **state)
{
	struct rules_fixture *f = calloc(1, sizeof(*f));
	struct rules_config *config = NULL;
	char path[] = "/tmp/varve-rules-XXXXXX";
	const struct str pattern = {path, sizeof(path) - 1};
	struct err e = {0};
	int fd = mkstemp(path);

	assert_non_null(f);
	assert_int_equal(write(fd, text, sizeof(text) - 1), sizeof(text) - 1);
	close(fd);
	assert_ok_err(rules_new(&f->rules, &(struct rules_options){0}, &e), &e);
	assert_ok_err(rules_config_read(&config, NULL, &e), &e);
	assert_ok_err(rules_load(f->rules, &config, &pattern, 1, &e), &e);
	unlink(path);
	assert_ok(rule_memory_init(&f->memory, NULL));
	for (uint32_t i = 0; i < rules_count(f->rules); i++)
		rule_group_eval(rules_group(f->rules, i), &f->memory.io, NOW, NULL);
	f->api.options.rules = f->rules;
	*state = f;
	return 0;
}

static int fixture_teardown(void **state)
{
	struct rules_fixture *f = *state;

	rules_free(f->rules);
	rule_memory_fini(&f->memory);
	free(f);
	return 0;
}

static const struct endpoint *find_endpoint(const char *path)
{
	const struct endpoint *at = prometheus_endpoints;

	while (!str_eq(at->path, str_from(path)))
		at++;
	return at;
}

/* Request a path; the answer conforms to the description and contains `part`. */
static void expect_answer(struct rules_fixture *f, const char *path, const char *query,
			  const char *part)
{
	struct test_request q;
	struct openapi o;

	test_request_init(&q, NULL);
	q.request.api = &f->api;
	assert_ok_err(request_page(&q, find_endpoint(path)->answer, query), &q.e);
	openapi_open(&o);
	openapi_check_answer(&o, str_from(path), "get", "200", buf_str(&q.reply.body));
	openapi_close(&o);
	assert_has(buf_str(&q.reply.body), part);
	test_request_fini(&q);
}

static void answers_are_as_described(void **state)
{
	static const struct {
		const char *path, *query, *part;
	} table[] = {
		{"/prometheus/api/v1/rules", "", "\"name\":\"first\",\"file\":\"/tmp/varve-rules-"},
		{"/prometheus/api/v1/rules", "", "\"interval\":60,\"limit\":9,"},
		{"/prometheus/api/v1/rules", "",
		 "{\"state\":\"firing\",\"name\":\"A\",\"query\":\"vector(2) > 1\",\"duration\":0,"
		 "\"keepFiringFor\":60,\"labels\":{\"team\":\"a\"}"},
		{"/prometheus/api/v1/rules", "type=alert",
		 "\"rules\":[{\"state\":\"firing\",\"name\":\"A\""},
		{"/prometheus/api/v1/rules", "rule_name[]=r&rule_name[]=x",
		 "\"rules\":[{\"name\":\"r\",\"query\":\"vector(1)\",\"labels\":{\"team\":\"a\"},"
		 "\"health\":\"ok\""},
		{"/prometheus/api/v1/rules", "match[]={team=\"b\"}",
		 "\"rules\":[{\"name\":\"bad\""},
		{"/prometheus/api/v1/rules", "rule_group[]=nothing", "{\"groups\":[]}"},
		{"/prometheus/api/v1/rules", "file[]=nothing", "{\"groups\":[]}"},
		{"/prometheus/api/v1/rules", "group_limit=1", "\"groupNextToken\":\""},
		{"/api/v1/alerts", "",
		 "[{\"labels\":{\"alertname\":\"A\",\"team\":\"a\"},\"annotations\":{\"text\":\"is "
		 "2\"},\"state\":\"firing\",\"activeAt\":\"2023-11-14T22:13:20.000Z\",\"value\":"
		 "\"2e+00\"}]"},
		{"/prometheus/api/v1/alertmanagers", "", "\"activeAlertmanagers\":[]"},
	};

	for (size_t i = 0; i < countof(table); i++)
		expect_answer(*state, table[i].path, table[i].query, table[i].part);
}

static void wrong_parameters_are_refused(void **state)
{
	static const char *const table[] = {"type=x",
					    "exclude_alerts=x",
					    "match[]={",
					    "group_limit=0",
					    "group_limit=x",
					    "group_next_token=1",
					    "group_limit=1&group_next_token=1"};
	struct rules_fixture *f = *state;

	for (size_t i = 0; i < countof(table); i++) {
		struct test_request q;

		test_request_init(&q, NULL);
		q.request.api = &f->api;
		assert_int_equal(request_page(&q, prometheus_rules, table[i]), -EINVAL);
		assert_true(q.e.text[0]);
		test_request_fini(&q);
	}
}

/* Without rules the lists are empty. */
static void servers_without_rules_answer(void **state)
{
	struct rules_fixture none = {0};

	(void)state;
	expect_answer(&none, "/api/v1/rules", "", "{\"groups\":[]}");
	expect_answer(&none, "/api/v1/alerts", "", "{\"alerts\":[]}");
	expect_answer(&none, "/api/v1/alertmanagers", "", "\"droppedAlertmanagers\":[]");
}

/* Metrics are those of Prometheus. */
static void metrics_are_written(void **state)
{
	struct rules_fixture *f = *state;
	struct buf out = {0};

	rules_metrics(f->rules, &out);
	assert_has(buf_str(&out), ";first\"} 3\n");
	assert_has(buf_str(&out), "varve_rules_alerts{state=\"firing\"} 1\n");
	buf_fini(&out);
}

TEST_MAIN(test_with(fixture, answers_are_as_described),
	  test_with(fixture, wrong_parameters_are_refused), test(servers_without_rules_answer),
	  test_with(fixture, metrics_are_written))
