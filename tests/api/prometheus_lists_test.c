/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of Prometheus' API over the embedded store, and that they conform to docs/openapi.json. */
#include "api_test.h"

#include <unistd.h>

#include "api/endpoint.h"
#include "openapi.h"
#include "store/sqlite/sqlite_store.h"
#include "store/store_support.h"

struct prometheus_fixture {
	char directory[64];
	struct store *store;
	uint64_t now;
};

/* Add an exemplar with a trace to the series. */
static int add_exemplar(struct metric_batch *b, uint32_t series, uint64_t now)
{
	struct metric_exemplar x = {
		.series = series, .time = (int64_t)(now / NS_PER_MS), .value = 0.5};
	struct buf labels = {0};
	int rc;

	metric_labels_put(&labels, STR("trace_id"), STR("7daa440f081e3f0f080fbb429844c15d"));
	rc = arena_copy_str(&b->arena, buf_str(&labels), &x.labels);
	buf_fini(&labels);
	return rc ? rc : vec_push(&b->arena, &b->exemplars, x);
}

static void put_metrics(struct prometheus_fixture *f)
{
	struct label labels[] = {{STR("__name__"), STR("up")}, {STR("job"), STR("node")}};
	struct metric_batch b;
	struct waiter waiter;
	struct store_write w = {
		.metrics = &b, .received = f->now, .done = waiter_done, .owner = &waiter};
	struct err e = {0};
	const char *wrong;
	uint32_t series;

	metric_batch_init(&b, NULL);
	assert_ok(metric_batch_series(&b, labels, countof(labels), &series, &wrong));
	assert_ok(vec_push(
		&b.arena, &b.samples,
		(struct metric_sample){series, (int64_t)(f->now / NS_PER_MS), metric_bits(1)}));
	assert_ok(add_exemplar(&b, series, f->now));
	assert_ok(metric_batch_metadata(&b, (struct metric_metadata){.name = STR("up"),
								     .help = STR("Whether."),
								     .type = METRIC_GAUGE}));
	waiter_init(&waiter);
	waiter.pending = 1;
	assert_true(f->store->ops->put(f->store, &w, &e) >= 0);
	assert_ok(waiter_wait(&waiter));
	metric_batch_fini(&b);
}

static int fixture_setup(void **state)
{
	struct prometheus_fixture *f = calloc(1, sizeof(*f));
	struct sqlite_store_options o = {.manual = true, .window_ms = 1};
	struct err e = {0};

	assert_non_null(f);
	make_directory(f->directory);
	o.directory = f->directory;
	f->now = clock_realtime_ns();
	assert_ok_err(open_test_store(&f->store, &o, &e), &e);
	put_metrics(f);
	*state = f;
	return 0;
}

static int fixture_teardown(void **state)
{
	struct prometheus_fixture *f = *state;

	f->store->ops->close(f->store);
	remove_tree(f->directory);
	free(f);
	return 0;
}

/* Request a path of the table; the response has to conform to the description and to contain `part`. */
static void assert_list(struct prometheus_fixture *f, const char *path, const char *query,
			const char *part)
{
	static const struct str label = STR_INIT("/prometheus/api/v1/label/");
	const struct endpoint *at = prometheus_endpoints;
	struct http_exchange x = {.path = str_from(path)};
	bool values = str_starts(x.path, label);
	struct test_request q;
	struct openapi o;

	while (!str_eq(at->path, values ? label : x.path))
		at++;
	test_request_init(&q, f->store);
	q.request.now_ns = f->now;
	q.request.sender = values ? &x : NULL;
	assert_ok_err(request_page(&q, at->answer, query), &q.e);
	openapi_open(&o);
	openapi_check_answer(
		&o, values ? STR("/prometheus/api/v1/label/{name}/values") : str_from(path), "get",
		"200", buf_str(&q.reply.body));
	openapi_close(&o);
	assert_has(buf_str(&q.reply.body), part);
	test_request_fini(&q);
}

