/* SPDX-License-Identifier: Apache-2.0 */
/* Exemplars, federation, trees of queries, and what Prometheus' API reports about the server. */
#include "api/api_test.h"

#include "api/prometheus/prometheus_request.h"
#include "format/prometheus/remote_write.h"
#include "net/http/http.h"
#include "store/metric_store.h"
#include "store/store_support.h"
#include "wire/compress/compress.h"
#include "wire/proto.h"

#define T ((int64_t)TEST_DAY * 86400000) /* 1728000000000 */

struct fixture {
	char directory[64];
	struct store *store;
};

static uint32_t add_series(struct metric_batch *b, const char *name, const char *key,
			   const char *value)
{
	struct label labels[] = {{STR("__name__"), str_from(name)},
				 {str_from(key), str_from(value)}};
	const char *wrong;
	uint32_t id;

	assert_ok(metric_batch_series(b, labels, countof(labels), &id, &wrong));
	return id;
}

static void add_sample(struct metric_batch *b, uint32_t series, int64_t time, double value)
{
	assert_ok(vec_push(&b->arena, &b->samples,
			   (struct metric_sample){series, T + time, metric_bits(value)}));
}

static void add_custom_histogram(struct metric_batch *b)
{
	static const double bounds[] = {0.5, 2};
	struct native_span span = {.offset = 0, .length = 3};
	double counts[] = {1, 0, 2};
	struct metric_histogram h = {.series = add_series(b, "sizes", "route", "/a"),
				     .time = T + 30000};
	const struct native_histogram value = {
		.schema = NATIVE_CUSTOM,
		.count = 3,
		.sum = 7.5,
		.positive = {.spans = &span, .counts = counts, .span_count = 1, .count = 3},
		.custom = bounds,
		.custom_count = 2,
	};

	assert_ok(native_copy(&h.value, &value, &b->arena));
	assert_ok(vec_push(&b->arena, &b->histograms, h));
}

static void add_exemplar(struct metric_batch *b, uint32_t series, int64_t time, double value)
{
	struct metric_exemplar x = {.series = series, .time = T + time, .value = value};
	struct buf labels = {0};

	metric_labels_put(&labels, STR("trace_id"), STR("abc"));
	assert_ok(arena_copy_str(&b->arena, buf_str(&labels), &x.labels));
	assert_ok(vec_push(&b->arena, &b->exemplars, x));
	buf_fini(&labels);
}

