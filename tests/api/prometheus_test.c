/* SPDX-License-Identifier: Apache-2.0 */
/* PromQL in Prometheus' API over a store: forms of results, parameters, limits, errors. */
#include "api/api_test.h"

#include "api/prometheus/prometheus_request.h"
#include "store/metric_store.h"
#include "store/store_support.h"

#define T TEST_DAY * 86400
#define AT "1728000060"				 /* a minute after the first sample */
#define RANGE "&start=1728000000&end=1728000060" /* TEST_DAY */

struct fixture {
	char directory[64];
	struct store *store;
};

static uint32_t add_series(struct metric_batch *b, const char *name, const char *route)
{
	struct label labels[] = {{STR("__name__"), str_from(name)},
				 {STR("route"), str_from(route)}};
	const char *wrong;
	uint32_t id;

	assert_ok(metric_batch_series(b, labels, countof(labels), &id, &wrong));
	return id;
}

static void add_histogram(struct metric_batch *b, uint32_t series, int64_t time)
{
	struct native_span span = {.offset = 1, .length = 3};
	double counts[] = {2, 0, 1};
	struct metric_histogram h = {.series = series, .time = time};
	const struct native_histogram value = {
		.zero_threshold = 0.001,
		.zero_count = 1,
		.count = 4,
		.sum = 12.5,
		.positive = {.spans = &span, .counts = counts, .span_count = 1, .count = 3},
	};

	assert_ok(native_copy(&h.value, &value, &b->arena));
	assert_ok(vec_push(&b->arena, &b->histograms, h));
}

static void fill(struct fixture *f)
{
	struct waiter waiter;
	struct metric_batch b;
	struct store_write w = {.metrics = &b,
				.received = T * NS_PER_SECOND,
				.done = waiter_done,
				.owner = &waiter};
	struct err e = {0};
	uint32_t a, c, h;

	metric_batch_init(&b, NULL);
	a = add_series(&b, "requests_total", "/a");
	c = add_series(&b, "requests_total", "/c");
	h = add_series(&b, "size", "/a");
	for (int64_t i = 0; i <= 4; i++) {
		const int64_t ms = ((int64_t)T + i * 15) * 1000;

		assert_ok(vec_push(&b.arena, &b.samples,
				   (struct metric_sample){a, ms, metric_bits((double)i * 30)}));
		assert_ok(
			vec_push(&b.arena, &b.samples,
				 (struct metric_sample){c, ms, metric_bits(i == 4 ? 1e-7 : 0.5)}));
	}
	add_histogram(&b, h, ((int64_t)T + 60) * 1000);
	waiter_init(&waiter);
	waiter.pending = 1;
	assert_true(f->store->ops->put(f->store, &w, &e) >= 0);
	assert_ok(waiter_wait(&waiter));
	metric_batch_fini(&b);
}

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));
	struct sqlite_store_options o = {.window_ms = 1, .manual = true};
	struct err e = {0};

	make_directory(f->directory);
	o.directory = f->directory;
	assert_ok_err(open_test_store(&f->store, &o, &e), &e);
	fill(f);
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

#define SUCCESS(type, result)                                                                      \
	"{\"status\":\"success\",\"data\":{\"resultType\":\"" type "\",\"result\":" result "}"
#define INSTANT(query, type, result)                                                               \
	assert_page(f->store, prometheus_query, "time=" AT "&query=" query,                        \
		    SUCCESS(type, result) "}")
#define OVER(query, result)                                                                        \
	assert_page(f->store, prometheus_query_range, "query=" query RANGE,                        \
		    SUCCESS("matrix", result) "}")
#define METRIC(name, route) "{\"metric\":{\"__name__\":\"" name "\",\"route\":\"" route "\"},"

static void instant_queries_have_four_types(void **state)
{
	struct fixture *f = *state;

	INSTANT("1%2B1", "scalar", "[1728000060,\"2\"]");
	INSTANT("\"x\"", "string", "[1728000060,\"x\"]");
	INSTANT("requests_total", "vector",
		"[" METRIC("requests_total", "/a") "\"value\":[1728000060,\"120\"]}," METRIC(
			"requests_total", "/c") "\"value\":[1728000060,\"1e-07\"]}]");
	INSTANT("sum(increase(requests_total{route=\"/a\"}[1m]))", "vector",
		"[{\"metric\":{},\"value\":[1728000060,\"120\"]}]");
	INSTANT("requests_total{route=~\"/a|x\"}[20s]", "matrix",
		"[" METRIC("requests_total",
			   "/a") "\"values\":[[1728000045,\"90\"],[1728000060,\"120\"]]}]");
	INSTANT("nothing", "vector", "[]");
	INSTANT("1/0", "scalar", "[1728000060,\"+Inf\"]");
	assert_page(f->store, prometheus_query, "time=4.5&query=-1",
		    SUCCESS("scalar", "[4.500,\"-1\"]") "}");
}