static void lists_are_as_described(void **state)
{
	static const struct {
		const char *path, *query, *part;
	} table[] = {
		{"labels", "", "[\"__name__\",\"job\"]"},
		{"labels", "limit=1", "results truncated due to limit"},
		{"label/job/values", "", "[\"node\"]"},
		{"series", "match%5B%5D=up", "{\"__name__\":\"up\",\"job\":\"node\"}"},
		{"series", "match[]=up", "{\"__name__\":\"up\",\"job\":\"node\"}"},
		{"query_exemplars", "query=rate(up[5m])%2Bnothing",
		 "\"data\":[{\"seriesLabels\":{\"__name__\":\"up\",\"job\":\"node\"},\"exemplars\":"
		 "["
		 "{\"labels\":{\"trace_id\":\"7daa440f081e3f0f080fbb429844c15d\"},\"value\":\"0."
		 "5\","
		 "\"timestamp\":"},
		{"query_exemplars", "query=down", "\"data\":[]"},
		{"query_exemplars", "query=1%2B1", "\"data\":null"},
		{"metadata", "", "{\"up\":[{\"type\":\"gauge\",\"help\":\"Whether.\""},
		{"metadata", "metric=down", "\"data\":{}"},
		{"status/buildinfo", "", "\"version\":\"3.0.0\""},
		{"status/tsdb", "", "\"numSeries\":1,"},
		{"status/runtimeinfo", "", "\"reloadConfigSuccess\":true"},
		{"status/config", "", "\"yaml\""},
		{"status/flags", "", "\"query.timeout\""},
		{"status/walreplay", "", "\"current\":0"},
		{"targets", "", "\"activeTargets\":[]"},
		{"targets/metadata", "", "\"data\":[]"},
		{"scrape_pools", "", "\"scrapePools\":[]"},
	};

	for (size_t i = 0; i < countof(table); i++) {
		char path[64];

		snprintf(path, sizeof(path), "/prometheus/api/v1/%s", table[i].path);
		assert_list(*state, path, table[i].query, table[i].part);
	}
}

/* Metrics of profiles are listed beside the stored ones. */
static void profiles_are_in_the_lists(void **state)
{
	static const struct {
		const char *path, *query, *part;
	} table[] = {
		{"labels", "",
		 "[\"__name__\",\"file\",\"function\",\"job\",\"module\",\"package\",\"scope\","
		 "\"service\",\"service_name\",\"zone_id\"]"},
		{"labels", "limit=3", "[\"__name__\",\"file\",\"function\"],\"warnings\""},
		{"labels", "match[]=up", "[\"__name__\",\"job\"]"},
		{"label/__name__/values", "", "[\"profile_cpu_seconds\",\"up\"]"},
		{"label/__name__/values", "match[]={__name__=~\"profile_.*\"}",
		 "[\"profile_cpu_seconds\"]"},
		{"label/job/values", "", "[\"node\",\"shop\"]"},
		{"label/zone_id/values", "", "[\"z1\"]"},
		{"label/scope/values", "", "[\"self\",\"total\"]"},
		{"label/scope/values", "match[]=profile_cpu_seconds", "[\"self\"]"},
		{"label/function/values", "", "\"data\":[]"},
		{"label/function/values", "match[]=profile_cpu_seconds", "[\"a\",\"b\"]"},
		{"label/function/values", "match[]=profile_cpu_seconds{service=\"x\"}", "[]"},
		{"label/function/values", "match[]=up&match[]=profile_cpu_seconds{scope=\"total\"}",
		 "[\"a\",\"b\",\"main\"]"},
		{"label/module/values", "match[]=profile_cpu_seconds{function=\"a\"}", "[\"app\"]"},
		{"series", "match[]=profile_cpu_seconds{function=\"a\"}",
		 "[{\"__name__\":\"profile_cpu_seconds\",\"function\":\"a\",\"job\":\"shop\","
		 "\"module\":\"app\","
		 "\"scope\":\"self\",\"service\":\"shop\",\"service_name\":\"shop\","
		 "\"zone_id\":\"z1\"}]"},
		{"series", "match[]=profile_cpu_seconds&limit=1", "results truncated due to limit"},
		{"query_exemplars", "query=sum(rate(profile_cpu_seconds{function=\"b\"}[5m]))",
		 "{\"seriesLabels\":{\"__name__\":\"profile_cpu_seconds\",\"function\":\"b\","
		 "\"job\":\"shop\","
		 "\"scope\":\"self\",\"service\":\"shop\",\"service_name\":\"shop\",\"zone_id\":"
		 "\"z1\"},"
		 "\"exemplars\":[{\"labels\":{\"span_id\":\"000000000000001a\",\"trace_id\":"
		 "\"00000000000000000000000000000001\"},\"value\":\"4e-09\",\"timestamp\":"},
		{"query_exemplars", "query=profile_cpu_seconds{function=\"a\"}", "\"data\":[]"},
		{"query_exemplars", "query=profile_cpu_seconds{scope=\"total\",function=\"main\"}",
		 "\"value\":\"4e-09\""},
		{"metadata", "metric=profile_cpu_seconds", "\"type\":\"counter\",\"help\":\"cpu"},
	};
	struct prometheus_fixture *f = *state;
	const struct fill row = {.type = CPU,
				 .labels = "service_name=shop,zone.id=z1",
				 .time = f->now - S,
				 .samples = "main;a|/bin/app 1, main;b 2, main;b 4 #1a"};

	assert_ok(store_fill(f->store, &row, NULL));
	for (size_t i = 0; i < countof(table); i++) {
		char path[64];

		snprintf(path, sizeof(path), "/prometheus/api/v1/%s", table[i].path);
		assert_list(f, path, table[i].query, table[i].part);
	}
}

TEST_MAIN(test_with(fixture, lists_are_as_described), test_with(fixture, profiles_are_in_the_lists))