static void fill(struct metric_batch *b)
{
	uint32_t a = add_series(b, "requests_total", "route", "/a");
	uint32_t c = add_series(b, "requests_total", "route", "/c\n\"");
	uint32_t ended = add_series(b, "ended", "instance", "i");
	uint32_t named = add_series(b, "http.time", "instance", "i");

	for (int64_t i = 0; i <= 4; i++) {
		add_sample(b, a, i * 15000, (double)i * 30);
		add_sample(b, c, i * 15000, 0.25);
		add_sample(b, ended, i * 15000, 1);
	}
	add_sample(b, ended, 60001, metric_value(NATIVE_STALE_BITS));
	add_sample(b, named, 60000, 3);
	add_custom_histogram(b);
	add_exemplar(b, a, 20000, 6);
	add_exemplar(b, a, 20500, 1e-7);
	add_exemplar(b, c, 30000, 2);
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
	fill(&b);
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

#define RANGE "&start=1728000000&end=1728000060"
#define EXEMPLAR(value, time)                                                                      \
	"{\"labels\":{\"trace_id\":\"abc\"},\"value\":\"" value "\",\"timestamp\":" time "}"
#define OF_A                                                                                       \
	"{\"seriesLabels\":{\"__name__\":\"requests_total\",\"route\":\"/"                         \
	"a\"},\"exemplars\":[" EXEMPLAR("6", "1728000020") "," EXEMPLAR("1e-07",                   \
									"1728000020.500") "]}"

static void exemplars_are_those_of_all_selectors(void **state)
{
	struct fixture *f = *state;
	struct test_request q;

	assert_page(f->store, prometheus_query_exemplars,
		    "query=rate(requests_total{route=\"/a\"}[5m])" RANGE,
		    "{\"status\":\"success\",\"data\":[" OF_A "]}");
	assert_page(f->store, prometheus_query_exemplars, "query=requests_total&limit=1" RANGE,
		    "{\"status\":\"success\",\"data\":[" OF_A
		    "],\"warnings\":[\"results truncated due to limit\"]}");
	assert_page(f->store, prometheus_query_exemplars,
		    "query=requests_total&start=1728000040&end=1728000060",
		    "{\"status\":\"success\",\"data\":[]}");
	assert_page(f->store, prometheus_query_exemplars, "query=1%2B1" RANGE,
		    "{\"status\":\"success\",\"data\":null}");
	assert_page_fails(f->store, prometheus_query_exemplars, "query=(" RANGE, -EINVAL,
			  "parse error");
	test_request_init(&q, f->store);
	assert_ok_err(request_page(&q, prometheus_query_exemplars,
				   "query=topk(scalar(ended),-(requests_total))/on(a)"
				   "max_over_time(sum(ended)[1m:])" RANGE),
		      &q.e);
	assert_has(buf_str(&q.reply.body), "/c");
	test_request_fini(&q);
}

/* ---- federation ---- */

static void assert_federates(struct fixture *f, const char *accept, int64_t after_ms,
			     const char *query, const char *type, const char *expected)
{
	struct http_header headers[] = {{STR("accept"), str_from(accept)}};
	struct http_exchange x = {.headers = headers, .header_count = 1};
	struct test_request q;

	test_request_init(&q, f->store);
	q.request.sender = &x;
	q.request.now_ns = (uint64_t)(T + after_ms) * NS_PER_MS;
	assert_ok_err(request_page(&q, prometheus_federate, query), &q.e);
	assert_has(q.reply.content_type, type);
	assert_str_equal(buf_str(&q.reply.body), str_from(expected));
	test_request_fini(&q);
}

#define REQUESTS(time)                                                                             \
	"requests_total{route=\"/a\",instance=\"\"} 120 " time "\n"                                \
	"requests_total{route=\"/c\\n\\\"\",instance=\"\"} 0.25 " time "\n"

static void federation_has_the_newest_samples(void **state)
{
	struct fixture *f = *state;

	assert_federates(f, "", 61000, "match[]=requests_total&match[]=ended", "text/plain",
			 "# TYPE requests_total untyped\n" REQUESTS("1728000060000"));
	assert_federates(f, "text/plain", 60000, "match[]={__name__=~\"e.*|h.*\"}", "0.0.4",
			 "# TYPE ended untyped\n"
			 "ended{instance=\"i\"} 1 1728000060000\n"
			 "# TYPE http_time untyped\n"
			 "http_time{instance=\"i\"} 3 1728000060000\n");
	assert_federates(f, "application/openmetrics-text;version=1.0.0;escaping=allow-utf-8,*/*",
			 61000, "match[]={\"http.time\"}", "openmetrics-text",
			 "# TYPE \"http.time\" unknown\n"
			 "{\"http.time\",instance=\"i\"} 3.0 1728000060.000\n"
			 "# EOF\n");
	assert_federates(f, "", 61000, "match[]=sizes", "text/plain",
			 "# TYPE sizes histogram\n"
			 "sizes_bucket{route=\"/a\",instance=\"\",le=\"0.5\"} 1 1728000030000\n"
			 "sizes_bucket{route=\"/a\",instance=\"\",le=\"2\"} 1 1728000030000\n"
			 "sizes_bucket{route=\"/a\",instance=\"\",le=\"+Inf\"} 3 1728000030000\n"
			 "sizes_sum{route=\"/a\",instance=\"\"} 7.5 1728000030000\n"
			 "sizes_count{route=\"/a\",instance=\"\"} 3 1728000030000\n");
	/* older than five minutes */
	assert_federates(f, "", 360000, "match[]=requests_total", "text/plain", "");
	assert_federates(f, "", 359999, "match[]=requests_total{route=\"/a\"}", "text/plain",
			 "# TYPE requests_total untyped\n"
			 "requests_total{route=\"/a\",instance=\"\"} 120 1728000060000\n");
	assert_federates(f, "", 61000, "", "text/plain", "");
	assert_page_fails(f->store, prometheus_federate, "match[]={}", -EINVAL,
			  "invalid parameter \"match[]\"");
}

/* ---- trees ---- */

#define MATCHER(name, type, value)                                                                 \
	"{\"name\":\"" name "\",\"type\":\"" type "\",\"value\":\"" value "\"}"
#define NO_SHIFT "\"offset\":0,\"offsetExpr\":null,\"timestamp\":null,\"startOrEnd\":null"
#define PLAIN(name)                                                                                \
	"{\"type\":\"vectorSelector\",\"name\":\"" name "\"," NO_SHIFT ",\"matchers\":[" MATCHER(  \
		"__name__", "=", name) "],\"anchored\":false,\"smoothed\":false}"
#define TREE(query, tree)                                                                          \
	assert_page(f->store, prometheus_parse_query, "query=" query,                              \
		    "{\"status\":\"success\",\"data\":" tree "}")

static void queries_are_parsed_into_trees(void **state)
{
	struct fixture *f = *state;

	TREE("-1e3", "{\"type\":\"numberLiteral\",\"val\":\"-1000\"}");
	TREE("\"a\"", "{\"type\":\"stringLiteral\",\"val\":\"a\"}");
	TREE("x%2Bon(a)group_left(b)y",
	     "{\"type\":\"binaryExpr\",\"op\":\"+\",\"lhs\":" PLAIN("x") ",\"rhs\":" PLAIN(
		     "y") ",\"matching\":{\"card\":\"many-to-one\",\"labels\":[\"a\"],\"on\":true,"
			  "\"include\":[\"b\"],\"fillValues\":{\"lhs\":null,\"rhs\":null}},"
			  "\"bool\":false}");
	TREE("1>bool 2",
	     "{\"type\":\"binaryExpr\",\"op\":\">\",\"lhs\":{\"type\":\"numberLiteral\","
	     "\"val\":\"1\"},\"rhs\":{\"type\":\"numberLiteral\",\"val\":\"2\"},"
	     "\"matching\":null,\"bool\":true}");
	TREE("rate(x{a!~\"b\"}[5m] @ end() offset -1m)",
	     "{\"type\":\"call\",\"func\":{\"name\":\"rate\",\"argTypes\":[\"matrix\"],"
	     "\"variadic\":0,\"returnType\":\"vector\"},\"args\":[{\"type\":\"matrixSelector\","
	     "\"name\":\"x\",\"offset\":-60000,\"offsetExpr\":null,\"timestamp\":null,"
	     "\"startOrEnd\":\"end\",\"matchers\":[" MATCHER("a", "!~", "b") "," MATCHER(
		     "__name__", "=", "x") "],\"anchored\":false,\"smoothed\":false,"
					   "\"range\":300000,\"rangeExpr\":null}]}");
	TREE("topk without(a)(2,(x))",
	     "{\"type\":\"aggregation\",\"op\":\"topk\",\"expr\":{\"type\":\"parenExpr\","
	     "\"expr\":" PLAIN("x") "},\"param\":{\"type\":\"numberLiteral\",\"val\":\"2\"},"
				    "\"grouping\":[\"a\"],\"without\":true}");
	TREE("-x", "{\"type\":\"unaryExpr\",\"op\":\"-\",\"expr\":" PLAIN("x") "}");
	TREE("x[1m%2Bstep():10s] @ 1.5",
	     "{\"type\":\"subquery\",\"expr\":" PLAIN(
		     "x") ",\"range\":0,\"rangeExpr\":{"
			  "\"type\":\"durationExpr\",\"op\":\"+\",\"lhs\":{\"type\":"
			  "\"numberLiteral\","
			  "\"val\":\"60\",\"duration\":true},\"rhs\":{\"type\":\"durationExpr\","
			  "\"op\":\"step\",\"lhs\":null,\"rhs\":null,\"wrapped\":false},"
			  "\"wrapped\":false},"
			  "\"step\":10000,\"stepExpr\":null,\"offset\":0,\"offsetExpr\":null,"
			  "\"timestamp\":1500,\"startOrEnd\":null}");
	assert_page_fails(f->store, prometheus_parse_query, "query=x[", -EINVAL,
			  "invalid parameter \"query\"");
}

/* ---- the server ---- */

static void assert_status(struct fixture *f, api_answer *answer, const char *query,
			  const char *part)
{
	struct test_request q;

	test_request_init(&q, f->store);
	q.request.now_ns = (uint64_t)(T + 60000) * NS_PER_MS;
	assert_ok_err(request_page(&q, answer, query), &q.e);
	assert_has(buf_str(&q.reply.body), part);
	test_request_fini(&q);
}

static void the_server_is_described(void **state)
{
	struct fixture *f = *state;

	assert_status(f, prometheus_build_info, "", "\"version\":\"3.0.0\"");
	assert_status(f, prometheus_runtime_info, "",
		      "\"serverTime\":\"2024-10-04T00:01:00.000Z\"");
	assert_status(f, prometheus_runtime_info, "", "\"storageRetention\":\"0s\"");
	assert_status(f, prometheus_flags, "", "\"query.lookback-delta\":\"5m\"");
	assert_status(f, prometheus_config, "", "{\"yaml\":\"global:\\n");
	assert_status(f, prometheus_wal_replay, "", "{\"min\":0,\"max\":0,\"current\":0}");
	assert_status(f, prometheus_healthy, "", "Healthy");
	assert_status(f, prometheus_ready, "", "Ready");
}

static void frequent_labels_are_counted(void **state)
{
	struct fixture *f = *state;

	assert_status(f, prometheus_tsdb_status, "limit=1",
		      "\"seriesCountByMetricName\":[{\"name\":\"requests_total\",\"value\":2}],"
		      "\"labelValueCountByLabelName\":[{\"name\":\"__name__\",\"value\":4}],"
		      "\"memoryInBytesByLabelName\":[{\"name\":\"__name__\",\"value\":47}],"
		      "\"seriesCountByLabelValuePair\":[{\"name\":\"__name__=requests_total\","
		      "\"value\":2}]}");
	assert_page_fails(f->store, prometheus_tsdb_status, "limit=0", -EINVAL,
			  "limit must be a positive number");
}

/* ---- remote read ---- */

/* Send a ReadRequest with one query for the samples of the first minute. */
static int read_remotely(struct test_request *q, struct str matcher, bool chunks)
{
	struct proto_writer w;
	struct buf body = {0};
	int rc;

	proto_writer_init(&w, NULL);
	if (chunks)
		proto_put_uint(&w, 2, 1);

	size_t mark = proto_mark(&w);

	proto_put_bytes(&w, 3, matcher);
	proto_put_int(&w, 2, T + 30000);
	proto_put_int(&w, 1, T + 15000);
	proto_put_header(&w, 1, mark);
	assert_ok(compress_bytes(&body, COMPRESS_SNAPPY, 0, proto_writer_str(&w), NULL));
	q->request.body = buf_str(&body);
	rc = prometheus_read(&q->request, &q->reply, &q->e);
	q->request.body = STR("");
	proto_writer_fini(&w);
	buf_fini(&body);
	return rc;
}

#define MATCHES(type, value) STR("\x08" type "\x12\x05route\x1a\x04" value)

static void samples_are_read_remotely(void **state)
{
	struct fixture *f = *state;
	struct metric_batch b;
	struct test_request q;
	struct proto_reader r;
	struct str message;

	test_request_init(&q, f->store);
	assert_ok_err(read_remotely(&q, MATCHES("\x02", "/[a]"), false), &q.e);
	assert_str_equal(q.reply.content_type, STR("application/x-protobuf"));
	assert_str_equal(q.reply.header.value, STR("snappy"));
	assert_ok(decompress_bytes(COMPRESS_SNAPPY, buf_str(&q.reply.body), &q.arena, NULL,
				   &message, &q.e));
	r = proto_reader_of(message);
	assert_true(proto_next(&r) && r.tag == PROTO_TAG(1, PROTO_BYTES));
	metric_batch_init(&b, NULL);
	assert_ok(remote_write_decode(&b, REMOTE_WRITE_1, proto_bytes(&r), &q.e));
	assert_int_equal(b.series.n, 2);
	assert_int_equal(b.samples.n, 2);
	assert_int_equal(b.samples.at[0].time, T + 15000);
	assert_int_equal(b.histograms.n, 1);
	metric_batch_fini(&b);
	test_request_fini(&q);

	test_request_init(&q, f->store);
	assert_ok_err(read_remotely(&q, MATCHES("\x00", "/abc"), true), &q.e);
	assert_has(q.reply.content_type, "ChunkedReadResponse");
	assert_int_equal(q.reply.body.n, 0);
	test_request_fini(&q);
}

static void wrong_requests_to_read_are_refused(void **state)
{
	struct fixture *f = *state;
	struct test_request q;

	test_request_init(&q, f->store);
	assert_int_equal(read_remotely(&q, MATCHES("\x02", "/(ab"), false), -EINVAL);
	assert_true(q.e.text[0]);
	assert_int_equal(read_remotely(&q, STR("\x08\x07"), false), -EINVAL);
	q.request.body = STR("\xff\xff\xff\xff\xff\xff");
	assert_int_equal(prometheus_read(&q.request, &q.reply, &q.e), -EINVAL);
	test_request_fini(&q);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(exemplars_are_those_of_all_selectors),
		cmocka_unit_test(federation_has_the_newest_samples),
		cmocka_unit_test(queries_are_parsed_into_trees),
		cmocka_unit_test(the_server_is_described),
		cmocka_unit_test(frequent_labels_are_counted),
		cmocka_unit_test(samples_are_read_remotely),
		cmocka_unit_test(wrong_requests_to_read_are_refused),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