static void names_are_removed_at_the_end(void **state)
{
	struct fixture *f = *state;

	INSTANT("increase(requests_total{route=\"/a\"}[1m])", "vector",
		"[{\"metric\":{\"route\":\"/a\"},\"value\":[1728000060,\"120\"]}]");
	INSTANT("label_replace(increase(requests_total{route=\"/a\"}[1m]),\"name\",\"$1\","
		"\"__name__\",\"(.*)_total\")",
		"vector",
		"[{\"metric\":{\"name\":\"requests\",\"route\":\"/a\"},"
		"\"value\":[1728000060,\"120\"]}]");
}

static void ranges_have_their_steps(void **state)
{
	struct fixture *f = *state;

	OVER("requests_total{route=\"/a\"}&step=30",
	     "[" METRIC("requests_total",
			"/a") "\"values\":[[1728000000,\"0\"],[1728000030,\"60\"],"
			      "[1728000060,\"120\"]]}]");
	OVER("time()&step=1m", "[{\"metric\":{},\"values\":[[1728000000,\"1728000000\"],"
			       "[1728000060,\"1728000060\"]]}]");
}

static void native_histograms_have_buckets(void **state)
{
#define HISTOGRAM                                                                                  \
	"[1728000060,{\"count\":\"4\",\"sum\":\"12.5\",\"buckets\":["                              \
	"[3,\"-0.001\",\"0.001\",\"1\"],[0,\"1\",\"2\",\"2\"],[0,\"4\",\"8\",\"1\"]]}]"
	struct fixture *f = *state;

	INSTANT("size", "vector", "[" METRIC("size", "/a") "\"histogram\":" HISTOGRAM "}]");
	OVER("size&step=15", "[" METRIC("size", "/a") "\"histograms\":[" HISTOGRAM "]}]");
	INSTANT("size[1m]", "matrix", "[" METRIC("size", "/a") "\"histograms\":[" HISTOGRAM "]}]");
}

static void parameters_limit_the_answer(void **state)
{
	struct fixture *f = *state;

	assert_page(
		f->store, prometheus_query, "query=requests_total&limit=1&time=" AT,
		SUCCESS("vector",
			"[" METRIC("requests_total",
				   "/a") "\"value\":[1728000060,\"120\"]}]") ","
									     "\"warnings\":["
									     "\"results truncated "
									     "due to limit\"]}");
	assert_page(f->store, prometheus_query,
		    "query=requests_total&lookback_delta=9&time=1728000070",
		    SUCCESS("vector", "[]") "}");
	assert_page(f->store, prometheus_query,
		    "query=count(requests_total)&lookback_delta=1m&time=1728000070",
		    SUCCESS("vector", "[{\"metric\":{},\"value\":[1728000070,\"2\"]}]") "}");
}

static void a_form_in_the_body_has_parameters(void **state)
{
	struct fixture *f = *state;
	struct test_request q;

	test_request_init(&q, f->store);
	q.request.content_type = STR("application/x-www-form-urlencoded");
	q.request.body = STR("query=1%2B1&time=4");
	assert_ok_err(prometheus_query(&q.request, &q.reply, &q.e), &q.e);
	assert_str_equal(buf_str(&q.reply.body), STR(SUCCESS("scalar", "[4,\"2\"]") "}"));
	test_request_fini(&q);
}

static void warnings_and_infos_are_listed(void **state)
{
	struct fixture *f = *state;
	struct test_request q;
	struct buf query = {0};

	assert_page(
		f->store, prometheus_query,
		"query=histogram_quantile(2,size{route=\"x\"})&time=" AT,
		SUCCESS("vector", "[]") ",\"warnings\":[\"PromQL warning: quantile value should "
					"be between 0 and 1, got 2 (1:20)\"]}");
	test_request_init(&q, f->store);
	assert_ok_err(
		request_page(&q, prometheus_query, "query=size%2Bon(route)requests_total&time=" AT),
		&q.e);
	assert_has(buf_str(&q.reply.body), "\"infos\":[\"PromQL info: incompatible sample types");
	test_request_fini(&q);

	/* at most ten */
	buf_put_str(&query, STR("time=" AT "&query=1"));
	for (unsigned i = 0; i < 12; i++)
		buf_printf(&query, "%%2Bquantile(%u,requests_total)", 2 + i);
	buf_put_char(&query, 0);
	test_request_init(&q, f->store);
	assert_ok_err(request_page(&q, prometheus_query, query.p), &q.e);
	assert_has(buf_str(&q.reply.body), "got 11 (");
	assert_has(buf_str(&q.reply.body), "\"2 more warning annotations omitted\"");
	test_request_fini(&q);
	buf_fini(&query);
}

