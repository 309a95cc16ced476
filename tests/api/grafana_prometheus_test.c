/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The requests of Grafana's data source for Prometheus, with the parameters, the escapes and the
 * forms that its source code makes: health check, panels, exemplars, query builder, completion.
 */
#include "api/api_test.h"

#include "api/prometheus/prometheus_request.h"
#include "net/http/http.h"
#include "store/metric_store.h"
#include "store/store_support.h"

#define T ((int64_t)TEST_DAY * 86400000) /* 1728000000000 */
#define RANGE "&start=1728000000&end=1728000060"

struct fixture {
	char directory[64];
	struct store *store;
};

static void add_series(struct metric_batch *b, const char *name, const char *key, const char *value)
{
	struct label labels[] = {{STR("__name__"), str_from(name)},
				 {str_from(key), str_from(value)}};
	const char *wrong;
	uint32_t id;

	assert_ok(metric_batch_series(b, labels, countof(labels), &id, &wrong));
	for (int64_t i = 0; i <= 4; i++)
		assert_ok(vec_push(
			&b->arena, &b->samples,
			(struct metric_sample){id, T + i * 15000, metric_bits((double)i * 30)}));
}

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));
	struct sqlite_store_options o = {.window_ms = 1, .manual = true};
	struct waiter waiter;
	struct metric_batch b;
	struct store_write w = {.metrics = &b,
				.received = (uint64_t)T * NS_PER_MS,
				.done = waiter_done,
				.owner = &waiter};
	struct err e = {0};

	make_directory(f->directory);
	o.directory = f->directory;
	assert_ok_err(open_test_store(&f->store, &o, &e), &e);
	metric_batch_init(&b, NULL);
	add_series(&b, "requests_total", "route", "/a");
	add_series(&b, "requests_total", "route", "/b");
	add_series(&b, "http.duration", "http.method", "GET");
	waiter_init(&waiter);
	waiter.pending = 1;
	assert_true(f->store->ops->put(f->store, &w, &e) >= 0);
	assert_ok(waiter_wait(&waiter));
	metric_batch_fini(&b);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	f->store->ops->close(f->store);
	remove_tree(f->directory);
	free(f);
	return 0;
}

/* Send a form, escaped as url.Values.Encode() does. */
static void assert_form(void **state, api_answer *answer, const char *form, const char *expected)
{
	struct fixture *f = *state;
	struct test_request q;

	test_request_init(&q, f->store);
	q.request.content_type = STR("application/x-www-form-urlencoded");
	q.request.body = str_from(form);
	assert_ok_err(answer(&q.request, &q.reply, &q.e), &q.e);
	assert_has(buf_str(&q.reply.body), expected);
	test_request_fini(&q);
}

/* The values of a label, whose name is part of the path. */
static void assert_values(void **state, const char *path, const char *query, const char *expected)
{
	struct http_exchange x = {.path = str_from(path)};
	struct fixture *f = *state;
	struct test_request q;

	test_request_init(&q, f->store);
	q.request.sender = &x;
	assert_ok_err(request_page(&q, prometheus_label_values, query), &q.e);
	assert_has(buf_str(&q.reply.body), expected);
	test_request_fini(&q);
}

static void the_health_check_adds_one_and_one(void **state)
{
	assert_form(state, prometheus_query, "query=1%2B1&time=4",
		    "{\"resultType\":\"scalar\",\"result\":[4,\"2\"]}");
	assert_form(state, prometheus_build_info, "", "\"version\":\"3.0.0\"");
}

static void panels_query_ranges_and_instants(void **state)
{
	assert_form(state, prometheus_query_range,
		    "end=1728000060&query=sum+by%28route%29+%28rate%28requests_total%5B1m0s%5D%29%"
		    "29&start=1728000000&step=15&timeout=60s",
		    "\"resultType\":\"matrix\",\"result\":[{\"metric\":{\"route\":\"/a\"}");
	assert_form(state, prometheus_query_range,
		    "end=1728000060.5&query=requests_total%7Broute%3D~%22%2Fa%7C%2Fb%22%7D&start="
		    "1728000000.25&step=0.5",
		    "[1728000000.250,\"0\"],[1728000000.750,\"0\"]");
	assert_form(state, prometheus_query, "query=topk%281%2C+requests_total%29&time=1728000060",
		    "\"value\":[1728000060,\"120\"]");
	assert_form(state, prometheus_query_exemplars, "query=requests_total" RANGE, "\"data\":[]");
}

static void the_builder_lists_metrics_labels_and_values(void **state)
{
	assert_values(state, "/api/v1/label/__name__/values", "limit=40000" RANGE,
		      "[\"http.duration\",\"requests_total\"]");
	assert_form(state, prometheus_labels,
		    "limit=40000&match%5B%5D=%7B__name__%3D%22requests_total%22%7D" RANGE,
		    "[\"__name__\",\"route\"]");
	assert_values(state, "/api/v1/label/route/values",
		      "limit=40000&match%5B%5D=%7B__name__%3D%22requests_total%22%2Croute%21%3D%22%"
		      "2Fa%22%7D" RANGE,
		      "[\"/b\"]");
	/* names of OpenTelemetry */
	assert_values(state, "/api/v1/label/U__http_2e_method/values", "limit=40000" RANGE,
		      "[\"GET\"]");
	assert_form(state, prometheus_series,
		    "limit=40000&match%5B%5D=%7B__name__%21%3D%22%22%7D" RANGE,
		    "{\"__name__\":\"http.duration\",\"http.method\":\"GET\"}");
	assert_form(state, prometheus_series,
		    "limit=1&match%5B%5D=%7B%22http.duration%22%2C%22http.method%22%21%3D%22%22%"
		    "7D" RANGE,
		    "\"http.method\":\"GET\"");
	assert_form(state, prometheus_metadata, "limit=40000", "\"data\":{");
}

static void the_editor_formats_and_explains(void **state)
{
	assert_form(state, prometheus_format_query, "query=sum%28x%29by%28a%29",
		    "\"data\":\"sum by (a) (x)\"");
	assert_form(state, prometheus_parse_query, "query=sum%28x%29by%28a%29",
		    "\"grouping\":[\"a\"]");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_health_check_adds_one_and_one),
		cmocka_unit_test(panels_query_ranges_and_instants),
		cmocka_unit_test(the_builder_lists_metrics_labels_and_values),
		cmocka_unit_test(the_editor_formats_and_explains),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