static void errors_name_the_parameter(void **state)
{
	struct fixture *f = *state;

	assert_page_fails(f->store, prometheus_query, "query=sum(", -EINVAL,
			  "invalid parameter \"query\": 1:5: parse error: ");
	assert_page_fails(f->store, prometheus_query, "query=1&time=x", -EINVAL,
			  "invalid parameter \"time\": cannot parse \"x\" to a valid timestamp");
	assert_page_fails(f->store, prometheus_query, "query=1&timeout=x", -EINVAL,
			  "invalid parameter \"timeout\": cannot parse \"x\" to a valid duration");
	assert_page_fails(f->store, prometheus_query_range, "query=1&end=1&step=1", -EINVAL,
			  "invalid parameter \"start\"");
	assert_page_fails(f->store, prometheus_query_range, "query=1&start=2&end=1&step=1", -EINVAL,
			  "end timestamp must not be before start time");
	assert_page_fails(f->store, prometheus_query_range, "query=1&start=1&end=2&step=0", -EINVAL,
			  "zero or negative query resolution step widths are not accepted");
	assert_page_fails(f->store, prometheus_query_range, "query=1&start=0&end=11001&step=1",
			  -EINVAL, "exceeded maximum resolution of 11,000 points per timeseries");
	assert_page_fails(f->store, prometheus_query_range, "query=x[1m]&start=0&end=1&step=1",
			  -EINVAL, "invalid expression type \"range vector\" for range query");
	assert_page_fails(f->store, prometheus_query,
			  "query=requests_total%2Bon()requests_total&time=" AT, -EDOM,
			  "found duplicate series for the match group");
}

static void a_range_has_up_to_11001_points(void **state)
{
	struct fixture *f = *state;
	struct test_request q;

	test_request_init(&q, f->store);
	assert_ok_err(request_page(&q, prometheus_query_range,
				   "query=vector(1)&start=0&end=11000&step=1"),
		      &q.e);
	assert_has(buf_str(&q.reply.body), "[11000,\"1\"]]}]}}");
	test_request_fini(&q);
}

static void cancelled_and_late_queries_end(void **state)
{
	struct fixture *f = *state;
	const _Atomic bool cancelled = true;
	struct test_request q;

	test_request_init(&q, f->store);
	q.request.limits.cancelled = &cancelled;
	assert_int_equal(request_page(&q, prometheus_query, "query=requests_total&time=" AT),
			 -ECANCELED);
	test_request_fini(&q);
	test_request_init(&q, f->store);
	q.request.limits.deadline_ns = 1;
	assert_int_equal(request_page(&q, prometheus_query, "query=requests_total&time=" AT),
			 -ETIMEDOUT);
	test_request_fini(&q);
}

static void memory_is_limited(void **state)
{
	struct fixture *f = *state;
	struct test_request q;

	test_request_init(&q, f->store);
	q.budget.limit = 256 * KIB;
	assert_int_equal(request_page(&q, prometheus_query,
				      "query=sum_over_time(vector(1)[1d:100ms])&time=" AT),
			 -ENOMEM);
	test_request_fini(&q);
}

static void queries_are_formatted(void **state)
{
	struct fixture *f = *state;

	assert_page(f->store, prometheus_format_query, "query=sum by(a)(rate(x[5m]))/y",
		    "{\"status\":\"success\",\"data\":\"sum by (a) (rate(x[5m])) / y\"}");
	assert_page_fails(f->store, prometheus_format_query, "query=sum(", -EINVAL,
			  "invalid parameter \"query\"");
}

static void tenants_are_separate(void **state)
{
	struct fixture *f = *state;
	struct test_request q;

	test_request_init(&q, f->store);
	q.request.tenant = STR("other");
	assert_ok_err(request_page(&q, prometheus_query, "query=requests_total&time=" AT), &q.e);
	assert_has(buf_str(&q.reply.body), "\"result\":[]");
	test_request_fini(&q);
}

static void a_store_without_metrics_refuses(void **state)
{
	struct store *s;

	(void)state;
	assert_ok(memory_store_open(&s));
	assert_page_fails(s, prometheus_query, "query=up", -EOPNOTSUPP, "has no metrics");
	s->ops->close(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(instant_queries_have_four_types),
		cmocka_unit_test(names_are_removed_at_the_end),
		cmocka_unit_test(ranges_have_their_steps),
		cmocka_unit_test(native_histograms_have_buckets),
		cmocka_unit_test(parameters_limit_the_answer),
		cmocka_unit_test(a_form_in_the_body_has_parameters),
		cmocka_unit_test(warnings_and_infos_are_listed),
		cmocka_unit_test(errors_name_the_parameter),
		cmocka_unit_test(a_range_has_up_to_11001_points),
		cmocka_unit_test(cancelled_and_late_queries_end),
		cmocka_unit_test(memory_is_limited),
		cmocka_unit_test(queries_are_formatted),
		cmocka_unit_test(tenants_are_separate),
		cmocka_unit_test(a_store_without_metrics_refuses),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
